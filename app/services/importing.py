"""Texts and ratings from a file into a project: the good rows come in, the bad ones are listed."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from app.corpora.corpus import Corpus, CorpusText, SkippedRow
from app.corpora.mapping import ColumnMapping
from app.corpora.reading import read_corpus
from app.domain.project import Project
from app.domain.task import Dimension
from app.domain.text import Rating
from app.services.workbench import Workbench
from app.think_aloud.samples import few_documents
from db.unit_of_work import UnitOfWork


@dataclass(frozen=True, slots=True)
class ImportedDimension:
    ratings: int
    raters: int
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class ImportReport:
    """What the project holds after the import, what was new, and which rows or ratings stayed out and why."""

    project: str
    format: str
    texts: int
    sources: int
    systems: int
    ratings: int
    dimensions: dict[str, ImportedDimension]
    skipped: tuple[SkippedRow, ...]
    added_texts: int
    added_ratings: int

    @property
    def ungrouped(self) -> bool:
        """No two texts share a source: nothing can be correlated inside a source's group."""
        return self.texts > 1 and self.sources == self.texts

    @property
    def few_sources(self) -> bool:
        """So few sources, or such large ones, that samples keep only themselves out of scoring."""
        return few_documents(self.sources, self.texts)

    def to_json(self) -> dict[str, Any]:
        return asdict(self) | {"few_sources": self.few_sources}


def import_file(
    workbench: Workbench,
    path: Path,
    project: str,
    format_name: str = "auto",
    mapping: ColumnMapping | None = None,
) -> ImportReport:
    """Read the file, then keep it in one transaction. The project is created if it is new.

    What is already there is not added again. Raises FileFormatError or NotFoundError for a file that can't be read.
    """
    return keep_corpus(workbench, read_corpus(path, format_name, mapping), project)


def keep_corpus(workbench: Workbench, corpus: Corpus, project: str, notice: str = "") -> ImportReport:
    with workbench.database.write() as work:
        target = work.projects.find(project) or work.projects.add(project, corpus.task, notice)
        dimensions = _dimensions(work, target, corpus)
        skipped = list(corpus.skipped)
        fitting, added_texts = _keep_texts(work, target, corpus.texts, skipped)
        added_ratings = _keep_ratings(work, target, dimensions, fitting, skipped)
        return _report(work, target, corpus.format, skipped, (added_texts, added_ratings))


def _dimensions(work: UnitOfWork, project: Project, corpus: Corpus) -> dict[str, Dimension]:
    there = {d.name: d for d in work.projects.dimensions(project.id)}
    for dimension in corpus.dimensions:
        if dimension.name not in there:
            there[dimension.name] = work.projects.add_dimension(project.id, dimension)
    return there


def _keep_texts(
    work: UnitOfWork, project: Project, texts: Sequence[CorpusText], skipped: list[SkippedRow]
) -> tuple[list[CorpusText], int]:
    """The texts whose ratings may come in, and how many of them are new to the project."""
    known = work.texts.known(project.id)
    fitting, new = [], []
    for item in texts:
        stored = known.get(item.text.key)
        if stored is None:
            new.append(item.text)
        elif stored[1:] != (item.text.text, item.text.source):
            reason = f"another text is already stored under {' / '.join(part for part in item.text.key if part)}"
            skipped.append(SkippedRow(item.row, reason))
            continue
        fitting.append(item)
    work.texts.add_many(project.id, new)
    return fitting, len(new)


def _keep_ratings(
    work: UnitOfWork,
    project: Project,
    dimensions: dict[str, Dimension],
    texts: Sequence[CorpusText],
    skipped: list[SkippedRow],
) -> int:
    ids = work.texts.ids_by_key(project.id)
    known = work.texts.rating_values(project.id)
    new: list[tuple[int, int, Rating]] = []
    for item in texts:
        text_id = ids[item.text.key]
        for rating in item.ratings:
            dimension = dimensions[rating.dimension]
            key = (text_id, dimension.id, rating.rater)
            if key in known:
                if known[key] != rating.value:
                    reason = (
                        f"{rating.rater} already rated this text {known[key]:g} on {dimension.name}; "
                        f"{rating.value:g} was left out"
                    )
                    skipped.append(SkippedRow(item.row, reason))
            elif not dimension.low <= rating.value <= dimension.high:
                reason = (
                    f"rating {rating.value:g} on {dimension.name} is outside {dimension.low:g} to {dimension.high:g}"
                )
                skipped.append(SkippedRow(item.row, reason))
            else:
                known[key] = rating.value
                new.append((text_id, dimension.id, rating))
    work.texts.add_ratings(new)
    return len(new)


def _report(
    work: UnitOfWork, project: Project, format_name: str, skipped: Sequence[SkippedRow], added: tuple[int, int]
) -> ImportReport:
    counts = work.texts.rating_counts(project.id)
    sources, systems = work.texts.distinct(project.id)
    dimensions = {
        d.name: ImportedDimension(*counts.get(d.name, (0, 0)), d.low, d.high)
        for d in work.projects.dimensions(project.id)
    }
    return ImportReport(
        project=project.name,
        format=format_name,
        texts=work.every_text.count(project.id),
        sources=sources,
        systems=systems,
        ratings=sum(d.ratings for d in dimensions.values()),
        dimensions=dimensions,
        skipped=tuple(sorted(skipped, key=lambda s: s.row)),
        added_texts=added[0],
        added_ratings=added[1],
    )
