"""Report of an import: counts, and every row that stayed out with the reason."""

from collections.abc import Callable

import pandas as pd
import streamlit as st

from app.domain.project import Project, Task
from app.services.data.imports import ImportReport, forget_report, last_report
from app.services.data.projects import overview
from app.services.data.steps import NextStep, next_step
from app.services.data.uploads import without_ratings_words
from app.services.runtime.workbench import Workbench
from pages.components.shell.browser.page_scripts import page_script, run_in_page
from pages.components.shell.current import was_pressed
from pages.components.shell.navigation.screens import go
from pages.components.shell.tables import csv_download
from pages.components.shell.words import number, plain

_INTO_VIEW = page_script("""(() => {
  let tries = 0;
  const look = () => {
    const report = document.querySelector(".st-key-import_report");
    if (!report) return ++tries < 100 && setTimeout(look, 50);
    report.style.scrollMarginTop = "4.5rem"; // below the bar over the top of a narrow screen
    report.scrollIntoView({ block: "start" });
  };
  look();
})();""")
ROLES = {
    "text": "the text",
    "source": "its source",
    "doc_id": "what belongs together",
    "system_id": "who wrote it",
    "item_id": "its number",
    "reference": "a model answer",
}


def import_report(workbench: Workbench, project: Project, open_section: Callable[[str], None]) -> None:
    """The last import's report, with the next thing to do, until it is put away; nothing where there is none."""
    report = last_report(workbench, project.name)
    if report is None:
        return
    task, progress = project.task, overview(workbench, project.id)
    with st.container(border=True, key="import_report"):
        title, action = st.columns([5, 1], vertical_alignment="center")
        title.markdown(_summary(report, task))
        with action.container(horizontal_alignment="right"):
            if was_pressed("Close", key="close_report", type="tertiary"):
                forget_report(workbench, project.name)
                st.rerun()
        if report.dimensions:
            frame = _dimensions(report)
            st.dataframe(frame, placeholder="–", hide_index=True, key="imported_dimensions", width="content")
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
        if not report.ratings:
            st.markdown("\n".join(f"- {plain(line)}" for line in without_ratings_words(task)))
        for note in report.notes:
            st.markdown(plain(note))
        if report.skipped:
            _left_out(report)
        _next_step(next_step(progress), open_section)


def _next_step(todo: NextStep, open_section: Callable[[str], None]) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        if todo.screen == "texts":
            st.button(todo.verb, key="report_next", type="primary", on_click=open_section, args=[todo.section])
        elif was_pressed(todo.verb, key="report_next", type="primary"):
            go(todo.screen, todo.parameters)
        st.markdown(plain(todo.why))


def show_report() -> None:
    """Scroll to the report that has just come: the button that began the import stood further down. The browser may
    draw it later than this."""
    run_in_page(_INTO_VIEW)


def _summary(report: ImportReport, task: Task) -> str:
    new = f"{number(report.added_texts, 'text')} and {number(report.added_ratings, 'rating')} came in"
    if not (report.added_texts or report.added_ratings):
        new = "Nothing new came in: all that could be read was here already"
    writers = f" by {_counted(report.systems, task.writer_name, task.writers_name)}" if report.systems else ""
    return (
        f"**{new}** from {plain(report.file)}, read as {plain(report.format)}. The project now has "
        f"{number(report.texts, 'text')} of {_counted(report.sources, task.source_name, task.sources_name)}{writers}."
    )


def _counted(count: int, one: str, several: str) -> str:
    return f"{count:,} {plain(one if count == 1 else several)}"


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
