"""How often each question of the checklist was answered with yes."""

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from app.services.result_texts import QuestionShare


def question_shares(shares: Sequence[QuestionShare]) -> None:
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
        },
    )
    st.caption("A question that nearly all texts pass, or nearly none, tells them apart little.")
