"""Roles of a table's columns, asked in plain words and pre-filled with guesses."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Any

import pandas as pd
import streamlit as st

from app.domain.project import Dimension, Project, Task
from app.services.data.projects import (
    dimensions_named,
    list_projects,
    overview,
    preset_dimensions,
    preset_names,
    preset_task,
)
from app.services.data.uploads import SUFFIXES, TEXT_FIELDS, MappedColumns, Upload, UploadPreview
from app.services.runtime.workbench import Workbench
from pages.components.shell.labels import plain
from pages.components.shell.tables import column_names, show_table
from pages.components.shell.upload_field import empty_field, field_key, upload_field

_FILE = "import_file"
_UPLOAD = "kept_upload"
_CHOICES = "import_choices"


@dataclass(frozen=True, slots=True)
class ChosenUpload:
    """An uploaded file; each chosen file gets a new `id`."""

    id: str
    upload: Upload


def choose_upload(workbench: Workbench) -> ChosenUpload | None:
    """Draw the field for a file; return the file just chosen, or the earlier one."""
    file = upload_field(
        workbench,
        "A file with texts and ratings",
        SUFFIXES,
        _FILE,
        help="Excel (.xlsx), CSV, TSV, JSON or Parquet. Nothing comes in before you say so.",
        on_change=_changed,
    )
    if file is not None and (st.session_state.get(_UPLOAD) is None or st.session_state[_UPLOAD].id != file.file_id):
        st.session_state[_UPLOAD] = ChosenUpload(file.file_id, Upload(file.name, file.getvalue()))
    kept: ChosenUpload | None = st.session_state.get(_UPLOAD)
    if file is None and kept is not None:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(f":material/description: **{plain(kept.upload.name)}** is still chosen.")
            st.button("Remove the file", key="forget_upload", type="tertiary", on_click=forget_upload)
    return kept


def forget_upload() -> None:
    for key in (_UPLOAD, _CHOICES):
        st.session_state.pop(key, None)


def release_upload(kept: ChosenUpload) -> None:
    """Release a file that was handed over from the session and the server's memory."""
    forget_upload()
    empty_field(_FILE, kept.id)


def _changed() -> None:
    """Note, in a callback, another file or none. A redrawn field hasn't changed."""
    if st.session_state.get(field_key(_FILE)) is None:
        forget_upload()


def starting_with(key: str, default: Any, options: Sequence[Any] | None = None) -> str:
    """Set a widget's value, before it exists, to the last choice, else the default; return its key.

    options: the possible values; of several chosen ones the remaining are kept.
    """
    kept = st.session_state.setdefault(_CHOICES, {})
    value = st.session_state[key] if key in st.session_state else kept.get(key, default)
    if options is not None and isinstance(value, list):
        value = [each for each in value if each in options]
    elif options is not None and value is not None and value not in options:
        value = default
    st.session_state[key] = kept[key] = value
    return key


def save_choices() -> None:
    """Remember the widgets' values, after they are drawn."""
    kept = st.session_state.get(_CHOICES, {})
    kept.update({key: st.session_state[key] for key in kept if key in st.session_state})


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
    key: str, preview: UploadPreview, guess: MappedColumns, used: set[str], known: Mapping[str, Dimension | None]
) -> tuple[Pairs, Pairs]:
    """Draw and return (dimension, column) pairs, of which two with the same dimension are two raters, and (dimension,
    typed scale) pairs.

    used: columns that already have a role. known: the dimensions of `ImportTarget`; a column with such a name, in any
    case, rates that one.
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
    return _rows(key, preview, dimensions, [column for column in options if column in chosen], known)


def _ticked(preview: UploadPreview, options: list[str], key: str) -> list[str]:
    """Draw the options to tick, all visible unless there are too many; return the ticked ones."""

    def labelled(column: str) -> str:
        found = preview.numbers[column]
        return f"{plain(column)} :gray[{found.low:g} to {found.high:g}]"

    if len(options) > MOST_PILLS:
        return st.multiselect(_LABEL, options, format_func=labelled, key=key, label_visibility="collapsed")
    return st.pills(
        _LABEL, options, selection_mode="multi", format_func=labelled, key=key, label_visibility="collapsed"
    )


def _rows(
    key: str,
    preview: UploadPreview,
    guessed: Mapping[str, str],
    columns: list[str],
    known: Mapping[str, Dimension | None],
) -> tuple[Pairs, Pairs]:
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
        if there := known.get(name.strip()):
            scale.caption(f"{there.low:g} to {there.high:g}, as it is")
            continue
        same = [preview.numbers[other].scale for other in columns if other == column or guessed.get(other) == name]
        low, high = min(low for low, _ in same), max(high for _, high in same)
        scales[name] = scale.text_input(
            plain(f"Scale of {column}"),
            placeholder=f"{low:g}..{high:g}, going by the ratings",
            key=starting_with(f"map_scale_{place}_{key}", ""),
        )
    return tuple(ratings), tuple(scales.items())


NEW, ADD = "a new project", "add"
OTHER_KIND = "something else"


@dataclass(frozen=True, slots=True)
class ImportTarget:
    """The project an import goes to. name: "" while undecided. task: the words for its texts. dimensions: those it has,
    or the names of those the preset gives a new one. missing: what the user must still say. new: it isn't there
    yet."""

    name: str = ""
    task: Task = field(default_factory=Task)
    dimensions: Mapping[str, Dimension | None] = field(default_factory=dict)
    preset: str = ""
    missing: str = ""
    new: bool = True


def import_target(workbench: Workbench, project: Project | None, kept: ChosenUpload, kind: str) -> ImportTarget:
    """Draw and return the choice of the project; adding to a project with texts of its own needs confirmation."""
    if project is not None:
        usual = None if overview(workbench, project.id).texts else ADD
        where = st.radio(
            "Where do they go?",
            [NEW, ADD],
            index=None,
            format_func={NEW: "Into a new project", ADD: f"Add to “{plain(project.name)}”"}.__getitem__,
            key=starting_with(f"import_into_{project.id}", usual, [NEW, ADD]),
            horizontal=True,
        )
        if where is None:
            words = preset_task(kind) if kind else Task()
            return ImportTarget(task=words, missing="Say where they go: into a new project, or into the open one.")
        if where == ADD:
            there = {d.name: d for d in dimensions_named(workbench, project.name, "all")}
            return ImportTarget(project.name, project.task, there, new=False)
    left, right = st.columns(2)
    taken = {other.name for other in list_projects(workbench)}
    with left:
        stem = " ".join(PurePath(kept.upload.name).stem.replace("_", " ").split())[:60] or "Texts"
        names = [stem, *(f"{stem} {number}" for number in range(2, len(taken) + 3))]
        name = st.text_input(
            "Name of the new project",
            key=starting_with(f"import_new_project_{kept.id}", next(name for name in names if name not in taken)),
            placeholder="for example Essays",
        ).strip()
    with right:
        kinds = [*preset_names(), OTHER_KIND]
        chosen = st.selectbox(
            "What are they?",
            kinds,
            key=starting_with(f"import_kind_{kept.id}", kind or OTHER_KIND, kinds),
            help="It gives the words in which people and models are asked, and rubrics for dimensions of these names. "
            "You can change both later.",
        )
    preset = "" if chosen == OTHER_KIND else chosen
    task = preset_task(preset) if preset else Task()
    usual_dimensions = dict.fromkeys(preset_dimensions(preset)) if preset else {}
    if name in taken:
        st.error(f"There is already a project “{plain(name)}”. Choose another name, or open it on Overview.")
        return ImportTarget("", task, usual_dimensions, preset, "The new project needs a name that is free.")
    return ImportTarget(
        name, task, usual_dimensions, preset, "" if name else "The new project needs a name of its own."
    )


NONE = "no column"
PER_LINE = 3


@dataclass(frozen=True, slots=True)
class ColumnChoice:
    """Chosen columns. `mapped` is None if the format fixes it; `missing` says what has to be given first, "" for
    nothing."""

    mapped: MappedColumns | None = None
    missing: str = ""


def questions(task: Task) -> dict[str, tuple[str, str]]:
    """Return field -> the question about it in the task's words, and what the answer is used for."""
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
    """Draw the first rows, one question a field, and the ratings; return the choice. key: of this reading of the
    file."""
    st.caption(f"The first of {preview.count:,} rows")
    first = pd.DataFrame([_shown(row) for row in preview.rows], columns=preview.columns)
    show_table(first, "first_rows")
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
    """Return cells as short words: a table's column must be of one type."""
    assert isinstance(row, dict)
    return {name: "" if value is None else str(value)[:200] for name, value in row.items()}
