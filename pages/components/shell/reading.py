"""A text to read, shown to the letter; quotes of it are highlighted where they stand, or said to be nowhere.

Texts and quotes are anybody's: nothing of them is read as markup, and nothing is shown as HTML.
"""

import re
from collections.abc import Iterable, Iterator

import streamlit as st

from app.domain.wording.quotation import QuotedPlace, Span, find_quote
from pages.components.shell.words import plain, plain_piece

LONG = 1500  # characters: about what fits on a screen beside the rest
HEIGHT = 420
NOT_IN_TEXT = "not in the text"
_INDENT = "\u00a0"  # spaces that Markdown keeps
# They would turn round what is written after them (UAX 9).
_DIRECTIONS = re.compile("[\u202a-\u202e\u2066-\u2069]")


def readable_text(text: str, key: str, places: Iterable[Span] = ()) -> None:
    """At a readable width, with these spans highlighted; what is long scrolls within its own place."""
    with st.container(height=HEIGHT if len(text) > LONG else "content", border=len(text) > LONG, key=key):
        text_with_places(text, places)


def text_with_quote(text: str, quote: str, source: str = "", source_name: str = "source") -> None:
    """A text to read, with the quote highlighted where it stands; where it doesn't, the quote below says that it is in
    the source or nowhere. Nothing is said of an empty one."""
    place = find_quote(quote, text, source)
    here = place is not None and not place.in_source
    text_with_places(text, [(place.start, place.end)] if place is not None and here else [])
    if quote.strip() and not here:
        st.caption(quote_line(quote, place, source_name))


def text_with_places(text: str, places: Iterable[Span]) -> None:
    """A text to read, with these spans of it highlighted; those that overlap become one. To the letter without any."""
    spans = _together(places)
    if spans:
        st.markdown(highlighted(text, spans))
    else:
        st.text(text, width="stretch")


def quote_line(quote: str, place: QuotedPlace | None, source_name: str = "source") -> str:
    """The quote as Markdown, with where it stands where that is no matter of course; `place` is None for nowhere."""
    said = f"“{plain(_DIRECTIONS.sub('', quote))}”"
    if place is None:
        return f"{said} · :orange[{NOT_IN_TEXT}]"
    words = ([f"in the {plain(source_name)}"] if place.in_source else []) + ([] if place.exact else ["nearly"])
    return f"{said} · :gray[{', '.join(words)}]" if words else said


def highlighted(text: str, spans: Iterable[Span]) -> str:
    """The text as Markdown, line by line as it is, with these spans on a yellow ground. They don't overlap."""
    pieces = list(_pieces(text, spans))
    lines: list[str] = [""]
    for words, marked in pieces:
        first, *others = words.split("\n")
        lines[-1] += _inline(first, marked, lines[-1])
        lines += [_inline(other, marked, "") for other in others]
    return "  \n".join(lines)


def _inline(words: str, marked: bool, before: str) -> str:
    """One piece of a line; `before` is what the line has already."""
    core = words.strip()
    if not core:
        return " " if words and before else ""
    lead = len(words) - len(words.lstrip())
    start = (" " if lead else "") if before else _INDENT * lead
    shown = f":yellow-background[{plain_piece(core)}]" if marked else plain_piece(core)
    if shown.endswith(":") and not marked:  # what is marked may follow, and two colons would make it something else
        shown = f"{shown[:-1]}\\:"
    return start + shown + (" " if words[-1].isspace() else "")


def _pieces(text: str, spans: Iterable[Span]) -> Iterator[tuple[str, bool]]:
    at = 0
    for start, end in spans:
        yield text[at:start], False
        yield text[start:end], True
        at = end
    yield text[at:], False


def _together(places: Iterable[Span]) -> list[Span]:
    found: list[Span] = []
    for start, end in sorted(places):
        if found and start <= found[-1][1]:
            found[-1] = found[-1][0], max(found[-1][1], end)
        else:
            found.append((start, end))
    return found
