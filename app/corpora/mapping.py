"""The roles of a table's columns, as a person names them or as guessed."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import median
from typing import Any

from app.corpora.rows import BadCellError, is_blank, number
from app.domain.storable_text import NAME_LIMIT
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
    """The roles of columns. `columns` maps a field of FIELDS to a column name; several rating columns of a dimension
    are several raters.

    `scales` holds the lowest and highest rating of dimensions whose scale is known; others get the proposed one. If
    `rest_guessed`, fields not in `columns` are guessed (an empty column name: there is none), and so are the ratings if
    none are named, unless `unrated`.
    """

    columns: Mapping[str, str] = field(default_factory=dict)
    ratings: tuple[RatingColumn, ...] = ()
    scales: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    rest_guessed: bool = False
    unrated: bool = False

    @classmethod
    def parse(cls, maps: Sequence[str], ratings: Sequence[str], scales: Sequence[str] = ()) -> "ColumnMapping":
        """Parse `FIELD=COLUMN`, `DIMENSION=COLUMN` and `DIMENSION=LOW..HIGH` as typed. Column names may hold "=".

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
        """Whether it has no more than scales."""
        return not (self.columns or self.ratings or self.unrated)

    @property
    def used_columns(self) -> tuple[str, ...]:
        return (*self.columns.values(), *(rating.column for rating in self.ratings))


def read_scales(written: Iterable[str]) -> dict[str, tuple[float, float]]:
    """Return the scales from `DIMENSION=LOW..HIGH` as typed. Raises InputError."""
    scales: dict[str, tuple[float, float]] = {}
    for entry in written:
        name, scale = _split(entry, "coherence=1..5")
        scales[name] = read_scale(scale, name)
    return scales


def read_scale(written: str, dimension: str) -> tuple[float, float]:
    """Return the scale from `1..5`, also `1-5` and `1 to 5`. Raises InputError."""
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


OUTPUT_NAMES = (
    "system_output", "decoded", "hypothesis", "candidate", "generated_text", "generated", "generation", "prediction",
    "output", "response", "reply", "completion", "summary", "full_text", "essay", "story", "answer", "translation",
)  # fmt: skip
FIELD_NAMES: dict[str, tuple[str, ...]] = {
    "source": ("source", "source_text", "document", "article", "src", "prompt", "input", "question", "passage",
               "context", "dialogue", "history", "assignment", "topic", "doc", "conversation", "ticket", "thread",
               "case", "query", "request", "customer_message", "inquiry"),
    "doc_id": ("doc_id", "docid", "document_id", "source_id", "prompt_id", "article_id", "ticket_id", "ticket_no",
               "ticket_number", "conversation_id", "dialogue_id", "dialog_id", "thread_id", "case_id", "question_id",
               "query_id", "assignment_id", "topic_id"),
    "system_id": ("system_id", "system", "system_name", "model_id", "model", "model_name", "generator", "author",
                  "author_id", "author_name", "writer", "writer_id", "student", "student_id", "student_name", "agent",
                  "agent_id", "agent_name", "assistant", "bot", "respondent", "participant", "participant_id"),
    "item_id": ("item_id", "text_id", "row_id", "essay_id", "sample_id", "reply_id", "answer_id", "response_id",
                "summary_id", "story_id"),
    "reference": ("reference", "references", "ref", "gold", "target", "human_reference"),
}  # fmt: skip
# They may hold the source itself or only its name: their values tell.
_SOURCE_OR_NAME = frozenset(
    {"document", "doc", "article", "assignment", "prompt", "topic", "conversation", "dialogue", "ticket", "thread",
     "case", "question", "query", "request"}
)  # fmt: skip
# They name what a text belongs to even where no two rows share a name.
_NAMES_OF_SOURCES = frozenset({"ticket", "conversation", "dialogue", "thread", "case"})
_PARTS_OF_LABELS = frozenset({"id", "name", "no", "number"})
_NOT_RATINGS = re.compile(
    r"(^|[^a-z])(id|index|idx|row|num|n|nr|no|count|length|len|words?|tokens?|chars?|sentences?|paragraphs?|year|age|"
    r"grade|date|time|seed|position|rank|unnamed|column|fold|split|pred\w*|loss|prob\w*|logp\w*|ppl|perplexity|rouge\w*|"
    r"bleu\w*|meteor|mtld|ttr|chrf\w*|ter|bert\w*|mover\w*|bart\w*|unieval|cider)([^a-z]|$)"
)
_FILLER = re.compile(
    r"^(human|scores?|ratings?|raters?|experts?|annotators?|annotations?|judges?|mean|avg|average)?(\d*|\(\d+\))$"
)
_ROWS_TO_LOOK_AT = 500
_HIGHEST_RATING = 100
_PROSE = 40  # characters: what is shorter in the middle is a name or a title
_NAME_WORDS = 3
_SHARED = 0.5  # of the rows: with fewer different values, what is long is what the texts were written from
BY_NAME = "its name says so"

Rows = Sequence[Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class Guess:
    """A guessed mapping. `why`: for each guessed field the reason for its column, in a few words that follow
    "Guessed:"."""

    mapping: ColumnMapping
    why: Mapping[str, str]


def guess_mapping(columns: Sequence[str], rows: Rows, named: ColumnMapping | None = None) -> ColumnMapping:
    """Return the mapping of `guess`, without the reasons."""
    return guess(columns, rows, named).mapping


def guess(columns: Sequence[str], rows: Rows, named: ColumnMapping | None = None) -> Guess:
    """Return the mapping that names and values suggest, with what is `named` kept; without `text` if no column looks
    like it.

    Fields are found by common names, the text also as the longest one. A column such as `document` or `prompt` is the
    source if it holds sentences or titles, and names the document if it holds names that rows share. Rating columns
    hold only numbers from -100 to 100 and aren't named like a count, an id or a metric; `coherence_1` and `expert 2
    coherence` are raters of `coherence`. A column whose name fits one field isn't used for another.
    """
    named = named or ColumnMapping()
    free = [column for column in columns if column not in named.used_columns]
    first = rows[:_ROWS_TO_LOOK_AT]  # read once for all columns, of which there may be thousands
    fields, why = _guess_fields({_plain(column): column for column in reversed(free)}, named.columns, rows)
    if "text" not in fields:
        taken = set(fields.values())
        _longest([column for column in free if column not in taken], first, rows, fields, why)
    used = set(fields.values())
    rated = [] if named.unrated else [column for column in free if column not in used and _holds_ratings(column, first)]
    mapping = replace(
        named,
        columns={name: fields[name] for name in ("text", *FIELD_NAMES) if fields.get(name)},
        ratings=named.ratings or tuple(RatingColumn(_dimension(column), column, column) for column in rated),
    )
    return Guess(mapping, {name: why.get(name, BY_NAME) for name in mapping.columns if name not in named.columns})


def writer_label(column: str) -> str:
    """Return the word for a text's writer, by its column's name: `agent_id` -> agent; "" for an unspecific name."""
    plain = _plain(column)
    words = [word for word in plain.split("_") if word not in _PARTS_OF_LABELS]
    return " ".join(words) if plain in FIELD_NAMES["system_id"] else ""


def source_label(columns: Mapping[str, str]) -> str:
    """Return the word for a source, by its columns' names: `ticket`, `conversation_id`; "" for unspecific names."""
    words = [word for field in ("doc_id", "source") for word in _plain(columns.get(field, "")).split("_")]
    return next((word for word in words if word in _NAMES_OF_SOURCES), "")


def _guess_fields(
    by_name: Mapping[str, str], named: Mapping[str, str], rows: Rows
) -> tuple[dict[str, str], dict[str, str]]:
    """Return guessed fields, and the reasons. `by_name` holds the columns that are still free."""
    why: dict[str, str] = {}
    names_only = {name for name in _SOURCE_OR_NAME & by_name.keys() if _holds_names(by_name[name], rows)}
    known = {
        field: [name for name in names if name in by_name and not (field == "source" and name in names_only)]
        for field, names in FIELD_NAMES.items()
    }
    fields = {field: by_name[found[0]] for field, found in known.items() if found}
    if "doc_id" not in fields and "doc_id" not in named:
        named_so = ((name, by_name[name]) for name in FIELD_NAMES["source"] if name in names_only)
        naming = (c for name, c in named_so if name in _NAMES_OF_SOURCES or _distinct(c, rows) < len(rows))
        if column := next(naming, None):
            fields["doc_id"] = column
            why["doc_id"] = f"it holds {_distinct(column, rows)} names for {len(rows)} rows"
    fields |= named
    output = [name for name in OUTPUT_NAMES if name in by_name]
    beside_an_output = bool(output) or _plain(named.get("text", "")) in OUTPUT_NAMES
    if "text" in by_name and beside_an_output and "source" not in fields:
        fields |= {"source": by_name["text"], "text": named["text"] if "text" in named else by_name[output[0]]}
    elif "text" not in named and ("text" in by_name or output):
        fields["text"] = by_name["text" if "text" in by_name else output[0]]
    return fields | _guess_id(by_name, fields, rows), why


def _longest(columns: Sequence[str], first: Rows, rows: Rows, fields: dict[str, str], why: dict[str, str]) -> None:
    """Add the column that is longest in the first rows as the text; a longer column that rows share is the source."""
    lengths = {column: _usual_length(column, first) for column in columns}
    prose = sorted((c for c in columns if lengths[c] >= _PROSE), key=lambda column: -lengths[column])
    if len(prose) > 1 and "source" not in fields and _distinct(prose[0], rows) <= _SHARED * len(rows):
        fields["source"] = prose.pop(0)
        why["source"] = f"long, and {len(rows)} rows share {_distinct(fields['source'], rows)} of them"
    if prose:
        fields["text"] = prose[0]
        why["text"] = f"it holds the longest texts, about {lengths[prose[0]]:,.0f} characters each"


def _values(column: str, rows: Rows) -> list[Any]:
    return [row.get(column) for row in rows[:_ROWS_TO_LOOK_AT] if not is_blank(row.get(column))]


def _usual_length(column: str, rows: Rows) -> float:
    """Return the median length in characters; 0 unless all values are texts."""
    values = _values(column, rows)
    return median(map(len, values)) if values and all(isinstance(value, str) for value in values) else 0


def _distinct(column: str, rows: Rows) -> int:
    return len({hash(str(row.get(column))) for row in rows})  # hashes: the texts themselves would be the whole file


def _holds_names(column: str, rows: Rows) -> bool:
    """Return whether nearly all values are names such as `d17`, `Task 2` or `A`, and not content."""
    values = [str(value) for value in _values(column, rows)]
    names = sum(_is_name(value.split()) for value in values)
    return bool(values) and names >= 0.9 * len(values)


def _is_name(words: Sequence[str]) -> bool:
    if len(words) == 1:
        return len(words[0]) <= _PROSE
    return len(words) <= _NAME_WORDS and any(len(word) == 1 or any(map(str.isdigit, word)) for word in words)


def _plain(column: str) -> str:
    return re.sub(r"[^a-z0-9]+", "_", column.lower()).strip("_")


def _guess_id(by_name: Mapping[str, str], fields: Mapping[str, str], rows: Rows) -> dict[str, str]:
    """Return a column named just `id` as the document's if rows share values of it, else as the text's."""
    if "id" not in by_name:
        return {}
    if "doc_id" in fields:
        unique = "item_id" not in fields and _distinct(by_name["id"], rows) == len(rows)
        return {"item_id": by_name["id"]} if unique else {}
    if _distinct(by_name["id"], rows) < len(rows):
        return {"doc_id": by_name["id"]}
    if fields.get("source"):
        return {} if "item_id" in fields else {"item_id": by_name["id"]}
    return {"doc_id": by_name["id"]}


def _holds_ratings(column: str, first: Rows) -> bool:
    if len(column) > NAME_LIMIT:
        return False
    if _NOT_RATINGS.search(re.sub(r"\d+$", "", _plain(column)).replace("_", " ")):
        return False
    cells = [row.get(column) for row in first]
    values = [value for cell in cells for value in (cell if isinstance(cell, list) else [cell]) if not is_blank(value)]
    numbers = [value for value in map(_number, values) if value is not None]
    in_range = sum(abs(value) <= _HIGHEST_RATING for value in numbers)
    # A few bad cells don't make it another kind of column: they are named when the file is read.
    return in_range >= max(1, 0.5 * len(values))


def _number(value: object) -> float | None:
    try:
        return number(value)
    except BadCellError:
        return None


def _dimension(column: str) -> str:
    """Return the dimension: `scores.coherence` -> coherence; `Expert 1 Fluency` -> Fluency; `human_score` -> overall,
    and so is `score (2)`, the second of two columns with one name."""
    words = re.split(r"[\s._-]+", column)
    kept = [word for word in words if word and not _FILLER.match(word.lower())]
    return "_".join(kept) or "overall"
