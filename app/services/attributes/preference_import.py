"""Import of preferences: pairs of texts, who found which one better, and why."""

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from app.corpora.assembly import LONGEST_KEY
from app.corpora.corpus import ColumnUse, Corpus, CorpusText, SkippedRow
from app.corpora.formats.generic import document_name
from app.corpora.formats.preferences import PairRow, PairSide, PairTable, read_pairs
from app.domain.attribute import ContributorKind
from app.domain.expert_answer import Preference, Winner
from app.domain.project import Dimension, Project, Task, Text, TextPlace
from app.domain.roles_and_rights import Right
from app.domain.storable_text import quoted
from app.errors import ConflictError, InputError
from app.services.data.imports import store_corpus
from app.services.data.uploads import Upload, stored
from app.services.runtime.workbench import Workbench, use_case
from app.services.think_aloud.independence import insert_attributes
from db.unit_of_work import UnitOfWork

_TASK = Task(text_name="response", source_name="prompt", description="Each text is a response to the prompt.")
_READ_AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class PreferenceImport:
    """The result of an import. `pairs` were new, `known` existed already; `dimensions` counts the new ones by
    dimension. `texts` and `attributes` count what was added with them; `skipped` are unusable rows, `columns` what each
    column was read as."""

    project: str
    pairs: int
    known: int
    dimensions: Mapping[str, int]
    texts: int
    attributes: int
    skipped: tuple[SkippedRow, ...]
    columns: tuple[ColumnUse, ...]

    def to_json(self) -> dict[str, Any]:
        return {
            "project": self.project,
            "pairs": self.pairs,
            "known": self.known,
            "dimensions": dict(self.dimensions),
            "texts": self.texts,
            "attributes": self.attributes,
            "skipped": [{"row": each.row, "reason": each.reason} for each in self.skipped],
            "columns": {each.role: each.column for each in self.columns},
        }


PAIR_FORMATS = ("csv", "tsv", "jsonl", "json", "parquet", "xlsx")


@use_case(Right.FACILITATE, act="imported preferences", about="dimension")
def import_pairs_upload(
    workbench: Workbench, project: Project, upload: Upload, dimension: str, rater: str = ""
) -> PreferenceImport:
    """Import an uploaded file as `import_preferences` does, with guessed columns."""
    with stored(upload) as path:
        return import_preferences(workbench, path, project.name, {}, dimension, rater)


@use_case(Right.FACILITATE, project="project", act="imported preferences", about="dimension")
def import_preferences(
    workbench: Workbench,
    path: Path,
    project: str,
    columns: Mapping[str, str],
    dimension: str = "",
    rater: str = "",
    container: str = "auto",
) -> PreferenceImport:
    """Store the pairs of a table; new texts are added to the project, which is created if missing. Each reason becomes
    an attribute of the person who gave it.

    columns: field of a pair -> column; other columns are guessed. dimension, rater: for rows that name none; a project
    with a single dimension needs no name. Texts are imported first: after a failure the same file adds only what is
    missing. Raises FileFormatError for a table without usable pairs, InputError if no dimension is named.
    """
    table = read_pairs(path, columns, rater, dimension or _only_dimension(workbench, project), container)
    unnamed = next((pair.row for pair in table.pairs if not pair.dimension), None)
    if unnamed is not None:
        raise InputError(f"Row {unnamed} names no dimension.", "Say which one the pairs are about: --dimension NAME.")
    texts = _Texts(workbench, project)
    placed = texts.place(table)
    added = 0
    if new := texts.new:
        report = store_corpus(workbench, Corpus("pairs", _TASK, (), tuple(new), ()), project)
        added = report.added_texts
        texts.refuse(report.skipped)
    with workbench.database.write() as work:
        keeping = _PreferenceWriter(work, project, texts)
        for pair, a, b in placed:
            keeping.take(pair, a, b)
        keeping.save()
    skipped = sorted((*table.skipped, *texts.skipped, *keeping.skipped), key=lambda each: each.row)
    return PreferenceImport(
        project=project,
        pairs=keeping.dimensions.total(),
        known=keeping.known,
        dimensions=keeping.dimensions,
        texts=added,
        attributes=keeping.attributes,
        skipped=tuple(skipped),
        columns=table.columns,
    )


def _only_dimension(workbench: Workbench, project: str) -> str:
    with workbench.database.read() as work:
        found = work.projects.find(project)
        dimensions = work.projects.dimensions(found.id) if found else []
    return dimensions[0].name if len(dimensions) == 1 else ""


Key = tuple[str, str, str]


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


class _Texts:
    """Finds the texts of pairs in the project, or names new ones. `new`: texts that the project doesn't have yet."""

    def __init__(self, workbench: Workbench, project: str) -> None:
        self._by_id: dict[str, TextPlace] = {}
        self._by_item: dict[str, list[TextPlace]] = {}
        self._by_key: dict[Key, tuple[TextPlace, str]] = {}  # with the digest of what the text says
        self._by_words: dict[tuple[str, str, str], TextPlace] = {}  # document, system, digest
        self._documents: dict[str, str] = {}  # digest of a source -> its document
        self._new: dict[Key, CorpusText] = {}
        self._refused: set[Key] = set()
        self.skipped: list[SkippedRow] = []
        with workbench.database.read() as work:
            found = work.projects.find(project)
            last = 0
            while found and (block := work.texts.after(found.id, last, _READ_AT_ONCE)):
                for text in block:
                    self._note(text)
                last = block[-1].id

    @property
    def new(self) -> list[CorpusText]:
        return list(self._new.values())

    def _note(self, text: Text) -> None:
        place, words = TextPlace(text.id, *text.key), _digest(text.text)
        self._by_id[str(text.id)] = place
        if text.item_id:
            self._by_item.setdefault(text.item_id, []).append(place)
        self._by_key[text.key] = place, words
        for system in {text.system_id, ""}:
            self._by_words.setdefault((text.doc_id, system, words), place)
        if text.source:
            self._documents.setdefault(_digest(text.source), text.doc_id)

    def place(self, table: PairTable) -> list[tuple[PairRow, TextPlace, TextPlace]]:
        """Return each pair with its two texts; new texts have the id 0."""
        found = []
        for pair in table.pairs:
            one = replace(pair, doc_id=pair.doc_id or self._document(pair))
            try:
                a, b = self._of(one, one.a), self._of(one, one.b)
                if a.doc_id != b.doc_id:
                    raise InputError("The two texts are of different sources.")
                if a.key == b.key:
                    raise InputError("Both texts are the same.")
            except InputError as error:
                self.skipped.append(SkippedRow(pair.row, error.message))
            else:
                found.append((pair, a, b))
        return found

    def _document(self, pair: PairRow) -> str:
        """Return the name of the document with the same source, else a name computed from the source or both texts; ""
        if the row has neither."""
        if pair.source:
            return self._documents.get(_digest(pair.source)) or document_name(pair.source)
        return document_name("\n".join(sorted((pair.a.text, pair.b.text)))) if pair.a.text and pair.b.text else ""

    def _of(self, pair: PairRow, side: PairSide) -> TextPlace:
        """Return the text of one side. Raises InputError if the row names a missing text or can't be named."""
        if side.text:
            return self._worded(pair, side)
        if side.id:
            named = [self._by_id[side.id]] if side.id in self._by_id else self._by_item.get(side.id, [])
            if pair.doc_id:
                named = [place for place in named if place.doc_id == pair.doc_id]
            if len(named) != 1:
                which = "No text" if not named else f"{len(named)} texts"
                raise InputError(f"{which} of the project {'has' if not named else 'have'} the id {quoted(side.id)}.")
            return named[0]
        there = self._by_key.get((pair.doc_id, side.system, ""))
        if there is None:
            raise InputError(f"The project has no text of {quoted(side.system)} in {quoted(pair.doc_id)}.")
        return there[0]

    def _worded(self, pair: PairRow, side: PairSide) -> TextPlace:
        words = _digest(side.text)
        if there := self._by_words.get((pair.doc_id, side.system, words)):
            return there
        key = (pair.doc_id, side.system, "" if side.system else words[:10])
        if key in self._by_key and self._by_key[key][1] != words:  # the system has another text there
            key = (pair.doc_id, side.system, words[:10])
        if sum(len(part.encode()) for part in key) > LONGEST_KEY:
            raise InputError(f"The names of its source and system are longer than {LONGEST_KEY:,} bytes together.")
        place = TextPlace(0, *key)
        self._by_key[key] = place, words
        self._by_words[pair.doc_id, side.system, words] = place
        text = Text(place.doc_id, side.text, place.system_id, place.item_id, pair.source)
        self._new[key] = CorpusText(pair.row, text, ())
        return place

    def refuse(self, skipped: Sequence[SkippedRow]) -> None:
        """Remember the texts that the import left out, so that no pair uses them."""
        rows = {each.row for each in skipped}
        self._refused = {key for key, text in self._new.items() if text.row in rows}

    def stored(self, place: TextPlace, ids: Mapping[Key, int]) -> TextPlace:
        """Return the text with its id. Raises InputError for a text that the import left out."""
        if place.key in self._refused or (not place.id and place.key not in ids):
            raise InputError("Another text is already stored under the name of one of its texts.")
        return place if place.id else TextPlace(ids[place.key], *place.key)


class _PreferenceWriter:
    """Collects the pairs, then writes those of each dimension at once."""

    def __init__(self, work: UnitOfWork, project: str, texts: _Texts) -> None:
        self._work, self._texts = work, texts
        self._project = work.projects.get(project)
        self._ids = work.texts.ids_by_key(self._project.id)
        self._dimensions = {each.name: each for each in work.projects.dimensions(self._project.id)}
        self._verdicts: dict[str, dict[tuple[str, int, int], Winner]] = {}
        self._new: dict[str, list[tuple[int, Preference]]] = {}
        self.skipped: list[SkippedRow] = []
        self.known = self.attributes = 0

    @property
    def dimensions(self) -> Counter[str]:
        return Counter({name: len(new) for name, new in self._new.items()})

    def take(self, pair: PairRow, a: TextPlace, b: TextPlace) -> None:
        """Collect one pair, or note why it can't be used."""
        try:
            a, b = self._texts.stored(a, self._ids), self._texts.stored(b, self._ids)
            verdicts = self._verdicts_on(pair.dimension)
            key, winner = _ordered(pair.rater, a.id, b.id, pair.winner)
            before = verdicts.get(key)
            if before not in (None, winner):
                raise InputError(f"{pair.rater} has said otherwise of these two texts before; what came first stays.")
        except InputError as error:
            self.skipped.append(SkippedRow(pair.row, error.message))
            return
        if before is not None:
            self.known += 1
            return
        verdicts[key] = winner
        said = Preference(pair.dimension, pair.rater, a, b, pair.winner, pair.reason)
        self._new.setdefault(pair.dimension, []).append((pair.row, said))

    def _verdicts_on(self, name: str) -> dict[tuple[str, int, int], Winner]:
        """Return (rater, lower text id, higher text id) -> winner for a dimension, which is added if it is new."""
        if name not in self._dimensions:
            self._dimensions[name] = self._work.projects.add_dimension(self._project.id, Dimension(name))
        if name not in self._verdicts:
            stored = self._work.preferences.verdicts(self._dimensions[name].id)
            self._verdicts[name] = dict(_ordered(*key, winner) for key, winner in stored.items())
        return self._verdicts[name]

    def save(self) -> None:
        for name, new in self._new.items():
            ids = self._reasons(self._dimensions[name], new)
            kept = [replace(said, attribute=ids.get((said.rater, said.reason))) for _, said in new]
            self._work.preferences.add_many(self._dimensions[name].id, kept)

    def _reasons(self, dimension: Dimension, new: Sequence[tuple[int, Preference]]) -> dict[tuple[str, str], int]:
        """Return (rater, reason) -> id of its attribute; equal reasons of one rater share an attribute."""
        there = self._work.think_aloud.attributes(self._project.id, dimension.id)
        ids = {(each.contributor, each.original): each.id for each in there}
        by_rater: dict[str, dict[str, int]] = {}
        for row, said in new:
            if said.reason and (said.rater, said.reason) not in ids:
                by_rater.setdefault(said.rater, {}).setdefault(said.reason, row)
        for rater, reasons in by_rater.items():
            try:
                who = self._work.think_aloud.contributor(self._project.id, rater, ContributorKind.HUMAN)
            except ConflictError:
                why = f"The pair is kept, but its reason is no attribute: {quoted(rater)} is an LLM of the project."
                self.skipped += [SkippedRow(row, why) for row in reasons.values()]
                continue
            numbers = insert_attributes(self._work, dimension.id, who, list(reasons), about_pairs=True)
            self.attributes += len(numbers)
            ids |= {(rater, reason): number for reason, number in zip(reasons, numbers, strict=True)}
        return ids


def _ordered(rater: str, a: int, b: int, winner: Winner) -> tuple[tuple[str, int, int], Winner]:
    """Return the verdict with the smaller text id as text a."""
    return ((rater, a, b), winner) if a < b else ((rater, b, a), winner.swapped)
