"""Report of an import: counts, and every row that stayed out with the reason."""

import pandas as pd
import streamlit as st

from app.domain.project import Project
from app.services.data.import_jobs import forget_report, last_report
from app.services.data.imports import ImportReport
from app.services.runtime.workbench import Workbench
from pages.components.shell.csv_download import csv_download
from pages.components.shell.words import number, plain

ROLES = {
    "text": "the text",
    "source": "its source",
    "doc_id": "what belongs together",
    "system_id": "who wrote it",
    "item_id": "its number",
    "reference": "a model answer",
}


def import_report(workbench: Workbench, project: Project) -> None:
    """The last import's report until it is put away; nothing where there is none."""
    report = last_report(workbench, project.name)
    if report is None:
        return
    with st.container(border=True, key="import_report"):
        title, action = st.columns([5, 1], vertical_alignment="center")
        title.markdown(_summary(report))
        with action.container(horizontal_alignment="right"):
            if st.button("Close", key="close_report", type="tertiary"):
                forget_report(workbench, project.name)
                st.rerun()
        st.dataframe(_dimensions(report), placeholder="–", hide_index=True, key="imported_dimensions", width="content")
        if report.columns:
            uses = (_use(use.column, use.role, use.dimension) for use in report.columns)
            st.caption(f"Columns: {', '.join(uses)}.")
        if report.ungrouped:
            st.markdown(
                "**No two texts share a source,** so agreement with people can't be taken per source, only over the "
                "whole dataset. If some belong together, import them into a new project and say which column says "
                "what belongs together."
            )
        if report.few_sources:
            st.markdown(
                f"**{number(report.sources, 'source')} for {number(report.texts, 'text')}. They are few or large,** so "
                "only the sample texts themselves, which people read while thinking aloud, will be left out of "
                "scoring, not all texts of their sources."
            )
        if report.skipped:
            _left_out(report)


def _summary(report: ImportReport) -> str:
    new = f"{number(report.added_texts, 'text')} and {number(report.added_ratings, 'rating')} came in"
    if not (report.added_texts or report.added_ratings):
        new = "Nothing new came in: all that could be read was here already"
    systems = f", {number(report.systems, 'named system')}" if report.systems else ""
    return (
        f"**{new}** from {plain(report.file)}, read as {plain(report.format)}. The project now has "
        f"{number(report.texts, 'text')} of {number(report.sources, 'source')}{systems}."
    )


def _use(column: str, role: str, dimension: str) -> str:
    taken_for = f"a rating of {plain(dimension)}" if role == "rating" else ROLES[role]
    return f"“{plain(column)}” as {taken_for}"


def _dimensions(report: ImportReport) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "Dimension": list(report.dimensions),
            "Ratings": [d.ratings for d in report.dimensions.values()],
            "Raters": [d.raters for d in report.dimensions.values()],
            "Range": [f"{d.low:g} to {d.high:g}" for d in report.dimensions.values()],
        }
    )


def _left_out(report: ImportReport) -> None:
    rows = pd.DataFrame({"Row": [s.row for s in report.skipped], "Reason": [s.reason for s in report.skipped]})
    st.markdown(f"**{number(len(rows), 'remark')}** on rows, or single ratings of them, that stayed out:")
    st.dataframe(
        rows,
        placeholder="–",
        hide_index=True,
        height=min(260, 38 + 35 * len(rows)),
        key="skipped_rows",
        column_config={
            "Row": st.column_config.NumberColumn(
                width=60, help="Counted from 1 as in the file; in a workbook the number beside the row."
            ),
            "Reason": st.column_config.TextColumn(width=720),
        },
    )
    csv_download("Download the list", rows, "rows-left-out")
