"""What must be seen beside results, each sentence once."""

from collections.abc import Sequence

import streamlit as st

from app.services.results.results import DimensionResult
from pages.components.shell.words import plain


def result_label(result: DimensionResult, several: bool) -> str:
    """The dimension; where `several` runs stand side by side, with the run."""
    return f"{result.dimension.name} · run {result.run.id}" if several else result.dimension.name


def cautions(results: Sequence[DimensionResult], several: bool) -> None:
    """Each sentence once, with the results it is about where it isn't about all; together in one place."""
    said: dict[str, list[str]] = {}
    for result in results:
        for caution in result.meta.cautions:
            said.setdefault(caution, []).append(result_label(result, several))
    lines = []
    for caution, names in said.items():
        who = "" if len(names) == len(results) else f"{plain(', '.join(names))}: "
        lines.append(f"{who}{plain(caution)}")
    if lines:
        st.warning("  \n".join(lines), icon=":material/warning:")
