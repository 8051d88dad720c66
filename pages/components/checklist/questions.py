"""The questions of a checklist, by component; one at a time is open for editing."""

from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial

import streamlit as st

from app.domain.checklist import (
    Checklist,
    ChecklistStatus,
    Component,
    Question,
    QuestionComment,
    QuestionKind,
    QuestionOrigin,
)
from app.errors import RepeatedError, WorkbenchError
from app.services.checklists.checklists import ChecklistView, hints_of
from app.services.checklists.draft_edits import (
    Heading,
    QuestionWording,
    add_component,
    add_question,
    edit_component,
    move_component,
    move_question,
    remove_component,
    switch_question,
)
from app.services.checklists.question_proposals import comments_on
from app.services.runtime.workbench import Workbench
from pages.components.checklist.improvements import improvements
from pages.components.checklist.question_proposals import (
    ask_about,
    comments_word,
    proposals,
    proposals_for,
    question_comments,
    validator,
)
from pages.components.shell.browser.page_scripts import saved_typing
from pages.components.shell.checklists.publishing import is_unsaved
from pages.components.shell.checklists.question_editor import (
    NO_COMPONENT,
    Editing,
    open_question,
    opened_question,
    question_detail,
    unsaved_wordings,
)
from pages.components.shell.labels import ShownErrors, button_label, more_on, number, plain, show_saved_error
from pages.components.shell.runs.run_words import kind_word

_OPENED = "opened_component"
_SEEN = "seen_component"
_COMPONENT_PROBLEM = "component_problem"


def component_heading(editing: Editing, component: Component | None) -> None:
    if component is None:
        st.markdown(f"##### {NO_COMPONENT}")
        return
    heading = Heading.of(editing.view.checklist, component)
    words, actions = st.columns((10.7, 2.4), vertical_alignment="bottom", gap="small")
    words.markdown(f"##### {plain(heading.name)}")
    if heading.key_question:
        words.caption(f"Key question: {plain(heading.key_question)}")
    if not editing.draft:
        return
    order = [c.id for c in editing.view.checklist.components]
    place = order.index(component.id)
    with actions.container(horizontal=True, horizontal_alignment="right", gap="xsmall"):
        _move_component(editing, component, -1, "up", place > 0)
        _move_component(editing, component, 1, "down", place < len(order) - 1)
        is_open = st.session_state.get(_OPENED) == component.id
        label = button_label("Close" if is_open else "Edit", f"the component {component.name}")
        args = [None] if is_open else [component.id, heading]
        st.button(label, key=f"open_component_{component.id}", type="tertiary", on_click=_open, args=args)
    if is_open:
        with st.container(border=True, key=f"opened_component_{component.id}"):
            _editor(editing, component, heading)


def _open(component_id: int | None, seen: Heading | None = None) -> None:
    """Open a component for editing, and remember its present words as what the person has seen, whatever others change
    meanwhile."""
    st.session_state[_OPENED], st.session_state[_SEEN] = component_id, seen


def _move_component(editing: Editing, component: Component, by: int, way: str, possible: bool) -> None:
    move = partial(move_component, editing.workbench, editing.view.checklist.id, component.id, by, editing.who)
    st.button(
        button_label("", f"Move the component {component.name} {way}"),
        icon=f":material/arrow_{way}ward:",
        key=f"component_{way}_{component.id}",
        type="tertiary",
        help=f"Move the component {way}, with its questions",
        disabled=not possible,
        on_click=_do,
        args=[move],
    )


def _do(action: Callable[[], object], typed: Sequence[str] = ()) -> None:
    """Carry out an edit, in a callback. typed: the keys of the fields that it saves."""
    with ShownErrors(_COMPONENT_PROBLEM):
        action()
        saved_typing(*typed)
        st.session_state[_OPENED] = None


def _editor(editing: Editing, component: Component, heading: Heading) -> None:
    show_saved_error(_COMPONENT_PROBLEM)
    key, checklist, seen = component.id, editing.view.checklist, st.session_state[_SEEN]
    with st.form(f"edit_component_{key}", border=False):
        st.text_input("Name", seen.name, key=f"component_name_{key}")
        st.text_input("What it means", seen.description, key=f"component_description_{key}")
        st.text_input(
            "Key question",
            seen.key_question,
            key=f"component_key_question_{key}",
            help="It says what the component is about. The judge is asked the questions below it, not this one.",
        )
        st.form_submit_button("Save component", key=f"save_component_{key}", on_click=_save, args=[editing, key, seen])
    if not any(q.component == component.name and q.kind is QuestionKind.SUB for q in checklist.questions):
        remove = partial(remove_component, editing.workbench, checklist.id, key, editing.who)
        st.button("Remove component", key=f"remove_component_{key}", type="tertiary", on_click=_do, args=[remove])


def _save(editing: Editing, component_id: int, seen: Heading) -> None:
    name, description, question = (
        str(st.session_state[f"component_{field}_{component_id}"]) for field in ("name", "description", "key_question")
    )
    new = Heading(name, description, question)
    edit = partial(edit_component, editing.workbench, editing.view.checklist.id, component_id, seen, new, editing.who)
    _do(edit, [f"component_{field}_{component_id}" for field in ("name", "description", "key_question")])


_NOT_ADDED = "new_component_problem"


def _add_component(workbench: Workbench, checklist_id: int, who: str) -> None:
    """Add a component, in a callback; the fields are emptied once it is saved."""
    fields = ("new_component", "new_component_key_question")
    name, question = (str(st.session_state[field]) for field in fields)
    with ShownErrors(_NOT_ADDED):
        add_component(workbench, checklist_id, Heading(name, key_question=question), who)
        saved_typing(*fields)
        st.session_state.update(dict.fromkeys(fields, ""))


ORIGINS = {
    QuestionOrigin.GENERATED: "generated",
    QuestionOrigin.EDITED: "edited",
    QuestionOrigin.ADDED: "added by hand",
}


def question_list(workbench: Workbench, view: ChecklistView, who: str) -> None:
    editing = Editing(workbench, view, who, view.checklist.status is ChecklistStatus.DRAFT)
    unsaved_wordings(workbench, view.checklist, who)
    if editing.draft:
        proposals(editing)
    hints = hints_of(workbench, view) if editing.draft else {}
    comments = comments_on(workbench, view.checklist.id)
    for component, listed in _by_component(view.checklist, with_empty=editing.draft):
        component_heading(editing, component)
        for place, question in enumerate(listed):
            said = [hint.message for hint in hints.get(question.id, [])]
            _row(editing, question, said, comments.get(question.id, []), place, len(listed))


def _by_component(checklist: Checklist, with_empty: bool) -> list[tuple[Component | None, list[Question]]]:
    """Return each component with its sub-questions, in the checklist's order; those without a component last."""
    listed: dict[str, list[Question]] = {component.name: [] for component in checklist.components}
    for question in checklist.questions:
        if question.kind is QuestionKind.SUB:
            listed.setdefault(question.component, []).append(question)
    known = {component.name: component for component in checklist.components}
    return [(known.get(name), found) for name, found in listed.items() if found or (with_empty and name in known)]


def _row(
    editing: Editing, question: Question, hints: Sequence[str], comments: Sequence[QuestionComment], place: int, of: int
) -> None:
    is_open = opened_question() == question.id
    switch, words, actions = st.columns((0.7, 10, 2.4), vertical_alignment="top", gap="small")
    if editing.draft:
        with switch:
            key = f"enabled_{question.id}"
            st.session_state[key] = question.enabled

            def switched() -> None:
                _run_with_errors(
                    partial(switch_question, editing.workbench, question.id, st.session_state[key], editing.who)
                )

            st.toggle(f"Ask {_named(editing, question)}", key=key, label_visibility="collapsed", on_change=switched)
    unsaved = [":orange[not saved yet]"] if editing.draft and is_unsaved(question) else []
    words.markdown(_worded(editing, question, hints, [*unsaved, *comments_word(comments)]))
    with actions.container(horizontal=True, horizontal_alignment="right", gap="xsmall"):
        if editing.draft:
            _move(editing, question, -1, "up", place > 0)
            _move(editing, question, 1, "down", place < of - 1)
        verb = "Close" if is_open else "Edit" if editing.draft else "Why?"
        args = [None if is_open else question]
        label = button_label(verb, _named(editing, question))
        st.button(label, key=f"open_{question.id}", type="tertiary", on_click=open_question, args=args)
    if is_open:
        with st.container(border=True, key=f"opened_{question.id}"):
            if editing.draft:
                ask_about(editing, question)
                proposals_for(editing, question)
                improvements(editing, question)
            question_detail(editing, question)
            question_comments(editing.workbench, editing.view.checklist, question, comments, editing.who)


def _worded(editing: Editing, question: Question, hints: Sequence[str], more: Sequence[str]) -> str:
    """Return the question with, in small letters, its origin and hints: one element, so that long lists stay compact
    and fast."""
    number = editing.view.checklist.numbers.get(question.id)
    text = f"**{number}** {plain(question.text)}" if number else plain(question.text)
    facts = [
        *([] if question.enabled else ["switched off"]),
        ORIGINS[question.origin],
        *_sources(editing, question),
        *([f"weight {question.weight:g}"] if question.weight != 1 else []),
        *([plain(question.counting)] if question.counting else []),
        *(["says how to decide"] if question.guidance else []),
        *([f"{len(question.examples)} example{'s' * (len(question.examples) > 1)}"] if question.examples else []),
        *(["may not apply"] if question.may_not_apply else []),
        *(["perhaps doesn't always apply"] if question.not_apply_reason and not question.may_not_apply else []),
        *more,
    ]
    remarks = [f":small[:gray[:material/lightbulb: {plain(hint)}]]" for hint in hints]
    shown = text if question.enabled else f":gray[{text}]"
    return "  \n".join([shown, f":small[:gray[{' · '.join(facts)}]]", *remarks])


def _sources(editing: Editing, question: Question) -> list[str]:
    """Return how many attributes are behind it and whose, for example "from 4 attributes (3 by people, 1 by LLMs)"."""
    attributes = editing.view.attributes
    behind = [attributes[id_] for id_ in question.attributes if id_ in attributes]
    if not behind:
        return []
    kinds = Counter(kind_word(a.kind, a.contributor) for a in behind)
    names = {"person": "by people", "LLM": "by LLMs", "rules": "by rules, not an LLM"}
    whose = ", ".join(f"{kinds[kind]} {said}" for kind, said in names.items() if kinds[kind])
    return [f"from {number(len(behind), 'attribute')} ({whose})"]


def _move(editing: Editing, question: Question, by: int, way: str, possible: bool) -> None:
    what = f"Move {_named(editing, question)} {way}"
    st.button(
        button_label("", what),
        icon=f":material/arrow_{way}ward:",
        key=f"{way}_{question.id}",
        type="tertiary",
        help=what,
        disabled=not possible,
        on_click=_run_with_errors,
        args=[partial(move_question, editing.workbench, question.id, by, editing.who)],
    )


def _named(editing: Editing, question: Question) -> str:
    number = editing.view.checklist.numbers.get(question.id)
    return f"question {number}" if number else "this question"


def _run_with_errors(action: Callable[[], object]) -> None:
    try:
        action()
    except WorkbenchError as error:
        st.toast(plain(str(error)) + more_on(error))


_PROBLEM, _ADDED = "new_question_problem", "added_question"


def add_forms(workbench: Workbench, view: ChecklistView, who: str) -> None:
    """Draw the forms for a question in a person's own words, a new component, and a model's review."""
    checklist = view.checklist
    with st.expander("Add a question", key="add_question"):
        with st.form(f"add_question_{checklist.id}", border=False):
            st.text_input("Question", placeholder="Does the text …?", key="new_question")
            names = [*(component.name for component in checklist.components), ""]
            st.selectbox(
                "Component", names, format_func=lambda name: name or NO_COMPONENT, key="new_question_component"
            )
            st.form_submit_button(
                "Add question", key="add_question_submit", on_click=_add, args=[workbench, checklist.id, who]
            )
        show_saved_error(_PROBLEM)
    with st.expander("Add a component", key="add_component"):
        with st.form(f"add_component_{checklist.id}", border=False):
            st.text_input("Name", key="new_component")
            st.text_input("Key question", placeholder="optional", key="new_component_key_question")
            st.form_submit_button(
                "Add component",
                key="add_component_submit",
                on_click=_add_component,
                args=[workbench, checklist.id, who],
            )
        show_saved_error(_NOT_ADDED)
    validator(Editing(workbench, view, who, draft=True))


def _add(workbench: Workbench, checklist_id: int, who: str) -> None:
    """Add a question, in a callback; the field is emptied once it is saved. A double click sends it twice."""
    text, component = str(st.session_state["new_question"]), str(st.session_state["new_question_component"])
    with ShownErrors(_PROBLEM):
        try:
            add_question(workbench, checklist_id, QuestionWording(text, component), who)
        except RepeatedError:
            if st.session_state.get(_ADDED) != text:
                raise
        saved_typing("new_question")
        st.session_state[_ADDED] = text
        st.session_state["new_question"] = ""
