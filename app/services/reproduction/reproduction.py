"""Reproduction of a paper's table in ordinary projects: files are imported, missing runs are scored, existing ones
reused.

The missing parts are planned each time from what the projects hold, so that an interrupted reproduction can be resumed
and nothing is paid twice.
"""

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from app.corpora.recipes.recipe import OF_ATTRIBUTES, Column, DataSet, PaperRecipe, PaperTable, RecipeMethod, Row
from app.domain.attribute import ContributorKind
from app.domain.condition import Family
from app.domain.project import Dimension, Project
from app.domain.run import RunSummary
from app.domain.text_filter import SystemChoice
from app.errors import (
    InputError,
    MissingAddressError,
    MissingKeyError,
    NotFoundError,
    UnknownModelError,
    WorkbenchError,
    WrongKeyError,
)
from app.providers.model_options import USUAL, ModelOptions, options_for
from app.services.attributes.attributes import attributes_of
from app.services.conditions.study import StudyOptions, checks_of, plan_trials
from app.services.conditions.study_worker import StudyEstimate, estimate_study, run_study
from app.services.data.projects import dimensions_named, get_project
from app.services.reproduction.data_files import file_sets, import_paper_attributes, import_paper_texts
from app.services.runtime.judges import judge_named
from app.services.runtime.workbench import Workbench
from app.services.scoring.draws import DrawCheck, check_draws
from app.services.scoring.evaluators import (
    NO_JUDGE,
    OWN,
    asks_a_judge,
    check_evaluator,
    check_judge_of,
    check_provider_of,
)
from app.services.scoring.forecast import Estimate, estimate
from app.services.scoring.runs import RunOptions, RunReport, failures_of, list_runs, plan_run, start_run, work_on
from app.services.think_aloud.llm_think_aloud import ThinkAloudForecast, answer_counts, ask_models, forecast_think_aloud
from app.services.think_aloud.samples import ensure_samples, rechoose_samples

_NOT_COMPARED = frozenset({"budget", "use_cache", "batch", "timeout", "max_output_tokens", "tier"})
_FOR_THE_PERSON = (MissingKeyError, MissingAddressError, WrongKeyError, UnknownModelError)
SAYS = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class ReproductionOptions:
    """A user's options for a table. judges, models: `MODEL`, or `NAME=MODEL` to stand in for one of the paper's models.

    share: of the texts, instead of the recipe's draw. project: its name, or a prefix if the table has several data
    sets. asking: options of all models.
    """

    files: tuple[str, ...] = ()
    judges: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    project: str = ""
    share: float | None = None
    asking: ModelOptions = USUAL


@dataclass(frozen=True, slots=True)
class RunSource:
    """A run that scores a dimension."""

    project: Project
    options: RunOptions
    dimension: Dimension


@dataclass(frozen=True, slots=True)
class StudySource:
    """A condition of a study on a dimension, in a trial counted from 1; or two conditions, for their difference."""

    project: Project
    options: StudyOptions
    dimension: Dimension
    conditions: tuple[str, ...]
    contributor: str = ""
    trial: int = 1


@dataclass(frozen=True, slots=True)
class ImportedSource:
    """Scores on a dimension that were imported."""

    project: Project
    dimension: Dimension
    run: int


@dataclass(frozen=True, slots=True)
class FileSource:
    """Published scores on a dimension, with their ratings."""

    data: DataSet
    paths: tuple[Path, ...]
    dimension: str
    trial: int


@dataclass(frozen=True, slots=True)
class AttributeSource:
    """The attributes of a condition on a dimension; nothing has to be scored for it."""

    project: Project
    dimension: Dimension
    condition: str


Source = RunSource | StudySource | ImportedSource | FileSource | AttributeSource


@dataclass(frozen=True, slots=True)
class PlannedPart:
    """A missing run, study or think-aloud, with its estimate."""

    project: str
    what: str
    judge: str
    estimate: Estimate | StudyEstimate | ThinkAloudForecast

    @property
    def calls(self) -> int:
        found = self.estimate
        return found.build_calls + found.judge_calls if isinstance(found, StudyEstimate) else found.calls

    def to_json(self) -> dict[str, Any]:
        found = self.estimate
        written = found.output_tokens if isinstance(found, StudyEstimate) else found.output_tokens_estimate
        return {
            "project": self.project,
            "what": self.what,
            "judge": self.judge,
            "calls": self.calls,
            "calls_cached": found.calls_cached if isinstance(found, Estimate) else 0,
            "input_tokens": found.input_tokens,
            "output_tokens_estimate": written,
            "cost_usd": found.cost_usd,
        }


@dataclass
class Reproduction:
    """The reproduction of one table. Raises NotFoundError for an unknown table, InputError for files that are none of
    its data sets and for useless models."""

    workbench: Workbench
    recipe: PaperRecipe
    name: str
    wishes: ReproductionOptions = ReproductionOptions()
    problems: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.name = self.recipe.table_named(self.name)
        self.table: PaperTable = self.recipe.table(self.name)
        self.files = file_sets(self.recipe, self.table, self.wishes.files)
        self.data = {name: self.recipe.data[name] for name in self.recipe.data_of(self.table)}
        self._judges = self._named(self.wishes.judges)
        self._models = self._named(self.wishes.models)

    def _named(self, given: Sequence[str]) -> dict[str, list[str]]:
        """Return the paper's model, "" for all others -> the models that stand in for it."""
        methods = self.recipe.methods.values()
        known = {name.casefold(): name for each in methods for name in (each.model, each.contributor) if name}
        found: dict[str, list[str]] = {}
        for entry in given:
            name, sign, model = entry.partition("=")
            stands_in = bool(sign) and ":" not in name  # else the sign belongs to the model's name
            if stands_in and name.strip().casefold() not in known:
                has = f"Its models are {', '.join(sorted(known.values()))}." if known else "It names none."
                raise InputError(f"{self.recipe.paper} has no model “{name.strip()}” to stand in for.", has)
            found.setdefault(name.strip().casefold() if stands_in else "", []).append(model if stands_in else entry)
        return found

    @cached_property
    def rows(self) -> tuple[Row, ...]:
        """Return the paper's rows, and one for each of the user's models that stands in for none of the paper's, if the
        table allows it."""
        own = self._models.get("", []) if self.table.own_models else []
        labels = {row.label for row in self.table.rows}
        more = [Row(label=name[:120], method=self.table.own_models) for name in own if name not in labels]
        return (*self.table.rows, *more)

    def method_of(self, row: Row) -> RecipeMethod | None:
        return self.recipe.methods[row.method] if row.method else None

    def substitute_models(self, row: Row, method: RecipeMethod) -> list[str]:
        """Return the models that answer in place of the paper's: those named for it, else those named for all."""
        if self.table.own_models and row not in self.table.rows:
            return [row.label]
        name = method.model.casefold()
        beside = self._models.get(name, []) if self.table.own_models else []  # else they think aloud
        named = [*self._judges.get(name, []), *beside] if name else []
        return list(dict.fromkeys(named or self._judges.get("", [])))

    @cached_property
    def thinkers(self) -> list[str]:
        """Return the models that think aloud and build checklists; the first one builds."""
        return [model for models in self._models.values() for model in models]

    # What there is.

    def project_name(self, data: str) -> str:
        """Return the name of a data set's project; a table with several data sets has one for each."""
        several = len([name for name, each in self.data.items() if each.kind == "texts"]) > 1
        name = self.wishes.project or f"{self.recipe.paper} {self.name}"
        return f"{name} {data}" if several else name

    def bring_in(self, say: SAYS = lambda _: None) -> None:
        """Import the files' texts and attributes into the projects. Nothing is added twice."""
        for name, data in self.data.items():
            if data.kind == "texts" and (paths := self.files.get(name)):
                say(f"{paths[0].name}: {data.title}, project “{self.project_name(name)}”")
                import_paper_texts(self.workbench, paths[0], data, self.project_name(name))
        paths = [
            path for name, data in self.data.items() if data.kind == "attributes" for path in self.files.get(name, ())
        ]
        for project in self.projects.values() if paths else ():
            if project is not None:
                import_paper_attributes(self.workbench, project, paths)
        self._choose_samples()

    def _choose_samples(self) -> None:
        """Choose the samples for demonstrations and think-alouds before anything is scored, because samples aren't
        scored."""
        shown = [column for column in self.table.columns if column.options.get("setting") == "idm"]
        wanted = [
            (project, self._dimension(project, c)) for c in shown if (project := self.projects[c.data]) is not None
        ]
        found = [dimension for _, dimension in wanted if dimension is not None]
        most = max((int(column.options.get("demonstrations", 0)) for column in shown), default=0)
        for dimension in found:
            if len(ensure_samples(self.workbench, dimension.id)) < most:
                rechoose_samples(self.workbench, dimension.id, count=most)
        for project, study in self.wanted_studies:
            found += [dimension for dimensions in self.to_ask(project, study).values() for dimension in dimensions]
        for dimension in found:
            ensure_samples(self.workbench, dimension.id)
        for planned in ("sources", "_planned"):  # from texts that may be samples now
            self.__dict__.pop(planned, None)

    @cached_property
    def projects(self) -> Mapping[str, Project | None]:
        """Return data set -> its project; None if there is none yet."""
        return {name: self._project(name) for name, data in self.data.items() if data.kind == "texts"}

    def _project(self, data: str) -> Project | None:
        try:
            return get_project(self.workbench, self.project_name(data))
        except NotFoundError:
            return None

    # What each figure rests on.

    @cached_property
    def sources(self) -> Mapping[tuple[str, str], list[Source] | str]:
        """Return (row, column's heading) -> the sources of its figures, one for each model; or why there are none."""
        return {
            (row.label, column.heading): self._sources(row, column)
            for row in self.rows
            for column in self.table.columns
        }

    def _sources(self, row: Row, column: Column) -> list[Source] | str:
        if row.scores and (paths := self.files.get(row.scores)):
            return [FileSource(self.recipe.data[row.scores], tuple(paths), column.dimension, row.trial)]
        method = self.method_of(row)
        if method is None:
            wanted = f"scores of {self.recipe.data[row.scores].title}" if row.scores else "scores from elsewhere"
            return "" if row.mean_of else f"It needs {wanted}."
        if column.alone and column.evaluator != method.evaluator:
            return ""
        project = self.projects[column.data]
        if project is None:
            return f"No file of {self.data[column.data].title} was given."
        dimension = self._dimension(project, column)
        if dimension is None:
            return f"The texts of “{project.name}” have no dimension {column.dimension}."
        if method.imported:
            runs = list_runs(self.workbench, project.id)
            found = next(
                (r for r in runs if r.evaluator == f"{OWN}{method.imported}" and dimension.name in r.dimensions), None
            )
            how = f"interacteval scores import FILE --project {project.name!r} --name {method.imported!r}"
            return (
                [ImportedSource(project, dimension, found.id)] if found else f"Its scores come from elsewhere: `{how}`."
            )
        if method.condition and OF_ATTRIBUTES.issuperset(column.figures):
            return [AttributeSource(project, dimension, method.condition)]
        if method.condition:
            judges = self.substitute_models(row, method)
            if not judges:
                return f"No model was named in place of {method.model or 'the paper’s'}."
            conditions = row.compared or (method.condition,)
            contributor = self._contributor(method)
            return [
                StudySource(
                    project,
                    self._study(column.data, project, method, judge),
                    dimension,
                    conditions,
                    contributor,
                    row.trial,
                )
                for judge in judges
            ]
        return self._runs(row, column, method, project, dimension)

    def _dimension(self, project: Project, column: Column) -> Dimension | None:
        there = {each.name.casefold(): each for each in dimensions_named(self.workbench, project.name, "all")}
        also = self.data[column.data].also.get(column.dimension, "")
        return there.get(column.dimension.casefold()) or there.get(also.casefold())

    def _runs(
        self, row: Row, column: Column, method: RecipeMethod, project: Project, dimension: Dimension
    ) -> list[Source] | str:
        judged = asks_a_judge(method.evaluator)
        judges = self.substitute_models(row, method) if judged else [NO_JUDGE]
        if not judges:
            return f"No model was named in place of {method.model or 'the paper’s'}."
        alike = [
            each
            for each in self.table.columns
            if each.data == column.data and method.settings(each) == method.settings(column)
        ]
        dimensions = [there for each in alike if (there := self._dimension(project, each)) is not None]
        without = self.data[column.data].without if method.without is None else method.without
        found: list[Source] = []
        for judge in judges:
            options = RunOptions(
                tuple(dict.fromkeys(dimensions)),
                judge,
                method.evaluator,
                settings=method.settings(column),
                systems=SystemChoice(without=without),
                model=options_for(judge, self.wishes.asking) if judged else USUAL,
                **self._drawn(row.trial),
            )
            if problem := self._problem(project, options):
                return problem
            found.append(RunSource(project, options, dimension))
        return found

    def _drawn(self, trial: int) -> dict[str, Any]:
        """Return which texts are drawn, as arguments of RunOptions."""
        if self.wishes.share is not None:
            return {"share": self.wishes.share, "seed": self.table.seed + trial - 1}
        return {"share": self.table.share, "draw": self.table.draw, "seed": self.table.seed + trial - 1}

    def _problem(self, project: Project, options: RunOptions) -> str:
        """Return why the run can't be made here, else "". Raises errors that the user has to fix: a model or its
        key."""
        return self._plan(project, options)[0]

    def _plan(self, project: Project, options: RunOptions) -> tuple[str, int]:
        """Return why the run can't be made here, else "", and how many scores it would have."""
        key = project.id, options
        if key not in self._planned:
            try:
                method = check_evaluator(options.evaluator)
                if method.judged:
                    check_provider_of(method, options.judge)
                    judge = judge_named(self.workbench, options.judge)
                    check_judge_of(method, judge.name, judge.is_llm)
                parts = plan_run(self.workbench, project.id, options)
                self._planned[key] = "", sum(len(part.texts) for part in parts)
            except _FOR_THE_PERSON:
                raise
            except WorkbenchError as error:
                self._planned[key] = str(error), 0
        return self._planned[key]

    @cached_property
    def _planned(self) -> dict[tuple[int, RunOptions], tuple[str, int]]:
        return {}

    def _contributor(self, method: RecipeMethod) -> str:
        """Return the model that stands in for the contributor, else the paper's name for it; "" for none."""
        stands_in = self._models.get(method.contributor.casefold(), []) if method.contributor else []
        return next(iter(stands_in), method.contributor)

    def _study(self, data: str, project: Project, method: RecipeMethod, judge: str) -> StudyOptions:
        """Return one study for all rows with these models, with all their conditions, trials and dimensions."""
        alike = [
            (row, other)
            for row in self.rows
            if (other := self.method_of(row)) is not None
            and other.condition
            and (other.model, other.components) == (method.model, method.components)
        ]
        families = {family for row, other in alike for family in (row.compared or (other.condition,))}
        columns = [column for column in self.table.columns if column.data == data]
        dimensions = [found for column in columns if (found := self._dimension(project, column)) is not None]
        drawn = self._drawn(1)
        several = drawn["share"] != 1 or drawn.get("draw")
        return StudyOptions(
            tuple(dict.fromkeys(dimensions)),
            next(iter(self.thinkers), judge),
            judge,
            tuple(family for family in Family if family.value in families),
            method.components,
            trials=max(row.trial for row, _ in alike) if several else 1,
            asking=self.wishes.asking,
            **drawn,
        )

    # What is missing, and making it.

    @property
    def wanted_runs(self) -> list[tuple[Project, RunOptions]]:
        """Return each needed run once, in the order of the table."""
        return list(dict.fromkeys((s.project, s.options) for s in self._all_sources() if isinstance(s, RunSource)))

    @property
    def wanted_studies(self) -> list[tuple[Project, StudyOptions]]:
        return list(dict.fromkeys((s.project, s.options) for s in self._all_sources() if isinstance(s, StudySource)))

    def _all_sources(self) -> list[Source]:
        return [source for found in self.sources.values() if not isinstance(found, str) for source in found]

    def run_of(self, project: Project, options: RunOptions) -> RunSummary | None:
        """Return the newest run with these options on the current texts, perhaps unfinished; None without one."""
        wanted = {name: value for name, value in options.params().items() if name not in _NOT_COMPARED}
        texts = self._plan(project, options)[1]
        names = {dimension.name for dimension in options.dimensions}
        return next(
            (
                run
                for run in list_runs(self.workbench, project.id)
                if (run.evaluator, run.judge, set(run.dimensions)) == (options.evaluator, options.judge, names)
                and not (run.from_file or run.apart or run.locked)
                and run.all == texts
                and all(run.params.get(name) == value for name, value in wanted.items())
            ),
            None,
        )

    def to_ask(self, project: Project, options: StudyOptions) -> dict[str, list[Dimension]]:
        """Return model -> the dimensions it still has to think aloud about; {} if LLMs' attributes were imported."""
        models = self.thinkers
        said: dict[str, set[str]] = {dimension.name: set() for dimension in options.dimensions}
        for attribute in attributes_of(self.workbench, project.id):
            if attribute.kind is ContributorKind.LLM and attribute.dimension in said:
                said[attribute.dimension].add(attribute.contributor)
        counts = answer_counts(self.workbench, options.dimensions, models)
        asked = {
            model: [d for d in options.dimensions if said[d.name] <= set(models) and not counts[f"{d.id} {model}"]]
            for model in models
        }
        return {model: dimensions for model, dimensions in asked.items() if dimensions}

    def forecast(self) -> list[PlannedPart]:
        """Return the missing parts with calls and cost. Raises what planning them raises."""
        found = []
        for project, options in self.wanted_runs:
            run = self.run_of(project, options)
            if run is None or run.done < run.all:
                try:
                    ahead = estimate(self.workbench, project.id, options)
                    found.append(PlannedPart(project.name, _called(options), options.judge, ahead))
                except WorkbenchError as error:
                    self._note_problem(f"{project.name}, {_called(options)}, {options.judge}", error)
        for project, study in self.wanted_studies:
            for model, dimensions in self.to_ask(project, study).items():
                for said in forecast_think_aloud(self.workbench, project, dimensions, [model]):
                    found.append(PlannedPart(project.name, "think-aloud", model, said))
            try:
                plans = plan_trials(self.workbench, project, study)
            except WorkbenchError as error:
                self._note_problem(project.name, error)
                continue
            if any(plan.to_score for plan in plans):
                found.append(
                    PlannedPart(project.name, study.words, study.judge, estimate_study(self.workbench, study, plans))
                )
        return found

    def draw_checks(self) -> list[DrawCheck]:
        """Return how closely each draw's ratings are distributed like those of all texts; [] if all are scored."""
        found: list[DrawCheck] = []
        for project, options in self.wanted_runs:
            found += check_draws(self.workbench, project.id, options)
        for project, study in self.wanted_studies:
            found += checks_of(self.workbench, project, plan_trials(self.workbench, project, study))
        return list({(check.dimension.id, check.seed): check for check in found}.values())

    def make(
        self,
        concurrency: int,
        on_run: Callable[[RunSummary], None] = lambda _: None,
        say: SAYS = lambda _: None,
        stop: threading.Event | None = None,
    ) -> None:
        """Score what is missing, one run after another, resuming unfinished ones. `problems` gets what failed.

        Raises errors that only the user can fix: a key, or a missing model.
        """
        stop = stop or threading.Event()
        for project, options in self.wanted_runs:
            run = self.run_of(project, options)
            if stop.is_set() or (run is not None and run.done == run.all):
                continue
            try:
                run_id = run.id if run is not None else start_run(self.workbench, project.id, options)
                say(f"{project.name}, run {run_id}: {_called(options)}, {options.judge}")
                self._note(work_on(self.workbench, run_id, concurrency, on_run))
            except WorkbenchError as error:
                self._note_problem(f"{project.name}, {_called(options)}, {options.judge}", error)
        for project, study in self.wanted_studies:
            if not stop.is_set():
                self._make_study(project, study, say, stop, concurrency)

    def _note_problem(self, what: str, error: WorkbenchError) -> None:
        """Note the problem and continue, or raise the error if the user has to fix something first."""
        if isinstance(error, _FOR_THE_PERSON):
            raise error
        self.problems.append(f"{what}: {error}")

    def _note(self, report: RunReport) -> None:
        if report.fatal is not None:
            raise report.fatal
        run = report.run
        if run.done < run.all:
            failures = failures_of(self.workbench, run.id)
            said = f" {run.message or (failures[0][3] if failures else '')}".rstrip()
            self.problems.append(f"{run.project}, run {run.id}: {run.done:,} of {run.all:,} scored.{said}")

    def _make_study(
        self, project: Project, study: StudyOptions, say: SAYS, stop: threading.Event, concurrency: int
    ) -> None:
        for model, dimensions in self.to_ask(project, study).items():
            workbench = replace(self.workbench, asking=options_for(model, self.wishes.asking))
            for answer in ask_models(workbench, project, dimensions, [model]):
                if answer.error:
                    self.problems.append(f"{project.name}, {model}: {answer.error}")
        try:
            report = run_study(
                self.workbench, project, study, lambda what, done, all_: say(f"{done}/{all_} {what}"), stop, concurrency
            )
            self.problems += [f"{project.name}: {problem}" for problem in report.problems]
        except WorkbenchError as error:
            self._note_problem(project.name, error)


def _called(options: RunOptions) -> str:
    return ", ".join([options.evaluator, *(f"{name}={value}" for name, value in options.settings)])
