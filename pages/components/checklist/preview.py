"""Try it: the questions answered on one text, by a judge and by hand, before they are published."""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from app.domain.checklist import Question
from app.domain.checklist_score import Answer
from app.domain.model_call import model_label
from app.domain.project import Text, text_title
from app.domain.roles_and_rights import Right
from app.services.checklists.checklists import ChecklistView
from app.services.checklists.preview import (
    PreviewScore,
    PreviewText,
    drawn_text,
    judge_preview,
    preview_score,
    preview_text,
    preview_texts,
)
from app.services.runtime.workbench import Workbench, may
from app.services.scoring.last_models import last_model
from pages.components.shell.current import was_pressed
from pages.components.shell.labels import SAID, ShownErrors, plain
from pages.components.shell.reading import part_with_places, readable_text
from pages.components.shell.runs.model_options import model_choice
from pages.components.shell.tables import column_names, named_value

_TEXT, _DRAW, _TRIAL = "try_text", "try_draw", "trial"
_WORDS = {**SAID, Answer.UNANSWERED: "no answer"}
_COLUMNS = (6, 2, 3)


def checklist_trial(workbench: Workbench, view: ChecklistView, reading: DeltaGenerator) -> None:
    """Draw the trial. reading: the container where text and score stay visible beside the questions; above them on a
    phone."""
    st.caption("A trial shows what the questions do on one text. Nothing of it counts as a result.")
    if not view.checklist.asked:
        st.markdown("**This version asks nothing.** Switch a question on, or add one.")
        return
    with ShownErrors():
        text = _text(workbench, view)
        with reading:
            scores = st.container(key="try_scores")
            st.caption(plain(text_title(text)))
            readable_text(text, "text", "try_text_body")
            if text.source:
                with st.expander(plain(view.project.task.source_name.capitalize()), key="try_source"):
                    part_with_places(text, "source", "try_source_body")
        trial = _trial(workbench, view, text)
        answers = _rows(view, text, trial)
        with scores:
            by_hand = preview_score(view, answers)
            st.markdown(f"**Score from {view.dimension.low:g} to {view.dimension.high:g}**")
            weights = view.checklist.weighted
            lines = [f"- Judge: {_said(trial.score, weights)}"] if trial else []
            lines += [f"- You: {_said(by_hand, weights)}"] if by_hand.answered else []
            st.markdown("\n".join(lines) or "Ask the judge, or answer yourself.")


def _text(workbench: Workbench, view: ChecklistView) -> Text:
    """Draw the choice of a text, named in the address, found by words, or random; return it."""
    left, right = st.columns([2, 1], vertical_alignment="bottom")
    where = f"words in the text, its document or {view.project.task.writer_name}"
    search = left.text_input("Find a text", key="try_search", placeholder=where)
    right.button("Draw a text", key="try_another", on_click=_draw, icon=":material/casino:")
    linked = st.query_params.get(_TEXT, "")
    if search.strip():
        found = preview_texts(workbench, view.project.id, search)
        if not found:
            st.info("No text has these words.")
        else:
            options = {text.id: text for text in found}
            chosen = left.selectbox(
                "Text", list(options), format_func=lambda id_: text_title(options[id_]), key="try_found"
            )
            st.query_params[_TEXT] = str(chosen)
            return options[chosen]
    if linked.isdecimal() and _DRAW not in st.session_state:
        return preview_text(workbench, view.project.id, int(linked))
    text = drawn_text(workbench, view.project.id, st.session_state.get(_DRAW, 0))
    st.query_params[_TEXT] = str(text.id)
    return text


def _draw() -> None:
    st.session_state[_DRAW] = st.session_state.get(_DRAW, 0) + 1
    st.session_state["try_search"] = ""


def _trial(workbench: Workbench, view: ChecklistView, text: Text) -> PreviewText | None:
    """Return the judge's answers to exactly these questions about this text, if it was asked."""
    if not may(workbench, Right.FACILITATE, dimension_id=view.dimension.id):  # answering by hand is for everybody
        return None
    with st.container(horizontal=True, vertical_alignment="bottom"):
        model = model_choice(
            workbench,
            "Judge",
            "try_model",
            "It answers the questions about this text.",
            first=last_model(workbench, view.project.id, "judge"),
        )
        asked = was_pressed("Ask the judge", key="try_ask", disabled=not model)
    about = (text.id, model, [(q.id, q.text, q.guidance, q.may_not_apply) for q in view.checklist.asked])
    if asked:
        with ShownErrors(), st.spinner("Asking the judge"):
            st.session_state[_TRIAL] = about, judge_preview(workbench, view, text, model)
    known, trial = st.session_state.get(_TRIAL, (None, None))
    return trial if known == about else None


def _rows(view: ChecklistView, text: Text, trial: PreviewText | None) -> dict[int, Answer]:
    """Draw question, judge and person side by side; return the person's answers."""
    numbers = view.checklist.numbers
    with st.container(key="try_rows"):
        column_names("try", _COLUMNS, ("Question", _judge_name(trial), "You"))
        return {question.id: _row(numbers[question.id], question, text, trial) for question in view.checklist.asked}


def _judge_name(trial: PreviewText | None) -> str:
    return plain(model_label(trial.model)) if trial else "Judge"


def _row(number: int, question: Question, text: Text, trial: PreviewText | None) -> Answer:
    words, judge, person = st.columns(_COLUMNS, vertical_alignment="top")
    judgment = trial.judgments.get(question.id) if trial else None
    reason = f"  \n:small[:gray[{plain(judgment.rationale)}]]" if judgment and judgment.rationale else ""
    words.markdown(f"**{number}** {plain(question.text)}{reason}")
    if judgment:
        answer = "can't tell" if judgment.cannot_tell else _WORDS[judgment.answer]
        judge.markdown(named_value(_judge_name(trial), f"**{answer}**"))
    given = person.segmented_control(
        "Your answer",
        [Answer.YES, Answer.NO, *([Answer.NOT_APPLICABLE] if question.may_not_apply else [])],
        format_func=_WORDS.__getitem__,
        key=f"try_{text.id}_{question.id}",
    )
    return given or Answer.UNANSWERED


def _said(score: PreviewScore, weighted: bool) -> str:
    if score.equal is None:
        return "none, for nothing applies" if score.not_applicable else "none, for nothing is answered"
    by_weight = f", by weight {score.weighted:.2f}" if weighted and score.weighted is not None else ""
    left = f" ({score.answered} of {score.asked} answered)" if score.answered < score.asked else ""
    not_applicable = f" ({score.not_applicable} of {score.asked} don't apply)" if score.not_applicable else ""
    return f"**{score.equal:.2f}**{by_weight}{left}{not_applicable}"
