"""Table of progress: how far each dimension of a project is."""

import pandas as pd
import streamlit as st

from app.domain.run import RunSummary
from app.services.data.projects import DimensionProgress, Overview


def progress_table(progress: Overview) -> None:
    """One row a dimension; the project's size as a caption."""
    systems = f", {progress.systems:,} named systems" if progress.systems else ""
    st.caption(f"{progress.texts:,} texts of {progress.sources:,} sources{systems}")
    if not progress.dimensions:
        return
    st.dataframe(
        pd.DataFrame([_row(dimension) for dimension in progress.dimensions]),
        placeholder="–",
        hide_index=True,
        key="progress",
        column_config={
            "Dimension": st.column_config.TextColumn(help="One quality that the texts are judged on."),
            "Ratings": st.column_config.NumberColumn(help="Human scores, one per text and rater.", format="localized"),
            "Samples": st.column_config.NumberColumn(help="Texts that people and LLMs read while thinking aloud."),
            "By people": st.column_config.NumberColumn("Attributes by people", help="Attributes that people wrote."),
            "By LLMs": st.column_config.NumberColumn(
                "by LLMs", help="Attributes that models wrote, those of the built-in rules included."
            ),
            "Checklist": st.column_config.TextColumn(help="The newest version."),
            "Scored": st.column_config.TextColumn(help="The run with most texts of the newest checklist."),
        },
    )


def _row(progress: DimensionProgress) -> dict[str, object]:
    checklist, run = progress.checklist, progress.run
    return {
        "Dimension": progress.dimension.name,
        "Ratings": progress.ratings,
        "Raters": progress.raters,
        "Samples": progress.samples,
        "By people": progress.human_attributes,
        "By LLMs": progress.llm_attributes,
        "Checklist": f"version {checklist.version}, {checklist.status}" if checklist else "none yet",
        "Scored": _scored(run) if run else "not yet",
    }


def _scored(run: RunSummary) -> str:
    return f"run {run.id}" if run.done == run.all else f"run {run.id}, {run.done:,} of {run.all:,} scores"
