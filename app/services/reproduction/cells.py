"""Cells of a paper's table: the published figure, ours with its interval, and their difference."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from statistics import fmean
from typing import Any, cast

from app.corpora.recipes.recipe import OF_ATTRIBUTES, Column, Place, Row
from app.domain.condition import of_condition, study_conditions
from app.domain.project import Dimension
from app.errors import NotReadyError
from app.meta_evaluation.bootstrap import RESAMPLES, AgreementDesign
from app.meta_evaluation.correlation import Basis
from app.meta_evaluation.evaluation import Figure, MetaEvaluation, ScoredDimension, evaluate, mean_over_dimensions
from app.meta_evaluation.score_matrix import Coefficient, Duplicates, Measure
from app.meta_evaluation.writer_bias import Mean
from app.services.attributes.comparison import names_of_task, similarity_of_sets, topics_in
from app.services.conditions.study import plan_trials
from app.services.conditions.study_figures import StudyFigures, trial_figures
from app.services.reproduction.data_files import PublishedScores, read_scores
from app.services.reproduction.reproduction import (
    AttributeSource,
    FileSource,
    ImportedSource,
    Reproduction,
    RunSource,
    Source,
    StudySource,
)
from app.services.results.results import Choices, DimensionResult, cached_result
from app.services.results.run_comparison import compare_runs, sets_named
from app.services.results.writer_bias import bias_of

MARKS = ("†", "‡")
LIKELY = 0.05
_NO_MEAN_OF_Z = "The paper doesn't say how it averages z over dimensions."


@dataclass(frozen=True, slots=True)
class Cell:
    """One figure of a table. low, high: of our 95 % interval; mark: † or ‡ if ours is above the columns that the recipe
    names for it, by a permutation test at .05; groups_used, groups_all: of sources, where agreement is inside each;
    reason: why we have no figure."""

    row: str
    column: str
    published: float | None
    ours: float | None = None
    low: float | None = None
    high: float | None = None
    n: int | None = None
    mark: str = ""
    reason: str = ""
    groups_used: int | None = None
    groups_all: int | None = None

    @property
    def difference(self) -> float | None:
        """Return our figure minus the published one, None if either is missing."""
        return None if self.ours is None or self.published is None else self.ours - self.published

    def to_json(self) -> dict[str, Any]:
        return asdict(self) | {"difference": self.difference}


@dataclass(frozen=True, slots=True)
class _Scored:
    """Scores with ratings, one place for each text; equal `keys` mark the same text on several dimensions."""

    keys: tuple[object, ...]
    scores: tuple[float | None, ...]
    ratings: tuple[float | None, ...]
    sources: tuple[str, ...]
    writers: tuple[str, ...]
    items: tuple[str, ...]
    on_scale: bool
    duplicates: Duplicates


@dataclass(frozen=True, slots=True)
class _Found:
    """The figures of one column, with the scores behind them if an average can be resampled; `run` if it is a single
    run."""

    figures: Mapping[str, Figure | Mean | float | None]
    scored: _Scored | None = None
    run: int | None = None
    dimension: int | None = None
    n: int | None = None
    basis: Basis | None = None


@dataclass
class TableCells:
    """Computes the cells of a reproduction as far as it is scored. resamples: for intervals, 0 for none."""

    made: Reproduction
    resamples: int = RESAMPLES
    _found: dict[tuple[str, str], list[_Found] | str] = field(default_factory=dict)
    _studies: dict[object, Sequence[StudyFigures]] = field(default_factory=dict)

    def cells(self) -> list[Cell]:
        """Return all cells, row by row, from left to right."""
        places = self.made.table.places
        found: dict[tuple[str, str], Cell] = {}
        for row in sorted(self.made.rows, key=lambda row: bool(row.mean_of)):
            for number, place in enumerate(places):
                published = row.published[number] if row.published else None
                cell = self._mean_of(row, place, published, found) if row.mean_of else self._cell(row, place, published)
                found[row.label, place.heading] = cell
        return [found[row.label, place.heading] for row in self.made.rows for place in places]

    def _mean_of(self, row: Row, place: Place, published: float | None, found: Mapping[tuple[str, str], Cell]) -> Cell:
        """Return the mean over the rows that have a figure, including those of the user's own models."""
        own = [each.label for each in self.made.rows if each not in self.made.table.rows]
        cells = [found[label, place.heading] for label in (*row.mean_of, *own)]
        values = [cell.ours for cell in cells if cell.ours is not None]
        reason = "" if values else "None of its rows has a figure."
        return Cell(row.label, place.heading, published, fmean(values) if values else None, reason=reason)

    def _cell(self, row: Row, place: Place, published: float | None) -> Cell:
        if place.column is None:
            return self._average(row, place, published)
        found = self._column(row, place.column)
        if isinstance(found, str):
            return Cell(row.label, place.heading, published, reason=found)
        figures = [each.figures.get(place.figure) for each in found]
        mark = self._mark(row, place, found[0]) if len(found) == 1 and place.column.against else ""
        cell = _joined(Cell(row.label, place.heading, published, n=found[0].n, mark=mark), figures)
        basis = found[0].basis
        if len(found) > 1 or basis is None or self.made.table.level != "per-source":
            return cell
        return replace(cell, groups_used=basis.groups_used, groups_all=basis.groups_all)

    def _average(self, row: Row, place: Place, published: float | None) -> Cell:
        columns = [column for column in self.made.table.columns if place.figure in column.figures]
        several = [self._column(row, column) for column in columns]
        empty = Cell(row.label, place.heading, published)
        if place.figure.startswith("fisher"):
            return Cell(row.label, place.heading, published, reason=_NO_MEAN_OF_Z)
        lacking = next((each for each in several if isinstance(each, str)), None)
        if lacking is not None:
            return Cell(row.label, place.heading, published, reason=lacking)
        found = [each for each in several if not isinstance(each, str)]
        parts = [each[0].scored for each in found if len(each) == 1 and each[0].scored is not None]
        if len(parts) == len(columns):
            return _joined(empty, [self._over(parts).get(cast("Measure", place.figure))])
        values = [_value(figure.figures.get(place.figure)) for each in found for figure in each]
        known = [value for value in values if value is not None]
        return _joined(empty, [fmean(known) if known and len(known) == len(values) else None])

    def _over(self, parts: Sequence[_Scored]) -> Mapping[Measure, Figure]:
        """Return the mean over columns, which may have different texts."""
        rows = {
            key: (source, writer, item)
            for part in parts
            for key, source, writer, item in zip(part.keys, part.sources, part.writers, part.items, strict=True)
        }
        sources, writers, items = ([about[place] for about in rows.values()] for place in range(3))
        table, scored = self.made.table, []
        for part in parts:
            scores, ratings = (dict(zip(part.keys, values, strict=True)) for values in (part.scores, part.ratings))
            scored.append(ScoredDimension([scores.get(k) for k in rows], [ratings.get(k) for k in rows], part.on_scale))
        return mean_over_dimensions(
            scored,
            AgreementDesign(
                group=sources,
                system=writers if any(writers) else None,
                item=None if any(writers) else items,
                level=table.level,
                duplicates=parts[0].duplicates,
                resamples=self.resamples,
            ),
        )

    def _column(self, row: Row, column: Column) -> list[_Found] | str:
        key = row.label, column.heading
        if key not in self._found:
            sources = self.made.sources[key]
            self._found[key] = sources if isinstance(sources, str) else self._of_sources(sources, column)
        return self._found[key]

    def _of_sources(self, sources: Sequence[Source], column: Column) -> list[_Found] | str:
        found = []
        for source in sources:
            each = self._of_source(source, column)
            if isinstance(each, str):
                return each
            found.append(each)
        return found

    def _of_source(self, source: Source, column: Column) -> _Found | str:
        match source:
            case FileSource():
                return self._of_file(source, column)
            case RunSource():
                run = self.made.run_of(source.project, source.options)
                return self._of_run(run.id, source.dimension.id, column) if run and run.done else "Not scored yet."
            case ImportedSource():
                return self._of_run(source.run, source.dimension.id, column)
            case AttributeSource():
                return self._of_attributes(source.dimension, source.condition, column)
            case StudySource():
                found = self._of_study(source, column)
                if isinstance(found, str) or OF_ATTRIBUTES.isdisjoint(column.figures):
                    return found
                more = self._of_attributes(source.dimension, source.conditions[0], column)
                return more if isinstance(more, str) else replace(found, figures={**found.figures, **more.figures})

    def _of_attributes(self, dimension: Dimension, condition: str, column: Column) -> _Found | str:
        """Return the similarity within the condition's attributes and their spread over five LDA topics of all
        attributes; for a condition of single contributors the means over them."""
        with self.made.workbench.database.read() as work:
            project = work.projects.project_of(dimension.id)
            attributes = work.think_aloud.attributes(project.id, dimension.id)
        codes = [code for each, code in study_conditions(attributes).items() if each.family.value == condition]
        if not codes:
            return f"Nobody whom the condition {condition} is about has attributes on {dimension.name}."
        figures: dict[str, Figure | float | None] = {}
        if "self-rouge-l" in column.figures:
            sets = [[each.id for each in of_condition(attributes, code)] for code in codes]
            likeness = [each.rouge_l for each in similarity_of_sets(attributes, sets)]
            known = [value for value in likeness if value is not None]
            figures["self-rouge-l"] = fmean(known) if known and len(known) == len(likeness) else None
        if "topic-spread" in column.figures:
            try:
                names = names_of_task(self.made.workbench, project.id, dimension.id)
                spreads = topics_in(attributes, names=names).lda.conditions
            except NotReadyError as error:
                return error.message
            shares = [spreads[code].by_top_topic for code in codes if code in spreads]
            found = [each.spread for each in shares if each is not None]
            figures["topic-spread"] = fmean(found) if found and len(found) == len(codes) else None
        return _Found(figures)

    def _choices(self) -> Choices:
        return Choices(self.made.table.level, duplicates=self.made.table.duplicates, resamples=self.resamples)

    def _of_run(self, run: int, dimension: int, column: Column) -> _Found | str:
        if column.preferred:
            return self._of_writers(run, dimension, column.preferred)
        result = cached_result(self.made.workbench, run, dimension, self._choices())
        if result is None:
            return "Not scored yet."
        return _Found(_named(result.meta), _scored(result, column.data), run, dimension, basis=result.meta.basis)

    def _of_writers(self, run: int, dimension: int, preferred: str) -> _Found | str:
        """Return mean scores of texts by people and by LLMs, in the pairs where people preferred that one."""
        try:
            study = bias_of(self.made.workbench, run, dimension, self._choices())
        except NotReadyError as error:
            return error.message
        group = next(each for each in study.groups if each.preference == preferred)
        return _Found({"mean-person": group.person, "mean-llm": group.llm}, n=group.pairs)

    def _of_file(self, source: FileSource, column: Column) -> _Found | str:
        rows = read_scores(source.data, source.paths, source.dimension, source.trial)
        if rows is None:
            return f"No file of {source.data.title} is named after {source.dimension}."
        meta = evaluate(
            rows.scores,
            rows.ratings,
            AgreementDesign(
                group=rows.sources,
                system=rows.writers if any(rows.writers) else None,
                level=self.made.table.level,
                duplicates="keep",
                resamples=self.resamples,
            ),
            on_scale=True,
        )
        return _Found(_named(meta), _published(rows, column), basis=meta.basis)

    def _of_study(self, source: StudySource, column: Column) -> _Found | str:
        key = source.project.id, source.options
        if key not in self._studies:
            plans = plan_trials(self.made.workbench, source.project, source.options)
            self._studies[key] = trial_figures(
                self.made.workbench, plans, self.made.table.level, permutations=0, resamples=self.resamples
            ).trials
        trials = self._studies[key]
        trial = trials[min(source.trial, len(trials)) - 1]
        rows = {row.family.value: row for row in trial.rows if row.dimension.id == source.dimension.id and not row.name}
        missing = [name for name in source.conditions if name not in rows]
        if missing:
            return f"The condition {missing[0]} isn't scored yet, or its contributors have no attributes."
        if len(source.conditions) == 2:
            for each in trial.differences:
                keys = (each.first.family.value, each.second.family.value)
                if each.first.dimension.id == source.dimension.id and keys == source.conditions:
                    return _Found({f"fisher-{name}": tested.fisher.statistic for name, tested in each.tested.items()})
            return f"{source.conditions[0]} and {source.conditions[1]} aren't compared."
        members = rows[source.conditions[0]].members
        if source.contributor:
            name = source.contributor.casefold()
            exactly = tuple(m for m in members if m.condition.name.casefold() == name)
            members = exactly or tuple(m for m in members if name in m.condition.name.casefold())
            if not members:
                return f"No contributor is called like {source.contributor}."
        if len(members) == 1:
            return self._of_run(members[0].run, source.dimension.id, column)
        return _Found({str(name): figure for name, figure in rows[source.conditions[0]].figures.items()})

    def _mark(self, row: Row, place: Place, found: _Found) -> str:
        column = place.column
        assert column is not None  # averages have no mark
        said = ""
        for mark, heading in zip(MARKS, column.against, strict=False):
            other = next(each for each in self.made.table.columns if each.heading == heading)
            base = self._column(row, other)
            if isinstance(base, str) or len(base) != 1 or None in (base[0].run, found.run):
                continue
            runs = cast("list[int]", [base[0].run, found.run])
            said += mark if self._better(other, found, runs, cast("Coefficient", place.figure)) else ""
        return said

    def _better(self, other: Column, found: _Found, runs: Sequence[int], figure: Coefficient) -> bool:
        """Return whether the second run agrees significantly better with people than the first."""
        project = self.made.projects[other.data]
        assert project is not None and found.dimension is not None
        first, second = sets_named(self.made.workbench, project.id, found.dimension, runs)
        (compared,) = compare_runs(self.made.workbench, found.dimension, first, [second], self._choices())
        if compared.comparison is None:
            return False
        tested = compared.comparison.differences[figure]
        difference, p = tested.figure.difference, tested.permutation.p
        return difference is not None and difference > 0 and p is not None and p < LIKELY


def cells_of(made: Reproduction, resamples: int = RESAMPLES) -> list[Cell]:
    """Return every cell of the table, as far as scored."""
    return TableCells(made, resamples).cells()


def _joined(cell: Cell, figures: Sequence[Figure | Mean | float | None]) -> Cell:
    """Return the cell with its figure and interval; for several models with their mean, without an interval."""
    first = figures[0]
    if len(figures) == 1 and isinstance(first, Figure):
        return replace(cell, ours=first.value, low=first.low, high=first.high, n=first.n, reason=_reason(first))
    if len(figures) == 1 and isinstance(first, Mean):
        return replace(cell, ours=first.value, low=first.low, high=first.high)
    known = [value for figure in figures if (value := _value(figure)) is not None]
    if len(known) < len(figures):
        return replace(cell, reason="It has no such figure.")
    return replace(cell, ours=fmean(known))


def _named(meta: MetaEvaluation) -> Mapping[str, Figure]:
    return {str(name): figure for name, figure in meta.figures.items()} | {"mae": meta.mae}


def _reason(figure: Figure) -> str:
    return figure.reason if figure.value is None else ""


def _value(figure: Figure | Mean | float | None) -> float | None:
    return figure.value if isinstance(figure, Figure | Mean) else figure


def _scored(result: DimensionResult, data: str) -> _Scored:
    """Return the scores behind a result; the same text on other dimensions has the same key."""
    rows = result.compared
    return _Scored(
        tuple((data, row.text) for row in rows),
        tuple(row.score for row in rows),
        tuple(row.human for row in rows),
        tuple(f"{data} {row.doc_id}" for row in rows),
        tuple(row.system_id for row in rows),
        tuple(row.item_id for row in rows),
        result.on_scale,
        result.choices.duplicates,
    )


def _published(rows: PublishedScores, column: Column) -> _Scored:
    keys = tuple((column.heading, number) for number in range(len(rows.scores)))
    items = tuple(f"{column.heading} {number}" for number in range(len(rows.scores)))
    return _Scored(keys, rows.scores, rows.ratings, rows.sources, rows.writers, items, True, "keep")
