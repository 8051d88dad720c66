"""Scores of a metric from elsewhere: a file, the columns that name the texts, and the imported scores."""

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from app.domain.project import Dimension, Project
from app.errors import WorkbenchError
from app.services.data.projects import dimensions_named
from app.services.data.uploads import SUFFIXES, Upload
from app.services.runtime.workbench import Workbench
from app.services.scoring.own_scores import OwnScoresReport, ScoreColumns, columns_of, import_upload
from pages.components.shell.current import was_pressed
from pages.components.shell.labels import ShownErrors, number, plain, show_error
from pages.components.shell.tables import left_out_rows, show_table
from pages.components.shell.upload_field import upload_field

NONE = "(none)"
PARTS = {
    "doc_id": ("Document", "The column that names the source of each text, as it was imported."),
    "system_id": ("System", "The column that names who wrote the text."),
    "item_id": ("Item", "Only where several texts share document and system."),
}
_REPORT = "own_scores_report"


def own_scores(workbench: Workbench, project: Project) -> None:
    """Draw the import. Its run appears in the list of runs and on Results like any other."""
    dimensions = dimensions_named(workbench, project.name, "all")
    if not dimensions:
        return
    report: OwnScoresReport | None = st.session_state.get(_REPORT)
    with st.expander("Scores from a file", key="own_scores", expanded=report is not None):
        st.caption(
            "Any metric that was computed elsewhere, a paper's published scores for example, can stand beside the "
            "methods here: one row per text, with a column of scores."
        )
        file = upload_field(workbench, "A file with scores", SUFFIXES, "own_scores_file")
        if file is not None:
            _form(workbench, project, dimensions, file.file_id, Upload(file.name, file.getvalue()))
        if report is not None:
            _show(report)


def _form(
    workbench: Workbench, project: Project, dimensions: Sequence[Dimension], file_id: str, upload: Upload
) -> None:
    try:
        columns, guess = columns_of(upload)
    except WorkbenchError as error:
        show_error(error)
        return
    places = st.columns(4)
    named = [getattr(guess, part) for part in PARTS] if guess else []
    others = [column for column in columns if column not in named]
    score = places[0].selectbox("Scores", others or columns, key=f"own_score_column_{file_id}")
    parts = {
        part: place.selectbox(
            label,
            [NONE, *columns],
            index=[NONE, *columns].index((getattr(guess, part) if guess else "") or NONE),
            key=f"own_{part}_{file_id}",
            help=meaning,
        )
        for place, (part, (label, meaning)) in zip(places[1:], PARTS.items(), strict=True)
    }
    left, right = st.columns([1, 3])
    name = left.text_input("Name in tables", score, key=f"own_name_{file_id}_{score}")
    chosen = right.multiselect(
        "Dimensions it is compared with",
        dimensions,
        default=dimensions,
        format_func=lambda dimension: plain(dimension.name),
        key=f"own_dimensions_{file_id}",
        help="The scores stand beside people's ratings of each of these.",
    )
    if was_pressed("Add these scores", "import_own_scores", disabled=not (score and chosen)):
        named_by = {part: "" if column == NONE else column for part, column in parts.items()}
        _import(workbench, project, chosen, upload, ScoreColumns(score, **named_by), name)


def _import(
    workbench: Workbench,
    project: Project,
    dimensions: Sequence[Dimension],
    upload: Upload,
    columns: ScoreColumns,
    name: str,
) -> None:
    with ShownErrors():
        with st.spinner("Finding the text of each row"):
            st.session_state[_REPORT] = import_upload(workbench, project.id, dimensions, upload, columns, name)
        st.rerun()


def _show(report: OwnScoresReport) -> None:
    with st.container(border=True, key="own_scores_report"):
        title, action = st.columns([5, 1], vertical_alignment="center")
        title.markdown(_summary(report))
        with action.container(horizontal_alignment="right"):
            if was_pressed("Close", key="close_own_scores", type="tertiary"):
                del st.session_state[_REPORT]
                st.rerun()
        kept_back = [f"{number(n, 'row')} on {plain(name)}" for name, n in report.samples.items() if n]
        if kept_back:
            st.caption(f"Documents that are shown as samples are never scored: {', '.join(kept_back)}.")
        if report.locked:
            st.caption(f"{number(report.locked, 'row')} of the held-out split stayed out.")
        if report.left_out:
            left_out_rows(
                f"**{number(len(report.left_out), 'row')}** did not fit:",
                [(one.row, one.reason) for one in report.left_out],
                "own_left_out",
                "scores-left-out",
            )
        lacking = [(dimension, text) for dimension, texts in report.without_score.items() for text in texts]
        if lacking:
            texts = pd.DataFrame(lacking, columns=["Dimension", "Text"])
            st.markdown(f"**{number(len(texts), 'text')}** without a score:")
            show_table(texts, "own_without_score", height=min(260, 38 + 35 * len(texts)))


def _summary(report: OwnScoresReport) -> str:
    came = ", ".join(f"{number(scored, 'text')} on {plain(name)}" for name, scored in report.scored.items())
    again = f" {number(report.duplicates, 'row')} said the same again." if report.duplicates else ""
    return f"**Run {report.run}, {plain(report.evaluator)}:** scores for {came}.{again} See them on Results."
