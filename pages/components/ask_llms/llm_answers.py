"""Answers of the LLMs: each one and each failure, as it arrives."""

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from app.domain.task import Dimension
from app.services.runtime.workbench import Workbench
from app.services.think_aloud.llm_think_aloud import Answered, answers_so_far
from pages.components.shell.background import POLL_SECONDS
from pages.components.shell.navigation.screens import link
from pages.components.shell.words import model_label, number


def llm_answers(workbench: Workbench, dimensions: Sequence[Dimension], running: bool) -> None:
    """Looked up again every second while models are being asked."""
    st.fragment(_answers, run_every=POLL_SECONDS if running else None)(workbench, dimensions)


def _answers(workbench: Workbench, dimensions: Sequence[Dimension]) -> None:
    found = answers_so_far(workbench, dimensions)
    st.subheader("Answers", anchor=False)
    if not found:
        st.markdown("**No model has been asked yet.** Choose models and ask; each answer is listed here as it arrives.")
        return
    st.dataframe(
        pd.DataFrame([_row(answer) for answer in found]),
        placeholder="–",
        hide_index=True,
        key="llm_answers",
        column_config={
            "Outcome": st.column_config.TextColumn(width=108),
            "Said before": st.column_config.TextColumn(
                width=84, help="The same model said the same about this dimension in an earlier round: left out."
            ),
            "Round": st.column_config.TextColumn(width=54, help="How often this model was asked by then."),
            "Asked": st.column_config.DatetimeColumn(format="D MMM, HH:mm"),
        },
    )
    for failure in _failures(found):
        st.text(failure)
    st.caption("What they said is on Attributes: an expert who still wants to think aloud should do so first.")
    link("attributes", "See what they said")


def _failures(found: Sequence[Answered]) -> list[str]:
    """Why models did not answer the last time they were asked, in full."""
    newest: dict[tuple[str, str], str] = {}
    for answer in found:
        newest.setdefault((answer.model, answer.dimension), answer.error)
    reasons = {model: error for (model, _), error in newest.items() if error}
    return [f"{model_label(model)} did not answer: {error}" for model, error in reasons.items()]


def _row(answer: Answered) -> dict[str, object]:
    return {
        "Model": model_label(answer.model),
        "Dimension": answer.dimension,
        "Outcome": "no answer" if answer.error else number(answer.attributes, "consideration"),
        "Said before": str(answer.repeated) if answer.repeated else "",
        "Round": str(answer.round) if answer.round else "",
        "Asked": answer.at,
    }
