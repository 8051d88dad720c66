"""A text to read, shown to the letter; quotes of it are highlighted where they stand, or said to be nowhere.

Texts and quotes are anybody's: nothing of them is read as markup, and nothing is shown as HTML.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

import streamlit as st

from app.domain.attribute import Sample
from app.domain.conversation import Part, part_of, turns_in
from app.domain.project import Dimension, Task, Text
from app.domain.wording import QuotedPlace, Span
from app.services.data.uploads import samples_words
from app.services.think_aloud.samples import HeldOut
from pages.components.shell.words import number, plain, plain_piece

LONG = 1500  # characters: about what fits on a screen beside the rest
HEIGHT = 420
NOT_IN_TEXT = "not in the text"
_INDENT = "\u00a0"  # spaces that Markdown keeps
# They would turn round what is written after them (UAX 9).
_DIRECTIONS = re.compile("[\u202a-\u202e\u2066-\u2069]")


def readable_text(text: Text, part: Part, key: str, places: Iterable[Span] = ()) -> None:
    """The text or its source, with these spans highlighted; what is long scrolls within its own place."""
    long = len(part_of(text, part)) > LONG
    with st.container(height=HEIGHT if long else "content", border=long, key=key):
        part_with_places(text, part, key, places)


def part_with_places(text: Text, part: Part, key: str, places: Iterable[Span] = ()) -> None:
    """A conversation turn by turn, anything else as it is. What isn't said by person or model is folded, unless
    something in it is highlighted."""
    turns, spans = turns_in(text, part), list(places)
    if not turns:
        text_with_places(part_of(text, part), spans)
    for number_of, turn in enumerate(turns):
        inside = [
            (max(start, turn.start) - turn.start, min(end, turn.end) - turn.start)
            for start, end in spans
            if start < turn.end and end > turn.start
        ]
        folded = turn.turn.role not in ("user", "assistant") and not inside
        with st.expander(plain(turn.turn.heading)) if folded else st.container(key=f"{key}_turn_{number_of}"):
            if not folded:
                st.caption(f"**{plain(turn.turn.heading)}**")
            text_with_places(turn.turn.words, inside)


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


LONG_SOURCE = 900  # characters


def rubric(dimension: Dimension) -> None:
    """What the dimension means, to the letter, and its range."""
    scale = "good or not good" if dimension.binary else f"{dimension.low:g} to {dimension.high:g}"
    st.subheader(f"{plain(dimension.name)}, {scale}", anchor=False)
    if dimension.rubric:
        st.text(dimension.rubric)
    else:
        st.caption("It has no rubric yet. Write one on Texts, so that everybody means the same.")


def left_out(task: Task, samples: Sequence[Sample], held: HeldOut) -> None:
    """How the samples were chosen, where they come from, and what that takes away from scoring."""
    said = "" if all(sample.chosen_by == "hand" for sample in samples) else f"{_chosen(samples)} "
    said += samples_words(task, len(samples), held.documents, held.texts)
    if held.alone and held.texts < held.all:
        said += f" Other texts of the same {task.sources_name} are scored, so keep what you say general."
    st.caption(plain(f"{said} {held.all - held.texts:,} of {number(held.all, 'text')} are left to score."))


def _chosen(samples: Sequence[Sample]) -> str:
    rated = [sample for sample in samples if sample.score is not None]
    how = "to be unlike each other" if any(sample.chosen_by == "diverse" for sample in samples) else "at random"
    if not rated:
        return f"Nobody has rated these texts: the samples were drawn {how}."
    if len(rated) < len(samples):
        return f"Few texts are rated: the other samples were drawn {how}."
    return "Chosen across the range of scores that people gave."


def score_words(score: float | None) -> str:
    """The mean rating of a sample, as it is named everywhere."""
    return "not rated" if score is None else f"score {score:.2f}"


def samples_side_by_side(
    task: Task, dimension: Dimension, samples: Sequence[Sample], shown: Callable[[Sample], None] | None = None
) -> None:
    """Text and score of each, lowest score first and unrated ones last, beside its source if it has one; long sources
    scroll in a box. shown: draws text and source in another way."""
    for place, sample in enumerate(samples, start=1):
        with st.container(key=f"sample_{sample.position}"):
            by_hand = " · chosen by hand" if sample.chosen_by == "hand" else ""
            scale = "" if sample.score is None else f" of {dimension.low:g} to {dimension.high:g}"
            st.markdown(f"**Sample {place} · {score_words(sample.score)}**{scale}{by_hand}")
            if shown is not None:
                shown(sample)
            elif sample.text.source:
                _beside_its_source(task, sample.text)
            else:
                st.text(sample.text.text, width="stretch")


def _beside_its_source(task: Task, judged: Text) -> None:
    short_source = 2 * len(judged.source) < len(judged.text)
    source, text = st.columns([1, 2] if short_source else 2, gap="medium")
    with source:
        st.caption(plain(task.source_name))
        long = len(judged.source) > LONG_SOURCE
        with st.container(height=300 if long else "content", border=long):
            st.text(judged.source, width="stretch")
    with text:
        st.caption(plain(task.text_name))
        st.text(judged.text, width="stretch")
