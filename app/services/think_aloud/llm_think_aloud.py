"""LLMs think aloud: each model reads what the experts read, and its considerations become attributes."""

import asyncio
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from app.domain.attribute import ContributorKind
from app.domain.people.actor import Right
from app.domain.project import Project
from app.domain.run import StageRun
from app.domain.task import Dimension
from app.domain.think_aloud import Sample
from app.errors import WorkbenchError
from app.prompting import load_prompt
from app.providers.base import ChatModel
from app.providers.batches.batched_model import BatchedModel
from app.providers.structured import object_in
from app.services.runtime.batch_rounds import check_sold_in_batches, gather_settled
from app.services.runtime.models import model_session
from app.services.runtime.prompts import own_wordings
from app.services.runtime.stage_runs import answered, failed
from app.services.runtime.use_case import use_case
from app.services.runtime.workbench import Workbench
from app.services.think_aloud.batched_think_aloud import answer_in_batches, has_batch_out, only_waiter
from app.services.think_aloud.independence import write_down
from app.services.think_aloud.samples import ensure_samples
from app.think_aloud.elicit import PROMPT, Elicitation, considerations_in, think_aloud
from app.think_aloud.repeats import without_repeats

STAGE = "think-aloud"


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
    on_answer: Callable[[ThinkAloudAnswer], None] = lambda _: None,
    batch: str = "",
) -> list[ThinkAloudAnswer]:
    """Ask every model about every dimension, all at once; what fails does not stop the others.

    Asking again adds another round and overwrites nothing; what the same model said before about the dimension is
    dropped and counted. Raises NotReadyError where a dimension has no samples.

    batch: AGAIN or LIVE (batch_rounds) to ask in batches. Of several dimensions the first is asked at once, which shows
    how the model wants to be asked. Raises InputError for a model that takes none.
    """
    for name in models if batch else ():
        check_sold_in_batches(name)
    samples = {d.id: ensure_samples(workbench, d.id) for d in dimensions}
    with own_wordings(workbench, project.id):
        names = list(dict.fromkeys(models))
        return asyncio.run(_ask_all(workbench, project, dimensions, names, samples, on_answer, batch))


async def _ask_all(
    workbench: Workbench,
    project: Project,
    dimensions: Sequence[Dimension],
    models: Sequence[str],
    samples: dict[int, list[Sample]],
    on_answer: Callable[[ThinkAloudAnswer], None],
    batch: str,
) -> list[ThinkAloudAnswer]:
    async def ask_about(model: ChatModel, name: str, dimension: Dimension, round_number: int) -> ThinkAloudAnswer:
        try:
            said = await think_aloud(model, project.task, dimension, samples[dimension.id], round_number=round_number)
            asked = await asyncio.to_thread(_keep, workbench, project, dimension, said, round_number)
        except WorkbenchError as error:
            await asyncio.to_thread(_keep_failure, workbench, dimension, name, error)
            asked = ThinkAloudAnswer(dimension.name, name, error=str(error))
        on_answer(asked)
        return asked

    async def ask_about_all(model: ChatModel, name: str, rounds: dict[int, int]) -> list[ThinkAloudAnswer]:
        return await asyncio.gather(*(ask_about(model, name, d, rounds[d.id]) for d in dimensions))

    async def answer_ahead(model: BatchedModel, rounds: dict[int, int]) -> None:
        """The answers go into the ledger alone: who asks again after the program ended is in the same round."""

        async def ask(asked: ChatModel, about: Sequence[Dimension]) -> None:
            await gather_settled(
                think_aloud(asked, project.task, d, samples[d.id], round_number=rounds[d.id]) for d in about
            )

        if len(dimensions) > 1 and not has_batch_out(workbench, project.id, model.name):
            await ask(model, dimensions[:1])
        await answer_in_batches(workbench, model, project.id, lambda awaiting: ask(awaiting, dimensions), batch)

    async def ask_one(name: str) -> list[ThinkAloudAnswer]:
        try:
            async with model_session(workbench, name, project=project.id, in_batches=bool(batch)) as model:
                rounds = {d.id: await asyncio.to_thread(_round, workbench, project, d, name) for d in dimensions}
                if isinstance(model, BatchedModel):
                    with only_waiter(project.id, model.name):
                        await answer_ahead(model, rounds)
                        return await ask_about_all(model, name, rounds)
                return await ask_about_all(model, name, rounds)
        except WorkbenchError as error:  # the model can't be opened at all
            for dimension in dimensions:
                await asyncio.to_thread(_keep_failure, workbench, dimension, name, error)
            on_answer(ThinkAloudAnswer("", name, error=str(error)))
            return [ThinkAloudAnswer("", name, error=str(error))]

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
