"""LLMs think aloud: each model reads what the experts read, and its considerations become attributes."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from app.domain.attribute import ContributorKind
from app.domain.people.actor import Right
from app.domain.project import Project
from app.domain.run import StageRun
from app.domain.task import Dimension
from app.domain.think_aloud import Sample
from app.errors import AwaitedError, StoppedError, WorkbenchError
from app.prompting import load_prompt
from app.providers.base import ChatModel
from app.providers.batches.batched_model import BatchedModel
from app.providers.structured import object_in
from app.services.runtime.batch_rounds import BatchRounds, check_sold_in_batches, gather_settled
from app.services.runtime.models import model_session
from app.services.runtime.prompts import own_wordings
from app.services.runtime.stage_runs import answered, failed
from app.services.runtime.use_case import use_case
from app.services.runtime.workbench import Workbench
from app.services.think_aloud.batched_think_aloud import has_batch_out, never, only_waiter, rounds_of
from app.services.think_aloud.forecast import STAGE
from app.services.think_aloud.independence import write_down
from app.services.think_aloud.samples import ensure_samples
from app.think_aloud.elicit import PROMPT, Elicitation, considerations_in, think_aloud
from app.think_aloud.repeats import without_repeats


@dataclass(frozen=True, slots=True)
class ThinkAloudAnswer:
    """What came of asking one model about one dimension; `error` is "" where it answered.

    `attributes` came in; `repeated` did not, because the model had said the same about the dimension before.
    """

    dimension: str
    model: str
    attributes: int = 0
    error: str = ""
    repeated: int = 0
    round: int = 0


OnAnswer = Callable[[ThinkAloudAnswer], None]


@dataclass(frozen=True, slots=True)
class Answered:
    """One time a model was asked, as it is on record; all counts are 0 where it failed with `error`.

    `repeated` considerations are in the stage's output alone: the model had said them before.
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
    """Every answer and every failure of the models asked about these dimensions, newest first."""
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
    value = object_in(stage.output, load_prompt(PROMPT).output_schema)
    repeated = len(considerations_in(value)) - count if value else 0
    return Answered(dimension.name, stage.model, number, count, "", stage.created_at, repeated)


def answer_counts(workbench: Workbench, dimensions: Sequence[Dimension], models: Sequence[str]) -> dict[str, int]:
    """Dimension's id and model -> how often it has answered about it."""
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
    """Ask every model about every dimension, all at once; what fails does not stop the others.

    Asking again adds another round and overwrites nothing; what the same model said before about the dimension is
    dropped and counted. Raises NotReadyError where a dimension has no samples.

    batch: AGAIN or LIVE (batch_rounds) to ask in batches. Of several dimensions the first is asked at once, which shows
    how the model wants to be asked. Raises InputError for a model that takes none. `ending`, looked at while batches
    are waited for: whether the program ends, which leaves them there. `wished`: whether a person wants them cancelled,
    and then what they answered until then is kept.
    """
    for name in models if batch else ():
        check_sold_in_batches(name)
    samples = {d.id: ensure_samples(workbench, d.id) for d in dimensions}
    with own_wordings(workbench, project.id):
        asking = ThinkAloudAsking(workbench, project, samples, on_answer)
        names = list(dict.fromkeys(models))
        return asyncio.run(_ask_all(asking, dimensions, names, batch, ending, wished))


class ThinkAloudAsking:
    """Dimensions with their samples, to ask models about."""

    def __init__(
        self, workbench: Workbench, project: Project, samples: Mapping[int, list[Sample]], on_answer: OnAnswer
    ) -> None:
        self.workbench, self.project, self._on_answer = workbench, project, on_answer
        self._samples = dict(samples)

    def everything(self) -> list[Dimension]:
        """All dimensions that have samples: what is at a provider may be about any of them."""
        with self.workbench.database.read() as work:
            for dimension in (dimensions := work.projects.dimensions(self.project.id)):
                if dimension.id not in self._samples and (read := work.think_aloud.samples(dimension.id)):
                    self._samples[dimension.id] = list(read)
        return [dimension for dimension in dimensions if dimension.id in self._samples]

    async def rounds(self, name: str, dimensions: Sequence[Dimension]) -> dict[int, int]:
        return {d.id: await asyncio.to_thread(_round, self.workbench, self.project, d, name) for d in dimensions}

    async def into_ledger(self, model: ChatModel, about: Sequence[Dimension], rounds: Mapping[int, int]) -> None:
        """The answers go into the ledger alone: who asks again after the program ended is in the same round."""
        task = self.project.task
        await gather_settled(think_aloud(model, task, d, self._samples[d.id], round_number=rounds[d.id]) for d in about)

    async def answers(
        self, model: ChatModel, name: str, about: Sequence[Dimension], rounds: Mapping[int, int]
    ) -> list[ThinkAloudAnswer]:
        """Kept as they come. What an awaiting model has no answer to is left out."""
        found = await asyncio.gather(*(self._answer(model, name, d, rounds[d.id]) for d in about))
        return [answer for answer in found if answer is not None]

    async def failed(self, name: str, about: Sequence[Dimension], error: WorkbenchError) -> list[ThinkAloudAnswer]:
        """The model can't be opened at all."""
        for dimension in about:
            await asyncio.to_thread(_keep_failure, self.workbench, dimension, name, error)
        answer = ThinkAloudAnswer("", name, error=error.in_full)
        self._on_answer(answer)
        return [answer]

    async def _answer(self, model: ChatModel, name: str, dimension: Dimension, number: int) -> ThinkAloudAnswer | None:
        read = self._samples[dimension.id]
        try:
            said = await think_aloud(model, self.project.task, dimension, read, round_number=number)
            asked = await asyncio.to_thread(_keep, self.workbench, self.project, dimension, said, number)
        except AwaitedError:
            return None
        except WorkbenchError as error:
            await asyncio.to_thread(_keep_failure, self.workbench, dimension, name, error)
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
        await rounds_about(dimensions, rounds).until_answered()

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
    """A round in which nothing new was said is a round too: the next is another request."""
    with workbench.database.write() as work:
        who = work.think_aloud.contributor(project.id, name, ContributorKind.LLM, model=name)
        answered_before = work.stages.answered(dimension.id, STAGE, name)
        return max(work.think_aloud.next_round(dimension.id, who.id), answered_before + 1)


def _keep(
    workbench: Workbench, project: Project, dimension: Dimension, said: Elicitation, round_number: int
) -> ThinkAloudAnswer:
    """The whole answer stays in the stage's output; attributes are made of what the contributor never said before."""
    with workbench.database.write() as work:
        stage_id = work.stages.add(dimension.id, answered(STAGE, said.model, said.request.prompt, said.reply))
        who = work.think_aloud.contributor(project.id, said.model, ContributorKind.LLM, model=said.model)
        theirs = work.think_aloud.attributes(project.id, contributor=said.model)
        about = [a for a in theirs if dimension.name in (a.dimension, a.original_dimension)]
        before = [wording for a in about for wording in (a.original, a.text)]
        new, repeated = without_repeats(said.considerations, before)
        write_down(work, dimension.id, who, new, round_number, stage_id)
    return ThinkAloudAnswer(dimension.name, said.model, len(new), "", len(repeated), round_number)


def _keep_failure(workbench: Workbench, dimension: Dimension, name: str, error: WorkbenchError) -> None:
    with workbench.database.write() as work:
        work.stages.add(dimension.id, failed(STAGE, name, error))
