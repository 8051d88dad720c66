"""Forecast of what a run would score, ask and cost."""

import asyncio
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from typing import Any

from app.domain.checklist import ChecklistStatus
from app.domain.checklist_score import Judgment
from app.domain.roles_and_rights import Right
from app.domain.run import RunDimension, RunStatus
from app.errors import ProviderError, UnsupportedError
from app.evaluators.checklist import JudgeOptions, judge_request
from app.providers.base import ChatReply, ChatRequest, TokenLogprob, Usage, digest_of
from app.providers.known_prices import known_prices, today
from app.providers.model_options import FLEX_OR_STANDARD, check_effort, check_tier
from app.providers.pricing import BATCH, FLEX, STANDARD
from app.providers.registry import expects_logprobs, sells_batches
from app.services.runtime.endpoint_models import context_window
from app.services.runtime.judges import (
    JudgeAbility,
    PromptSize,
    Reasoning,
    caching_of,
    check_wishes,
    judge_named,
    reasoning_of,
)
from app.services.runtime.prompts import active_wordings, own_wordings
from app.services.runtime.workbench import Workbench, use_case
from app.services.scoring.evaluators import (
    CHECKLIST,
    NO_JUDGE,
    build_evaluators,
    check_evaluator,
    check_judge_of,
    check_provider_of,
)
from app.services.scoring.reuse import Reuse, earlier_answers, left_to_ask, reused
from app.services.scoring.run_writer import DatabaseStages
from app.services.scoring.runs import RunOptions, check_batch, plan_run, reuse_of
from db.unit_of_work import UnitOfWork

TOKENS_OF_A_REPLY = 60  # between a bare score and a page of steps


@dataclass(frozen=True, slots=True)
class DryRun:
    """The requests of a run, counted without sending them. `calls` are all, `cached` those answered before; tokens are
    of the others.

    A request that depends on a missing answer can't be written yet; its length is taken as the average of the others.
    `sizes` are those of all uncached requests if every one can be written, else (). `longest`: tokens of the longest
    one with its answer.
    """

    calls: int
    cached: int
    input_tokens: int
    output_tokens: int
    sizes: tuple[PromptSize, ...] = ()
    longest: int = 0


def dry_run(
    workbench: Workbench, project_id: int, options: RunOptions, plan: Sequence[RunDimension], judge: str
) -> DryRun:
    method_options = options.method_options()
    each = check_evaluator(options.evaluator).calls(method_options, expects_logprobs(judge))
    with workbench.database.read() as work:
        knowing = _RequestCounter(work, judge, options.model.effort, workbench.replies_of(project_id))
        stages = DatabaseStages(workbench.database)
        (evaluators,) = build_evaluators(
            work, project_id, plan, options.evaluator, method_options, judge, options.seed, (knowing,), stages
        )

        async def run() -> int:
            calls = 0
            for part in plan:
                texts = work.every_text.many(part.texts).values()
                calls += each.of(texts)
                for text in texts:
                    with suppress(ProviderError):
                        await evaluators[part.dimension].score(text)
            return calls

        calls = asyncio.run(run())
    known = knowing.known if options.use_cache else {}
    new = max(calls - len(known), 0)
    sizes = [*knowing.missing.values(), *(() if options.use_cache else knowing.known.values())]
    mean = sum(size.read for size in sizes) / max(len(sizes), 1)
    all_written = knowing.asked == calls
    all_sizes, longest = tuple(sizes) if all_written else (), _longest(sizes)
    return DryRun(calls, calls - new, round(mean * new), TOKENS_OF_A_REPLY * new, all_sizes, longest)


def _longest(sizes: Iterable[PromptSize]) -> int:
    return max((size.read + size.written for size in sizes), default=0)


class _RequestCounter:
    """A stand-in for the judge, with its name, that records each request once, as cached or not. asked: number of
    requests."""

    is_llm = True

    def __init__(self, work: UnitOfWork, name: str, effort: str = "", only_project: int | None = None) -> None:
        self._work = work
        self._only_project = only_project
        self.name = name
        self.effort = effort
        self.known: dict[str, PromptSize] = {}
        self.missing: dict[str, PromptSize] = {}
        self.asked = 0

    async def complete(self, request: ChatRequest) -> ChatReply:
        digest = digest_of(request, self)
        call = self._work.calls.find(digest, project_id=self._only_project)
        size = PromptSize.of(request, TOKENS_OF_A_REPLY)
        self.asked += 1
        if call is None:
            self.missing[digest] = size
            raise UnsupportedError(f"{self.name} was not asked this before.")
        self.known[digest] = size
        logprobs = tuple(TokenLogprob(token, logprob, top) for token, logprob, top in call.logprobs)
        return ChatReply(call.reply, call.model, finish=call.finish, logprobs=logprobs, rationales=call.rationales)

    async def aclose(self) -> None:
        """Do nothing: there is no connection."""


CENT = 0.01
FREE = "free, since answered before or the same as another"
TOKENS_PER_ANSWER = 7  # "q12": "yes", with its share of the braces
_REMEMBERED, _REMEMBERED_TEXTS = 32, 2_000_000
SAMPLED_FROM, SAMPLED = 20_000, 2_000
"""With more texts than the first number, a forecast counts only the second number of them."""
# Not lru_cache: that would hold on to the workbench, and with it to a key somebody typed and then forgot.
_FORECASTS: dict[tuple[object, ...], "Forecast"] = {}
TOKENS_PER_REASON = 40  # the same with a reason of up to twenty words
TOKENS_PER_QUOTE = 35  # a sentence that is copied, on top of that, with its key


@dataclass(frozen=True, slots=True)
class Estimate:
    """The estimated requests and cost. `calls` are all requests, `calls_cached` the free ones: cached, or equal to
    another because two systems wrote the same text; tokens and cost are of the others.

    `cost_usd` is None if the price is unknown. `reuse`: answers reused from earlier runs. Output tokens include
    `reasoning_tokens_per_call`, a guess unless `reasoning_measured`. `tier`: as in ModelOptions. `constant_tokens` to
    `cache_saves_usd`: as in Caching, unless requests depend on missing answers. `batch_usd` is the price in batches,
    None without them; `at_once_usd` the price without batches, None if `cost_usd` is that. `sampled`: number of texts
    counted in place of very many, 0 if all were. `longest_request_tokens` includes its answer; `too_long` says that it
    exceeds the model's context, "" if not or unknown.
    """

    calls: int
    calls_cached: int
    input_tokens: int
    output_tokens_estimate: int
    cost_usd: float | None
    reuse: tuple[Reuse, ...] = ()
    reasoning_tokens_per_call: int = 0
    reasoning_measured: bool = False
    tier: str = ""
    constant_tokens: int = 0
    cached_from_tokens: int | None = None
    cache_read_tokens: int = 0
    cache_saves_usd: float | None = None
    batch_usd: float | None = None
    at_once_usd: float | None = None
    sampled: int = 0
    longest_request_tokens: int = 0
    context_tokens: int | None = None
    too_long: str = ""

    @property
    def counted_on(self) -> str:
        """Return a phrase on how many texts were counted; "" for all."""
        return f"counted on {self.sampled:,} of the texts, which stand for all" if self.sampled else ""

    @property
    def caching(self) -> str:
        """Return a phrase on what the provider's cache saves; "" if unknown."""
        if self.cached_from_tokens is None or not self.constant_tokens:
            return ""
        if not self.cache_read_tokens:
            return (
                f"a cache saves nothing to count on: what is the same for all texts, about {self.constant_tokens:,} "
                f"tokens, is {self._too_little}"
            )
        read = f"a cache may spare up to {self.cache_read_tokens:,} of the tokens in"
        if self.cache_saves_usd is None or self.cost_usd is None:
            return read
        if not self.cache_saves_usd:
            return f"{read}, at no lower price"
        with_it, places = max(0.0, self.cost_usd - self.cache_saves_usd), 2 if self.cache_saves_usd >= CENT else 4
        return f"{read}: about ${with_it:.{places}f} in place of ${self.cost_usd:.{places}f}"

    @property
    def _too_little(self) -> str:
        least = self.cached_from_tokens or 0
        return f"below the {least:,} that this model's keeps" if self.constant_tokens < least else "asked only once"

    @property
    def paid_at(self) -> str:
        """Return a phrase on the price; "" for the standard one."""
        if self.tier == BATCH:
            return "at the price of a batch, answered within a day"
        if self.tier == FLEX_OR_STANDARD:
            return "at the price of the slower tier; what that has no room for costs the standard price"
        return "at the price of the slower tier" if self.tier else ""

    @property
    def as_batch(self) -> str:
        """Return a phrase on what batches save; "" for nothing."""
        if self.at_once_usd:
            return f"at once about ${self.at_once_usd:.2f}"
        return f"as a batch about ${self.batch_usd:.2f}, answered within a day" if self.batch_usd else ""

    @property
    def reasoning(self) -> str:
        """Return a phrase on the output tokens for reasoning; "" if unknown."""
        per_call = Reasoning(self.reasoning_tokens_per_call, self.reasoning_measured)
        return f"of the tokens out {per_call}" if self.reasoning_tokens_per_call else ""

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    def __str__(self) -> str:
        cost = "an unknown price" if self.cost_usd is None else f"about ${self.cost_usd:.2f}"
        said = (
            f"{self.calls} calls, {self.calls_cached} of them {FREE}; about {self.input_tokens:,} tokens in "
            f"and {self.output_tokens_estimate:,} out; {cost}"
        )
        more = filter(None, [self.counted_on, self.paid_at, self.as_batch, self.caching, self.reasoning])
        warning = [self.too_long] if self.too_long else []
        return "\n".join([said, *more, *map(str, self.reuse), *warning])


@dataclass(frozen=True, slots=True)
class Forecast:
    """The run that would start: `texts` counts distinct texts, `parts` are the texts on each dimension."""

    judge: str
    parts: tuple[RunDimension, ...]
    texts: int
    is_llm: bool
    estimate: Estimate


@use_case(Right.FACILITATE)
def estimate(workbench: Workbench, project_id: int, options: RunOptions) -> Estimate:
    """Return the estimate. Raises what starting the run would raise."""
    return _in_window(workbench, _forecast(workbench, project_id, options)).estimate


@use_case(Right.FACILITATE)
def forecast(workbench: Workbench, project_id: int, options: RunOptions) -> Forecast:
    """Return what would be scored, with the estimate. Raises what starting the run would raise.

    Cached until the data change, because counting the tokens of thousands of requests takes seconds.
    """
    with workbench.database.read() as work:
        whose = workbench.replies_of(project_id)
        question = (id(workbench.database), project_id, whose, options, _state(work, project_id, options))
    if question not in _FORECASTS:
        texts = sum(len(part.texts) for ahead in _FORECASTS.values() for part in ahead.parts)
        if len(_FORECASTS) >= _REMEMBERED or texts > _REMEMBERED_TEXTS:
            _FORECASTS.clear()
        _FORECASTS[question] = _forecast(workbench, project_id, options)
    return _in_window(workbench, _FORECASTS[question])


def _in_window(workbench: Workbench, ahead: Forecast) -> Forecast:
    """Return the forecast with the judge's context length, which is asked anew because a server may have been
    restarted."""
    window = context_window(workbench, ahead.judge) if ahead.is_llm else None
    if window is None or not ahead.estimate.calls > ahead.estimate.calls_cached:
        return ahead
    said = window.shortfall(ahead.estimate.longest_request_tokens)
    return replace(ahead, estimate=replace(ahead.estimate, context_tokens=window.tokens, too_long=said))


def _forecast(workbench: Workbench, project_id: int, options: RunOptions) -> Forecast:
    with own_wordings(workbench, project_id):
        return _worded_forecast(workbench, project_id, options)


def _worded_forecast(workbench: Workbench, project_id: int, options: RunOptions) -> Forecast:
    plan = plan_run(workbench, project_id, options)
    texts = {text for part in plan for text in part.texts}
    method = check_evaluator(options.evaluator)
    if not method.judged:
        return Forecast(NO_JUDGE, tuple(plan), len(texts), False, Estimate(0, 0, 0, 0, 0.0))
    check_provider_of(method, options.judge)
    judge = judge_named(workbench, options.judge)
    check_judge_of(method, judge.name, judge.is_llm)
    check_wishes(judge, options.judge_options(), options.budget, options.model.tier)
    check_effort(judge.name, options.model.effort)
    check_tier(judge.name, options.model.tier)
    check_batch(judge.name, options)
    tier = BATCH if options.batch else options.model.tier
    counted = replace(_counted(workbench, project_id, options, plan, judge), tier=tier)
    return Forecast(judge.name, tuple(plan), len(texts), judge.is_llm, counted)


def _counted(
    workbench: Workbench, project_id: int, options: RunOptions, plan: Sequence[RunDimension], judge: JudgeAbility
) -> Estimate:
    some, times = _sample(plan) if judge.is_llm else (plan, 1.0)
    counted = _times(_without_reasoning(workbench, project_id, options, some, judge), times)
    if times > 1:
        counted = replace(counted, sampled=sum(len(part.texts) for part in some))
    if not judge.is_llm:
        return counted
    with workbench.database.read() as work:
        reasoning = reasoning_of(work, judge.name, options.model.effort)
    new = counted.calls - counted.calls_cached
    usage = Usage(counted.input_tokens, 0, counted.output_tokens_estimate + new * reasoning.per_call)
    sold = new and sells_batches(judge.name) and not options.batch
    return replace(
        counted,
        output_tokens_estimate=usage.output_tokens,
        longest_request_tokens=counted.longest_request_tokens + reasoning.per_call if new else 0,
        cost_usd=known_prices().cost(judge.name, usage, today(), _tier(options), calls=new)
        if new
        else counted.cost_usd,
        reasoning_tokens_per_call=reasoning.per_call,
        reasoning_measured=reasoning.measured,
        batch_usd=known_prices().cost(judge.name, usage, today(), BATCH, calls=new) if sold else None,
        at_once_usd=known_prices().cost(judge.name, usage, today(), calls=new) if new and options.batch else None,
    )


def _sample(plan: Sequence[RunDimension]) -> tuple[Sequence[RunDimension], float]:
    """Return a systematic sample of a large plan's texts, and the factor from its scores to all planned scores."""
    largest = max((len(part.texts) for part in plan), default=0)
    if largest <= SAMPLED_FROM:
        return plan, 1.0
    step = largest // SAMPLED
    some = [replace(part, texts=part.texts[::step]) for part in plan]
    return some, sum(len(part.texts) for part in plan) / sum(len(part.texts) for part in some)


def _times(found: Estimate, times: float) -> Estimate:
    if times == 1:
        return found
    saves = found.cache_saves_usd
    return replace(
        found,
        calls=round(found.calls * times),
        calls_cached=round(found.calls_cached * times),
        input_tokens=round(found.input_tokens * times),
        output_tokens_estimate=round(found.output_tokens_estimate * times),
        cost_usd=None if found.cost_usd is None else found.cost_usd * times,
        cache_read_tokens=round(found.cache_read_tokens * times),
        cache_saves_usd=None if saves is None else saves * times,
        reuse=tuple(
            replace(each, left=tuple((asked, round(texts * times)) for asked, texts in each.left))
            for each in found.reuse
        ),
    )


def _tier(options: RunOptions) -> str:
    if options.batch:
        return BATCH
    return FLEX if options.model.tier else STANDARD


def _without_reasoning(
    workbench: Workbench, project_id: int, options: RunOptions, plan: Sequence[RunDimension], judge: JudgeAbility
) -> Estimate:
    if options.evaluator == CHECKLIST:
        return _estimate(workbench, project_id, options, plan, judge)
    probed = dry_run(workbench, project_id, options, plan, judge.name)
    usage = Usage(probed.input_tokens, 0, probed.output_tokens)
    cost = known_prices().cost(judge.name, usage, today(), _tier(options), calls=probed.calls - probed.cached)
    cached = _cached(judge.name, probed.sizes, options) if probed.sizes else {}
    cached["longest_request_tokens"] = probed.longest
    return Estimate(probed.calls, probed.cached, usage.input_tokens, usage.output_tokens, cost, **cached)


def _state(work: UnitOfWork, project_id: int, options: RunOptions) -> tuple[object, ...]:
    """Return a value that changes with everything the forecast depends on."""
    checklists = [work.checklists.find_id(d.id, options.version, ChecklistStatus.PUBLISHED) for d in options.dimensions]
    samples = [sample.text.id for d in options.dimensions for sample in work.think_aloud.samples(d.id)]
    return (
        work.texts.count(project_id),
        tuple(work.texts.rating_counts(project_id).items()),
        tuple(checklists),
        tuple(samples),
        work.projects.by_id(project_id).task,
        tuple(active_wordings(work, project_id).items()),
        tuple(
            (run.id, run.done, run.failed)
            for run in work.runs.all(project_id, anchors=True)
            if run.status is not RunStatus.RUNNING
        ),
    )


def _estimate(
    workbench: Workbench, project_id: int, options: RunOptions, plan: Sequence[RunDimension], judge: JudgeAbility
) -> Estimate:
    asking = options.judge_options()
    with workbench.database.read() as work:
        if not judge.is_llm:
            return Estimate(_rule_calls(work, plan, asking), 0, 0, 0, 0.0)
        reuse = reuse_of(work, project_id, options, plan)
        known = {part.dimension: earlier_answers(work, reuse, part, asking.repeats) for part in plan}
        per_answer = TOKENS_PER_REASON if asking.reasons else TOKENS_PER_ANSWER
        per_answer += TOKENS_PER_QUOTE if asking.evidence else 0
        asked = []
        for request in _requests(work, project_id, plan, asking, known):
            answers = len((request.schema or {}).get("required", ()))
            size = PromptSize.of(request, answers * per_answer)
            asked.append((replace(request, effort=options.model.effort).digest(judge.name), size))
        new = [size for _, size in asked]
        if options.use_cache:  # what two systems wrote alike is asked about once
            different, only = dict(asked), workbench.replies_of(project_id)
            new = [different[digest] for digest in different.keys() - work.calls.known(different, only)]
        taken_over = reused(work, plan, known)
    usage = Usage(sum(size.read for size in new), 0, sum(size.written for size in new))
    return Estimate(
        len(asked),
        len(asked) - len(new),
        usage.input_tokens,
        usage.output_tokens,
        known_prices().cost(judge.name, usage, today(), _tier(options), calls=len(new)) if new else 0.0,
        taken_over,
        longest_request_tokens=_longest(new),
        **_cached(judge.name, new, options),
    )


def _cached(judge: str, sizes: Sequence[PromptSize], options: RunOptions) -> dict[str, Any]:
    return asdict(caching_of(judge, sizes, known_prices().of(judge, today(), _tier(options))))


def _rule_calls(work: UnitOfWork, plan: Sequence[RunDimension], asking: JudgeOptions) -> int:
    return sum(
        len(part.texts) * (len(work.checklists.get(part.checklist or 0).asked) if asking.per_question else 1)
        for part in plan
    )


def _requests(
    work: UnitOfWork,
    project_id: int,
    plan: Sequence[RunDimension],
    asking: JudgeOptions,
    known: Mapping[int, Mapping[int, Sequence[Judgment]]],
) -> Iterator[ChatRequest]:
    task = work.projects.by_id(project_id).task
    for part in plan:
        dimension = work.projects.dimension_by_id(part.dimension)
        questions = work.checklists.get(part.checklist or 0).asked
        texts = work.every_text.many(part.texts)
        for text_id in part.texts:
            left = left_to_ask(questions, known[part.dimension].get(text_id, ()))
            for group in asking.calls(left):
                template = asking.template(group)
                for repeat in range(asking.repeats):
                    yield judge_request(template, task, dimension, group, texts[text_id], asking, repeat)
