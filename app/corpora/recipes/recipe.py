"""Recipes: how to reproduce the tables of a paper, one YAML file a paper beside this module or of a person's own.

A recipe holds facts alone: data sets and where they come from, methods with their options, how figures are computed,
and the published figures, always as fractions, even if a paper prints percentages.
"""

from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError, model_validator

from app.errors import FileFormatError, NotFoundError
from app.input_file import LARGEST_LIST, read_file, read_yaml, shown_path

Name = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=120)]
Slug = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9.-]{0,60}$")]
Words = Annotated[str, StringConstraints(strip_whitespace=True, max_length=2_000)]
FigureName = Literal[
    "pearson",
    "spearman",
    "kendall",
    "mae",
    "fisher-spearman",
    "fisher-kendall",
    "self-rouge-l",
    "topic-spread",
    "mean-person",
    "mean-llm",
]
OF_ATTRIBUTES = frozenset({"self-rouge-l", "topic-spread"})
"""Figures of a condition's attributes, for which nothing is scored."""
Few = Annotated[int, Field(ge=1, le=1_000)]

_FIGURES: dict[str, str] = {
    "pearson": "Pearson",
    "spearman": "Spearman",
    "kendall": "Kendall",
    "mae": "MAE",
    "fisher-spearman": "Spearman",
    "fisher-kendall": "Kendall",
    "self-rouge-l": "ROUGE-L",
    "topic-spread": "spread",
    "mean-person": "person",
    "mean-llm": "LLM",
}
MOST_ROWS, MOST_COLUMNS = 200, 60


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class DataSet(_Part):
    """What a file holds, where it comes from (`fetch`), and how it is told from others.

    kind: texts with ratings; attributes of contributors; or scores that were published beside their ratings, in the
    columns `score` and `rating` of a table whose rows name their source and writer.
    names, not_names: parts that the path of its file has, and hasn't. format, references: as `import` takes them.
    mapping, ratings, scales: FIELD=COLUMN and the like, of a table of no known format.
    without: systems whose texts are not scored. definitions: the paper whose definitions come before the format's.
    rubrics: dimension -> its definition, before either. also: dimension -> what a known format calls it. pairs: the
    dimension on which people compared the texts, where the file is a table of such pairs; people: the systems that are
    people.
    """

    title: Name
    fetch: Words
    kind: Literal["texts", "attributes", "scores"] = "texts"
    names: tuple[Name, ...] = ()
    not_names: tuple[Name, ...] = ()
    format: Name = "auto"
    references: Words = ""
    mapping: tuple[Name, ...] = ()
    ratings: tuple[Name, ...] = ()
    scales: tuple[Name, ...] = ()
    description: Words = ""
    rubrics: dict[Name, Words] = Field(default_factory=dict, max_length=60)
    also: dict[Name, Name] = Field(default_factory=dict, max_length=60)
    definitions: Words = ""
    pairs: Words = ""
    people: tuple[Name, ...] = ()
    without: tuple[Name, ...] = ()
    score: Name = "pred_score"
    rating: Name = "true_score"
    source: Name = "doc_id"
    writer: Name = "system_id"


class RecipeMethod(_Part):
    """A method with its options; `model` is the paper's, for which a person names one of theirs.

    condition: of a study of conditions, whose checklists the judge answers; contributor: of sl and sh, the one whose
    checklist it is (part of their name). imported: the name under which scores from elsewhere came in, instead of a
    method. without: instead of the data set's.
    """

    evaluator: Words = ""
    options: dict[Name, str | int | bool] = Field(default_factory=dict, max_length=30)
    model: Words = ""
    condition: Literal["", "sl", "sh", "ml", "mh", "comb"] = ""
    contributor: Words = ""
    components: Annotated[int, Field(ge=3, le=9)] = 5
    imported: Words = ""
    without: tuple[Name, ...] | None = None

    @model_validator(mode="after")
    def _check(self) -> "RecipeMethod":
        if not (self.evaluator or self.imported):
            raise ValueError("A method names its evaluator, or the scores that are imported for it.")
        if bool(self.condition) != (self.evaluator == "checklist"):
            raise ValueError("The evaluator checklist, and no other, names its condition.")
        return self

    def settings(self, column: "Column | None" = None) -> tuple[tuple[str, str], ...]:
        """Return (option, value) as written on the command line; a column's own options override the method's."""
        own = column.options if column and column.evaluator == self.evaluator else {}
        return tuple(
            (name, (("yes" if value else "no") if isinstance(value, bool) else str(value)))
            for name, value in (self.options | own).items()
        )


class Column(_Part):
    """One dimension of a data set with its figures.

    options: of `evaluator` in this column; other methods have no figure here where `alone`. against: headings of
    columns of the same figures, to which differences are tested: † for the first, ‡ for the second. preferred: of
    mean-person and mean-llm, the pairs in which people found that text better.
    """

    heading: Name
    data: Slug
    dimension: Name
    figures: tuple[FigureName, ...] = ("spearman",)
    evaluator: Words = ""
    options: dict[Name, str | int | bool] = Field(default_factory=dict, max_length=30)
    alone: bool = False
    preferred: Literal["", "person", "alike", "llm"] = ""
    against: Annotated[tuple[Name, ...], Field(max_length=2)] = ()


class Row(_Part):
    """A row of figures. published: a figure a place (`PaperTable.places`), None if the paper has none or it can't be
    read.

    scores: data sets of published scores, from which the row is computed if their files are given. compared: two
    conditions of a study. mean_of: labels of the rows it is the mean of. trial: from 1.
    """

    label: Name
    group: Words = ""
    method: Words = ""
    trial: Few = 1
    scores: Words = ""
    compared: Annotated[tuple[Literal["sl", "sh", "ml", "mh", "comb"], ...], Field(max_length=2)] = ()
    mean_of: tuple[Name, ...] = ()
    published: Annotated[tuple[float | None, ...], Field(max_length=MOST_COLUMNS)] = ()


class Place(BaseModel):
    """One column of figures: of a table's column, or (None) of the mean over all columns."""

    model_config = ConfigDict(frozen=True)
    heading: str
    column: Column | None
    figure: FigureName


class PaperTable(_Part):
    """A table. draw, share, seed: which texts are scored, trial t with seed + t - 1. average: heading of the mean over
    columns.

    own_models: each model that a person adds to the paper's gets a row, with this method.
    """

    title: Words
    level: Literal["per-source", "dataset", "system"]
    columns: Annotated[tuple[Column, ...], Field(min_length=1, max_length=MOST_COLUMNS)]
    rows: Annotated[tuple[Row, ...], Field(min_length=1, max_length=MOST_ROWS)]
    average: Words = ""
    draw: tuple[Few, Few] | None = None
    share: Annotated[float, Field(gt=0, le=1)] = 1.0
    seed: Annotated[int, Field(ge=0, le=1_000_000)] = 1
    duplicates: Literal["once", "keep"] = "once"
    own_models: Words = ""
    notes: tuple[Words, ...] = ()

    @property
    def places(self) -> tuple[Place, ...]:
        """Return the columns of figures, from left to right, each with its own heading."""
        return tuple(self._places())

    def _places(self) -> Iterator[Place]:
        kinds = {figure for column in self.columns for figure in column.figures}

        def heading(name: str, figure: str) -> str:
            return name if len(kinds) == 1 else f"{name} {_FIGURES[figure]}"

        for column in self.columns:
            for figure in column.figures:
                yield Place(heading=heading(column.heading, figure), column=column, figure=figure)
        for figure in self.columns[0].figures if self.average else ():
            yield Place(heading=heading(self.average, figure), column=None, figure=figure)


class PaperRecipe(_Part):
    """The recipes of one paper's tables, by name."""

    paper: Slug
    title: Name
    data: dict[Slug, DataSet] = Field(max_length=60)
    methods: dict[Slug, RecipeMethod] = Field(default_factory=dict, max_length=200)
    tables: dict[Slug, PaperTable] = Field(min_length=1, max_length=60)

    @model_validator(mode="after")
    def _check(self) -> "PaperRecipe":
        for name, table in self.tables.items():
            for problem in self._problems(table):
                raise ValueError(f"{name}: {problem}")
        return self

    def _problems(self, table: PaperTable) -> Iterator[str]:
        count, labels = len(table.places), [row.label for row in table.rows]
        headings = [place.heading for place in table.places]
        for things, what in ((labels, "rows"), (headings, "columns")):
            if twice := next((each for each in things if things.count(each) > 1), ""):
                yield f"two {what} are called “{twice}”."
        for column in table.columns:
            if self.data.get(column.data) is None or self.data[column.data].kind != "texts":
                yield f"the column “{column.heading}” is of no data set with texts."
            if unknown := [name for name in column.against if name not in {c.heading for c in table.columns}]:
                yield f"“{unknown[0]}” is no column."
        for row in table.rows:
            if len(row.published) not in (0, count):
                yield f"the row “{row.label}” has {len(row.published)} published figures, not {count}."
            if row.method and row.method not in self.methods:
                yield f"“{row.method}” is no method of the recipe."
            if row.scores and (row.scores not in self.data or self.data[row.scores].kind != "scores"):
                yield f"“{row.scores}” is no data set of scores."
            if unknown := [name for name in row.mean_of if name not in labels]:
                yield f"“{unknown[0]}” is no row."
            if row.compared and (len(row.compared) != 2 or not row.method):
                yield f"the row “{row.label}” compares two conditions, of a method."
        if table.own_models and table.own_models not in self.methods:
            yield f"“{table.own_models}” is no method of the recipe."

    def table(self, name: str) -> PaperTable:
        """Return the table. Raises as `table_named`."""
        return self.tables[self.table_named(name)]

    def table_named(self, name: str) -> str:
        """Return the table's name in the recipe: `Table 9` and `9` are table-9. Raises NotFoundError, naming all."""
        written = {_plain(each): each for each in self.tables}
        found = written.get(_plain(name)) or written.get(_plain(f"table {name}"))
        if found is None:
            has = f"It has: {', '.join(self.tables)}."
            raise NotFoundError(f"There is no recipe for {name!r} of {self.paper}.", has)
        return found

    def data_of(self, table: PaperTable) -> list[str]:
        """Return the data sets that a table can use, texts first."""
        methods = [self.methods[name] for name in (*(row.method for row in table.rows), table.own_models) if name]
        study = any(method.condition for method in methods)
        attributes = [name for name, each in self.data.items() if each.kind == "attributes" and study]
        texts = [column.data for column in table.columns]
        return list(dict.fromkeys([*texts, *attributes, *(row.scores for row in table.rows if row.scores)]))


def recipe_names() -> list[str]:
    """Return the papers with bundled recipes."""
    return sorted(
        file.name.removesuffix(".yaml") for file in files(__package__).iterdir() if file.name.endswith(".yaml")
    )


def load_recipe(paper: str) -> PaperRecipe:
    """Return a bundled recipe by its paper's name, or a person's own by the path of its .yaml file.

    Raises NotFoundError for an unknown name or a missing file, FileFormatError for a file that is no recipe.
    """
    if paper.lower().endswith((".yaml", ".yml")):
        path = Path(paper)
        return _parsed(read_file(path, LARGEST_LIST), shown_path(path))
    name = next((each for each in recipe_names() if _plain(each) == _plain(paper)), None)
    if name is None:
        raise NotFoundError(
            f"There is no recipe for {paper!r}.",
            f"There are recipes for {', '.join(recipe_names())}; a file of your own ends in .yaml.",
        )
    return _bundled(name)


def _plain(name: str) -> str:
    """Return a name for comparison: G-Eval, geval and g-eval are the same."""
    return "".join(character for character in name.casefold() if character.isalnum())


@cache
def _bundled(paper: str) -> PaperRecipe:
    return _parsed(files(__package__).joinpath(f"{paper}.yaml").read_bytes(), f"{paper}.yaml")


def _parsed(content: bytes, name: str) -> PaperRecipe:
    try:
        return PaperRecipe.model_validate(read_yaml(content.decode("utf-8-sig")))
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        said = str(first["msg"]).removeprefix("Value error, ").rstrip(".")
        raise FileFormatError(
            f"{name} is no recipe: {f'{where}: ' if where else ''}{said}.", "The guide for researchers shows one."
        ) from None
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise FileFormatError(
            f"{name} is not YAML: {' '.join(str(error).split())[:200]}.", "Save it as UTF-8."
        ) from None
