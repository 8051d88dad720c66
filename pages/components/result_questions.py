"""Results, Questions: what each question of the checklist contributes."""

import streamlit as st

from app.services.repeat_agreement import repeat_agreement
from app.services.result_texts import question_shares as shares_of
from pages.components.hidden import open_attributes
from pages.components.question_shares import question_shares
from pages.components.result_scope import ResultScope
from pages.components.words import plain


def result_questions(scope: ResultScope) -> None:
    st.subheader(plain(scope.dimension.name), anchor=False)
    open_attributes(scope.workbench, scope.project, scope.dimension, "the checklist's questions")
    result = scope.one()
    if result is None:
        return
    stability = repeat_agreement(scope.workbench, result.run.id, result.dimension.id)
    question_shares(shares_of(scope.workbench, result.run.id, result.dimension.id), stability)
