"""How far each dimension of the project is."""

import pandas as pd
import streamlit as st

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
            "Scored": st.column_config.TextColumn(help="Which version of the checklist was scored, and by which run."),
        },
    )


def _row(progress: DimensionProgress) -> dict[str, object]:
    checklist = progress.checklist
    return {
        "Dimension": progress.dimension.name,
        "Ratings": progress.ratings,
        "Raters": progress.raters,
        "Samples": progress.samples,
        "By people": progress.human_attributes,
        "By LLMs": progress.llm_attributes,
        "Checklist": f"version {checklist.version}, {checklist.status}" if checklist else "none yet",
        "Scored": progress.scored_words,
    }
