"""Batches of think-alouds whose program ended: waited for, or cancelled at the provider, and what came is kept."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace

from app.domain.batch import OPEN, ProviderBatch
from app.domain.people.actor import Right
from app.domain.project import Project
from app.errors import StoppedError
from app.providers.batches.batched_model import BatchedModel
from app.services.runtime.batch_rounds import LIVE
from app.services.runtime.models import model_session
from app.services.runtime.prompts import own_wordings
from app.services.runtime.use_case import use_case
from app.services.runtime.workbench import Workbench
from app.services.think_aloud.batched_think_aloud import batches_out, never, only_waiter, rounds_of
from app.services.think_aloud.llm_think_aloud import OnAnswer, ThinkAloudAnswer, ThinkAloudAsking


@dataclass(frozen=True, slots=True)
class CollectedBatches:
    """Of `requests` that were at providers how many are answered and kept in the ledger; `ending` of them are in
    batches that a provider has not ended yet. `came_in`: what became attributes."""

    requests: int
    answered: int
    ending: int
    came_in: tuple[ThinkAloudAnswer, ...] = ()

    def __str__(self) -> str:
        if not self.requests:
            return "Nothing was at a provider."
        attributes = sum(answer.attributes for answer in self.came_in)
        said = f"{self.answered:,} of {self.requests:,} requests were answered: {attributes:,} considerations came in."
        left = f" The provider is still ending {self.ending:,} of them; what they were answered can be collected later."
        return said + (left if self.ending else "")


@use_case(Right.FACILITATE, act="collected or cancelled batches of models that think aloud")
def collect_batches(
    workbench: Workbench,
    project: Project,
    models: Sequence[str] = (),
    cancel: bool = False,
    on_answer: OnAnswer = lambda _: None,
    ending: Callable[[], bool] = never,
    wished: Callable[[], bool] = never,
) -> CollectedBatches:
    """Of these models, or of all. With `cancel` they are cancelled at the provider, and what was answered until then is
    kept; else they are waited for. Nothing is handed in, and what wasn't answered isn't asked.

    `ending` and `wished` as in ask_models. Raises ConflictError where another program of this machine waits for them,
    and the ProviderError where the provider can't be asked.
    """
    before = [each for each in batches_out(workbench, project.id) if not models or each.model in models]
    asked = dict.fromkeys((each.model, each.effort) for each in before)
    came_in: list[ThinkAloudAnswer] = []
    with own_wordings(workbench, project.id):
        for name, effort in asked:
            of_model = replace(workbench, asking=replace(workbench.asking, effort=effort))
            asking = ThinkAloudAsking(of_model, project, {}, on_answer)
            came_in += asyncio.run(_collect(asking, name, cancel, ending, wished))
    return _told(workbench, before, came_in)


async def _collect(
    asking: ThinkAloudAsking, name: str, cancel: bool, ending: Callable[[], bool], wished: Callable[[], bool]
) -> list[ThinkAloudAnswer]:
    project = asking.project.id
    async with model_session(asking.workbench, name, project=project, in_batches=True) as model:
        assert isinstance(model, BatchedModel)
        with only_waiter(project, model.name):
            about = asking.everything()
            numbers = await asking.rounds(name, about)

            def collect(awaiting: BatchedModel) -> Awaitable[None]:
                return asking.into_ledger(awaiting, about, numbers)

            rounds = rounds_of(asking.workbench, model, project, collect, LIVE, ending, wished)
            try:
                await (rounds.cancel() if cancel else rounds.collect_open())
            except StoppedError:
                if not wished():
                    return []
            return await asking.answers(model.awaiting({}), name, about, numbers)


def _told(
    workbench: Workbench, before: Sequence[ProviderBatch], came_in: Sequence[ThinkAloudAnswer]
) -> CollectedBatches:
    with workbench.database.read() as work:
        now = [work.provider_batches.one(each.id) for each in before]
    there = [each for each in now if each.handle]
    return CollectedBatches(
        sum(each.requests for each in there),
        sum(each.answered for each in there),
        sum(each.requests for each in there if each.status in OPEN),
        tuple(came_in),
    )
