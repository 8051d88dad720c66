"""Columns with people's ratings: ticked all at once, each with the dimension it rates and the scale it was given on."""

from collections.abc import Mapping, Sequence

import streamlit as st

from app.services.data.uploads import MappedColumns, UploadPreview
from pages.components.data.kept_upload import starting_with
from pages.components.shell.tables.stacked import column_names
from pages.components.shell.words import plain

MOST_PILLS = 24
_LABEL = "Columns with ratings"
_COLUMNS = (3, 3, 3)
_NAMES = (
    "Column",
    "Dimension it rates (for two raters, give both columns the same name)",
    "Lowest and highest possible rating (others are left out and listed)",
)

Pairs = tuple[tuple[str, str], ...]


def rating_columns(
    key: str, preview: UploadPreview, guess: MappedColumns, used: set[str], known: Sequence[str]
) -> tuple[Pairs, Pairs]:
    """(dimension, column) pairs, of which two with the same dimension are two raters; (dimension, typed scale) pairs.

    used: the columns that mean something else already. known: dimensions that there are; a column called alike, but
    for the case of its letters, rates that one.
    """
    options = [column for column in preview.columns if column in preview.numbers and column not in used]
    st.markdown("**Which columns hold ratings that people gave?**")
    if not options:
        st.caption("No column holds numbers, so the texts come in unrated: there is nothing to compare scores with.")
        return (), ()
    usual = [column for _, column in guess.ratings if column in options]
    ticked = starting_with(f"map_ratings_{key}", usual, options)
    chosen = _ticked(preview, options, ticked)
    if not chosen:
        st.caption("None is ticked, so the texts come in unrated: there is nothing to compare scores with.")
        return (), ()
    names = {name.casefold(): name for name in known}
    dimensions = {column: names.get(dimension.casefold(), dimension) for dimension, column in guess.ratings}
    return _rows(key, preview, dimensions, [column for column in options if column in chosen])


def _ticked(preview: UploadPreview, options: list[str], key: str) -> list[str]:
    """All in sight, unless there are too many for that."""

    def labelled(column: str) -> str:
        return _labelled(preview, column)

    if len(options) > MOST_PILLS:
        return st.multiselect(_LABEL, options, format_func=labelled, key=key, label_visibility="collapsed")
    return st.pills(
        _LABEL, options, selection_mode="multi", format_func=labelled, key=key, label_visibility="collapsed"
    )


def _labelled(preview: UploadPreview, column: str) -> str:
    found = preview.numbers[column]
    return f"{plain(column)} :gray[{found.low:g} to {found.high:g}]"


def _rows(key: str, preview: UploadPreview, guessed: Mapping[str, str], columns: list[str]) -> tuple[Pairs, Pairs]:
    table = st.container(key="rating_rows")
    with table:
        column_names("ratings", _COLUMNS, _NAMES)
    ratings: list[tuple[str, str]] = []
    scales: dict[str, str] = {}
    for column in columns:
        about, dimension, scale = table.columns(_COLUMNS, vertical_alignment="center")
        found, place = preview.numbers[column], preview.columns.index(column)
        about.markdown(f"{plain(column)} :small[:gray[{found.count:,} of {preview.count:,} rows]]")
        name = dimension.text_input(
            plain(f"Dimension that {column} rates"),
            key=starting_with(f"map_dimension_{place}_{key}", guessed.get(column, column)),
        )
        ratings.append((name, column))
        if name in scales:
            scale.caption("the same scale as above")
            continue
        low, high = _scale(preview, guessed, columns, name, column)
        scales[name] = scale.text_input(
            plain(f"Scale of {column}"),
            placeholder=f"{low:g}..{high:g}, going by the ratings",
            key=starting_with(f"map_scale_{place}_{key}", ""),
        )
    return tuple(ratings), tuple(scales.items())


def _scale(
    preview: UploadPreview, guessed: Mapping[str, str], columns: list[str], name: str, column: str
) -> tuple[float, float]:
    """The scale proposed for the column, with those of the other raters of its dimension as guessed."""
    same = [preview.numbers[other].scale for other in columns if other == column or guessed.get(other) == name]
    return min(low for low, _ in same), max(high for _, high in same)
