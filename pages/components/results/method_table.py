"""Results open on this: methods by dimensions as a table, the same as a forest plot, and both as files."""

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from app.services.results.method_grid import (
    FIGURES,
    METHOD,
    Comparisons,
    FigureName,
    GridRow,
    MethodGrid,
    ceilings_of,
    cell,
    comparisons_with,
    difference,
    grid_notes,
    method_grid,
)
from app.services.results.result_files import latex_file
from app.services.results.results import DimensionResult
from pages.components.results.figures import FIGURE_HELP
from pages.components.results.forest import forest_caption, forest_chart
from pages.components.shell.address import keep, prepare
from pages.components.shell.guide import more_in_guide
from pages.components.shell.picture import picture
from pages.components.shell.runs.result_choices import ResultScope
from pages.components.shell.words import plain


def method_table(scope: ResultScope, results: Sequence[DimensionResult]) -> None:
    grid = method_grid(results)
    row = st.container(horizontal=True, vertical_alignment="center", key="grid_choices")
    with row:
        name, reference = _choices(grid)
    compared: Comparisons = {}
    if reference:
        with st.spinner("Comparing: 1,000 resamples and 10,000 permutations for each pair"):
            compared = comparisons_with(scope.workbench, scope.project.id, grid, reference, scope.choices)
    row.download_button(
        "Table (LaTeX)",
        lambda: latex_file(scope.project, grid, (name,), reference, compared),
        "methods.tex",
        "application/x-tex",
        key="download_method_table",
        on_click="ignore",
    )
    st.table(grid_frame(grid, name, compared), border="horizontal", hide_index=True)
    notes = plain(" ".join(grid_notes(grid, (name,), reference)))
    st.caption(notes, help=FIGURE_HELP[FIGURES[name]] + more_in_guide("correlation"))
    ceilings = ceilings_of(scope.workbench, scope.project.id, grid, name)
    chart = forest_chart(grid, name, ceilings)
    if chart is not None:
        on_paper = forest_chart(grid, name, ceilings, on_paper=True)
        caption = forest_caption(grid, name, ceilings)
        picture(chart, "results", "forest", caption, own_width=True, on_paper=on_paper, wide=True)


def grid_frame(grid: MethodGrid, name: FigureName, compared: Comparisons) -> pd.DataFrame:
    """A row a method, as Markdown."""
    return pd.DataFrame(
        [
            {METHOD: plain(row.label)} | {plain(column): _shown(row, column, name, compared) for column in grid.columns}
            for row in grid.rows
        ]
    )


def _shown(row: GridRow, column: str, name: FigureName, compared: Comparisons) -> str:
    apart = difference(compared, row.label, column, name)
    shown = plain(cell(row.figure(column, name))).replace(", ", ",\u00a0")  # a narrow column breaks before the interval
    return f"{shown}  \n{plain(str(apart))}" if apart else shown


def _choices(grid: MethodGrid) -> tuple[FigureName, str]:
    """The figure, and the row that the others are compared with; "" for none. Both stay in the address."""
    methods = [row.label for row in grid.rows]
    prepare("coefficient", list(FIGURES), "spearman")
    name = st.segmented_control(
        "Figure",
        list(FIGURES),
        format_func=FIGURES.__getitem__,
        required=True,
        key="coefficient",
        label_visibility="collapsed",
    )
    assert name is not None  # required
    keep("coefficient", name, "spearman")
    if len(methods) < 2:
        return name, ""
    prepare("reference", ["", *methods], "")
    reference = st.selectbox(
        "Difference to",
        ["", *methods],
        format_func=lambda label: f"Difference to {label}" if label else "Difference to: none",
        key="reference",
        label_visibility="collapsed",
        width=340,
    )
    keep("reference", reference, "")
    return name, reference
