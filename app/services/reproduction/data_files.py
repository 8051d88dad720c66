"""Files for a paper's table: which data set each file is, and their import into the table's projects."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from app.corpora.formats.registry import KNOWN_FORMATS, NAMED_FORMATS
from app.corpora.mapping import ColumnMapping
from app.corpora.own_score_tables import load_table, open_table
from app.corpora.reading import detect_format
from app.corpora.recipes.recipe import DataSet, PaperRecipe, PaperTable
from app.corpora.records import CONTAINERS
from app.corpora.rows import BadCellError, identifier, is_blank, listed, number
from app.domain.attribute import ContributorKind
from app.domain.project import Project
from app.errors import FileFormatError, InputError, WorkbenchError
from app.input_file import open_file, read_file, shown_path
from app.services.attributes.attributes import attribute_sets, attributes_of, import_attribute_table, import_attributes
from app.services.attributes.preference_import import import_preferences
from app.services.data.imports import import_file
from app.services.data.projects import dimensions_named, get_project, save_dimension, save_task
from app.services.results.writer_bias import mark_people, writers
from app.services.runtime.workbench import Workbench
from app.services.scoring.runs import list_runs

_KINDS = {"human": ContributorKind.HUMAN, "expert": ContributorKind.HUMAN, "llm": ContributorKind.LLM}
_TABLES = frozenset({".csv", ".tsv", ".json", ".jsonl", ".ndjson", ".parquet", ".pq", ".xlsx"})


def file_sets(recipe: PaperRecipe, table: PaperTable, given: Sequence[str]) -> dict[str, list[Path]]:
    """Return data set -> its files, from FILE or DATA=FILE as typed. A file is recognized by its structure, and by its
    path if several data sets have the same structure.

    Raises NotFoundError for a missing file, InputError for one that is none of the table's data sets.
    """
    names = recipe.data_of(table)
    found: dict[str, list[Path]] = {}
    for entry in given:
        name, sign, rest = entry.partition("=")
        known = bool(sign) and name in recipe.data
        path = Path(rest if known else entry)
        if known and name not in names:
            raise InputError(f"This table takes no data set {name}.", f"It takes {', '.join(names)}.")
        for each in [name] if known else _sets_of(recipe, names, path, found):
            found.setdefault(each, []).append(path)
    for name, paths in found.items():
        if recipe.data[name].kind == "texts" and len(paths) > 1:
            raise InputError(
                f"{shown_path(paths[0])} and {shown_path(paths[1])} are both taken for {name}.",
                "Name the data set of each: --data NAME=FILE.",
            )
    return found


def _sets_of(recipe: PaperRecipe, names: Sequence[str], path: Path, found: Mapping[str, Sequence[Path]]) -> list[str]:
    """Return the data sets in a file, mostly one; several for turns and dialogues, or trials in a column of that
    name."""
    with open_file(path):  # says what is wrong with the path
        pass
    kinds = {kind: [name for name in names if recipe.data[name].kind == kind] for kind in _ALL_KINDS}
    if kinds["attributes"] and "attribute" in path.name.lower():
        return kinds["attributes"][:1]
    columns = _columns(path)
    scores = [name for name in kinds["scores"] if {recipe.data[name].score, recipe.data[name].rating} <= columns]
    if scores:
        if "trial" in columns:
            return [name for name in scores if not _foreign(recipe.data[name], path)]
        return [_of_scores(recipe, scores, path, found)]
    there = _format(path)
    fitting = [name for name in kinds["texts"] if recipe.data[name].format == there]
    unseen = NAMED_FORMATS | {"auto", *CONTAINERS}  # a file's structure doesn't say that it is in one of these
    fitting = fitting or [name for name in kinds["texts"] if recipe.data[name].format in unseen]
    named = [name for name in fitting if _has_words(recipe.data[name], path)]
    if named or len(fitting) == 1:
        return named or fitting
    takes = "; ".join(f"{name} ({recipe.data[name].title})" for name in names)
    raise InputError(
        f"{shown_path(path)} can't be told to be one of the table's data sets.",
        f"Name it, --data NAME=FILE. The table takes {takes}.",
    )


_ALL_KINDS = ("texts", "attributes", "scores")


def _has_words(data: DataSet, path: Path) -> bool:
    """Return whether the path has all words that mark the data set's files, and none that exclude them."""
    return bool(data.names or data.not_names) and not _lacking(data, path) and not _foreign(data, path)


def _lacking(data: DataSet, path: Path) -> int:
    """Return how many of the words that mark the data set's files are missing in the path."""
    return sum(_plain(word) not in _where(path) for word in data.names)


def _foreign(data: DataSet, path: Path) -> bool:
    return any(_plain(word) in _where(path) for word in data.not_names)


def _where(path: Path) -> str:
    """Return the names of the file and two folders above it, without separators of words."""
    return _plain("/".join(path.resolve().parts[-3:]))


def _plain(text: str) -> str:
    return "".join(character for character in text.lower() if character.isalnum() or character == "/")


def _of_scores(recipe: PaperRecipe, names: Sequence[str], path: Path, found: Mapping[str, Sequence[Path]]) -> str:
    """Return the data set whose words are in the path; else, of those that lack the fewest, the first without a file of
    this name."""
    fitting = [name for name in names if not _foreign(recipe.data[name], path)] or list(names)
    fitting.sort(key=lambda name: _lacking(recipe.data[name], path))
    if _has_words(recipe.data[fitting[0]], path):
        return fitting[0]
    free = [name for name in fitting if path.name not in {other.name for other in found.get(name, ())}]
    return (free or fitting)[0]


def _columns(path: Path) -> set[str]:
    if path.suffix.lower() not in _TABLES:
        return set()
    try:
        return set(open_table(path).columns)
    except WorkbenchError:
        return set()


def _format(path: Path) -> str:
    try:
        return detect_format(path)
    except FileFormatError:
        return ""


def import_paper_texts(workbench: Workbench, path: Path, data: DataSet, project: str) -> None:
    """Import the file's texts into the project, created if missing, with the recipe's words until the project has runs.

    Existing texts aren't added again. Raises as `import_file`.
    """
    bring = partial(import_file, workbench, path, project, references=data.references, definitions=data.definitions)
    if data.pairs:
        columns = dict(entry.split("=", 1) for entry in data.mapping)
        import_preferences(workbench, path, project, columns, data.pairs)
    elif (found := _format(path)) in KNOWN_FORMATS and data.format in (*KNOWN_FORMATS, "auto"):
        # The published shape says what each field means.
        bring(found)
    else:
        format_ = data.format if data.format in (*CONTAINERS, *NAMED_FORMATS) else "auto"
        mapping = ColumnMapping.parse(data.mapping, data.ratings, data.scales) if data.mapping or data.ratings else None
        import_file(
            workbench, path, project, format_, mapping, references=data.references, definitions=data.definitions
        )
    made = get_project(workbench, project)
    systems, marked = writers(workbench, made.id)
    if not marked and (people := [name for name in data.people if name in systems]):
        mark_people(workbench, made.id, people)
    if list_runs(workbench, made.id):  # a person may have changed the words since, and scores rest on them
        return
    if data.description:
        save_task(workbench, made.id, replace(made.task, description=data.description))
    for dimension in dimensions_named(workbench, project, "all"):
        names = [dimension.name, *(name for name, known in data.also.items() if known == dimension.name)]
        if rubric := next((data.rubrics[name] for name in names if name in data.rubrics), ""):
            save_dimension(workbench, replace(dimension, rubric=rubric))


def import_paper_attributes(workbench: Workbench, project: Project, paths: Sequence[Path]) -> None:
    """Import attributes into the project, except those of contributors who already have some on the dimension.

    A table names its dimensions and contributors. For a list the file's name gives dimension and kind, such as
    attributes_coherence_human.txt, and the kind is the contributor's name. Raises InputError if it doesn't.
    """
    for path in paths:
        content = read_file(path)
        if attribute_sets(content) is not None:
            if not attributes_of(workbench, project.id):
                import_attribute_table(workbench, project, content)
            continue
        name = path.stem.lower()
        dimension = next((d for d in dimensions_named(workbench, project.name, "all") if d.name.lower() in name), None)
        word = next((word for word in _KINDS if word in name), "")
        if dimension is None or not word:
            raise InputError(
                f"{path.name} doesn't say of which dimension and of whom its attributes are.",
                "Call it like attributes_coherence_human.txt, or give a table with contributors.",
            )
        contributor = f"{word}s" if _KINDS[word] is ContributorKind.HUMAN else "LLMs"
        there = attributes_of(workbench, project.id, dimension.id)
        if all(attribute.contributor != contributor for attribute in there):
            import_attributes(workbench, dimension.id, contributor, _KINDS[word], content)


@dataclass(frozen=True, slots=True)
class PublishedScores:
    """Published scores of one dimension with their ratings, one place for each row; repeated texts are kept."""

    scores: tuple[float | None, ...]
    ratings: tuple[float | None, ...]
    sources: tuple[str, ...]
    writers: tuple[str, ...]


def read_scores(data: DataSet, paths: Sequence[Path], dimension: str, trial: int) -> PublishedScores | None:
    """Return the rows on a dimension: those with it in the column `dimension`, or all of a file named after it; of the
    trial if there is a column `trial`. None without any.

    Raises FileFormatError, and InputError for a cell that is no number.
    """
    found: list[tuple[float | None, float | None, str, str]] = []
    for path in paths:
        table = load_table(path)
        source = next((name for name in (data.source, "doc_id", "prompt") if name in table.columns), data.source)
        if missing := [name for name in (data.score, data.rating, source) if name not in table.columns]:
            has = f"It has: {listed(table.columns)}."
            raise FileFormatError(f"{path.name} has no column “{missing[0]}”, so it holds no published scores.", has)
        if "dimension" not in table.columns and dimension.lower() not in path.stem.lower():
            continue
        for row, cells in zip(table.numbers, table.rows, strict=True):
            if str(cells.get("dimension", dimension)).lower() != dimension.lower():
                continue
            if "trial" in table.columns and _trial_of(cells["trial"]) != trial:
                continue
            try:
                values = [None if is_blank(cells[name]) else number(cells[name]) for name in (data.score, data.rating)]
            except BadCellError as error:
                raise InputError(f"{path.name}, row {row}: {error}.", "Correct the row.") from None
            found.append((values[0], values[1], identifier(cells[source]), identifier(cells.get(data.writer))))
    if not found:
        return None
    scores, ratings, sources, writers = zip(*found, strict=True)
    return PublishedScores(scores, ratings, sources, writers)


def _trial_of(cell: object) -> int:
    """Return the trial number of 1, "1" or "1st"; 0 without a number."""
    return int("".join(character for character in identifier(cell) if character in "0123456789")[:3] or 0)
