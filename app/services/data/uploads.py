"""Uploaded files: temporary storage, previews, and which analyses their data allow."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory
from typing import Any

from app.corpora.corpus import Corpus, CorpusReader
from app.corpora.formats.registry import KNOWN_FORMATS
from app.corpora.mapping import FIELDS, ColumnMapping, RatingColumn, guess, read_scale, source_label, writer_label
from app.corpora.own_score_tables import open_table
from app.corpora.reading import FORMATS, as_wished, detect_format, open_corpus
from app.corpora.records import sheets_of
from app.corpora.scale import NumberColumn, number_columns
from app.domain.project import Task
from app.domain.storable_text import storable_value
from app.errors import WorkbenchError
from app.meta_evaluation.captions import FEW_TO_DRAW
from app.meta_evaluation.correlation import estimate
from app.meta_evaluation.score_matrix import Level, score_table
from app.think_aloud.sample_choice import (
    SAMPLES,
    UnratedCandidate,
    choose_samples,
    draw_unrated,
    sample_candidate,
    sample_exclusions,
)


@dataclass(frozen=True, slots=True)
class LevelFeasibility:
    """The possibility of agreement at a level: its number of units (sources, texts or systems), or the reason why
    not."""

    level: Level
    units: int
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Feasibility:
    """The analyses that a dimension allows. Of its `texts`, `scored` remain without `samples` and what they keep out of
    scoring; of these `rated` have ratings, from `sources` sources. `dimension` is "" if the file has no ratings;
    `levels` is empty if nothing is rated. `sample_sources` are left out whole; 0 if only the samples are."""

    dimension: str
    texts: int
    scored: int
    rated: int
    levels: tuple[LevelFeasibility, ...] = ()
    sources: int = 0
    samples: int = 0
    sample_sources: int = 0

    def at(self, level: Level) -> LevelFeasibility | None:
        return next((found for found in self.levels if found.level == level), None)


@dataclass(slots=True)
class _Outline:
    """The part of a file's texts that is kept in memory: documents, systems, lengths, and dimension -> text ->
    ratings."""

    documents: list[str] = field(default_factory=list)
    systems: list[str] = field(default_factory=list)
    lengths: list[int] = field(default_factory=list)
    ratings: dict[str, dict[int, list[float]]] = field(default_factory=lambda: defaultdict(dict))


def feasibility(corpus: Corpus | CorpusReader) -> tuple[Feasibility, ...]:
    """Return what each dimension allows, or one entry if nothing is rated. It is computed for a perfect judge: figures
    that such a judge lacks will not exist. Raises FileFormatError if no text can be read."""
    outline = _outline(corpus.reader() if isinstance(corpus, Corpus) else corpus)
    names = [dimension.name for dimension in corpus.dimensions] or [""]
    return tuple(_of(outline, name, outline.ratings[name]) for name in names)


def _outline(corpus: CorpusReader) -> _Outline:
    found = _Outline()
    names: dict[str, str] = {}  # equal names are one string
    for place, item in enumerate(corpus.read()):
        found.documents.append(names.setdefault(item.text.doc_id, item.text.doc_id))
        found.systems.append(names.setdefault(item.text.system_id, item.text.system_id))
        found.lengths.append(len(item.text.text) + len(item.text.source))
        for rating in item.ratings:
            found.ratings[rating.dimension].setdefault(place, []).append(rating.value)
    return found


def _of(texts: _Outline, dimension: str, ratings: Mapping[int, Sequence[float]]) -> Feasibility:
    count = len(texts.documents)
    samples = _samples(texts, ratings)
    in_document = Counter(texts.documents)
    out = sample_exclusions(samples, lambda documents: sum(in_document[document] for document in documents), count)
    kept = [
        place
        for place, document in enumerate(texts.documents)
        if place not in out.texts and document not in out.documents
    ]
    rated = [place for place in kept if place in ratings]
    sources = [texts.documents[place] for place in rated]
    systems, human = [texts.systems[place] for place in rated], [fmean(ratings[place]) for place in rated]
    levels = _levels(sources, systems, human) if ratings else ()
    return Feasibility(
        dimension, count, len(kept), len(rated), levels, len(set(sources)), len(samples), len(out.documents)
    )


def _samples(texts: _Outline, ratings: Mapping[int, Sequence[float]]) -> list[tuple[int, str]]:
    """Return (place, document) of the samples that will be chosen; places of texts are in the order of their future
    ids."""
    rated = [sample_candidate(place, texts.documents[place], texts.lengths[place], r) for place, r in ratings.items()]
    chosen = [(sample.text_id, sample.doc_id) for sample in (choose_samples(rated) if rated else ())]
    if len(chosen) == SAMPLES:
        return chosen
    others = [
        UnratedCandidate(place, document, texts.systems[place])
        for place, document in enumerate(texts.documents)
        if place not in ratings
    ]
    drawn = draw_unrated(others, SAMPLES - len(chosen), documents=[document for _, document in chosen])
    return chosen + [(candidate.text_id, candidate.doc_id) for candidate in drawn]


def _levels(sources: Sequence[str], systems: Sequence[str], human: Sequence[float]) -> tuple[LevelFeasibility, ...]:
    table = score_table([human], human, group=sources, system=systems if any(systems) else None, duplicates="keep")
    found = []
    levels: tuple[Level, ...] = ("per-source", "dataset", "system")
    for level in levels:
        if level == "system" and not any(systems):
            continue
        estimates = estimate(table, level)
        basis = estimates.basis
        units = {"per-source": basis.groups_used, "dataset": basis.n_used, "system": basis.systems_used}[level]
        found.append(LevelFeasibility(level, units, estimates.reason))
    return tuple(found)


def feasibility_words(found: Sequence[Feasibility], task: Task) -> list[str]:
    """Return sentences; dimensions with equal sentences share them."""
    by_words: dict[tuple[str, ...], list[str]] = {}
    for each in found:
        by_words.setdefault(tuple(_words(each, task)), []).append(each.dimension)
    if len(by_words) == 1:
        return list(next(iter(by_words)))
    return [f"{', '.join(names)}: {' '.join(words)}" for words, names in by_words.items()]


def _words(found: Feasibility, task: Task) -> list[str]:
    many = task.texts_name
    out = found.texts - found.scored
    words = [
        f"{found.scored:,} of {found.texts:,} {many} stay for scoring. "
        + samples_words(task, found.samples, found.sample_sources, out)
    ]
    if not found.levels:
        return [*words, *without_ratings_words(task)]
    inside, whole = found.at("per-source"), found.at("dataset")
    if whole is None or inside is None:
        return words
    if whole.reason:
        return [*words, f"Agreement with people can't be computed: {_lower(whole.reason)}"]
    if inside.reason:
        over = f"it rests on {whole.units:,} {many}"
        todo = f"Choose the level “Dataset” in Results: {over}."
        if found.sources < FEW_TO_DRAW:
            todo = f"Over the whole dataset {over}, {_too_few_sources(found, task)}"
        return [*words, f"Agreement inside each {task.source_name} can't be computed: {_lower(inside.reason)} {todo}"]
    if inside.units < FEW_TO_DRAW:
        few = f"rests on {inside.units:,} groups of texts; its interval can be trusted from {FEW_TO_DRAW} groups on."
        over = f"Over the whole dataset it rests on {whole.units:,} {many}"
        todo = f"{over}: choose the level “Dataset” in Results."
        if found.sources < FEW_TO_DRAW:
            todo = f"{over}, {_too_few_sources(found, task)}"
        return [*words, f"Agreement inside each {task.source_name} {few} {todo}"]
    sources = f"{inside.units:,} groups of the same {task.source_name}"
    return [*words, f"Agreement with people can be computed inside {sources}, and over the whole dataset."]


def samples_words(task: Task, samples: int, sources: int, texts: int) -> str:
    """Return a sentence on the samples and what they keep out of scoring: `sources` sources whole, or for 0 only
    themselves."""
    these = f"{samples:,} {task.text_name if samples == 1 else task.texts_name}"
    read = "is the sample" if samples == 1 else "are the samples"
    if not sources:
        itself = "it stays" if samples == 1 else "they alone stay"
        return f"{these} {read} that people and LLMs read while thinking aloud; {itself} out of the evaluation."
    come = "The sample comes" if samples == 1 else f"The {samples} samples come"
    out_of = f"{sources:,} {task.source_name if sources == 1 else task.sources_name}"
    if texts == samples:
        return f"{come} from {out_of} and {'stays' if samples == 1 else 'stay'} out of the evaluation."
    these = f"this {task.source_name}" if sources == 1 else f"these {task.sources_name}"
    return f"{come} from {out_of}; all {texts:,} {task.texts_name} of {these} stay out of the evaluation."


def without_ratings_words(task: Task) -> list[str]:
    """Return sentences on what is possible without ratings."""
    return [
        f"No {task.text_name} is rated, and ratings aren't needed to begin. Experts can say good or not good of "
        f"{task.texts_name} while they read, and why. You get a checklist, scores of all {task.texts_name}, and "
        "failure rates.",
        "How well scores agree with people, and which method agrees better, needs ratings, or experts' good and not "
        f"good on scored {task.texts_name}. To add ratings, import the same {task.texts_name} again with a column of "
        "them.",
    ]


def _too_few_sources(found: Feasibility, task: Task) -> str:
    """Return the end of a sentence on having too few sources, which another level doesn't solve."""
    of_one = task.source_name if found.sources == 1 else f"different {task.sources_name}"
    more = FEW_TO_DRAW - found.sources
    wanted = task.source_name if more == 1 else task.sources_name
    return (
        f"but of only {found.sources:,} {of_one}, which is too few on that level too: bring in texts of about {more:,} "
        f"more {wanted}."
    )


def _lower(sentence: str) -> str:
    return sentence[:1].lower() + sentence[1:]


UPLOAD_FORMATS = FORMATS
TEXT_FIELDS = FIELDS
SUFFIXES = ("csv", "tsv", "xlsx", "json", "jsonl", "ndjson", "parquet")
_ROWS_SHOWN = 8
# What a column of texts is called -> the preset for such texts.
_KINDS = {
    "essay": "learner essays",
    "summary": "news summaries",
    "story": "stories",
    "response": "dialogue",
    "reply": "dialogue",
}


@dataclass(frozen=True, slots=True)
class Upload:
    """An uploaded file. `name` is shown and never used as a path."""

    name: str
    data: bytes


@dataclass(frozen=True, slots=True)
class MappedColumns:
    """The meaning of columns. `fields`: one of TEXT_FIELDS -> column; `ratings` are (dimension, column) pairs, one
    column for each rater.

    `scales` are (dimension, scale as typed) pairs, such as "1..5"; a blank scale is taken from the ratings.
    """

    fields: Mapping[str, str]
    ratings: tuple[tuple[str, str], ...] = ()
    scales: tuple[tuple[str, str], ...] = ()

    def mapping(self) -> ColumnMapping:
        """Return the mapping for an import. Raises InputError for an invalid scale."""
        ratings = tuple(RatingColumn(dimension.strip(), column, column) for dimension, column in self.ratings)
        scales = {name.strip(): read_scale(typed, name.strip()) for name, typed in self.scales if typed.strip()}
        return ColumnMapping(dict(self.fields), ratings, scales)


@dataclass(frozen=True, slots=True)
class UploadPreview:
    """A preview of a file. A table of no known format has its first `rows` of `count`, a `guess` of its columns with
    `why`, and statistics of its columns of `numbers`."""

    format: str
    columns: tuple[str, ...] = ()
    rows: tuple[Mapping[str, Any], ...] = ()
    count: int = 0
    guess: MappedColumns | None = None
    why: Mapping[str, str] = field(default_factory=dict)
    numbers: Mapping[str, NumberColumn] = field(default_factory=dict)

    def worded(self, task: Task, fields: Mapping[str, str]) -> Task:
        """Return a new project's words, with names for sources and writers from the columns of these fields."""
        source, writer = source_label(fields), writer_label(fields.get("system_id", ""))
        return replace(task, source_name=source or task.source_name, writer_name=writer or task.writer_name)

    @property
    def conversations(self) -> bool:
        """Return whether another part than the last reply can be judged."""
        known = KNOWN_FORMATS.get(self.format)
        return known is not None and known.conversation

    @property
    def kind(self) -> str:
        """Return the preset that the text column's name suggests ("summary": summaries), "" for none."""
        column = self.guess.fields.get("text", "") if self.guess else ""
        return next((kind for word, kind in _KINDS.items() if word in column.casefold()), "")


@dataclass(frozen=True, slots=True)
class ImportPlan:
    """The plan for reading an upload: its format, the sheet of a workbook, the meaning of its columns, and for a new
    project the preset and the name for writers, "" for the default. `references` and `part` as in `as_wished`.
    definitions: a paper whose definitions new dimensions get, "" for none."""

    format: str = "auto"
    sheet: str = ""
    mapped: MappedColumns | None = None
    preset: str = ""
    writer: str = ""
    references: str = ""
    part: str = ""
    definitions: str = ""


def upload_sheets(upload: Upload) -> tuple[str, ...]:
    """Return the sheets of a workbook, to choose from. Raises FileFormatError."""
    with stored(upload) as path:
        return sheets_of(path)


def preview_upload(upload: Upload, format_name: str = "auto", sheet: str = "") -> UploadPreview:
    """Return what a file holds. Raises FileFormatError if it can't be read in this format."""
    with stored(upload) as path:
        found = detect_format(path, sheet) if format_name == "auto" else format_name
        if found in KNOWN_FORMATS:
            return UploadPreview(found)
        table = open_table(path, found, sheet)
        guessed = guess(table.columns, table.rows)
        ratings = tuple((rating.dimension, rating.column) for rating in guessed.mapping.ratings)
        return UploadPreview(
            found,
            table.columns,
            # They are shown as they will be kept: the import itself makes what it keeps storable.
            tuple(storable_value(row) for row in table.rows[:_ROWS_SHOWN]),
            len(table.rows),
            MappedColumns(guessed.mapping.columns, ratings),
            guessed.why,
            number_columns(table),
        )


def check_upload(upload: Upload, plan: ImportPlan) -> tuple[Feasibility, ...]:
    """Return which analyses the texts allow if imported by this plan. Raises FileFormatError, InputError."""
    with stored(upload) as path:
        mapping = plan.mapped.mapping() if plan.mapped else None
        return feasibility(as_wished(open_corpus(path, plan.format, mapping, plan.sheet), plan.references, plan.part))


@contextmanager
def stored(upload: Upload) -> Iterator[Path]:
    """Write the upload to a temporary file for the length of the block; errors name it as the person does."""
    with stored_as(upload.name) as path:
        path.write_bytes(upload.data)
        yield path


@contextmanager
def stored_as(name: str) -> Iterator[Path]:
    """Yield a temporary path for the length of the block; errors name the file as the person does."""
    suffix = Path(name).suffix.lower()
    with TemporaryDirectory(prefix="interacteval-") as folder:
        path = Path(folder) / f"the-file{suffix if suffix[1:] in SUFFIXES else ''}"
        try:
            yield path
        except WorkbenchError as error:
            error.message, error.hint = (
                said.replace(str(path), name).replace(path.name, name) for said in (error.message, error.hint)
            )
            raise
