"""Evaluation methods as a run uses them: checked before it starts, and created with everything they need; reuse of
answers."""

import hashlib
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from fnmatch import fnmatchcase
from types import MappingProxyType
from typing import Any, Literal

from app.construction.questions import APPLICABILITY, IMPROVE, prompt_name
from app.construction.steps.result import from_document
from app.domain.attribute import ContributorKind
from app.domain.build import Stage
from app.domain.checklist import Action, Checklist, Question, unchanged_questions
from app.domain.checklist_score import Judgment
from app.domain.project import Dimension, TextPlace
from app.domain.roles_and_rights import Right
from app.domain.run import RunDimension, RunSummary, ScoreStatus
from app.domain.text_filter import TextFilter
from app.errors import InputError, NotReadyError, UnsupportedError
from app.evaluators.checklist import METHOD, JudgeOptions
from app.evaluators.method import (
    Evaluator,
    EvaluatorContext,
    JudgeLogprobs,
    Method,
    Stages,
    as_params,
    described,
    unused_option,
)
from app.evaluators.method import Option as Option  # noqa: PLC0414 - for the screens, which know services only
from app.evaluators.registry import METHODS, method_named
from app.prompting import available_prompts, dimension_variables, task_variables
from app.providers.base import ChatModel
from app.providers.model_name import parse_model_name
from app.providers.registry import answers_questions, gives_logprobs, rates_given_texts
from app.providers.specs import spec_of
from app.services.runtime.prompts import active_wordings
from app.services.runtime.workbench import Workbench, use_case
from app.think_aloud.elicitation import TRANSCRIPT_PROMPT as PICKING
from db.unit_of_work import UnitOfWork

ASKED_AS, TAKEN_FROM = "asked_as", "answers_from"
OPEN_AS, SHOWN_AS = "open_asked_as", "examples_asked_as"


@dataclass(frozen=True, slots=True)
class ReuseSource:
    """An earlier run, and id of its question -> id of the same question in the new checklist."""

    run: int
    same: Mapping[int, int]


@dataclass(frozen=True, slots=True)
class Reuse:
    """The answers that a run would reuse on one dimension.

    questions: of the checklist. left: (questions still to ask, number of such texts), most texts first. runs: those
    that gave the reused answers.
    """

    dimension: str
    questions: int
    left: tuple[tuple[int, int], ...]
    runs: tuple[int, ...]

    def __str__(self) -> str:
        asks = ", ".join(f"{asked} of {self.questions} questions for {texts:,} texts" for asked, texts in self.left)
        runs = ("run " if len(self.runs) == 1 else "runs ") + ", ".join(map(str, self.runs))
        return f"{self.dimension}: asks {asks}; the other answers count again from {runs}."


def reused(
    work: UnitOfWork, plan: Sequence[RunDimension], known: Mapping[int, Mapping[int, Sequence[Judgment]]]
) -> tuple[Reuse, ...]:
    """Return the reuse on each dimension with any. known: dimension -> text -> reusable answers."""
    found = []
    for part in plan:
        asked = work.checklists.get(part.checklist).asked if part.checklist else ()
        of_part = [known[part.dimension].get(text, ()) for text in part.texts]
        runs = sorted({judgment.origin or 0 for judgments in of_part for judgment in judgments})
        left = Counter(len(left_to_ask(asked, judgments)) for judgments in of_part)
        if runs:
            found.append(Reuse(part.name, len(asked), tuple(left.most_common()), tuple(runs)))
    return tuple(found)


def reuse_params(
    work: UnitOfWork,
    project_id: int,
    plan: Sequence[RunDimension],
    judge: str,
    asking: JudgeOptions,
    wanted: bool = True,
    effort: str = "",
) -> dict[str, Any]:
    """Return what a checklist run records: how each dimension is asked, for later runs, and the runs from which it
    reuses answers, newest first; none if reuse isn't wanted or the judge's answers are free."""
    asked_as = {part.dimension: _asked_as(work, project_id, part, asking, effort) for part in plan}
    open_as = _words_of(work, project_id, asking.prompt(may_not_apply=True))
    shown_as = _words_of(work, project_id, asking.prompt(examples=True))
    taken = {
        str(part.dimension): _earlier_runs(work, project_id, part, judge, asked_as[part.dimension], (open_as, shown_as))
        for part in plan
        if wanted and spec_of(parse_model_name(judge).provider).speaks_http
    }
    checklists = [work.checklists.get(part.checklist) for part in plan if part.checklist]
    open_ = any(question.may_not_apply for checklist in checklists for question in checklist.asked)
    shown = any(question.examples for checklist in checklists for question in checklist.asked)
    return {
        **({OPEN_AS: open_as} if open_ else {}),
        **({SHOWN_AS: shown_as} if shown else {}),
        ASKED_AS: {str(dimension): digest for dimension, digest in asked_as.items()},
        TAKEN_FROM: {dimension: runs for dimension, runs in taken.items() if runs},
    }


def answers_from(params: Mapping[str, Any], dimension_id: int) -> list[int]:
    """Return the runs from which a run reuses answers on a dimension."""
    return list(params.get(TAKEN_FROM, {}).get(str(dimension_id), ()))


def earlier_answers(
    work: UnitOfWork, params: Mapping[str, Any], part: RunDimension, repeats: int
) -> dict[int, list[Judgment]]:
    """Return text -> reusable answers, each with the run that asked; the newest if several did.

    A question counts as answered only if all its repeats were.
    """
    if not part.checklist:
        return {}
    checklist, words = work.checklists.get(part.checklist), _asked_in(params)
    found: dict[int, dict[tuple[int, int], Judgment]] = {}
    for run in answers_from(params, part.dimension):
        source = _source(work, checklist, run, part.dimension, words)
        for text, judgments in work.every_result.judgments_by_text(source.run, part.dimension).items():
            known = found.setdefault(text, {})
            for judgment in judgments:
                question = source.same.get(judgment.question)
                if question is not None and judgment.settled:
                    own = replace(judgment, question=question, origin=judgment.origin or source.run)
                    known.setdefault((question, judgment.repeat), own)
    return {text: _whole(known, repeats) for text, known in found.items()}


def earlier_of_run(work: UnitOfWork, run: RunSummary, part: RunDimension) -> dict[int, list[Judgment]]:
    """Return `earlier_answers` for a planned run."""
    return earlier_answers(work, run.params, part, int(run.params.get("repeats", 1)))


def left_to_ask(asked: Sequence[Question], earlier: Sequence[Judgment]) -> tuple[Question, ...]:
    known = {judgment.question for judgment in earlier}
    return tuple(question for question in asked if question.id not in known)


def _whole(known: Mapping[tuple[int, int], Judgment], repeats: int) -> list[Judgment]:
    questions = dict.fromkeys(question for question, _ in known)
    answered = [q for q in questions if all((q, repeat) in known for repeat in range(repeats))]
    return [known[question, repeat] for question in answered for repeat in range(repeats)]


def _asked_as(work: UnitOfWork, project_id: int, part: RunDimension, asking: JudgeOptions, effort: str) -> str:
    """Return a digest of everything a judge is told besides the questions and the text."""
    told = {
        "task": task_variables(work.projects.by_id(project_id).task),
        "dimension": dimension_variables(work.projects.dimension_by_id(part.dimension)),
        "prompt": part.prompt_digest,
        "asking": as_params(asking),
        **({"effort": effort} if effort else {}),
    }
    return hashlib.sha256(json.dumps(told, sort_keys=True, ensure_ascii=False).encode()).hexdigest()


def _words_of(work: UnitOfWork, project_id: int, name: str) -> str:
    """Return the name of the wording in use of a prompt: the built-in version, or the project's own number."""
    own = active_wordings(work, project_id).get(name)
    return f"{name}@{available_prompts()[name][-1]}{f'+own{own}' if own else ''}"


def _earlier_runs(
    work: UnitOfWork, project_id: int, part: RunDimension, judge: str, asked_as: str, words: tuple[str, str]
) -> list[int]:
    """Return runs with an answer to a question that is still asked, newest first."""
    if not part.checklist:
        return []
    checklist, judge = work.checklists.get(part.checklist), str(parse_model_name(judge))
    older = work.checklists.ancestors(checklist.id)
    alike = [
        run.id
        for run in work.runs.all(project_id)
        if run.evaluator == METHOD.name
        and run.done
        and str(parse_model_name(run.judge)) == judge
        and run.params.get(ASKED_AS, {}).get(str(part.dimension)) == asked_as
        and _checklist_of(work, run.id, part.dimension) in older
    ]
    return [run for run in alike if _source(work, checklist, run, part.dimension, words).same]


def _checklist_of(work: UnitOfWork, run_id: int, dimension_id: int) -> int | None:
    return next((part.checklist for part in work.runs.parts(run_id) if part.dimension == dimension_id), None)


def _asked_in(params: Mapping[str, Any]) -> tuple[str, str]:
    """Return the wordings in which a run asks questions that may not apply, and those with examples; "" for none."""
    return str(params.get(OPEN_AS, "")), str(params.get(SHOWN_AS, ""))


def _source(
    work: UnitOfWork, checklist: Checklist, run_id: int, dimension_id: int, words: tuple[str, str]
) -> ReuseSource:
    """Return the reusable questions of a run. words: of the new run, as `_asked_in` returns them."""
    earlier = _checklist_of(work, run_id, dimension_id)
    before = work.checklists.get(earlier).asked if earlier else ()
    open_before, shown_before = _asked_in(work.runs.get(run_id).params)
    open_now, shown_now = words
    same = unchanged_questions(before, checklist.asked, open_before, open_now, shown_before, shown_now)
    return ReuseSource(run_id, same)


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
    work: UnitOfWork, run: RunSummary, model: ChatModel, stages: Stages, judge_logprobs: JudgeLogprobs
) -> dict[int, Evaluator]:
    """Return dimension -> evaluator of a run, from the project's present state. judge_logprobs: one for the run."""
    options = options_of(method_named(run.evaluator), run.params)
    project_id, parts = work.runs.project_of(run.id), work.runs.parts(run.id)
    seed = int(run.params.get("seed", 0))
    earlier = {part.dimension: earlier_of_run(work, run, part) for part in parts}
    return build_evaluators(
        work, project_id, parts, run.evaluator, options, run.judge, seed, model, stages, earlier, judge_logprobs
    )


def build_evaluators(
    work: UnitOfWork,
    project_id: int,
    parts: Sequence[RunDimension],
    evaluator: str,
    options: Any,
    judge: str,
    seed: int,
    model: ChatModel,
    stages: Stages,
    earlier: Mapping[int, Mapping[int, Sequence[Judgment]]] = MappingProxyType({}),
    judge_logprobs: JudgeLogprobs | None = None,
) -> dict[int, Evaluator]:
    """Return dimension -> evaluator for each part of a planned or stored run. `earlier`: dimension -> reusable
    answers."""
    project, method = work.projects.by_id(project_id), method_named(evaluator)
    if not method.of_dimension:  # one evaluator serves all
        evaluator_of_all = method.make(EvaluatorContext(model, project.task, Dimension(""), options))
        return {part.dimension: evaluator_of_all for part in parts}
    everything = work.projects.dimensions(project.id)
    return {
        part.dimension: method.make(
            EvaluatorContext(
                model,
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
        )
        for part in parts
    }


ModelTask = Literal["think aloud", "build", "judge", "rewrite", "review", "improve"]
RULES = "rules"
_REWRITES = [prompt_name(action) for action in Action if action not in (Action.VALIDATE, Action.APPLICABILITY)]
_STAGES: dict[ModelTask, Sequence[str]] = {
    "rewrite": _REWRITES,
    "review": [Stage.VALIDATION.value, APPLICABILITY],
    "improve": [IMPROVE],
}


@use_case(Right.SEE)
def last_model(workbench: Workbench, project_id: int, task: ModelTask) -> str:
    """Return the model that the project last used for this task, else the LLM last used for another; "" for none."""
    with workbench.database.read() as work:
        last = {"build": _builder(work, project_id), "judge": _judge(work, project_id), "think aloud": ""}
        last["think aloud"] = next(iter(_thinkers(work, project_id)), "")
        if task not in last:
            last[task] = next(iter(work.stages.last_models(project_id, _STAGES[task])), "")
    others = (name for name in last.values() if name not in ("", RULES))
    return last[task] or next(others, "")


@use_case(Right.FACILITATE)
def last_thinkers(workbench: Workbench, project_id: int) -> list[str]:
    """Return the LLMs that thought aloud in the project; if there are none, the rules if they did."""
    with workbench.database.read() as work:
        return _thinkers(work, project_id)


@use_case(Right.TAKE_PART)
def last_picker(workbench: Workbench, project_id: int) -> str:
    """Return the LLM that last found attributes in a recording; "" for none."""
    with workbench.database.read() as work:
        return next(iter(work.stages.last_models(project_id, [PICKING])), "")


def _judge(work: UnitOfWork, project_id: int) -> str:
    asked = (run for run in work.runs.all(project_id) if "file_digest" not in run.params)
    return next((run.judge for run in asked if run.judge not in ("", NO_JUDGE)), "")


def _builder(work: UnitOfWork, project_id: int) -> str:
    builds = [one for place in work.projects.dimensions(project_id) for one in work.builds.of_dimension(place.id)]
    newest = max(builds, key=lambda one: one.id, default=None)
    return from_document(work.builds.state(newest.id)[1]).models[Stage.COMPONENTS] if newest else ""


def _thinkers(work: UnitOfWork, project_id: int) -> list[str]:
    """Return the models that thought aloud, the latest first."""
    said = [one for one in work.think_aloud.attributes(project_id) if one.kind is ContributorKind.LLM]
    names = dict.fromkeys(one.contributor for one in sorted(said, key=lambda one: -one.id))
    return [name for name in names if name != RULES] or list(names)
