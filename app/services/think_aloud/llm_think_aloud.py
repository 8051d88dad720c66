"""LLMs think aloud: each model reads the experts' samples, and its answers become attributes."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime

from filelock import FileLock, Timeout

from app.domain.attribute import ContributorKind, Sample
from app.domain.model_call import ProviderBatch
from app.domain.project import Dimension, Project
from app.domain.repeated_attributes import without_repeats
from app.domain.roles_and_rights import Right
from app.domain.run import StageRun
from app.errors import BatchPendingError, ConflictError, StoppedError, WorkbenchError
from app.prompting import load_prompt
from app.providers.base import ChatModel, Usage
from app.providers.batches.batch import BatchedModel
from app.providers.known_prices import known_prices, today
from app.providers.pricing import BATCH, CHARACTERS_PER_TOKEN, STANDARD, estimate_input_tokens
from app.providers.registry import sells_batches
from app.providers.structured import object_in
from app.services.runtime.batch_rounds import BatchRounds, Collect, check_sold_in_batches, gather_settled
from app.services.runtime.models import model_session
from app.services.runtime.prompts import answered, failed, own_wordings
from app.services.runtime.workbench import Workbench, use_case
from app.services.think_aloud.independence import insert_attributes
from app.services.think_aloud.samples import ensure_samples
from app.settings import settings
from app.think_aloud.elicitation import ANSWER, PROMPT, Elicitation, attributes_in, think_aloud, think_aloud_request
from db.unit_of_work import UnitOfWork


def never() -> bool:
    return False


class ProjectBatches:
    """The batches of one model in a project that belong to no run. `wished`: whether a person asked to stop."""

    def __init__(self, project_id: int, model: str, effort: str, wished: Callable[[], bool] = never) -> None:
        self._project, self._model, self._effort = project_id, model, effort
        self._wished = wished

    def renew_lease(self, work: UnitOfWork) -> None:
        """Do nothing: no other process takes these batches over, see `only_waiter`."""

    async def may_ask(self) -> None:
        """Do nothing, as `renew_lease`."""

    def intend(self, work: UnitOfWork, token: str, requests: int) -> ProviderBatch:
        return work.provider_batches.record_batch_intent(self._project, self._model, token, requests, self._effort)

    def open(self, work: UnitOfWork) -> list[ProviderBatch]:
        return work.provider_batches.open_without_run(self._project, self._model)

    def stop_wished(self, work: UnitOfWork) -> bool:
        return self._wished()


@contextmanager
def only_waiter(project_id: int, model: str) -> Iterator[None]:
    """Hold a lock within the block. Raises ConflictError if another process on this machine waits for the same
    batches."""
    name = "".join(letter if letter.isalnum() else "-" for letter in model)
    folder = settings().home / "running"
    folder.mkdir(parents=True, exist_ok=True)
    lock = FileLock(folder / f"think-aloud-{project_id}-{name}.lock", thread_local=False)
    try:
        lock.acquire(blocking=False)
    except Timeout:
        raise ConflictError(
            f"Another program waits for a batch of {model} in this project.", "Wait until it ends, or stop it there."
        ) from None
    try:
        yield
    finally:
        lock.release()


def rounds_of(
    workbench: Workbench,
    model: BatchedModel,
    project_id: int,
    collect: Collect,
    rest: str,
    ending: Callable[[], bool] = never,
    wished: Callable[[], bool] = never,
) -> BatchRounds:
    """Return the batch rounds of a model. The program's end leaves batches at the provider, where the same question
    finds them again; a wish to stop cancels them.

    Raises ConflictError if open batches were asked with another effort, because their answers couldn't be found.
    """
    owner = ProjectBatches(project_id, model.name, model.effort, wished)
    with workbench.database.read() as work:
        others = {batch.effort for batch in owner.open(work)} - {model.effort}
    if others:
        raise ConflictError(
            f"A batch of {model.name} is at the provider that was asked with another reasoning effort.",
            "Go on with it, or cancel it, before you ask with this one.",
        )
    return BatchRounds(workbench, owner, model, collect, lambda: ending() or wished(), rest, ending)


def has_batch_out(workbench: Workbench, project_id: int, model: str) -> bool:
    """Return whether a batch is, or may be, at the provider."""
    with workbench.database.read() as work:
        return bool(work.provider_batches.open_without_run(project_id, model))


@use_case(Right.READ)
def batches_out(workbench: Workbench, project_id: int) -> list[ProviderBatch]:
    """Return the project's think-aloud batches whose answers haven't been collected, as last seen."""
    with workbench.database.read() as work:
        return work.provider_batches.open_without_run(project_id)


STAGE = "think-aloud"

ANSWER_TOKENS = 600
"""Where nobody has answered yet: some fifteen attributes of a sentence or two. What a model thinks before is not in
it."""


@dataclass(frozen=True, slots=True)
class AnswerSize:
    """The expected tokens of an answer, and the basis of the estimate in words."""

    tokens: int
    basis: str


@dataclass(frozen=True, slots=True)
class ThinkAloudForecast:
    """The cost of asking one model. `basis`: how output tokens were estimated. `cost_usd` is None if the price is
    unknown. `batch_usd` is the price of batches instead; None without them, or if `cost_usd` is for batches already."""

    model: str
    calls: int
    input_tokens: int
    output_tokens_estimate: int
    cost_usd: float | None
    batch_usd: float | None
    basis: str = ""

    def __str__(self) -> str:
        cost = "an unknown price" if self.cost_usd is None else f"about ${self.cost_usd:.4f}"
        batch = "" if self.batch_usd is None else f"; in batches about ${self.batch_usd:.4f}, answered within a day"
        tokens = f"{self.input_tokens:,} tokens in, about {self.output_tokens_estimate:,} out without reasoning"
        tokens += f" ({self.basis})"
        return f"{self.model}: {self.calls} calls, {tokens}, {cost}{batch}"


@use_case(Right.FACILITATE)
def forecast_think_aloud(
    workbench: Workbench, project: Project, dimensions: Sequence[Dimension], models: Sequence[str], batch: bool = False
) -> list[ThinkAloudForecast]:
    """Return a forecast for each model; all calls are new. Raises NotReadyError if a dimension has no samples, and with
    `batch` InputError for a model without batches."""
    samples = [ensure_samples(workbench, dimension.id) for dimension in dimensions]
    with own_wordings(workbench, project.id):
        template = load_prompt(PROMPT)
    asked = [
        estimate_input_tokens(think_aloud_request(template, project.task, dimension, read))
        for dimension, read in zip(dimensions, samples, strict=True)
    ]
    names = list(dict.fromkeys(models))
    with workbench.database.read() as work:
        sizes = {name: _answer_size(work, project.id, name) for name in names}
    return [_of_model(name, asked, batch, sizes[name]) for name in names]


def _answer_size(work: UnitOfWork, project_id: int, model: str) -> AnswerSize:
    """Return the size by this model's earlier answers in the project, else anywhere, else any model's, else a guess."""
    looked_at = (
        (model, project_id, "as this model's {count} here took"),
        (model, None, "as this model's {count} in other projects took"),
        ("", None, "as {count} of other models took: this one hasn't answered yet"),
    )
    for name, project, basis in looked_at:
        count, characters = work.stages.length_of_answers(STAGE, name, project, other_than="rules")
        if count:
            answers = "1 earlier answer" if count == 1 else f"{count:,} earlier answers"
            tokens = max(1, round(characters / count / CHARACTERS_PER_TOKEN))
            return AnswerSize(tokens, basis.format(count=answers))
    return AnswerSize(ANSWER_TOKENS, f"as {ANSWER_TOKENS} tokens each, a guess: no model has answered yet")


def _of_model(name: str, asked: Sequence[int], batch: bool, size: AnswerSize) -> ThinkAloudForecast:
    if batch:
        check_sold_in_batches(name)

    def cost(tokens: Sequence[int], tier: str) -> float | None:
        usage = Usage(sum(tokens), output_tokens=size.tokens * len(tokens))
        return known_prices().cost(name, usage, today(), tier, calls=len(tokens)) if tokens else 0.0

    usual = cost(asked, STANDARD)
    at_once, later = cost(asked[: len(asked) > 1], STANDARD), cost(asked[len(asked) > 1 :], BATCH)
    together = None if at_once is None or later is None or not sells_batches(name) else at_once + later
    output = size.tokens * len(asked)
    if batch:
        return ThinkAloudForecast(name, len(asked), sum(asked), output, together, None, size.basis)
    return ThinkAloudForecast(name, len(asked), sum(asked), output, usual, together, size.basis)


@dataclass(frozen=True, slots=True)
class ThinkAloudAnswer:
    """The result of asking one model about one dimension; `error` is "" if it answered.

    `attributes` counts the new ones; `repeated` ones were dropped, because the model had said them before. `quotes`
    counts new ones with a passage; `quotes_absent` counts quotes that are in no sample.
    """

    dimension: str
    model: str
    attributes: int = 0
    error: str = ""
    repeated: int = 0
    round: int = 0
    quotes: int = 0
    quotes_absent: int = 0


OnAnswer = Callable[[ThinkAloudAnswer], None]


@dataclass(frozen=True, slots=True)
class Answered:
    """A recorded answer of a model; all counts are 0 if it failed with `error`.

    `repeated` attributes are only in the stage's output, because the model had said them before.
    """

    dimension: str
    model: str
    round: int
    attributes: int
    error: str
    at: datetime | None
    repeated: int = 0


@use_case(Right.REVIEW)
def answers_so_far(workbench: Workbench, dimensions: Sequence[Dimension]) -> list[Answered]:
    """Return every answer and failure of models on these dimensions, newest first."""
    found = []
    with workbench.database.read() as work:
        for dimension in dimensions:
            said = work.think_aloud.said_in_stages(dimension.id)
            rounds: Counter[str] = Counter()
            for stage in work.stages.of(dimension.id):
                if stage.stage == STAGE:
                    rounds[stage.model] += not stage.error_kind
                    number, count = said.get(stage.id, (rounds[stage.model], 0))
                    found.append((stage.id, _answered(dimension, stage, number, count)))
    return [answer for _, answer in sorted(found, key=lambda pair: pair[0], reverse=True)]


def _answered(dimension: Dimension, stage: StageRun, number: int, count: int) -> Answered:
    if stage.error_kind:
        return Answered(dimension.name, stage.model, 0, 0, stage.error, stage.created_at)
    value = object_in(stage.output, ANSWER)
    repeated = len(attributes_in(value)) - count if value else 0
    return Answered(dimension.name, stage.model, number, count, "", stage.created_at, repeated)


def answer_counts(workbench: Workbench, dimensions: Sequence[Dimension], models: Sequence[str]) -> dict[str, int]:
    """Return "dimension's id model" -> number of its answers."""
    with workbench.database.read() as work:
        return {f"{d.id} {name}": work.stages.answered(d.id, STAGE, name) for d in dimensions for name in models}


@use_case(Right.FACILITATE, act="asked models to think aloud")
def ask_models(
    workbench: Workbench,
    project: Project,
    dimensions: Sequence[Dimension],
    models: Sequence[str],
    on_answer: OnAnswer = lambda _: None,
    batch: str = "",
    ending: Callable[[], bool] = never,
    wished: Callable[[], bool] = never,
) -> list[ThinkAloudAnswer]:
    """Ask every model about every dimension concurrently; a failure doesn't stop the others.

    Asking again adds another round; attributes that the same model said before are dropped and counted. Raises
    NotReadyError if a dimension has no samples.

    batch: AGAIN or LIVE (batch_rounds) to ask in batches. Of several dimensions the first is asked directly, to learn
    how the model takes requests. Raises InputError for a model without batches. While waiting for batches, `ending`
    tells whether the program ends, which leaves them at the provider, and `wished` whether a person wants them
    cancelled; answers received so far are stored.
    """
    for name in models if batch else ():
        check_sold_in_batches(name)
    samples = {d.id: ensure_samples(workbench, d.id) for d in dimensions}
    with own_wordings(workbench, project.id):
        asking = ThinkAloudAsking(workbench, project, samples, on_answer)
        names = list(dict.fromkeys(models))
        return asyncio.run(_ask_all(asking, dimensions, names, batch, ending, wished))


class ThinkAloudAsking:
    """Asks models about dimensions with their samples."""

    def __init__(
        self, workbench: Workbench, project: Project, samples: Mapping[int, list[Sample]], on_answer: OnAnswer
    ) -> None:
        self.workbench, self.project, self._on_answer = workbench, project, on_answer
        self._samples = dict(samples)

    def everything(self) -> list[Dimension]:
        """Return all dimensions with samples, any of which a batch may be about."""
        with self.workbench.database.read() as work:
            for dimension in (dimensions := work.projects.dimensions(self.project.id)):
                if dimension.id not in self._samples and (read := work.think_aloud.samples(dimension.id)):
                    self._samples[dimension.id] = list(read)
        return [dimension for dimension in dimensions if dimension.id in self._samples]

    async def rounds(self, name: str, dimensions: Sequence[Dimension]) -> dict[int, int]:
        return {d.id: await asyncio.to_thread(_round, self.workbench, self.project, d, name) for d in dimensions}

    async def into_ledger(self, model: ChatModel, about: Sequence[Dimension], rounds: Mapping[int, int]) -> None:
        """Store the answers in the ledger only, so that asking again after the program's end belongs to the same
        round."""
        task = self.project.task
        await gather_settled(think_aloud(model, task, d, self._samples[d.id], round_number=rounds[d.id]) for d in about)

    async def answers(
        self, model: ChatModel, name: str, about: Sequence[Dimension], rounds: Mapping[int, int]
    ) -> list[ThinkAloudAnswer]:
        """Store and return the answers as they arrive. Requests that still wait for a batch are left out."""
        found = await asyncio.gather(*(self._answer(model, name, d, rounds[d.id]) for d in about))
        return [answer for answer in found if answer is not None]

    async def failed(self, name: str, about: Sequence[Dimension], error: WorkbenchError) -> list[ThinkAloudAnswer]:
        """Record the failure of a model that can't be opened."""
        for dimension in about:
            await asyncio.to_thread(_record_failure, self.workbench, dimension, name, error)
        answer = ThinkAloudAnswer("", name, error=error.in_full)
        self._on_answer(answer)
        return [answer]

    async def _answer(self, model: ChatModel, name: str, dimension: Dimension, number: int) -> ThinkAloudAnswer | None:
        read = self._samples[dimension.id]
        try:
            said = await think_aloud(model, self.project.task, dimension, read, round_number=number)
            asked = await asyncio.to_thread(_keep, self.workbench, self.project, dimension, said, number)
        except BatchPendingError:
            return None
        except WorkbenchError as error:
            await asyncio.to_thread(_record_failure, self.workbench, dimension, name, error)
            asked = ThinkAloudAnswer(dimension.name, name, error=error.in_full)
        self._on_answer(asked)
        return asked


async def _ask_all(
    asking: ThinkAloudAsking,
    dimensions: Sequence[Dimension],
    models: Sequence[str],
    batch: str,
    ending: Callable[[], bool],
    wished: Callable[[], bool],
) -> list[ThinkAloudAnswer]:
    workbench, project = asking.workbench, asking.project

    async def answer_ahead(model: BatchedModel, name: str, rounds: Mapping[int, int]) -> None:
        def rounds_about(about: Sequence[Dimension], numbers: Mapping[int, int]) -> BatchRounds:
            def collect(awaiting: BatchedModel) -> Awaitable[None]:
                return asking.into_ledger(awaiting, about, numbers)

            return rounds_of(workbench, model, project.id, collect, batch, ending, wished)

        if has_batch_out(workbench, project.id, model.name):
            everything = asking.everything()
            await rounds_about(everything, await asking.rounds(name, everything) | dict(rounds)).collect_open()
        elif len(dimensions) > 1:
            await asking.into_ledger(model, dimensions[:1], rounds)
        await rounds_about(dimensions, rounds).wait_for_answers()

    async def ask_one(name: str) -> list[ThinkAloudAnswer]:
        try:
            async with model_session(workbench, name, project=project.id, in_batches=bool(batch)) as model:
                rounds = await asking.rounds(name, dimensions)
                if not isinstance(model, BatchedModel):
                    return await asking.answers(model, name, dimensions, rounds)
                with only_waiter(project.id, model.name):
                    try:
                        await answer_ahead(model, name, rounds)
                    except StoppedError:
                        return await asking.answers(model.awaiting({}), name, dimensions, rounds) if wished() else []
                    return await asking.answers(model, name, dimensions, rounds)
        except WorkbenchError as error:
            return await asking.failed(name, dimensions, error)

    return [asked for answers in await asyncio.gather(*map(ask_one, models)) for asked in answers]


def _round(workbench: Workbench, project: Project, dimension: Dimension, name: str) -> int:
    """Return the number of the next round. A round without new attributes counts, so that the next request differs."""
    with workbench.database.write() as work:
        who = work.think_aloud.contributor(project.id, name, ContributorKind.LLM, model=name)
        answered_before = work.stages.answered(dimension.id, STAGE, name)
        return max(work.think_aloud.next_round(dimension.id, who.id), answered_before + 1)


def _keep(
    workbench: Workbench, project: Project, dimension: Dimension, said: Elicitation, round_number: int
) -> ThinkAloudAnswer:
    """Store the whole answer as a stage's output, and attributes the contributor never said before."""
    with workbench.database.write() as work:
        stage_id = work.stages.add(dimension.id, answered(STAGE, said.model, said.request.prompt, said.reply))
        who = work.think_aloud.contributor(project.id, said.model, ContributorKind.LLM, model=said.model)
        theirs = work.think_aloud.attributes(project.id, contributor=said.model)
        about = [a for a in theirs if dimension.name in (a.dimension, a.original_dimension)]
        before = [wording for a in about for wording in (a.original, a.text)]
        new, repeated = without_repeats(said.attributes, before)
        first = dict(zip(said.attributes[::-1], said.passages[::-1], strict=True))
        passages = [first[text] for text in new]
        insert_attributes(work, dimension.id, who, new, round_number, stage_id, passages=passages)
    found = sum(passage is not None for passage in passages)
    return ThinkAloudAnswer(dimension.name, said.model, len(new), "", len(repeated), round_number, found, said.absent)


def _record_failure(workbench: Workbench, dimension: Dimension, name: str, error: WorkbenchError) -> None:
    with workbench.database.write() as work:
        work.stages.add(dimension.id, failed(STAGE, name, error))
