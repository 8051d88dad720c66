"""Evaluation methods as a run uses them: checked before it starts, and created with everything they need."""

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from fnmatch import fnmatchcase
from types import MappingProxyType
from typing import Any

from app.domain.checklist_score import Judgment
from app.domain.project import Dimension, TextPlace
from app.domain.run import RunDimension, RunSummary, ScoreStatus
from app.domain.text_filter import TextFilter
from app.errors import InputError, NotReadyError, UnsupportedError
from app.evaluators.method import (
    Evaluator,
    EvaluatorContext,
    JudgeLogprobs,
    Method,
    Stages,
    described,
    unused_option,
)
from app.evaluators.method import Option as Option  # noqa: PLC0414 - for the screens, which know services only
from app.evaluators.registry import METHODS, method_named
from app.providers.base import ChatModel
from app.providers.model_name import parse_model_name
from app.providers.registry import answers_questions, gives_logprobs, rates_given_texts
from app.services.scoring.reuse import earlier_of_run
from db.unit_of_work import UnitOfWork

_KEY = ("doc_id", "system_id", "item_id")


def filtered_texts(
    work: UnitOfWork,
    project_id: int,
    wanted: TextFilter,
    texts: Sequence[TextPlace],
    way: tuple[str, str, Any],
    part: tuple[int, int | None],
) -> list[TextPlace]:
    """Return the texts that the filter keeps, in order. way: (method, judge, options of the method). part: (dimension,
    checklist) ids. Raises NotReadyError if none fits a pattern."""
    left = list(texts)
    for name, pattern in wanted.matching:
        said = {text.id: text.key[_KEY.index(name)] for text in left} if name in _KEY else _column(work, name, left)
        left = [text for text in left if fnmatchcase(said[text.id], pattern)]
        if not left:
            raise NotReadyError(f"No text fits {name}={pattern}.", "* stands for anything, ? for one character.")
    if wanted.since is not None:
        since = work.texts.imported_since(project_id, wanted.since)
        left = [text for text in left if text.id in since]
    if wanted.new:
        scored = _scored_texts(work, project_id, way, part)
        left = [text for text in left if text.id not in scored]
    return left


def _column(work: UnitOfWork, name: str, texts: Sequence[TextPlace]) -> dict[int, str]:
    extras = work.texts.extras([text.id for text in texts])
    columns = sorted({column for extra in extras.values() for column in extra})
    if name not in columns:
        raise NotReadyError(f"No text has a column “{name}”.", f"There are: {', '.join([*_KEY, *columns[:20]])}.")
    return {text.id: str(extras.get(text.id, {}).get(name, "")) for text in texts}


def _scored_texts(
    work: UnitOfWork, project_id: int, way: tuple[str, str, Any], part: tuple[int, int | None]
) -> set[int]:
    evaluator, judge, options = way
    return {
        row.text
        for run in work.runs.all(project_id)
        if (run.evaluator, _full_name(run.judge)) == (evaluator, _full_name(judge))
        and options_of(method_named(evaluator), run.params) == options
        and any((each.dimension, each.checklist) == part for each in work.runs.parts(run.id))
        for row in work.results.each_scored(run.id, part[0])
        if row.status is ScoreStatus.DONE
    }


def _full_name(judge: str) -> str:
    return judge if judge == NO_JUDGE else str(parse_model_name(judge))


CHECKLIST = "checklist"
NO_JUDGE = "none"
EVALUATORS = tuple(METHODS)
OWN = "own: "  # before the name of scores that came from a file


def on_scale(run: RunSummary) -> bool:
    """Return whether the run's scores are on the scale of the ratings, so that their distance means something."""
    if run.evaluator.startswith(OWN):
        return bool(run.params.get("on_scale"))
    return run.evaluator not in METHODS or METHODS[run.evaluator].on_scale


def methods() -> dict[str, str]:
    """Return name of a method -> title. Missing requirements are reported when a run is planned."""
    return {method.name: method.title for method in METHODS.values()}


def takes_rules(name: str) -> bool:
    """Return whether the built-in rules can be the method's judge."""
    return method_named(name).by_rules


def needs_checklist(name: str, settings: Sequence[tuple[str, str]] = ()) -> bool:
    """Return whether a dimension needs a published checklist with these options as written."""
    method = method_named(name)
    return method.checklist(method.read_options(dict(settings)))


def with_checklist() -> list[str]:
    """Return the methods that need a published checklist, with the option that requires it if not always."""
    found = []
    for method in METHODS.values():
        choices = [(o.name, value) for o in described(method.options) for value in o.choices]
        ways = [f"{method.name} with {name}={value}" for name, value in choices if _needs(method, {name: value})]
        found += [method.name] if _needs(method, {}) else ways
    return found


def _needs(method: Method, chosen: Mapping[str, Any]) -> bool:
    return method.checklist(method.read_options(chosen))


def method_options_of(name: str) -> tuple[Option, ...]:
    """Return the method's options with descriptions, in order. Raises InputError for an unknown method."""
    return described(method_named(name).options)


def asks_a_judge(name: str) -> bool:
    return method_named(name).judged


def check_evaluator(name: str) -> Method:
    """Return the method. Raises InputError if it is unknown or requires an installation."""
    method = method_named(name)
    method.check()
    return method


def chosen_options(name: str, given: Sequence[tuple[str, Any]]) -> Any:
    """Return the method's options from names and values, which may be strings.

    Raises InputError for an unknown option (naming methods that have it), for one given twice with different values,
    and for one without effect.
    """
    options = check_evaluator(name).read_options(given_options(name, given))
    if problem := unused_option(name, options):
        raise InputError(problem, "Leave it out, or choose that.")
    return options


def given_options(name: str, given: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    """Return name -> value of the given options, without checking their combination. Raises InputError."""
    method = check_evaluator(name)
    chosen: dict[str, Any] = {}
    for option, value in given:
        if option not in {o.name for o in described(method.options)}:
            raise InputError(f"{name} has no option “{option}”.", _who_has(method, option))
        read = getattr(method.read_options({option: value}), option)
        if chosen.setdefault(option, read) != read:
            raise InputError(f"{option} is given twice, as {chosen[option]} and as {read}.", "Give it once.")
    return chosen


def _who_has(method: Method, option: str) -> str:
    own = ", ".join(o.name for o in described(method.options))
    others = [other.name for other in METHODS.values() if option in {o.name for o in described(other.options)}]
    has = f"It has: {own}." if own else "It has none."
    return f"{', '.join(others)} {'takes' if len(others) == 1 else 'take'} it. {has}" if others else has


def check_provider_of(method: Method, judge: str) -> None:
    """Raise UnsupportedError if no model of the judge's provider can do what the method needs; no key is required."""
    if not method.judged:
        return
    if not method.rates_given and not answers_questions(judge):
        raise UnsupportedError(f"{judge} only says how likely given texts are.", "Use it with gptscore.")
    if method.rates_given and not rates_given_texts(judge):
        raise UnsupportedError(
            f"{method.name} needs the log-probability of every token of a given text, which {judge} can't give; "
            "nothing else can stand in for it.",
            "Use llama:NAME at a server whose completions endpoint has echo (vLLM, llama-cpp-python), or a model on "
            "this computer: local:NAME, extra “local”.",
        )


def check_judge_of(method: Method, judge: str, is_llm: bool) -> None:
    """Raise UnsupportedError if the method needs an LLM and the judge is none."""
    if method.judged and not method.by_rules and not is_llm:
        raise UnsupportedError(
            f"{method.name} needs an LLM as its judge; {judge} is none.", "Choose an LLM as the judge."
        )


def options_of(method: Method, params: Mapping[str, Any]) -> Any:
    """Return a method's options from the parameters stored with a run."""
    known = {field.name for field in fields(method.options)}
    return method.read_options({name: value for name, value in params.items() if name in known})


def evaluators_of(
    work: UnitOfWork, run: RunSummary, models: Sequence[ChatModel], stages: Stages, judge_logprobs: JudgeLogprobs
) -> list[dict[int, Evaluator]]:
    """Return for each of the models dimension -> evaluator of a run, from the project's present state.

    judge_logprobs: one for the run.
    """
    options = options_of(method_named(run.evaluator), run.params)
    project_id, parts = work.runs.project_of(run.id), work.runs.parts(run.id)
    seed = int(run.params.get("seed", 0))
    earlier = {part.dimension: earlier_of_run(work, run, part) for part in parts}
    return build_evaluators(
        work, project_id, parts, run.evaluator, options, run.judge, seed, models, stages, earlier, judge_logprobs
    )


def build_evaluators(
    work: UnitOfWork,
    project_id: int,
    parts: Sequence[RunDimension],
    evaluator: str,
    options: Any,
    judge: str,
    seed: int,
    models: Sequence[ChatModel],
    stages: Stages,
    earlier: Mapping[int, Mapping[int, Sequence[Judgment]]] = MappingProxyType({}),
    judge_logprobs: JudgeLogprobs | None = None,
) -> list[dict[int, Evaluator]]:
    """Return for each of the models dimension -> evaluator, for each part of a planned or stored run. `earlier`:
    dimension -> reusable answers."""
    project, method = work.projects.by_id(project_id), method_named(evaluator)
    if not method.of_dimension:  # one evaluator serves all
        of_all = [method.make(EvaluatorContext(model, project.task, Dimension(""), options)) for model in models]
        return [{part.dimension: made for part in parts} for made in of_all]
    everything = work.projects.dimensions(project.id)
    contexts = {
        part.dimension: EvaluatorContext(
            models[0],
            project.task,
            work.projects.dimension_by_id(part.dimension),
            options,
            work.checklists.get(part.checklist) if part.checklist else None,
            tuple(d for d in everything if d.id != part.dimension),
            stages,
            seed=seed,
            logprobs=judge != NO_JUDGE and gives_logprobs(judge),
            samples=tuple(work.think_aloud.samples(part.dimension)),
            earlier=earlier.get(part.dimension, {}),
            judge_logprobs=judge_logprobs or JudgeLogprobs(),
        )
        for part in parts
    }
    return [
        {dimension: method.make(replace(context, model=model)) for dimension, context in contexts.items()}
        for model in models
    ]
