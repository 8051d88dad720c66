"""One text with everything that was said about it: text left, what judge and people said right."""

from collections.abc import Sequence

import streamlit as st

from app.domain.improvement import Decision
from app.domain.judgment import Answer, Judgment
from app.domain.project import Project, text_title
from app.domain.run import ScoredText
from app.errors import WorkbenchError
from app.services.results.result_texts import Disagreement, TextDetail, judged_text
from app.services.results.results import DimensionResult
from app.services.results.run_answers.evidence import QuotedAnswer, quoted_answers
from app.services.runtime.workbench import Workbench
from pages.components.results.texts.add_attribute import add_attribute
from pages.components.results.texts.edit_question import edit_question
from pages.components.results.texts.evidence_choice import evidence_choice
from pages.components.results.texts.score_details import score_details
from pages.components.shell.blinding import all_open
from pages.components.shell.reading import quote_line, text_with_places
from pages.components.shell.words import model_label, plain, show_error

ANSWERS = {
    Answer.YES: ":green[Yes]",
    Answer.NO: ":orange[No]",
    Answer.NOT_APPLICABLE: ":gray[Does not apply]",
    Answer.UNANSWERED: ":gray[No answer]",
}
CANNOT_TELL = ":gray[Can't tell]"


def opened_text(
    workbench: Workbench, project: Project, result: DimensionResult, row: ScoredText, listed: Sequence[Disagreement]
) -> None:
    """`listed` are the texts that it is one of, furthest from people first."""
    try:
        found = judged_text(workbench, result.run.id, result.dimension.id, row.text)
    except WorkbenchError as error:
        show_error(error)
        return
    st.markdown(f"**{plain(text_title(found.text))}**")
    st.caption(plain(" · ".join(part for part in found.text.key if part)))
    quoted = quoted_answers(found.text, found.answers)
    left, right = st.columns([3, 2], gap="large")
    with left:
        _reading(project, found, evidence_choice(quoted, f"{result.run.id}_{row.text}"))
    with right:
        _scores(result, row, found)
        add_attribute(workbench, result.dimension, row.text)
        _answers(workbench, project, result, found, listed, quoted)
        score_details(found.details)


def _reading(project: Project, found: TextDetail, quoted: Sequence[QuotedAnswer]) -> None:
    places = [each.place for each in quoted if each.place is not None]
    st.caption(plain(project.task.text_name.capitalize()))
    text_with_places(found.text.text, [(place.start, place.end) for place in places if not place.in_source])
    if found.text.source:
        with st.expander(plain(project.task.source_name.capitalize()), expanded=True, key="opened_source"):
            text_with_places(found.text.source, [(place.start, place.end) for place in places if place.in_source])


def _scores(result: DimensionResult, row: ScoredText, found: TextDetail) -> None:
    judge, people = st.columns(2)
    score = "none" if row.score is None else f"{row.score:.2f}"
    if row.nothing_applies and not result.soft:
        st.markdown("**Nothing applies:** no question that is answered applies to this text, so it has no score.")
    judge.metric("Judge", score, help=model_label(result.run.judge))
    people.metric("People", "none" if row.human is None else f"{row.human:.2f}", help="The mean over the raters.")
    scale = f"Scale of the ratings: {result.dimension.low:g} to {result.dimension.high:g}."
    raters = ", ".join(f"{rater}: {value:g}" for rater, value in found.ratings)
    st.caption(plain(f"{scale} Raters: {raters}." if raters else f"{scale} Nobody rated this text."))
    if row.coverage is not None and row.coverage < 1:
        st.caption(f"{row.coverage:.0%} of the questions have an answer.")


def _answers(
    workbench: Workbench,
    project: Project,
    result: DimensionResult,
    found: TextDetail,
    listed: Sequence[Disagreement],
    quoted: Sequence[QuotedAnswer],
) -> None:
    if result.version is None:
        return
    st.markdown(f"**Answers of {plain(model_label(result.run.judge))}**")
    if not found.answers:
        st.markdown("The judge gave no answer about this text.")
    # Whoever still answers would be led by what was decided.
    decided = found.decided if all_open(workbench, project, result.dimension) else {}
    again = any(judgment.origin for _, given in found.answers for judgment in given)
    for question, given in found.answers:
        said = ", ".join(_said(judgment) + _how_sure(judgment) + _origin(judgment, again) for judgment in given)
        st.markdown(f"**{said}** · {plain(question.text)}")
        for reason in dict.fromkeys(judgment.rationale for judgment in given if judgment.rationale):
            st.caption(plain(reason))
        for each in quoted:
            if each.question.id == question.id:
                st.caption(quote_line(each.judgment.quote, each.place, project.task.source_name or "source"))
        if question.id in decided:
            st.markdown(_decided(decided[question.id]))
        edit_question(workbench, result, question, f"edit_question_{question.id}", listed)


def _decided(decision: Decision) -> str:
    why = f": {plain(decision.why)}" if decision.why else ""
    return f":material/gavel: :small[Decided: {ANSWERS[decision.answer]}{why}]"


def _said(judgment: Judgment) -> str:
    return CANNOT_TELL if judgment.cannot_tell else ANSWERS[judgment.answer]


def _how_sure(judgment: Judgment) -> str:
    return "" if judgment.p_yes is None else f" (yes {judgment.p_yes:.0%})"


def _origin(judgment: Judgment, again: bool) -> str:
    """An answer that counts again says which run asked; beside such ones the others are new. `again`: there are any."""
    if judgment.origin:
        return f" :small[:gray[from run {judgment.origin}]]"
    return " :small[:gray[new]]" if again else ""
