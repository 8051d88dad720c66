"""An expert's own attributes: ordered, corrected, removed and restored."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import ceil

import streamlit as st

from app.domain.attribute import LONGEST_WORDS, Attribute, AttributeStatus, Sample
from app.domain.model_call import model_label
from app.domain.project import Dimension, Project, Verdict
from app.domain.repeated_attributes import same_attribute
from app.domain.roles_and_rights import Right
from app.errors import WorkbenchError
from app.services.attributes.attribute_changes import edit_attribute
from app.services.data.projects import choose_follow_up
from app.services.runtime.models import available_models
from app.services.runtime.workbench import Workbench, may
from app.services.think_aloud.independence import (
    add_own_attribute,
    note_sample,
    remove_own_attribute,
    reorder,
    restore_own_attribute,
    sample_hint,
)
from app.services.think_aloud.samples import verdicts_by
from app.services.think_aloud.transcripts import ask_follow_up
from pages.components.shell.background import changes_by_others
from pages.components.shell.browser.page_scripts import dropped_typing, known_typing, saved_typing
from pages.components.shell.current import hold
from pages.components.shell.labels import button_label, plain, quote_words, show_error
from pages.components.shell.reading import verdict_choice
from pages.components.shell.undo import change, remember

WHOLE = "You can write more at any time."
PAGE_SIZE = 50  # what nearly everybody writes stands on one page
NAMED_BY = 60  # characters of an attribute that tell it from others
_EDITING = "own_editing"
_TURNS = "own_turns_to_newest"


@dataclass(frozen=True, slots=True)
class ColumnContext:
    """The context of all parts of the column."""

    workbench: Workbench
    dimension: Dimension
    samples: tuple[Sample, ...]
    language: str
    expert: str
    project: Project

    @property
    def place(self) -> str:
        """A key that separates one expert's session on one dimension from others."""
        return f"{self.dimension.id}_{self.expert}"


def sample_verdict(own: ColumnContext, sample: Sample) -> None:
    """Draw, below an unrated sample, the choice of a verdict and, after it, what to write."""
    if sample.score is not None:
        return
    said = verdicts_by(own.workbench, own.dimension.id, own.expert) if own.dimension.binary else {}
    given = said.get(sample.text.id)
    prompts = f"say_sample_{own.dimension.id}"
    verdict_choice(own.workbench, own.dimension, own.expert, sample.text.id, given, prompts)
    if given in (Verdict.GOOD, Verdict.NOT_GOOD):
        st.caption("What made you say so? Write the first thing first, as an attribute that holds for every text.")


def sample_name(samples: Sequence[Sample], text_id: int | None) -> str:
    """Return a sample's name on the screen; "" for a text that is no sample any more."""
    return next((f"Sample {n}" for n, s in enumerate(samples, start=1) if s.text.id == text_id), "")


def own_rows(
    own: ColumnContext, attributes: Sequence[Attribute], removed: Sequence[Attribute], stands_for: Mapping[int, str]
) -> None:
    """Draw the attributes, newest first, in pages, each with its number; below them the removed ones.

    stands_for: attribute -> the wording of what it was merged into.
    """
    on_screen = attributes[::-1]
    pages = max(1, ceil(len(attributes) / PAGE_SIZE))
    rows = st.container(gap="small", key="own_rows")
    page = st.pagination(pages, key=_page_key(own), max_visible_pages=5) if pages > 1 else 1
    first = (page - 1) * PAGE_SIZE
    with rows:
        for place in range(first, min(first + PAGE_SIZE, len(on_screen))):
            _row(own, on_screen, place, stands_for)
    if not removed:
        return
    with st.expander(f"Removed by you ({len(removed)})", key="own_removed"):
        for attribute in removed[::-1]:
            words, action = st.columns([4, 1])
            words.text(attribute.text, width="stretch")
            label = button_label("Put back", attribute.text[:NAMED_BY])
            key = f"put_back_{attribute.id}"
            action.button(label, key=key, type="tertiary", on_click=_restore, args=[own, attribute])


def show_newest(own: ColumnContext) -> None:
    """Return to the first page, with a new widget: one that has a default can't be set from here."""
    if st.session_state.get(_page_key(own), 1) != 1:
        st.session_state[_TURNS] = st.session_state.get(_TURNS, 0) + 1


def _page_key(own: ColumnContext) -> str:
    return f"own_page_{own.place}_{st.session_state.get(_TURNS, 0)}"


def _row(own: ColumnContext, on_screen: Sequence[Attribute], place: int, stands_for: Mapping[int, str]) -> None:
    attribute = on_screen[place]
    in_use = attribute.status is AttributeStatus.ACTIVE
    if in_use and st.session_state.get(_EDITING) == attribute.id:
        _editor(own, attribute)
        return
    number = len(on_screen) - place
    st.text(attribute.text, width="stretch")
    if hint := sample_hint(attribute.text, own.samples, own.language):
        st.caption(":material/lightbulb: A general attribute? It seems to be about a sample.", help=_as_help(hint))
    with st.container(horizontal=True, horizontal_alignment="right", vertical_alignment="center", gap="xsmall"):
        changed = changes_by_others(attribute, stands_for.get(attribute.id, ""))
        st.caption(" · ".join([*_remarks(own, on_screen[::-1], number), *changed]), width="stretch")
        if not in_use:
            return
        with st.container(horizontal=True, gap="xsmall", width="content"):  # on a phone they stay beside each other
            if own.project.follow_up:
                _icon(
                    "ask_me",
                    attribute,
                    f"Ask me about attribute {number}",
                    partial(_ask, attribute.id),
                    "contact_support",
                )
            _move(own, on_screen, place, place - 1, "up", number)
            _move(own, on_screen, place, place + 1, "down", number)
            _icon("edit", attribute, f"Edit attribute {number}", partial(_edit, attribute.id))
            _icon("remove", attribute, f"Remove attribute {number}", partial(_remove, own, attribute), "delete")
    _follow_up(own, attribute, number)


_ASKING, _ASKED, _ASK_PROBLEM = "follow_up_asking", "follow_up_question", "follow_up_problem"


def _ask(attribute_id: int) -> None:
    st.session_state[_ASKING] = attribute_id
    st.session_state.pop(_ASKED, None)


def _follow_up(own: ColumnContext, attribute: Attribute, number: int) -> None:
    """Draw the question about this attribute, and the field for its answer."""
    if st.session_state.get(_ASKING) == attribute.id:
        with st.spinner("Thinking of a question"):
            del st.session_state[_ASKING]
            try:
                question = ask_follow_up(own.workbench, own.project, own.dimension, attribute.id)
            except WorkbenchError as error:
                st.session_state[_ASK_PROBLEM] = (attribute.id, error)
            else:
                st.session_state[_ASKED] = (attribute.id, question)
    about, problem = st.session_state.get(_ASK_PROBLEM, (0, None))
    if about == attribute.id:
        del st.session_state[_ASK_PROBLEM]
        show_error(problem)
    if st.session_state.get(_ASKED, (0,))[0] != attribute.id:
        return
    key = f"follow_up_{attribute.id}"
    with st.container(border=True, key="follow_up"):
        st.markdown(f"**{plain(st.session_state[_ASKED][1])}**")
        st.caption(f"Asked by {model_label(own.project.follow_up)}. It read attribute {number} and the rubric only.")
        st.text_area(
            "Your answer",
            key=key,
            height=80,
            max_chars=LONGEST_WORDS,
            label_visibility="collapsed",
            placeholder="your answer, as one general attribute",
        )
        with st.container(horizontal=True):
            for what, label in (
                ("new", "Add as attribute"),
                ("reword", f"Replace attribute {number}"),
                ("close", "Close"),
            ):
                st.button(
                    label,
                    key=f"follow_up_{what}",
                    type="tertiary" if what == "close" else "secondary",
                    on_click=_answer,
                    args=[own, attribute, what, key],
                )


def _answer(own: ColumnContext, attribute: Attribute, what: str, key: str) -> None:
    said, workbench = str(st.session_state.get(key, "")), own.workbench
    try:
        if what == "new":
            added = add_own_attribute(workbench, own.dimension.id, own.expert, said, attribute.prompted_by)
            remember(own.place, "added an attribute", partial(remove_own_attribute, workbench, added))
            show_newest(own)
        elif what == "reword":
            put = partial(edit_attribute, workbench, attribute.id, who=own.expert)
            put(said)
            remember(own.place, "edited an attribute", partial(put, attribute.text))
    except WorkbenchError as error:
        st.session_state[_ASK_PROBLEM] = (attribute.id, error)
        return
    if what == "close":
        dropped_typing(key)
    else:
        saved_typing(key)
    st.session_state.pop(_ASKED, None)


NOBODY = "Off"


def follow_up_choice(workbench: Workbench, project: Project) -> None:
    """Draw, for a facilitator, which model asks follow-up questions, initially none."""
    if not may(workbench, Right.FACILITATE, project_id=project.id):
        return
    with st.expander("Follow-up questions", key="follow_up_choice", icon=":material/contact_support:"):
        st.markdown(
            "A model asks an expert one short question about an attribute of theirs, when they want one. It reads that "
            "attribute and the rubric, and nothing that others wrote."
        )
        usable = [choice.name for choice in available_models(workbench) if choice.usable and choice.name != "rules"]
        options = list(dict.fromkeys([NOBODY, *usable, *([project.follow_up] if project.follow_up else [])]))
        key = f"follow_up_model_{project.id}"
        hold(key, project.follow_up or NOBODY)
        st.selectbox(
            "Asked by",
            options,
            format_func=lambda name: name if name == NOBODY else model_label(name),
            key=key,
            on_change=_choose,
            args=[workbench, project.id, key],
        )


def _choose(workbench: Workbench, project_id: int, key: str) -> None:
    chosen = str(st.session_state[key])
    choose_follow_up(workbench, project_id, "" if chosen == NOBODY else chosen)


def _remarks(own: ColumnContext, attributes: Sequence[Attribute], number: int) -> list[str]:
    """Return its number, what prompted it, and which earlier attribute says the same."""
    attribute = attributes[number - 1]
    prompted = sample_name(own.samples, attribute.prompted_by).lower()
    quote = attribute.passage and quote_words(attribute.passage)
    same = same_attribute(attribute.text, attributes[: number - 1])
    typed = known_typing().get(f"edit_text_{attribute.id}", attribute.text)
    unsaved = typed != attribute.text and "an edit is not saved yet"
    repeats = same and f"as your attribute {same}"
    said = [f"Attribute {number}", prompted and f"prompted by {prompted}", quote, repeats, unsaved]
    return [str(part) for part in said if part]


def _as_help(hint: str) -> str:
    """Return a hint for a help text: it quotes the person's words, which as code are shown literally."""
    return f"`{hint.replace('`', ' ')}`"


def _icon(
    what: str, attribute: Attribute, help_: str, action: partial[None], icon: str = "", disabled: bool = False
) -> None:
    st.button(
        button_label("", help_),
        icon=f":material/{icon or what}:",
        key=f"{what}_{attribute.id}",
        type="tertiary",
        help=help_,
        on_click=action,
        disabled=disabled,
    )


def _move(own: ColumnContext, on_screen: Sequence[Attribute], place: int, target: int, way: str, number: int) -> None:
    possible = 0 <= target < len(on_screen)
    action = partial(_swap, own, on_screen, place, target)
    _icon(way, on_screen[place], f"Move attribute {number} {way}", action, f"arrow_{way}ward", disabled=not possible)


def _swap(own: ColumnContext, on_screen: Sequence[Attribute], place: int, target: int) -> None:
    before = [a.id for a in on_screen[::-1]]
    after = [a.id for a in on_screen]
    after[place], after[target] = after[target], after[place]
    change(
        own.place,
        "moved an attribute",
        partial(reorder, own.workbench, after[::-1]),
        partial(reorder, own.workbench, before),
    )


def _edit(attribute_id: int) -> None:
    st.session_state[_EDITING] = attribute_id


def _stop_editing() -> None:
    st.session_state.pop(_EDITING, None)


def _cancel(attribute_id: int) -> None:
    dropped_typing(f"edit_text_{attribute_id}")
    _stop_editing()


def _remove(own: ColumnContext, attribute: Attribute) -> None:
    change(
        own.place,
        "removed an attribute",
        partial(remove_own_attribute, own.workbench, attribute.id),
        partial(restore_own_attribute, own.workbench, attribute.id),
    )


def _editor(own: ColumnContext, attribute: Attribute) -> None:
    options = [sample.text.id for sample in own.samples]
    known = attribute.prompted_by in options
    with st.container(key="own_editor"), st.form(f"edit_form_{attribute.id}", border=False):
        st.text_area(
            "Your wording",
            attribute.text,
            height="content",
            key=f"edit_text_{attribute.id}",
            help="Enter saves it, Shift and Enter begin a new line.",
        )
        if attribute.passage is None:  # else it is the sample of the passage
            st.selectbox(
                "Prompted by",
                options,
                index=options.index(attribute.prompted_by) if known and attribute.prompted_by is not None else None,
                format_func=partial(sample_name, own.samples),
                placeholder="no sample in particular",
                key=f"edit_sample_{attribute.id}",
                filter_mode=None,
            )
        with st.container(horizontal=True):
            st.form_submit_button("Save", key=f"edit_save_{attribute.id}", on_click=_save, args=[own, attribute])
            st.form_submit_button(
                "Cancel", key=f"edit_cancel_{attribute.id}", type="tertiary", on_click=_cancel, args=[attribute.id]
            )


def _save(own: ColumnContext, attribute: Attribute) -> None:
    text = str(st.session_state[f"edit_text_{attribute.id}"])
    sample = st.session_state.get(f"edit_sample_{attribute.id}", attribute.prompted_by)

    def put(wording: str, prompted_by: int | None) -> None:
        edit_attribute(own.workbench, attribute.id, wording, who=own.expert)
        note_sample(own.workbench, attribute.id, prompted_by)

    back = partial(put, attribute.text, attribute.prompted_by)
    if change(own.place, "edited an attribute", partial(put, text, sample), back):
        saved_typing(f"edit_text_{attribute.id}")
        _stop_editing()


def _restore(own: ColumnContext, attribute: Attribute) -> None:
    change(
        own.place,
        "put an attribute back",
        partial(restore_own_attribute, own.workbench, attribute.id),
        partial(remove_own_attribute, own.workbench, attribute.id),
    )
