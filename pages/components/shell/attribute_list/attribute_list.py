"""Attributes in groups, in full: select many, exclude them with a reason, move or merge them, by mouse or by key.

The browser only sends requests: permissions, existence and results are decided here. Acts are numbered, so that one
that arrives twice is done once. See `list.js`.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import streamlit as st

from app.errors import WorkbenchError
from app.services.attributes.attribute_changes import ActKind, AttributeAct, read_acts
from pages.components.shell.browser.page_scripts import OUTBOX
from pages.components.shell.undo import Action, add_to_last, last_change, remember, undo_last

REASONS = ("says the same as another", "not about this dimension", "too vague", "about one text alone")
NOTHING_YET = ("", 0)
_HERE = Path(__file__).parent
_SCRIPTS = ("rows.js", "head.js", "list.js")

_component = st.components.v2.component(
    "interacteval_attribute_list",
    js="\n".join([OUTBOX, *((_HERE / name).read_text(encoding="utf-8") for name in _SCRIPTS)]),
    css=(_HERE / "list.css").read_text(encoding="utf-8"),
    isolate_styles=False,  # Streamlit's own keys must see that somebody writes a wording
)


@dataclass(frozen=True, slots=True)
class ListedGroup:
    """A group of the list. `key`: letters, digits and dashes. `note` is shown beside the title, `about` below it."""

    key: str
    title: str
    note: str = ""
    about: str = ""


@dataclass(frozen=True, slots=True)
class ListedAttribute:
    """One attribute in one group. `state`: its state, if worth a word; `first`: its first wording, if it has another
    now. `acts`: what can be done to it. `quote`: the words that prompted it."""

    id: int
    group: str
    text: str
    said_by: str
    acts: Sequence[ActKind]
    state: str = ""
    in_use: bool = True
    first: str = ""
    quote: str = ""


@dataclass(frozen=True, slots=True)
class ListContents:
    """All that a list shows. `words`: act -> its label; acts without a label aren't offered. `targets`: where
    attributes can be moved, (id, name). `total`: how many there are, with those not shown. `empty`: the text of a list
    without rows."""

    label: str
    groups: Sequence[ListedGroup]
    rows: Sequence[ListedAttribute]
    words: Mapping[ActKind, str]
    targets: Sequence[tuple[int, str]]
    total: int
    empty: str = ""


@dataclass(frozen=True, slots=True)
class ActResult:
    """The result of an act: `what` for Undo (“excluded 3 attributes”), `said` as a sentence. No `back`: nothing
    changed."""

    what: str
    said: str
    back: Action | None = None


Perform = Callable[[AttributeAct], ActResult]


def attribute_list(key: str, place: str, contents: ListContents, perform: Perform) -> None:
    """Draw the list. place: where Undo keeps its changes. perform raises a WorkbenchError, which the list shows, for an
    impossible act."""

    def take() -> None:
        _take(key, place, perform)

    page, number = _confirmed(key)
    data = {
        "list": key,
        "page": page,
        "confirmed": number,
        "noun": "attribute",
        "undo": last_change(place),
        "said": st.session_state.get(f"{key}_said", ""),
        "problem": st.session_state.get(f"{key}_problem", ""),
        "unexplained": st.session_state.get(f"{key}_unexplained", []),
        "reasons": REASONS,
        **_shown(contents),
    }
    _component(key=key, data=data, on_acts_change=take)


def _shown(contents: ListContents) -> dict[str, Any]:
    return {
        "label": contents.label,
        "total": contents.total,
        "empty": contents.empty,
        "words": {kind.value: word for kind, word in contents.words.items()},
        "targets": [{"id": id_, "name": name} for id_, name in contents.targets],
        "groups": [asdict(group) for group in contents.groups],
        "rows": [asdict(row) for row in contents.rows],
    }


def _confirmed(key: str) -> tuple[str, int]:
    """Return the opened page that sent acts last, and the act up to which all are over."""
    page, last = st.session_state.get(f"{key}_confirmed", NOTHING_YET)
    return str(page), int(last)


def _take(key: str, place: str, perform: Perform) -> None:
    """Do what the browser sent and this session hasn't done yet. An error is shown, and ends its act."""
    try:
        message = read_acts(st.session_state[key].get("acts"))
    except WorkbenchError as error:
        st.session_state[f"{key}_problem"] = error.in_full
        return
    page, last = _confirmed(key)
    fresh = [act for act in message.acts if message.page != page or act.number > last]
    for act in fresh:
        _do(key, place, perform, act)
    if fresh:
        st.session_state[f"{key}_confirmed"] = (message.page, fresh[-1].number)


def _do(key: str, place: str, perform: Perform, act: AttributeAct) -> None:
    unexplained = st.session_state.get(f"{key}_unexplained", [])
    said, problem, asks = "", "", []
    try:
        if act.kind is ActKind.UNDO:
            what = undo_last(place)
            said = f"Undone: {what}." if what else ""
        else:
            done = perform(act)
            said = done.said
            if done.back and act.text and list(act.ids) == unexplained:
                add_to_last(place, done.back)  # why it was left out: one Undo for both
            elif done.back:
                remember(place, done.what, done.back)
            if done.back and act.kind is ActKind.EXCLUDE and not act.text:
                asks = list(act.ids)
    except WorkbenchError as error:
        problem = error.in_full
    st.session_state[f"{key}_said"], st.session_state[f"{key}_problem"] = said, problem
    st.session_state[f"{key}_unexplained"] = asks
