"""The few rules of look that the theme can't say."""

import streamlit as st

_RULES = """
<style>
  .stMainBlockContainer { max-width: 1400px; padding-top: 3rem; }
  .stMainBlockContainer h1 { padding-bottom: 0.2rem; }
  .reading, .stMainBlockContainer .stMarkdown p { max-width: 46rem; }
</style>
"""


def apply() -> None:
    st.html(_RULES)
