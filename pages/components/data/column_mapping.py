"""Meanings of a table's columns, pre-filled with what names and values suggest."""

from dataclasses import dataclass

import pandas as pd
import streamlit as st

from app.services.data.uploads import TEXT_FIELDS, MappedColumns, UploadPreview
from pages.components.shell.words import plain

EXPLAINED = {
    "text": ("Text", "What is judged: the summary, essay or answer."),
    "source": ("Source", "What the text was written from, or the question it answers."),
    "doc_id": ("Document", "Names the source; texts with the same name here are compared with each other."),
    "system_id": ("System", "Names who wrote the text: a model, a person."),
    "item_id": ("Item", "Tells texts apart that have the same document and system."),
    "reference": ("Reference", "A model answer written by a person."),
}
NONE = "(none)"
PER_LINE = 3


@dataclass(frozen=True, slots=True)
class ColumnChoice:
    """`mapped` is None where the format fixes it; `missing` says what has to be given first, "" for nothing."""

    mapped: MappedColumns | None = None
    missing: str = ""


def column_choice(file_id: str, preview: UploadPreview, guess: MappedColumns) -> ColumnChoice:
    """The first rows, one choice a field, and the names of the dimensions."""
    st.caption("The first rows")
    first = pd.DataFrame([_shown(row) for row in preview.rows], columns=preview.columns)
    st.dataframe(first, placeholder="–", hide_index=True, key="first_rows")
    st.subheader("What the columns mean", anchor=False)
    columns: dict[str, str] = {}
    places = st.columns(PER_LINE)
    for position, field in enumerate(TEXT_FIELDS):
        label, meaning = EXPLAINED[field]
        options = [NONE, *preview.columns]
        chosen = places[position % PER_LINE].selectbox(
            label,
            options,
            index=options.index(guess.fields.get(field, NONE)),
            key=f"map_{field}_{file_id}",
            help=meaning,
        )
        if chosen != NONE:
            columns[field] = chosen
    ratings = _rating_columns(file_id, preview, guess)
    scales = _scales(file_id, preview, ratings)
    if "doc_id" not in columns and "source" not in columns:
        st.caption(
            "Without a Document or Source column every text stands alone: agreement is taken over the whole dataset, "
            "not inside each source's group."
        )
    if not ratings:
        st.caption("Without a rating column the texts come in unrated: there is nothing to compare scores with.")
    return ColumnChoice(MappedColumns(columns, tuple(ratings), tuple(scales)), _missing(columns, ratings))


def _missing(columns: dict[str, str], ratings: list[tuple[str, str]]) -> str:
    if "text" not in columns:
        return "Say which column holds the texts."
    unnamed = next((column for name, column in ratings if not name.strip()), None)
    return f"Name the dimension that “{plain(unnamed)}” rates." if unnamed else ""


def _rating_columns(file_id: str, preview: UploadPreview, guess: MappedColumns) -> list[tuple[str, str]]:
    """(dimension, column) pairs; two columns with the same dimension are two raters."""
    chosen = st.multiselect(
        "Columns with human ratings",
        preview.columns,
        default=[column for _, column in guess.ratings],
        key=f"map_ratings_{file_id}",
        help="Numbers that people gave. Several columns of one dimension are several raters.",
    )
    dimensions = {column: dimension for dimension, column in guess.ratings}
    if chosen:
        st.caption("The dimension each of them rates; the same name twice makes two raters of one dimension")
    places = st.columns(PER_LINE)
    return [
        (
            places[position % PER_LINE].text_input(
                plain(column),
                dimensions.get(column, column),
                key=f"map_dimension_{preview.columns.index(column)}_{file_id}",
            ),
            column,
        )
        for position, column in enumerate(chosen)
    ]


def _scales(file_id: str, preview: UploadPreview, ratings: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """(dimension, what was typed) pairs; blank leaves the scale that almost all ratings fit."""
    proposed: dict[str, tuple[float, float]] = {}
    for name, column in ratings:
        low, high = preview.proposed.get(column, (1, 5))
        known = proposed.get(name, (low, high))
        proposed[name] = (min(low, known[0]), max(high, known[1]))
    if proposed:
        st.caption("The lowest and the highest rating there is on each; ratings outside are left out and listed")
    places = st.columns(PER_LINE)
    return [
        (
            name,
            places[position % PER_LINE].text_input(
                f"Scale of {plain(name)}",
                placeholder=f"{low:g}..{high:g}, going by the ratings",
                key=f"map_scale_{position}_{file_id}",
            ),
        )
        for position, (name, (low, high)) in enumerate(proposed.items())
    ]


def _shown(row: object) -> dict[str, str]:
    """Cells as short words: a column of a table must be of one kind."""
    assert isinstance(row, dict)
    return {name: "" if value is None else str(value)[:200] for name, value in row.items()}
