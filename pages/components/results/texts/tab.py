"""Results, Texts: where judge and people part, and everything that was said about one text."""

import streamlit as st

from pages.components.results.texts.disagreement_list import disagreement_list, open_text_id
from pages.components.results.texts.text_detail import opened_text
from pages.components.shell.blinding import open_attributes
from pages.components.shell.runs.result_scope import ResultScope
from pages.components.shell.words import plain


def result_texts(scope: ResultScope) -> None:
    st.subheader(plain(scope.dimension.name), anchor=False)
    open_attributes(scope.workbench, scope.project, scope.dimension, "what each question answered")
    result = scope.one()
    if result is None:
        return
    row = next((row for row in result.rows if row.text == open_text_id()), None)
    if row is not None:
        opened_text(scope.workbench, scope.project, result, row)
    else:
        disagreement_list(result.compared, f"{result.run.id}_{result.dimension.id}", result.on_scale)
