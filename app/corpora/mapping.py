"""Mapping of a table's columns to meanings: as people say it, or as names and values suggest."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from app.corpora.cells import BadCellError, is_blank, number
from app.domain.name import NAME_LIMIT
from app.errors import InputError

FIELDS: tuple[str, ...] = ("text", "source", "doc_id", "system_id", "item_id", "reference")
_OUTPUT_NAMES = (
    "system_output", "decoded", "hypothesis", "candidate", "generated_text", "generated", "generation", "prediction",
    "output", "response", "reply", "completion", "summary", "full_text", "essay", "story", "answer", "translation",
)  # fmt: skip
_FIELD_NAMES: dict[str, tuple[str, ...]] = {
    "source": ("source", "source_text", "document", "article", "src", "prompt", "input", "question", "passage",
               "context", "dialogue", "history"),
    "doc_id": ("doc_id", "docid", "document_id", "source_id", "prompt_id", "article_id"),
    "system_id": ("system_id", "system", "system_name", "model_id", "model", "model_name", "generator"),
    "item_id": ("item_id", "text_id", "row_id", "essay_id", "sample_id"),
    "reference": ("reference", "references", "ref", "gold", "target", "human_reference"),
}  # fmt: skip
_NOT_RATINGS = re.compile(
    r"(^|[^a-z])(id|index|idx|row|num|n|nr|no|count|length|len|words?|tokens?|chars?|sentences?|paragraphs?|year|age|"
    r"grade|date|time|seed|position|rank|unnamed|column|fold|split|pred\w*|loss|prob\w*|logp\w*|ppl|perplexity|rouge\w*|"
    r"bleu\w*|meteor|mtld|ttr|chrf\w*|ter|bert\w*|mover\w*|bart\w*|unieval|cider)([^a-z]|$)"
)
_FILLER = re.compile(
    r"^(human|scores?|ratings?|raters?|experts?|annotators?|annotations?|judges?|mean|avg|average)?(\d*|\(\d+\))$"
)
_SCALE = re.compile(r"(-?\d+(?:[.,]\d+)?)\s*(?:\.\.|-|–|to)\s*(-?\d+(?:[.,]\d+)?)")
NO_RATINGS = "none"
_ROWS_TO_LOOK_AT = 500
_HIGHEST_RATING = 100


@dataclass(frozen=True, slots=True)
class RatingColumn:
    """One column of human ratings: one rater (or a published mean) on one dimension."""

    dimension: str
    column: str
    rater: str


@dataclass(frozen=True, slots=True)
class ColumnMapping:
    """`columns` maps a field of FIELDS to a column name; several rating columns of a dimension are several raters.

    `scales` holds the lowest and highest rating of the dimensions whose scale is known; others get the proposed one.
    Where `rest_guessed`, fields that `columns` doesn't have are guessed (an empty column name: there is none), and so
    are the ratings where none are named, unless `unrated`.
    """

    columns: Mapping[str, str] = field(default_factory=dict)
    ratings: tuple[RatingColumn, ...] = ()
    scales: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    rest_guessed: bool = False
    unrated: bool = False

    @classmethod
    def parse(cls, maps: Sequence[str], ratings: Sequence[str], scales: Sequence[str] = ()) -> "ColumnMapping":
        """From `FIELD=COLUMN`, `DIMENSION=COLUMN` and `DIMENSION=LOW..HIGH` as typed. Column names may hold "=".

        The rest is guessed: `FIELD=` says that no column is this field, `none` alone that no column holds ratings.
        Raises InputError.
        """
        columns: dict[str, str] = {}
        for entry in maps:
            name, column = _split(entry, "text=COLUMN", may_be_empty=not entry.strip().startswith("text"))
            if name not in FIELDS:
                raise InputError(f"{name!r} is not a field of a text.", f"Fields are {', '.join(FIELDS)}.")
            if name in columns:
                raise InputError(f"The field {name} is mapped twice.", "Map each field to one column.")
            columns[name] = column
        unrated = [rating.strip() for rating in ratings] == [NO_RATINGS]
        rated = [
            RatingColumn(name, column, column)
            for name, column in (_split(r, "coherence=COLUMN") for r in ratings if not unrated)
        ]
        for rating in rated:
            if rated.count(rating) > 1:
                raise InputError(f"The rating {rating.dimension}={rating.column} is given twice.", "Give it once.")
        return cls(columns, tuple(rated), read_scales(scales), rest_guessed=True, unrated=unrated)

    @property
    def names_no_column(self) -> bool:
        """It says scales at most."""
        return not (self.columns or self.ratings or self.unrated)

    @property
    def used_columns(self) -> tuple[str, ...]:
        return (*self.columns.values(), *(rating.column for rating in self.ratings))


def read_scales(written: Iterable[str]) -> dict[str, tuple[float, float]]:
    """From `DIMENSION=LOW..HIGH` as typed. Raises InputError."""
    scales: dict[str, tuple[float, float]] = {}
    for entry in written:
        name, scale = _split(entry, "coherence=1..5")
        scales[name] = read_scale(scale, name)
    return scales


def read_scale(written: str, dimension: str) -> tuple[float, float]:
    """From `1..5`, also `1-5` and `1 to 5`. Raises InputError."""
    found = _SCALE.fullmatch(written.strip())
    low, high = (float(part.replace(",", ".")) for part in found.groups()) if found else (0.0, 0.0)
    if not low < high:
        raise InputError(f"{written!r} is no scale of {dimension}.", "Write lowest and highest rating, such as 1..5.")
    return low, high


def _split(entry: str, pattern: str, *, may_be_empty: bool = False) -> tuple[str, str]:
    name, separator, column = (part.strip() for part in entry.partition("="))
    if not (name and separator and (column or may_be_empty)):
        raise InputError(f"{entry!r} is not a mapping.", f"Write it as {pattern}.")
    return name, column


def guess_mapping(
    columns: Sequence[str], rows: Sequence[Mapping[str, Any]], named: ColumnMapping | None = None
) -> ColumnMapping:
    """The mapping that names and values suggest, around what is `named`; without `text` where no column looks like it.

    Fields are found by common names. Rating columns hold nothing but numbers from 0 to 100 and aren't named like a
    count, an id or an automatic metric; `coherence_1` and `expert 2 coherence` are raters of `coherence`. A column
    that is named for one thing isn't taken for another.
    """
    named = named or ColumnMapping()
    free = [column for column in columns if column not in named.used_columns]
    fields = _guess_fields({_plain(column): column for column in reversed(free)}, named.columns, rows)
    used = set(fields.values())
    rated = [] if named.unrated else [column for column in free if column not in used and _holds_ratings(column, rows)]
    return replace(
        named,
        columns={name: fields[name] for name in ("text", *_FIELD_NAMES) if fields.get(name)},
        ratings=named.ratings or tuple(RatingColumn(_dimension(column), column, column) for column in rated),
    )


def _guess_fields(
    by_name: Mapping[str, str], named: Mapping[str, str], rows: Sequence[Mapping[str, Any]]
) -> dict[str, str]:
    """`by_name` holds the columns that may still be taken."""
    fields = {name: by_name[known[0]] for name, names in _FIELD_NAMES.items() if (known := _known(names, by_name))}
    fields |= named
    output = _known(_OUTPUT_NAMES, by_name)
    beside_an_output = bool(output) or _plain(named.get("text", "")) in _OUTPUT_NAMES
    if "text" in by_name and beside_an_output and "source" not in fields:
        fields |= {"source": by_name["text"], "text": named["text"] if "text" in named else by_name[output[0]]}
    elif "text" not in named and ("text" in by_name or output):
        fields["text"] = by_name["text" if "text" in by_name else output[0]]
    return fields | _guess_id(by_name, fields, rows)


def _plain(column: str) -> str:
    return re.sub(r"[^a-z0-9]+", "_", column.lower()).strip("_")


def _known(names: Sequence[str], by_name: Mapping[str, str]) -> list[str]:
    return [name for name in names if name in by_name]


def _guess_id(
    by_name: Mapping[str, str], fields: Mapping[str, str], rows: Sequence[Mapping[str, Any]]
) -> dict[str, str]:
    """A column named just `id` is the document's where rows share values of it, else the text's."""
    if "id" not in by_name or "doc_id" in fields:
        return {}
    values = [str(row.get(by_name["id"])) for row in rows]
    if len(set(values)) < len(values):
        return {"doc_id": by_name["id"]}
    if fields.get("source"):
        return {} if "item_id" in fields else {"item_id": by_name["id"]}
    return {"doc_id": by_name["id"]}


def _holds_ratings(column: str, rows: Sequence[Mapping[str, Any]]) -> bool:
    if len(column) > NAME_LIMIT:
        return False
    if _NOT_RATINGS.search(re.sub(r"\d+$", "", _plain(column)).replace("_", " ")):
        return False
    cells = [row.get(column) for row in rows[:_ROWS_TO_LOOK_AT]]
    values = [value for cell in cells for value in (cell if isinstance(cell, list) else [cell]) if not is_blank(value)]
    numbers = [value for value in map(_number, values) if value is not None]
    in_range = sum(0 <= value <= _HIGHEST_RATING for value in numbers)
    # A few bad cells don't make it another kind of column: they are named when the file is read.
    return in_range >= max(1, 0.5 * len(values))


def _number(value: object) -> float | None:
    try:
        return number(value)
    except BadCellError:
        return None


def _dimension(column: str) -> str:
    """`scores.coherence` -> coherence; `Expert 1 Fluency` -> Fluency; `human_score` -> overall, and so is `score (2)`,
    the second of two columns with one name."""
    words = re.split(r"[\s._-]+", column)
    kept = [word for word in words if word and not _FILLER.match(word.lower())]
    return "_".join(kept) or "overall"
