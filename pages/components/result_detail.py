"""One dimension of a result from three sides; only the side that is looked at is loaded."""

from collections.abc import Sequence

import streamlit as st

from app.domain.project import Project
from app.domain.task import Dimension
from app.services.repeat_agreement import repeat_agreement
from app.services.result_texts import question_shares as shares_of
from app.services.results import DimensionResult
from app.services.workbench import Workbench
from pages.components.address import keep, prepare
from pages.components.disagreement_list import disagreement_list, opened
from pages.components.hidden import open_attributes
from pages.components.opened_text import opened_text
from pages.components.question_shares import question_shares
from pages.components.score_charts import score_charts
from pages.components.topic_summary import topic_summary
from pages.components.words import plain

SIGNATURE_HELP = (
    "One line that lets others compute the same figures: level | coefficients | groups used/all | duplicates | "
    "resamples | seed | checklist version | judge | prompt."
)
SCORES, TEXTS, QUESTIONS, TOPICS = VIEWS = ("Scores and ratings", "Disagreements", "Questions", "Topics")
MADE_OF_ATTRIBUTES = {
    TEXTS: "what each question answered",
    QUESTIONS: "the checklist's questions",
    TOPICS: "the topics",
}


def result_detail(
    workbench: Workbench,
    project: Project,
    dimension: Dimension,
    results: Sequence[DimensionResult],
    include_partial: bool,
) -> None:
    st.subheader(plain(dimension.name), anchor=False)
    result = _chosen([result for result in results if result.dimension.id == dimension.id])
    if result is None:
        st.markdown("The chosen run did not score this dimension. Choose another one in the sidebar, or another run.")
        return
    st.markdown("Signature", help=SIGNATURE_HELP)
    st.code(str(result.meta.signature), language=None, wrap_lines=True)
    prepare("view", VIEWS, SCORES)
    view = st.segmented_control("View", VIEWS, required=True, key="view", label_visibility="collapsed")
    keep("view", view or SCORES, SCORES)
    rows = result.compared(include_partial)
    if view in MADE_OF_ATTRIBUTES:
        open_attributes(workbench, project, dimension, MADE_OF_ATTRIBUTES[view])
    if view == QUESTIONS:
        stability = repeat_agreement(workbench, result.run.id, result.dimension.id)
        question_shares(shares_of(workbench, result.run.id, result.dimension.id), stability)
    elif view == TOPICS:
        topic_summary(workbench, project.id, result.dimension.id)
    elif view == TEXTS:
        row = next((row for row in result.rows if row.text == opened()), None)
        if row is not None:
            opened_text(workbench, project, result, row)
        else:
            disagreement_list(rows, f"{result.run.id}_{result.dimension.id}")
    else:
        score_charts(rows, result.dimension)


def _chosen(results: Sequence[DimensionResult]) -> DimensionResult | None:
    """The run to look at, where several scored the dimension."""
    if len(results) < 2:
        return results[0] if results else None
    by_run = {result.run.id: result for result in results}
    run = st.radio("Run", list(by_run), horizontal=True, key="detail_run", format_func="Run {}".format)
    return by_run[run]
