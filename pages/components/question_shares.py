"""How often each question of the checklist was answered with yes."""

from collections.abc import Mapping, Sequence
from statistics import fmean

import pandas as pd
import streamlit as st

from app.services.repeat_agreement import Stability
from app.services.result_texts import QuestionShare

SAME_HELP = (
    "Asked again about the same text, how often the judge gave its most frequent answer; the mean over the texts. "
    "50 % is a coin, 100 % never changes its mind."
)
ALPHA_HELP = "Krippendorff's alpha over the repeats: the same, corrected for chance. 1 is perfect, 0 is chance."


def question_shares(shares: Sequence[QuestionShare], stability: Mapping[int, Stability]) -> None:
    """`stability` by question, where the judge was asked several times; else {}."""
    if not shares:
        st.markdown("This method asks no questions.")
        return
    st.dataframe(
        pd.DataFrame(
            [
                {
                    "Component": share.question.component,
                    "Question": share.question.text,
                    "Yes": None if share.yes_share is None else 100 * share.yes_share,
                    "Answered": share.yes + share.no,
                    "Unanswered": share.unanswered,
                    **_steadiness(stability, share.question.id),
                }
                for share in shares
            ]
        ),
        hide_index=True,
        key="question_shares",
        column_config={
            "Component": st.column_config.TextColumn(width=130),
            "Question": st.column_config.TextColumn(width=420),
            "Yes": st.column_config.ProgressColumn(
                format="%.0f %%", min_value=0, max_value=100, help="The share of yes among the texts with an answer."
            ),
            "Answered": st.column_config.NumberColumn(format="localized", width=80),
            "Unanswered": st.column_config.NumberColumn(format="localized", width=90),
            "Same answer": st.column_config.NumberColumn(format="%.0f %%", width=100, help=SAME_HELP),
            "Alpha": st.column_config.NumberColumn(format="%.2f", width=70, help=ALPHA_HELP),
        },
    )
    same = [each.same_answer for each in stability.values() if each.same_answer is not None]
    if same:
        texts = max(each.n for each in stability.values())
        st.caption(
            f"Asked repeatedly about {texts:,} texts, the judge gave its most frequent answer {fmean(same):.0%} of the "
            f"time on average, and {min(same):.0%} on its least steady question."
        )
    st.caption("A question that nearly all texts pass, or nearly none, tells them apart little.")


def _steadiness(stability: Mapping[int, Stability], question: int) -> dict[str, float | None]:
    if not stability:
        return {}
    found = stability.get(question)
    same = found.same_answer if found else None
    return {
        "Same answer": None if same is None else 100 * same,
        "Alpha": found.alpha.value if found else None,
    }
