"""Quotes that a judge or an expert gives as evidence, and their places in the text."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from rapidfuzz import fuzz

from app.domain.storable_text import storable

Span = tuple[int, int]
"""A stretch of a text: its start, and its end, which is exclusive."""

LONGEST = 500  # characters that are kept of a quote; a judge is asked for the shortest passage
SHORTEST_ALIKE = 12  # characters; of fewer, some others resemble it in any text
ALIKE = 95.0  # of 100, by rapidfuzz's partial ratio
CUT = "…"
AROUND = 160  # characters before and behind a place, where not the whole text is shown
_STRETCH = 2000  # characters that are compared at a time, at least
_SPACES = re.compile(r"\s+")
_SEVERAL_SPACES = re.compile(r"\s{2,}")
_MARKS = str.maketrans(dict.fromkeys("‘’‚‛′´`", "'") | dict.fromkeys("“”„‟″«»", '"'))
_AROUND = re.compile(r"^(?:[\"' ]|\.\.\.|…)+|(?:[\"' ]|\.\.\.|…)+$")


@dataclass(frozen=True, slots=True)
class QuotedPlace:
    """The place of a quote in the text, or in its source (`in_source`), as code points of the original; `end` is
    exclusive.

    `exact`: word for word, except for spaces and the kind of quotation marks; otherwise only similar.
    """

    start: int
    end: int
    in_source: bool = False
    exact: bool = True


@dataclass(frozen=True, slots=True)
class QuoteCounts:
    """Counts of answers with a quote that was `found` (of these `nearly` only in similar words), `absent`, or not
    given."""

    found: int = 0
    nearly: int = 0
    absent: int = 0
    without: int = 0

    def __bool__(self) -> bool:
        return bool(self.found + self.absent + self.without)

    def __str__(self) -> str:
        nearly = f" ({self.nearly:,} in nearly these words)" if self.nearly else ""
        return f"{self.found:,} found{nearly}, {self.absent:,} not in the text, {self.without:,} without"

    def to_json(self) -> dict[str, int]:
        return {"found": self.found, "nearly": self.nearly, "not_in_text": self.absent, "without": self.without}


def stored_quote(said: object) -> str:
    """Return the quote as stored: cut after LONGEST characters with “…”, "" for a value that isn't a string."""
    return _cut(storable(said)) if isinstance(said, str) else ""


def find_quote(quote: str, text: str, source: str = "") -> QuotedPlace | None:
    """Return where the quote first occurs, in the text or else in its source; None if in neither, or if it is blank.

    An exact match in either of them comes before a similar one.
    """
    spellings = list(_spellings(_cut(quote)))
    documents = ((text, False), (source, True))
    for look, exact in ((_exactly, True), (_alike, False)):
        for document, in_source in documents:
            even = _even(document)
            for spelled in spellings:
                if span := look(spelled, even):
                    start, end = _original(document, span)
                    return QuotedPlace(start, end, in_source, exact)
    return None


def in_context(document: str, place: QuotedPlace) -> tuple[str, str, str]:
    """Return the words before the place, in it and after it. “…” marks where long surroundings were cut."""
    start, end = max(place.start - AROUND, 0), min(place.end + AROUND, len(document))
    before = (CUT if start else "") + document[start : place.start]
    after = document[place.end : end] + (CUT if end < len(document) else "")
    return before, document[place.start : place.end], after


def _cut(quote: str) -> str:
    quote = quote.strip()
    return quote if len(quote) <= LONGEST else quote[: LONGEST - 1].rstrip() + CUT


def _spellings(quote: str) -> Iterator[str]:
    """Yield the quote, then the quote without quotation marks and dots around it."""
    even = _even(quote).strip()
    bare = _AROUND.sub("", even)
    yield from dict.fromkeys(spelled for spelled in (even, bare) if spelled)


@lru_cache(maxsize=8)  # one text is asked about many quotes
def _even(text: str) -> str:
    """Return the text with single spaces and one kind of quotation marks; other characters stay."""
    return _SPACES.sub(" ", text.translate(_MARKS))


def _exactly(quote: str, document: str) -> Span | None:
    """Return the span of the quote as whole words if possible, else as part of a word; None if it doesn't occur."""
    start = document.find(quote)
    if start < 0:
        return None
    whole = re.search(rf"(?<!\w){re.escape(quote)}(?!\w)", document)
    start = whole.start() if whole else start
    return start, start + len(quote)


def _alike(quote: str, document: str) -> Span | None:
    small = document.lower()
    if len(small) == len(document) and (span := _exactly(quote.lower(), small)):
        return span
    if len(quote) < SHORTEST_ALIKE or not document:
        return None
    if len(quote) >= len(document):  # the other way round it would be the document that is looked for in the quote
        return _trimmed(document, 0, len(document)) if fuzz.ratio(quote, document) >= ALIKE else None
    step = max(_STRETCH, 4 * len(quote))
    for start in range(0, len(document), step):
        stretch = document[start : start + step + 2 * len(quote)]
        if start and len(stretch) <= 2 * len(quote):  # the end of the stretch before
            break
        found = fuzz.partial_ratio_alignment(quote, stretch, score_cutoff=ALIKE)
        if found is not None:
            return _trimmed(document, start + found.dest_start, start + found.dest_end)
    return None


def _trimmed(document: str, start: int, end: int) -> Span | None:
    held = document[start:end]
    words = held.strip()
    start += len(held) - len(held.lstrip())
    return (start, start + len(words)) if words else None


def _original(document: str, span: Span) -> Span:
    """Convert a span of the `_even` document, without spaces at its ends, to the span in the document itself."""
    start, last = span[0], span[1] - 1
    gone, shifts = 0, [0, 0]
    for spaces in _SEVERAL_SPACES.finditer(document):
        at = spaces.start() - gone
        if at >= last:
            break
        gone += len(spaces[0]) - 1
        shifts = [gone if at < start else shifts[0], gone]
    return start + shifts[0], last + shifts[1] + 1
