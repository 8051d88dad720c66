"""Repeats: what one contributor says a second time about a dimension; counted twice, it would have twice the weight."""

import re
from collections.abc import Iterable, Sequence

_FINAL_MARKS = " .,;:!?…。．！？；、।؟"
_SPACE = re.compile(r"\s+")


def same_words(text: str) -> str:
    """A form that two wordings share where they differ in case, in spaces or in the marks they end with, alone."""
    return _SPACE.sub(" ", text).strip().rstrip(_FINAL_MARKS).casefold()


def without_repeats(said: Sequence[str], before: Iterable[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What is said for the first time, and what repeats it or one of `before`; both in the order given."""
    known = {same_words(text) for text in before}
    new: list[str] = []
    repeated: list[str] = []
    for text in said:
        form = same_words(text)
        (repeated if form in known else new).append(text)
        known.add(form)
    return tuple(new), tuple(repeated)
