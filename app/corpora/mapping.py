"""Mapping of a table's columns to meanings, as people say it."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from app.errors import InputError

FIELDS: tuple[str, ...] = ("text", "source", "doc_id", "system_id", "item_id", "reference")
_SCALE = re.compile(r"(-?\d+(?:[.,]\d+)?)\s*(?:\.\.|-|–|to)\s*(-?\d+(?:[.,]\d+)?)")
NO_RATINGS = "none"


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
