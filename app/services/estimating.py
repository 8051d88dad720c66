"""What a run would score, ask and cost, before it starts."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from app.domain.checklist import ChecklistStatus
from app.domain.run import RunDimension, RunStatus
from app.evaluators.checklist import JudgeOptions, judge_request
from app.prompting import load_prompt
from app.providers.base import ChatRequest, Usage
from app.providers.pricing import estimate_tokens, shipped_prices
from app.services.evaluating import CHECKLIST, check_evaluator, check_judge_of
from app.services.probing import probe
from app.services.scoring import RunOptions, plan_run
from app.services.workbench import Workbench
from db.unit_of_work import Database, UnitOfWork

TOKENS_PER_ANSWER = 7  # "q12": "yes", with its share of the braces
_REMEMBERED = 32
# Not lru_cache: that would hold on to the workbench, and with it to a key somebody typed and then forgot.
_FORECASTS: dict[tuple[object, ...], "Forecast"] = {}
TOKENS_PER_REASON = 40  # the same with a reason of up to twenty words


@dataclass(frozen=True, slots=True)
class Estimate:
    """`calls` are all requests, `calls_cached` those answered before; tokens and cost are of the others.

    `cost_usd` is None where the price is unknown.
    """

    calls: int
    calls_cached: int
    input_tokens: int
    output_tokens_estimate: int
    cost_usd: float | None

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    def __str__(self) -> str:
        cost = "an unknown price" if self.cost_usd is None else f"about ${self.cost_usd:.2f}"
        return (
            f"{self.calls} calls, {self.calls_cached} of them already answered; about {self.input_tokens:,} tokens in "
            f"and {self.output_tokens_estimate:,} out; {cost}"
        )


@dataclass(frozen=True, slots=True)
class Forecast:
    """The run that would start: `texts` counts different texts, `parts` say which texts on which dimension."""

    parts: tuple[RunDimension, ...]
    texts: int
    is_llm: bool
    estimate: Estimate


def estimate(workbench: Workbench, project_id: int, options: RunOptions) -> Estimate:
    """Raises what planning the run raises."""
    plan = plan_run(workbench, project_id, options)
    return _counted(workbench, project_id, options, plan)[0]


def forecast(workbench: Workbench, project_id: int, options: RunOptions) -> Forecast:
    """What would be scored, and the estimate. Raises what planning the run raises.

    Counting the tokens of thousands of requests takes seconds, so the same question about the same data is counted
    once.
    """
    with workbench.database.read() as work:
        question = (id(workbench.database), project_id, options, _state(work, project_id, options))
    if question not in _FORECASTS:
        if len(_FORECASTS) >= _REMEMBERED:
            _FORECASTS.clear()
        _FORECASTS[question] = _forecast(workbench, project_id, options)
    return _FORECASTS[question]


def _forecast(workbench: Workbench, project_id: int, options: RunOptions) -> Forecast:
    plan = plan_run(workbench, project_id, options)
    texts = {text for part in plan for text in part.texts}
    counted, is_llm = _counted(workbench, project_id, options, plan)
    return Forecast(tuple(plan), len(texts), is_llm, counted)


def _counted(
    workbench: Workbench, project_id: int, options: RunOptions, plan: Sequence[RunDimension]
) -> tuple[Estimate, bool]:
    """The estimate, and whether an LLM is asked at all."""
    method = check_evaluator(options.evaluator)
    if not method.judged:
        return Estimate(0, 0, 0, 0, 0.0), False
    name, is_llm = workbench.check_model(options.judge)
    check_judge_of(method, name, is_llm)
    if options.evaluator == CHECKLIST:
        return _estimate(workbench.database, project_id, options, plan, name, is_llm), is_llm
    probed = probe(workbench.database, project_id, options, plan, name)
    usage = Usage(probed.input_tokens, 0, probed.output_tokens)
    cost = shipped_prices().cost(name, usage)
    return Estimate(probed.calls, probed.cached, usage.input_tokens, usage.output_tokens, cost), is_llm


def _state(work: UnitOfWork, project_id: int, options: RunOptions) -> tuple[object, ...]:
    """Changes whenever the forecast could: the texts, ratings, samples, checklists, the task's words, calls made."""
    found = [work.checklists.find(d.id, options.version, ChecklistStatus.PUBLISHED) for d in options.dimensions]
    samples = [sample.text.id for d in options.dimensions for sample in work.think_aloud.samples(d.id)]
    return (
        work.texts.count(project_id),
        tuple(work.texts.rating_counts(project_id).items()),
        tuple(checklist and checklist.id for checklist in found),
        tuple(samples),
        work.projects.by_id(project_id).task,
        tuple((r.id, r.done, r.failed) for r in work.runs.all(project_id) if r.status is not RunStatus.RUNNING),
    )


def _estimate(
    database: Database, project_id: int, options: RunOptions, plan: Sequence[RunDimension], name: str, is_llm: bool
) -> Estimate:
    with database.read() as work:
        if not is_llm:
            return Estimate(_rule_calls(work, plan, options.asking), 0, 0, 0, 0.0)
        digests, sizes = [], []
        for request in _requests(work, project_id, plan, options.asking):
            digests.append(request.digest(name))
            answers = len((request.schema or {}).get("required", ()))
            per_answer = TOKENS_PER_REASON if options.asking.reasons else TOKENS_PER_ANSWER
            sizes.append((estimate_tokens(request.prompt.system + request.prompt.user), answers * per_answer))
        known = work.calls.known(digests)
    new = [size for digest, size in zip(digests, sizes, strict=True) if digest not in known]
    usage = Usage(sum(i for i, _ in new), 0, sum(o for _, o in new))
    return Estimate(
        len(digests),
        len(digests) - len(new),
        usage.input_tokens,
        usage.output_tokens,
        shipped_prices().cost(name, usage),
    )


def _rule_calls(work: UnitOfWork, plan: Sequence[RunDimension], asking: JudgeOptions) -> int:
    return sum(
        len(part.texts) * (len(work.checklists.get(part.checklist or 0).asked) if asking.per_question else 1)
        for part in plan
    )


def _requests(
    work: UnitOfWork, project_id: int, plan: Sequence[RunDimension], asking: JudgeOptions
) -> Iterator[ChatRequest]:
    task, template = work.projects.by_id(project_id).task, load_prompt(asking.prompt())
    for part in plan:
        dimension = work.projects.dimension_by_id(part.dimension)
        questions = work.checklists.get(part.checklist or 0).asked
        groups = [(question,) for question in questions] if asking.per_question else [questions]
        texts = work.texts.many(part.texts)
        for text_id in part.texts:
            for group in groups:
                for repeat in range(asking.repeats):
                    yield judge_request(template, task, dimension, group, texts[text_id], asking, repeat)
