"""How scores and ratings of the current dimension lie, text by text and source by source."""

import streamlit as st

from app.services.results.result_pictures import by_source
from app.services.results.results import DimensionResult
from pages.components.results.cached_chart import kept_drawing, of_texts
from pages.components.results.score_charts import score_charts
from pages.components.results.texts.source_strip import source_strip
from pages.components.shell.runs.result_scope import ResultScope
from pages.components.shell.words import plain


def result_charts(scope: ResultScope) -> None:
    st.subheader(plain(scope.dimension.name), anchor=False)
    result = scope.one("pictures")
    if result is not None:
        _charts(result)
        source_strip(by_source(result.compared))


@kept_drawing(of_texts)
def _charts(result: DimensionResult) -> None:
    score_charts(result.compared, result.dimension, result.on_scale)
