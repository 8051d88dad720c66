"""Pieces of Markdown, and what a page holds: its anchors, its links, the words it sets in bold."""

import re
from collections.abc import Iterable, Sequence

_FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
_SPAN = re.compile(r"`[^`\n]+`")


def markdown_table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table; what would end a cell is written as what it is."""
    lines = [headings, ["---"] * len(headings), *rows]
    return "".join(f"| {' | '.join(_one_cell(cell) for cell in line)} |\n" for line in lines) + "\n"


def plain_words(text: str) -> str:
    """Text that is no Markdown, as a paragraph that shows it to the letter; `code` in it stays code."""
    return "".join(part if _SPAN.fullmatch(part) else _escaped(part) for part in re.split(r"(`[^`\n]+`)", text))


def _escaped(text: str) -> str:
    return re.sub(r"([\\`*_{}\[\]<>#|])", r"\\\1", text).replace("@", "&#64;")  # else an address becomes a link


def code(text: str) -> str:
    return f"`{text}`" if text else ""


def anchors(page: str) -> set[str]:
    """What a link into the page may name: its headings, as the site makes anchors of them."""
    found: set[str] = set()
    for heading in re.findall(r"^#{1,6} (.+)$", _FENCE.sub("", page), re.MULTILINE):
        named = re.search(r"\{ *#([\w-]+) *\}\s*$", heading)
        anchor = named[1] if named else anchor_of(heading)
        number, first = 1, anchor
        while anchor in found:
            anchor, number = f"{first}_{number}", number + 1
        found.add(anchor)
    return found


def links(page: str) -> set[str]:
    """Where its links and pictures lead."""
    return set(re.findall(r"\]\(([^)\s]+)", _SPAN.sub("", _FENCE.sub("", page))))


def words_in_bold(page: str) -> set[str]:
    """In the guide: what stands on the screen."""
    bold = re.findall(r"\*\*(.+?)\*\*", _SPAN.sub("", _FENCE.sub("", page)), re.DOTALL)
    return {" ".join(words.split()) for words in bold}


def anchor_of(heading: str) -> str:
    """The first of this name on a page."""
    bare = re.sub(r"[^\w\s-]", "", heading.replace("`", "")).strip().lower()
    return re.sub(r"[-\s]+", "-", bare)


def _one_cell(cell: str) -> str:
    return " ".join(cell.split()).replace("|", "\\|") if "`" in cell else " ".join(cell.split())
