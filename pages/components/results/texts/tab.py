"""Results, Texts: where judge and people part, and everything that was said about one text."""

import streamlit as st

from app.services.results.result_texts import disagreements
from pages.components.results.texts.disagreement_list import by_score, disagreement_list, open_text_id, scored_list
from pages.components.results.texts.text_detail import opened_text
from pages.components.results.texts.text_filter import filter_in_address
from pages.components.results.texts.text_steps import text_steps
from pages.components.shell.blinding import open_attributes
from pages.components.shell.runs.result_scope import ResultScope
from pages.components.shell.words import plain


def result_texts(scope: ResultScope) -> None:
    st.subheader(plain(scope.dimension.name), anchor=False)
    open_attributes(scope.workbench, scope.project, scope.dimension, "what each question answered")
    result = scope.one("texts")
    if result is None:
        return
    key = f"{result.run.id}_{result.dimension.id}"
    row = next((row for row in result.rows if row.text == open_text_id()), None)
    if row is None and not result.compared:
        scored_list(scope.workbench, scope.project, result.rows, key)
        return
    if row is None:
        disagreement_list(scope.workbench, scope.project, result.compared, key, result.on_scale)
        return
    listed = disagreements(result.compared, filter_in_address(result.compared), on_scale=result.on_scale)
    if result.compared:
        text_steps([each.row.text for each in listed], row.text, key)
    else:
        text_steps([each.text for each in by_score(result.rows)], row.text, key, "lowest score first")
    opened_text(scope.workbench, scope.project, result, row, listed)
