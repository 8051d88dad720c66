"""Key questions and sub-questions of a build: reworded, added and removed by hand, asked for again one by one."""

from collections.abc import Callable
from functools import partial

import streamlit as st

from app.domain.build import BuildQuestion, Stage
from app.services.building.build_state import BuildView, add_build_question, remove_build_question, reword_question
from app.services.runtime.workbench import Workbench
from pages.components.how_it_was_made.change import ROW, row, save_edit
from pages.components.shell.checklists.build_words import ORIGINS
from pages.components.shell.contributor_words import said_by
from pages.components.shell.words import button_label, number, plain

Regenerate = Callable[[int], None]


def build_questions(workbench: Workbench, view: BuildView, stage: Stage, again: Regenerate, busy: bool) -> None:
    """`again` asks anew for the questions of one component; not while `busy`."""
    keys = {q.component: q.text for q in view.build.key_questions}
    for component in view.build.components:
        own = [q for q in view.build.questions(stage) if q.component == component.id]
        members = view.build.members(component.id, view.in_use)
        heading, action = st.columns(ROW, vertical_alignment="bottom")
        heading.markdown(f"##### {plain(component.name)}")
        action.container(horizontal=True, horizontal_alignment="right").button(
            button_label("Ask again", f"about {component.name}"),
            key=f"again_{view.id}_{stage}_{component.id}",
            type="tertiary",
            icon=":material/refresh:",
            help="One new answer about this component only. What you edited stays.",
            disabled=busy or not members or (stage is Stage.SUB_QUESTIONS and component.id not in keys),
            on_click=again,
            args=[component.id],
        )
        if stage is Stage.SUB_QUESTIONS and component.id in keys:
            st.caption(f"Key question: {plain(keys[component.id])}")
        if not own and not members:
            st.caption("No attribute is placed here, so no question is written.")
        for question in own:
            _question(workbench, view, stage, question)
    _adding(workbench, view, stage)


def _question(workbench: Workbench, view: BuildView, stage: Stage, question: BuildQuestion) -> None:
    behind = number(len(question.attributes), "attribute") if question.attributes else ""
    notes = " · ".join(note for note in (f"from {behind}" if behind else "", ORIGINS[question.origin]) if note)
    line, typed = f"{plain(question.text)}  \n:small[:gray[{notes}]]", [f"build_wording_{view.id}_{question.id}"]
    if row(view.id, f"question_{question.id}", line, question.text, typed):
        _editor(workbench, view, stage, question)


def _editor(workbench: Workbench, view: BuildView, stage: Stage, question: BuildQuestion) -> None:
    key = f"{view.id}_{question.id}"
    with st.form(f"question_{key}"):
        st.text_area("Wording", question.text, height=80, key=f"build_wording_{key}")
        with st.container(horizontal=True):
            st.form_submit_button(
                "Save wording",
                key=f"save_wording_{key}",
                on_click=partial(_save, workbench, view.id, stage, question.id),
            )
            if stage is Stage.SUB_QUESTIONS:
                st.form_submit_button(
                    "Remove question",
                    key=f"remove_question_{key}",
                    on_click=partial(_remove, workbench, view.id, question.id),
                )
        if question.first and question.first != question.text:
            st.caption(f"First wording: {plain(question.first)}")
        _behind(view, question)


def _behind(view: BuildView, question: BuildQuestion) -> None:
    found = [view.attributes[id_] for id_ in question.attributes if id_ in view.attributes]
    if found:
        st.caption("Why this question: the attributes behind it")
        st.markdown("\n".join(f"- {plain(a.text)} :gray[{said_by(a)}]" for a in found))
    else:
        st.caption("No attribute is behind it: it was added by hand.")


def _save(workbench: Workbench, build_id: int, stage: Stage, question: int) -> None:
    key = f"build_wording_{build_id}_{question}"
    action = partial(reword_question, workbench, build_id, stage, question, st.session_state[key])
    save_edit(workbench, build_id, "reworded a question", action, [key])


def _remove(workbench: Workbench, build_id: int, question: int) -> None:
    save_edit(workbench, build_id, "removed a question", partial(remove_build_question, workbench, build_id, question))


def _adding(workbench: Workbench, view: BuildView, stage: Stage) -> None:
    without_key = {c.id for c in view.build.components} - {q.component for q in view.build.key_questions}
    open_to = [c for c in view.build.components if stage is Stage.SUB_QUESTIONS or c.id in without_key]
    if not open_to:
        return
    names = {component.id: component.name for component in open_to}
    with (
        st.expander("Add a question", key=f"add_question_{stage}"),
        st.form(f"add_question_{view.id}_{stage}", border=False, clear_on_submit=True),
    ):
        st.text_input("Question", placeholder="Does the text …?", key=f"new_question_{stage}")
        st.selectbox("Component", list(names), format_func=names.__getitem__, key=f"new_question_component_{stage}")
        st.form_submit_button(
            "Add question", key=f"add_question_submit_{stage}", on_click=partial(_add, workbench, view.id, stage)
        )


def _add(workbench: Workbench, build_id: int, stage: Stage) -> None:
    text, component = (st.session_state[f"new_question_{part}{stage}"] for part in ("", "component_"))
    action = partial(add_build_question, workbench, build_id, stage, component, text)
    save_edit(workbench, build_id, "added a question", action, [f"new_question_{stage}"])
