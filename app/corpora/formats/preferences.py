"""Tables of preferences: two texts of one source, and which of them a person preferred."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from app.corpora.corpus import ColumnUse, SkippedRow
from app.corpora.formats.conversations import given_and_reply, opened
from app.corpora.mapping import FIELD_NAMES
from app.corpora.own_score_tables import open_table
from app.corpora.rows import BadCellError, identifier, is_blank, listed, one_line, prose
from app.domain.conversation import transcript
from app.domain.expert_answer import Winner
from app.domain.storable_text import checked_name
from app.errors import FileFormatError, InputError
from app.limits import LONGEST_FIELD

_KINDS = ("text", "response", "answer", "output", "summary", "reply", "completion", "conversation")
_WRITERS = ("system", "model", "generator", "assistant", "author", "student")


def _sides(words: Sequence[str], ending: str = "") -> Mapping[str, tuple[str, ...]]:
    """Return the usual names of a column of text a and of text b: text_a, text1, a_text."""
    return {
        side: tuple(
            name
            for word in words
            for mark in marks
            for name in (f"{word}_{mark}{ending}", f"{word}{mark}{ending}", f"{mark}_{word}{ending}")
        )
        for side, marks in (("a", ("a", "1")), ("b", ("b", "2")))
    }


_TEXTS, _SYSTEMS, _IDS = _sides(_KINDS), _sides(_WRITERS), _sides((*_KINDS, "item"), "_id")
NAMES: Mapping[str, tuple[str, ...]] = {
    "text_a": (*_TEXTS["a"], "chosen"),
    "text_b": (*_TEXTS["b"], "rejected"),
    "id_a": ("id_a", "a_id", *_IDS["a"], *(f"{kind}_id_a" for kind in _KINDS), "chosen_id"),
    "id_b": ("id_b", "b_id", *_IDS["b"], *(f"{kind}_id_b" for kind in _KINDS), "rejected_id"),
    "system_a": (*_SYSTEMS["a"], "chosen_model", "chosen_system"),
    "system_b": (*_SYSTEMS["b"], "rejected_model", "rejected_system"),
    "winner": ("winner", "preferred", "preference", "choice", "chosen_side", "better", "verdict", "vote", "label"),
    "rater": ("rater", "annotator", "annotator_id", "annotator_name", "expert", "judge", "evaluator", "labeler", "by",
              "worker_id", "user", "user_id"),
    "reason": ("reason", "why", "rationale", "explanation", "justification", "comment", "feedback"),
    "dimension": ("dimension", "aspect", "criterion", "quality"),
    "doc_id": FIELD_NAMES["doc_id"],
    "source": (*FIELD_NAMES["source"], "instruction"),
}  # fmt: skip
"""Field of a pair -> the usual names of its column, lower case, words joined by `_`."""
_VOTES = {Winner.A: "winner_model_a", Winner.B: "winner_model_b", Winner.TIE: "winner_tie"}
_THING = "|".join((*_KINDS, *_WRITERS))
_WON = {
    Winner.A: re.compile(rf"(?:(?:{_THING})?_?[a1]|first|left|chosen)"),
    Winner.B: re.compile(rf"(?:(?:{_THING})?_?[b2]|second|right|rejected)"),
    Winner.TIE: re.compile(r"(?:tie|tied|draw|equal|equally_good|same|both|neither|no_preference)(?:_.*)?"),
}
_DIALOGUE = "\n\nAssistant:"
UNNAMED_RATER = "unnamed rater"
"""The rater's name if neither the file nor the person gives one."""


@dataclass(frozen=True, slots=True)
class PairSide:
    """One of the two texts, in the file; or, if `text` is "", its names in the project."""

    text: str = ""
    system: str = ""
    id: str = ""


@dataclass(frozen=True, slots=True)
class PairRow:
    """A preference in a row. `row` counts as in CorpusText. `doc_id`: "" if the row doesn't name its source."""

    row: int
    a: PairSide
    b: PairSide
    winner: Winner
    rater: str
    reason: str = ""
    dimension: str = ""
    doc_id: str = ""
    source: str = ""


@dataclass(frozen=True, slots=True)
class PairTable:
    """A table of preferences. `columns`: how each column was read; `skipped`: the unusable rows, with the reason."""

    pairs: tuple[PairRow, ...]
    skipped: tuple[SkippedRow, ...]
    columns: tuple[ColumnUse, ...]


def parse_pair_columns(maps: Sequence[str]) -> dict[str, str]:
    """Return columns by field from typed `FIELD=COLUMN`; `FIELD=` for no column. Raises InputError."""
    columns: dict[str, str] = {}
    for entry in maps:
        name, separator, column = (part.strip() for part in entry.partition("="))
        if not separator or name not in NAMES:
            raise InputError(f"{entry!r} names no field of a pair.", f"Fields are {', '.join(NAMES)}.")
        if name in columns:
            raise InputError(f"The field {name} is mapped twice.", "Map each field to one column.")
        columns[name] = column
    return columns


def read_pairs(
    path: Path, columns: Mapping[str, str], rater: str = "", dimension: str = "", container: str = "auto"
) -> PairTable:
    """Read every row of a table (CSV, JSON Lines, JSON, Parquet, Excel) that names two texts and the winner.

    columns: field of NAMES -> column; fields not in it are guessed by column names. rater, dimension: for rows that
    name none. Raises FileFormatError for a table without such columns or without a usable row.
    """
    table = open_table(path, container)
    found = _columns(table.columns, columns, path.name)
    votes = {won: name for won, name in _VOTES.items() if name in table.columns}
    won = _named_winner(found.get("winner", ""), votes)
    if "winner" not in found and len(votes) < 2:
        if not _plain(found.get("text_a") or found.get("id_a", "")).startswith("chosen"):
            raise FileFormatError(
                f"No column of {path.name} says who won; it has: {listed(table.columns)}.",
                "Name it with --map winner=COLUMN, or call the texts chosen and rejected.",
            )
        won = _chosen_wins
    pairs: list[PairRow] = []
    skipped = list(table.skipped)
    for number, record in zip(table.numbers, table.rows, strict=True):
        try:
            pairs.append(_pair(number, record, found, won, rater, dimension))
        except (BadCellError, InputError) as error:
            skipped.append(SkippedRow(number, one_line(getattr(error, "message", str(error)))))
    if not pairs:
        first = f" Row {skipped[0].row}: {skipped[0].reason}" if skipped else ""
        raise FileFormatError(f"{path.name} holds no usable pair: {len(skipped):,} rows were left out.{first}")
    uses = [ColumnUse(column, name, guessed=name not in columns) for name, column in found.items()]
    return PairTable(tuple(pairs), tuple(sorted(skipped, key=lambda each: each.row)), tuple(uses))


def _plain(column: str) -> str:
    return re.sub(r"[^a-z0-9]+", "_", column.strip().lower()).strip("_")


def _columns(there: Sequence[str], named: Mapping[str, str], file_name: str) -> dict[str, str]:
    """Return field -> column, as named, else guessed. Raises FileFormatError for a missing column, and if the two texts
    have no columns."""
    for column in filter(None, named.values()):
        if column not in there:
            raise FileFormatError(
                f"{file_name} has no column {column!r}; it has: {listed(there)}.", "Map one of these columns."
            )
    by_name: dict[str, str] = {}
    for column in there:
        by_name.setdefault(_plain(column), column)
    found = {name: column for name, column in named.items() if column}
    taken = set(found.values())
    for name, usual in NAMES.items():
        if name not in named:
            column = next((by_name[one] for one in usual if one in by_name and by_name[one] not in taken), "")
            if column:
                found[name] = column
                taken.add(column)
    texts = {"text_a", "text_b"} <= found.keys() or {"id_a", "id_b"} <= found.keys()
    if not texts and not {"doc_id", "system_a", "system_b"} <= found.keys():
        raise FileFormatError(
            f"No two columns of {file_name} are known to hold the texts of a pair; it has: {listed(there)}.",
            "Say which do: --map text_a=COLUMN --map text_b=COLUMN, or id_a and id_b for texts of the project.",
        )
    return found


_Won = Callable[[Mapping[str, Any], PairSide, PairSide], Winner]


def _chosen_wins(record: Mapping[str, Any], a: PairSide, b: PairSide) -> Winner:
    return Winner.A


def _named_winner(column: str, votes: Mapping[Winner, str]) -> _Won:
    def won(record: Mapping[str, Any], a: PairSide, b: PairSide) -> Winner:
        if column:
            return read_winner(record.get(column), a, b)
        said = [each for each, name in votes.items() if identifier(record.get(name)) in ("1", "True", "true")]
        if len(said) != 1:
            raise BadCellError("It doesn't say who won.")
        return said[0]

    return won


def read_winner(value: object, a: PairSide, b: PairSide) -> Winner:
    """Return a, b or tie from any of the usual words, or the name of a system or text. Raises BadCellError."""
    if is_blank(value) or isinstance(value, bool):
        raise BadCellError("It doesn't say who won.")
    said = identifier(value)
    for name_a, name_b in ((a.system, b.system), (a.id, b.id)):
        if name_a != name_b and said in (name_a, name_b):
            return Winner.A if said == name_a else Winner.B
    plain = _plain(said)
    for winner, words in _WON.items():
        if words.fullmatch(plain):
            return winner
    raise BadCellError(f"“{said[:40]}” is no winner: write a, b or tie.")


def _pair(
    number: int, record: Mapping[str, Any], columns: Mapping[str, str], won: _Won, rater: str, dimension: str
) -> PairRow:
    """Return the preference in a row. Raises BadCellError or InputError, which say why the row is unusable."""

    def cell(name: str) -> Any:
        value = record.get(columns.get(name, ""))
        return None if is_blank(value) else value

    asked = cell("source")
    given_a, text_a = _text(cell("text_a"), asked)
    given_b, text_b = _text(cell("text_b"), asked)
    if given_a != given_b:
        raise BadCellError("What comes before the two texts differs, so they aren't of one source.")
    a, b = (
        PairSide(text, identifier(cell(f"system_{side}")), identifier(cell(f"id_{side}")))
        for side, text in (("a", text_a), ("b", text_b))
    )
    doc_id = identifier(cell("doc_id"))
    for side, letter in ((a, "a"), (b, "b")):
        if not (side.text or side.id or (doc_id and side.system)):
            raise BadCellError(f"Text {letter} is missing.")
    reason = prose(cell("reason"), "reason")
    if len(reason) > LONGEST_FIELD:
        raise BadCellError(f"The reason has {len(reason):,} characters; {LONGEST_FIELD:,} are the most.")
    about = prose(cell("dimension"), "dimension") or dimension
    return PairRow(
        row=number,
        a=a,
        b=b,
        winner=won(record, a, b),
        rater=checked_name(identifier(cell("rater")) or rater or UNNAMED_RATER, "rater"),
        reason=reason,
        dimension=checked_name(about, "dimension") if about else "",
        doc_id=doc_id,
        source=given_a,
    )


def _text(value: Any, asked: Any) -> tuple[str, str]:
    """Return the prompt and the text: of messages the last reply, of "Human: ... Assistant: ..." the last answer."""
    source = asked if asked is None or isinstance(asked, str) else _shown(opened(asked))
    value = opened(value) if isinstance(value, str) and value.lstrip().startswith("[{") else value
    if isinstance(value, list | Mapping):
        messages = value if isinstance(value, list) else [value]
        turns, reply = given_and_reply(messages[:-1] or None, messages[-1:])
        return prose(source if source is not None else transcript(turns)[0], "source"), prose(reply, "text")
    text = prose(value, "text")
    if source is None and _DIALOGUE in f"\n\n{text}" and text.startswith("Human:"):
        before, _, reply = text.rpartition(_DIALOGUE)
        return before.strip(), reply.strip()
    return prose(source, "source"), text


def _shown(value: Any) -> str:
    """Return a prompt; a list of messages becomes the transcript of a conversation."""
    if not isinstance(value, list):
        raise BadCellError("The source is a nested structure, not a text.")
    turns, _ = given_and_reply(value, "-")
    return transcript(turns)[0]
