"""When two attributes count as the same: on Think aloud, in a model's answers, and at import."""

from collections.abc import Iterable, Sequence

from app.domain.attribute import Attribute, AttributeStatus

_FINAL_MARKS = " .,;:!?…。．！？；、।؟"


def same_words(text: str) -> str:
    """Return a form that is equal for wordings that differ only in case, spaces or final punctuation."""
    return " ".join(text.split()).rstrip(_FINAL_MARKS).casefold()


def same_attribute(text: str, attributes: Sequence[Attribute]) -> int:
    """Return the number of the first attribute with the same words that isn't excluded; 0 for none."""
    wanted = same_words(text)
    found = (
        number
        for number, one in enumerate(attributes, start=1)
        if one.status is not AttributeStatus.EXCLUDED and same_words(one.text) == wanted
    )
    return next(found, 0)


def without_repeats(said: Sequence[str], before: Iterable[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the wordings said for the first time, and those that repeat one of them or of `before`; both in order."""
    known = {same_words(text) for text in before}
    new: list[str] = []
    repeated: list[str] = []
    for text in said:
        form = same_words(text)
        (repeated if form in known else new).append(text)
        known.add(form)
    return tuple(new), tuple(repeated)


def imported_keys(attributes: Iterable[Attribute]) -> set[tuple[str, str, str]]:
    """Return each attribute's (dimension, contributor, words) when it was said. A row with such a key is there already.

    An import compares word for word, so that a file brings all its attributes and the same file again none.
    """
    return {(one.original_dimension or one.dimension, one.contributor, one.original) for one in attributes}
