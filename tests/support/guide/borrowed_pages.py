"""Guide pages that are made from other documents of the project."""

import re

from tests.support.repository import ROOT


def server_page() -> str:
    """deploy/README.md."""
    return _without_links_out((ROOT / "deploy" / "README.md").read_text(encoding="utf-8"))


def _without_links_out(text: str) -> str:
    """Files of the project are no pages of the guide; Zensical wants an empty line before a list."""
    spaced = re.sub(r"^((?!\d+\. |- |\s|$).+)\n(?=1\. |- )", r"\1\n\n", text, flags=re.MULTILINE)
    return re.sub(r"\[([^\]]+)\]\(([^)]+)\)", lambda link: f"{link[1]} (`{link[2].removeprefix('../')}`)", spaced)
