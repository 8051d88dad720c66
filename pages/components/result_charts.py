"""Results, Pictures: how scores and ratings of the current dimension lie, text by text and source by source."""

import streamlit as st

from app.services.result_pictures import by_source
from app.services.results import DimensionResult
from pages.components.kept_drawing import kept_drawing, of_texts
from pages.components.result_scope import ResultScope
from pages.components.score_charts import score_charts
from pages.components.source_strip import source_strip
from pages.components.words import plain


def result_charts(scope: ResultScope) -> None:
    st.subheader(plain(scope.dimension.name), anchor=False)
    result = scope.one()
    if result is not None:
        _charts(result)
        source_strip(by_source(result.compared))


@kept_drawing(of_texts)
def _charts(result: DimensionResult) -> None:
    score_charts(result.compared, result.dimension, result.on_scale)
