"""Pages that stand in other documents too: what is said there once is read here as it is."""

import re

from tests.support.repository import ROOT

_ADDING = """# Adding things

This page is for people who program. It stands in CONTRIBUTING.md, with the rules that all code here follows, where
everything is, and how it is tested.

"""


def adding_page() -> str:
    """The chapter “How to add ...” of CONTRIBUTING."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    chapter = text.split("\n## How to add ...\n")[1].split("\n## ")[0]
    return _ADDING + _without_links_out(chapter.replace("\n### ", "\n## ")).strip() + "\n"


def server_page() -> str:
    """deploy/README.md."""
    return _without_links_out((ROOT / "deploy" / "README.md").read_text(encoding="utf-8"))


def _without_links_out(text: str) -> str:
    """Files of the project are no pages of the guide; Zensical wants an empty line before a list."""
    spaced = re.sub(r"^((?!\d+\. |- |\s|$).+)\n(?=1\. |- )", r"\1\n\n", text, flags=re.MULTILINE)
    return re.sub(r"\[([^\]]+)\]\(([^)]+)\)", lambda link: f"{link[1]} (`{link[2].removeprefix('../')}`)", spaced)
