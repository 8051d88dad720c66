"""A dimension's attributes: added, imported, and as a table."""

import csv
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from io import StringIO
from typing import Any

from app.attribute_analysis.attribute_reading import decode_attributes, parse_said
from app.corpora.corpus import SkippedRow
from app.corpora.csv_file import parse_delimited, sniff_delimiter
from app.corpora.json_records import load_json
from app.domain.attribute import Attribute, AttributeStatus, Contributor, ContributorKind
from app.domain.passage import Passage, PassagePart
from app.domain.project import Project
from app.domain.repeated_attributes import imported_keys
from app.domain.roles_and_rights import Right
from app.domain.storable_text import check_storable
from app.errors import FileFormatError, InputError, NotFoundError
from app.services.runtime.workbench import Workbench, use_case
from app.services.think_aloud.independence import insert_attributes
from app.think_aloud.elicitation import passage_in
from db.unit_of_work import UnitOfWork

NEEDED = ("text", "contributor", "kind")
_HEADING = re.compile(r"\w+")
# Headings of tables that people have here: attributes, texts, scores and answers.
_KNOWN = frozenset({"text", "contributor", "dimension", "doc_id", "system_id", "item_id", "source", "question"})
_HINT = "It needs the columns text, contributor and kind (human or llm); the others of an export may be there too."


@dataclass(frozen=True, slots=True)
class TableReport:
    """The result of an import. `there` existed already and stay unchanged; `skipped` couldn't be used, with the reason.
    `passages_left_out` counts added attributes whose passage is in no text at its place."""

    added: int
    there: int
    skipped: tuple[SkippedRow, ...]
    passages_left_out: int = 0


def is_table(data: bytes) -> bool:
    """Return whether a file names a contributor for each attribute, instead of being one contributor's list."""
    try:
        rows = _rows(decode_attributes(data))
    except InputError:
        return False
    return all(name in rows[0][1] for name in NEEDED)


@dataclass(frozen=True, slots=True)
class AttributeSets:
    """The active attributes of a table, by contributor; `left_out` counts those that are excluded or merged."""

    texts: dict[str, list[str]]
    kinds: dict[str, ContributorKind]
    left_out: int


def attribute_sets(data: bytes, separated: bool = False) -> AttributeSets | None:
    """Return the attributes of a table, such as an export, by contributor; None for a plain list, one on each line or
    as JSON strings.

    separated: the file's name says that it is a table, such as .csv. Raises FileFormatError for a table that isn't one
    of attributes.
    """
    text = decode_attributes(data).removeprefix("\ufeff").strip()
    if not _is_table(text, separated):
        return None
    rows = _rows(text)
    if not all(name in rows[0][1] for name in ("contributor", "text")):
        raise FileFormatError(
            "The file is a table, but not one of attributes.",
            "It needs the columns contributor and text. Or write one attribute per line.",
        )
    found = AttributeSets({}, {}, 0)
    left_out = 0
    for _, row in rows:
        said, name = _cell(row, "text"), _cell(row, "contributor")
        if _cell(row, "status") in (AttributeStatus.EXCLUDED, AttributeStatus.MERGED):
            left_out += 1
        elif said and name:
            found.texts.setdefault(name, []).append(said)
            if (kind := _cell(row, "kind")) in tuple(ContributorKind):
                found.kinds[name] = ContributorKind(kind)
    return replace(found, left_out=left_out)


def _is_table(text: str, separated: bool) -> bool:
    """Return whether the text is a table: JSON objects, or lines with several cells, under headings of our tables or,
    if `separated`, with equal numbers of cells."""
    if text.startswith("["):
        try:
            entries = load_json(text)
        except (ValueError, RecursionError):
            return False
        if not entries or not all(isinstance(entry, dict) for entry in entries):
            return False
        return "contributor" in entries[0] or "text" not in entries[0]  # attributes alone may be objects, with passages
    if text.startswith("{") or "\n" not in text:
        return False
    delimiter = sniff_delimiter(lambda: StringIO(text, newline=""))
    rows = [row for row in csv.reader(StringIO(text, newline=""), delimiter=delimiter) if row]
    headings = [cell.strip() for cell in rows[0]]
    if len(headings) < 2:
        return False
    even = separated and all(len(row) == len(headings) for row in rows)
    return even or (all(_HEADING.fullmatch(cell) for cell in headings) and not _KNOWN.isdisjoint(headings))


@use_case(Right.FACILITATE, act="imported attributes")
def import_attribute_table(workbench: Workbench, project: Project, data: bytes, dimension: str = "") -> TableReport:
    """Store every row with its contributor, in one transaction; the same file again adds nothing.

    dimension: for rows that name none. Raises FileFormatError for a file that isn't such a table.
    """
    rows = _rows(decode_attributes(data))
    if not all(name in rows[0][1] for name in NEEDED):
        raise FileFormatError("The file is no table of attributes with their contributors.", _HINT)
    with workbench.database.write() as work:
        keeping = _AttributeWriter(work, project, dimension)
        for number, row in rows:
            try:
                keeping.keep(row)
            except InputError as error:
                keeping.skipped.append(SkippedRow(number, error.message))
        keeping.merge()
        return TableReport(len(keeping.numbers), keeping.there, tuple(keeping.skipped), keeping.passages_left_out)


def _rows(text: str) -> list[tuple[int, dict[str, Any]]]:
    """Return (row number from 1, column -> value) for each row. Raises FileFormatError if there are none."""
    stripped = text.removeprefix("\ufeff").strip()
    if stripped.startswith("["):
        try:
            entries = load_json(stripped)
        except (ValueError, RecursionError):
            raise FileFormatError("The file is not complete JSON.", "Save it again.") from None
        rows = [(number, entry) for number, entry in enumerate(entries, start=1) if isinstance(entry, dict)]
    else:
        rows, _ = parse_delimited(stripped, "The file")
    if not rows:
        raise FileFormatError("The file is no table of attributes with their contributors.", _HINT)
    return rows


class _AttributeWriter:
    """Stores rows of a table. `numbers` maps ids in the file to new ids, `merged` maps new ids to the file's id of the
    attribute they are merged into."""

    def __init__(self, work: UnitOfWork, project: Project, dimension: str) -> None:
        self.work, self.project, self.dimension = work, project, dimension
        self.known = imported_keys(work.think_aloud.attributes(project.id))
        self.numbers: dict[str, int] = {}
        self.merged: dict[int, str] = {}
        self.skipped: list[SkippedRow] = []
        self.there = self.passages_left_out = 0

    def keep(self, row: Mapping[str, Any]) -> None:
        """Store a row. Raises InputError if it can't be used."""
        text, name, kind = (_cell(row, column) for column in NEEDED)
        if not text:
            raise InputError("It has no text.")
        if kind not in tuple(ContributorKind):
            raise InputError(f"Its kind is “{kind}”, not human or llm.")
        now = _cell(row, "dimension") or self.dimension
        here, dimension = (
            self.work.projects.dimension(self.project.id, place)
            for place in (now, _cell(row, "original_dimension") or now)
        )
        who = self.work.think_aloud.contributor(self.project.id, name, ContributorKind(kind))
        said = _cell(row, "original") or text
        if (dimension.name, who.name, said) in self.known:
            self.there += 1
            return
        self.known.add((dimension.name, who.name, said))
        role, background = _cell(row, "role"), _cell(row, "background")
        if role or background:
            self.work.think_aloud.describe(who.id, role or who.role, background or who.background)
        round_number = _cell(row, "round")
        rounds = int(round_number) if round_number.isdecimal() else 1
        passage = self._passage(row, dimension.id)
        number = insert_attributes(self.work, dimension.id, who, [said], rounds, passages=[passage])[0]
        self.numbers[_cell(row, "id") or f"new {number}"] = number
        self.work.think_aloud.edit_attribute(number, text)
        if here.id != dimension.id:
            self.work.think_aloud.move(number, here.id)
        status = _cell(row, "status")
        if status in (AttributeStatus.EXCLUDED, AttributeStatus.MERGED):
            self.work.think_aloud.set_status(number, AttributeStatus.EXCLUDED, _cell(row, "reason"))
        if status == AttributeStatus.MERGED:
            self.merged[number] = _cell(row, "merged_into")

    def _passage(self, row: Mapping[str, Any], dimension_id: int) -> Passage | None:
        """Return the row's passage as it is in a text of this project. None without one (as in files of earlier
        versions), or if it isn't found, which is counted."""
        if isinstance(row.get("passage"), Mapping):
            raw = dict(row["passage"])
        elif quote := row.get("quote"):
            raw = {"quote": str(quote), "part": _cell(row, "passage_part") or PassagePart.TEXT.value}
            raw |= {name: _whole(_cell(row, f"passage_{name}")) for name in ("text_id", "start", "end")}
        else:
            return None
        try:
            found = found_passage(self.work, self.project.id, dimension_id, Passage.from_json(raw))
        except InputError:
            found = None
        self.passages_left_out += found is None
        return found

    def merge(self) -> None:
        """Merge attributes into others of the same file; the rest of the merged ones stay excluded with their
        reason."""
        reasons = {a.id: a.reason for a in self.work.think_aloud.attributes(self.project.id)}
        for number, kept in self.merged.items():
            if kept in self.numbers:
                self.work.think_aloud.set_status(number, AttributeStatus.MERGED, reasons[number], self.numbers[kept])


def found_passage(work: UnitOfWork, project_id: int, dimension_id: int, said: Passage) -> Passage | None:
    """Return the passage in the text that it names, else in the first sample of the dimension with these words at this
    place, because ids differ between projects. None if it is in neither. A passage of a transcript is returned without
    its text."""
    if said.part is PassagePart.TRANSCRIPT:
        return replace(said, text_id=None)
    named = work.texts.many([said.text_id], project_id).values() if said.text_id else ()
    texts = [*named, *(sample.text for sample in work.think_aloud.samples(dimension_id))]
    return next((found for text in texts if (found := passage_in(text, said))), None)


def _whole(cell: str) -> int | None:
    return int(cell) if cell.isdecimal() and len(cell) < 12 else None


def _cell(row: Mapping[str, Any], column: str) -> str:
    value = row.get(column)
    said = "" if value is None else str(value).strip()
    check_storable(said, f"Its {column}")
    return said


@use_case(Right.FACILITATE, act="added attributes", about="contributor")
def add_attributes(
    workbench: Workbench,
    dimension_id: int,
    contributor: str,
    kind: ContributorKind,
    texts: Sequence[str],
    prompted_by: int | None = None,
    passages: Sequence[Passage | None] = (),
) -> list[int]:
    """Store a contributor's attributes, word for word without blank ones. Returns the new ids.

    prompted_by: id of the text that prompted them. passages: one for each of `texts`; () for none. Raises InputError,
    adding nothing, for a passage that is in no text of the project.
    """
    marked = passages or [None] * len(texts)
    said = [(text.strip(), passage) for text, passage in zip(texts, marked, strict=True) if text.strip()]
    if not said:
        raise InputError("There is nothing to add.", "Write at least one attribute.")
    with workbench.database.write() as work:
        project = work.projects.project_of(dimension_id)
        who = work.think_aloud.contributor(project.id, contributor, kind)
        found = [passage and found_passage(work, project.id, dimension_id, passage) for _, passage in said]
        for number, ((_, passage), kept) in enumerate(zip(said, found, strict=True), start=1):
            if passage and not kept:
                raise InputError(
                    f"The passage of attribute {number} stands in no text of the project.",
                    "Correct text_id, start, end and quote, or leave the passage out.",
                )
        return insert_attributes(
            work, dimension_id, who, [text for text, _ in said], prompted_by=prompted_by, passages=found
        )


@use_case(Right.FACILITATE, act="imported attributes", about="contributor")
def import_attributes(
    workbench: Workbench, dimension_id: int, contributor: str, kind: ContributorKind, said: str | bytes
) -> list[int]:
    """Store the attributes of a pasted text or a file: one on each line, or a JSON list or object. Returns the new ids.

    Raises FileFormatError for bytes that aren't text, InputError for JSON of another form or without attributes.
    """
    if isinstance(said, bytes) and attribute_sets(said) is not None:
        raise FileFormatError(
            "The file is a table that names its contributors, not one contributor's list.",
            "Give it the columns text, contributor and kind, and import it as a table.",
        )
    text = said if isinstance(said, str) else decode_attributes(said)
    found = parse_said(text)
    passages = [each.passage for each in found]
    return add_attributes(workbench, dimension_id, contributor, kind, [each.text for each in found], passages=passages)


@use_case(Right.REVIEW)
def attributes_of(workbench: Workbench, project_id: int, dimension_id: int | None = None) -> list[Attribute]:
    with workbench.database.read() as work:
        return work.think_aloud.attributes(project_id, dimension_id)


@use_case(Right.REVIEW)
def attributes_numbered(workbench: Workbench, project_id: int, ids: Sequence[int]) -> list[Attribute]:
    """Return the attributes with these ids, in this order. Raises NotFoundError for an id that isn't in the project."""
    found = {attribute.id: attribute for attribute in attributes_of(workbench, project_id)}
    missing = ", ".join(str(id_) for id_ in ids if id_ not in found)
    if missing:
        raise NotFoundError(f"The project has no attribute {missing}.", "`attributes list` shows their numbers.")
    return [found[id_] for id_ in dict.fromkeys(ids)]


@use_case(Right.SEE)
def contributors_of(workbench: Workbench, project_id: int) -> list[Contributor]:
    with workbench.database.read() as work:
        return work.think_aloud.contributors(project_id)
