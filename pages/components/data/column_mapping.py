"""Meanings of a table's columns, asked in plain words and pre-filled with what names and values suggest."""

from dataclasses import dataclass

import pandas as pd
import streamlit as st

from app.domain.task import Task
from app.services.data.uploads import TEXT_FIELDS, MappedColumns, UploadPreview
from pages.components.data.import_target import ImportTarget
from pages.components.data.kept_upload import starting_with
from pages.components.data.rating_columns import rating_columns
from pages.components.shell.words import plain

NONE = "no column"
PER_LINE = 3


@dataclass(frozen=True, slots=True)
class ColumnChoice:
    """`mapped` is None where the format fixes it; `missing` says what has to be given first, "" for nothing."""

    mapped: MappedColumns | None = None
    missing: str = ""


def questions(task: Task) -> dict[str, tuple[str, str]]:
    """Field -> the question about it in the task's words, and what the answer is good for."""
    text, source = task.text_name, task.source_name
    return {
        "text": (f"Which column holds the {text}?", f"The {text} itself, word for word: it is what gets judged."),
        "system_id": ("Which says who wrote it?", "A person's name or number, or a model's."),
        "source": (f"Which holds the {source}?", f"What the {text} was written from, or the question it answers."),
        "doc_id": (
            "Which says what belongs together?",
            f"A name or number of the {source}: those with the same one are compared with each other.",
        ),
        "item_id": (
            f"Which holds the number of the {text}?",
            "It tells those apart that the same writer wrote from the same source.",
        ),
        "reference": ("Which holds a model answer?", f"A good {text} that a person wrote, for methods that compare."),
    }


def column_choice(key: str, preview: UploadPreview, guess: MappedColumns, target: ImportTarget) -> ColumnChoice:
    """The first rows, one question a field, and the ratings. key: of this reading of the file."""
    st.caption(f"The first of {preview.count:,} rows")
    first = pd.DataFrame([_shown(row) for row in preview.rows], columns=preview.columns)
    st.dataframe(first, placeholder="–", hide_index=True, key="first_rows")
    asked = questions(target.task)
    assert asked.keys() == set(TEXT_FIELDS)
    options = [NONE, *preview.columns]
    columns: dict[str, str] = {}
    places = st.columns(PER_LINE)
    for position, (column, (question, meaning)) in enumerate(asked.items()):
        with places[position % PER_LINE]:
            guessed = guess.fields.get(column, NONE)
            chosen = st.selectbox(
                plain(question),
                options,
                key=starting_with(f"map_{column}_{key}", guessed, options),
                help=plain(meaning),
            )
            if chosen != NONE:
                columns[column] = chosen
                if chosen == guessed:
                    st.caption(plain(f"Guessed: {preview.why.get(column, '')}."))
    ratings, scales = rating_columns(key, preview, guess, set(columns.values()), target.dimensions)
    return ColumnChoice(MappedColumns(columns, ratings, scales), _missing(columns, ratings, target.task))


def _missing(columns: dict[str, str], ratings: tuple[tuple[str, str], ...], task: Task) -> str:
    if "text" not in columns:
        return f"Say which column holds the {plain(task.text_name)}."
    unnamed = next((column for name, column in ratings if not name.strip()), None)
    return f"Name the dimension that “{plain(unnamed)}” rates." if unnamed else ""


def _shown(row: object) -> dict[str, str]:
    """Cells as short words: a column of a table must be of one kind."""
    assert isinstance(row, dict)
    return {name: "" if value is None else str(value)[:200] for name, value in row.items()}
