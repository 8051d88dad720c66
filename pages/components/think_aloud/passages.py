"""A sample in which an expert selects words and says what they notice; passages are highlighted.

The browser only sends what somebody selected and wrote: the use cases check whether the words are there, and whose
passages an expert may see. Entries are numbered, so that one that arrives twice is saved once. See `passages.js`.
"""

from collections.abc import Iterable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import streamlit as st

from app.domain.attribute import LONGEST_WORDS, Attribute, ContributorKind, Sample
from app.domain.conversation import Part, part_of, turns_in
from app.domain.passage import LONGEST_PASSAGE, Passage, PassageAttribute, read_marked
from app.domain.project import Task, Text
from app.errors import WorkbenchError
from app.services.think_aloud.independence import add_own_attribute, passages_of, remove_own_attribute
from pages.components.shell.browser.page_scripts import OUTBOX, dropped_typing
from pages.components.shell.labels import number, plain
from pages.components.shell.reading import LONG, FormatSpan, find_tools, format_spans, has_markdown, matches
from pages.components.shell.undo import remember
from pages.components.think_aloud.own_attribute_list import ColumnContext, show_newest

COLOURS = 8  # in `passages.css`; the expert's own is the first
NOTHING_YET = ("", 0)
_DRAWN = "drawn_passages"
_HERE = Path(__file__).parent

_component = st.components.v2.component(
    "interacteval_passages",
    js=f"{OUTBOX}\n{(_HERE / 'passages.js').read_text(encoding='utf-8')}",
    css=(_HERE / "passages.css").read_text(encoding="utf-8"),
    isolate_styles=False,  # drafts must be kept of the field, and Streamlit's own keys see that somebody writes
)


@dataclass(frozen=True, slots=True)
class Highlights:
    """Attributes with a passage that the expert may see, and the colour of each contributor."""

    attributes: Sequence[Attribute]
    expert: str

    @property
    def colours(self) -> dict[str, int]:
        """Return colour by contributor, the expert's own first; with many contributors colours repeat."""
        names = dict.fromkeys([self.expert, *(a.contributor for a in self.attributes)])
        return {name: min(place, 1 + (place - 1) % (COLOURS - 1)) for place, name in enumerate(names)}

    def of(self, text_id: int) -> list[dict[str, Any]]:
        """Return the highlights in one sample, as the browser draws them."""
        colours = self.colours
        return [
            {
                "id": a.id,
                "part": p.part.value,
                "start": p.start,
                "end": p.end,
                "who": a.contributor,
                "own": a.contributor == self.expert,
                "llm": a.kind is ContributorKind.LLM,
                "colour": colours[a.contributor],
                "said": a.text,
            }
            for a, p in ((a, a.passage) for a in self.attributes)
            if p is not None and p.text_id == text_id
        ]


def drawn_highlights(own: ColumnContext) -> Highlights:
    """Return the highlights drawn now; `highlights_changed` compares with them."""
    found = passages_of(own.workbench, own.dimension.id, own.expert)
    st.session_state[_DRAWN] = _ids_and_texts(found)
    return Highlights(found, own.expert)


def highlights_changed(own: ColumnContext) -> bool:
    """Return whether the highlights that this expert may see differ from those on the screen."""
    return bool(
        st.session_state.get(_DRAWN) != _ids_and_texts(passages_of(own.workbench, own.dimension.id, own.expert))
    )


def _ids_and_texts(attributes: Sequence[Attribute]) -> list[tuple[int, str]]:
    return [(attribute.id, attribute.text) for attribute in attributes]


def formatted_choice(samples: Sequence[Sample]) -> bool:
    """Return whether Markdown in the samples is rendered; asked only if there is some."""
    both = (part for sample in samples for part in (sample.text.source, sample.text.text))
    return any(map(has_markdown, both)) and st.toggle("Formatted", value=True, key="formatted_samples")


def sample_passages(own: ColumnContext, task: Task, highlights: Highlights, sample: Sample, formatted: bool) -> None:
    """Draw the sample's text beside its source. It is no fragment: a restarted server wouldn't know it, and would never
    get what the browser sends again."""
    text = sample.text
    key = f"passages_{own.dimension.id}_{text.id}"

    found = {part: _found(task, text, part, key) for part in _BOTH}

    def take() -> None:
        _take(own, key, text.id, st.session_state[key].get("marked"))

    page, number = _confirmed(key)
    data = {
        "key": _draft_key(text.id),
        "page": page,
        "confirmed": number,
        "problem": st.session_state.get(f"{key}_problem", ""),
        "longest": LONGEST_PASSAGE,
        "longest_words": LONGEST_WORDS,
        "parts": list(_parts(task, sample)),
        "formats": {part: sorted([*found[part], *(_formats(text, part) if formatted else [])]) for part in _BOTH},
        "marks": highlights.of(text.id),
    }
    sent = _component(key=key, data=data, on_marked_change=take).get("marked")
    # After the server or the connection was away, what was sent last arrives with a new session, which calls nothing.
    if sent is not None and _confirmed(key) == NOTHING_YET and _take(own, key, text.id, sent):
        st.rerun()


_BOTH: tuple[Part, ...] = ("source", "text")


def _found(task: Task, text: Text, part: Part, key: str) -> list[FormatSpan]:
    """The words that were looked for in a long text, and the first line of the section that was chosen."""
    content = part_of(text, part)
    label = "Find" if part == "text" else f"Find in the {plain(task.source_name)}"
    with st.container(horizontal=True, vertical_alignment="bottom") if len(content) > LONG else nullcontext():
        view = find_tools(content, f"{key}_{part}", label)
    places = matches(content, view.words)
    if view.words:
        st.caption(number(len(places), "place"))
    if view.part:
        start, end = view.part
        places.append((start, start + len(content[start:end].splitlines()[0])))
    return [(start, end, "found") for start, end in places]


def _parts(task: Task, sample: Sample) -> Iterable[dict[str, Any]]:
    text = sample.text
    if text.source:
        long = len(text.source) > LONG
        yield {"part": "source", "label": task.source_name, "words": text.source, "long": long} | _turns(text, "source")
    yield {"part": "text", "label": task.text_name, "words": text.text, "long": False} | _turns(text, "text")


def _turns(text: Text, part: Part) -> dict[str, Any]:
    """Return the places of a conversation's turns; turns of neither person nor model are folded."""
    places = turns_in(text, part)
    folded = [place.turn.role not in ("user", "assistant") for place in places]
    return {"turns": [{"start": p.start, "end": p.end, "folded": f} for p, f in zip(places, folded, strict=True)]}


def _formats(text: Text, part: Part) -> list[FormatSpan]:
    """Return formatting by turn: an unclosed mark formats no other turn."""
    content = part_of(text, part)
    places = [(place.start, place.end) for place in turns_in(text, part)] or [(0, len(content))]
    return [(at + s, at + e, kind) for at, to in places for s, e, kind in format_spans(content[at:to])]


def _draft_key(text_id: int) -> str:
    return f"passage_{text_id}"


def _confirmed(key: str) -> tuple[str, int]:
    """Return the opened page that sent entries last, and the entry up to which all are over."""
    page, last = st.session_state.get(f"{key}_confirmed", NOTHING_YET)
    return str(page), int(last)


def _take(own: ColumnContext, key: str, text_id: int, sent: object) -> bool:
    """Save what the browser sent and this session hasn't saved yet, up to the first refusal, which is shown and
    over."""
    try:
        message = read_marked(sent, text_id)
    except WorkbenchError as error:
        st.session_state[f"{key}_problem"] = error.in_full
        return False
    page, last = _confirmed(key)
    fresh = [entry for entry in message.marked if message.page != page or entry.number > last]
    for entry in fresh:
        st.session_state[f"{key}_problem"] = problem = _keep(own, entry)
        st.session_state[f"{key}_confirmed"] = (message.page, entry.number)
        if problem:
            break
    return bool(fresh)


def _keep(own: ColumnContext, entry: PassageAttribute) -> str:
    """Save an entry; return why it can't be saved, "" if it was."""
    try:
        added = add_own_attribute(own.workbench, own.dimension.id, own.expert, entry.words, passage=entry.passage)
    except WorkbenchError as error:
        return error.in_full
    dropped_typing(_key_of(entry.passage))
    show_newest(own)
    remember(own.place, "added an attribute", partial(remove_own_attribute, own.workbench, added))
    return ""


def _key_of(passage: Passage) -> str:
    return f"{_draft_key(passage.text_id or 0)}_{passage.part.value}_{passage.start}_{passage.end}"
