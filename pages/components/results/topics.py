"""Results, Topics: what the attributes behind the checklist are about."""

import streamlit as st

from pages.components.results.topic_summary import topic_summary
from pages.components.shell.blinding import open_attributes
from pages.components.shell.runs.result_scope import ResultScope
from pages.components.shell.words import plain


def result_topics(scope: ResultScope) -> None:
    st.subheader(plain(scope.dimension.name), anchor=False)
    open_attributes(scope.workbench, scope.project, scope.dimension, "the topics")
    topic_summary(scope.workbench, scope.project.id, scope.dimension.id)
