"""A run's judge and methods as one process has them."""

from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager

from app.domain.judgment import Evaluation
from app.domain.run import Outcome, PlannedScore, RunSummary
from app.evaluators.method import Evaluator, JudgeLogprobs, Stages
from app.providers.model_options import ModelOptions
from app.providers.recorded import RecordedModel
from app.scoring.engine import ScoreOne
from app.services.runtime.models import model_session, unjudged
from app.services.runtime.workbench import Workbench
from app.services.scoring.blocks.database_sink import CHANCE
from app.services.scoring.evaluators import NO_JUDGE, evaluators_of
from app.services.scoring.run_writer import RunHold
from app.services.scoring.text_shelf import TextShelf
from db.unit_of_work import UnitOfWork


def judge_session(
    workbench: Workbench, run: RunSummary, hold: RunHold, concurrency: int, budget_share: float | None = None
) -> AbstractAsyncContextManager[RecordedModel]:
    """The judge as the run asks it; a BatchedModel where that is in batches. budget_share: US dollars that one of
    several processes may spend on the run."""
    params = run.params
    if run.judge == NO_JUDGE:
        return unjudged()
    with workbench.database.read() as work:
        project = work.runs.project_of(run.id)
    return model_session(
        workbench,
        run.judge,
        run.id,
        params.get("use_cache", True),
        concurrency,
        params.get("budget"),
        project,
        hold.may_ask,
        ModelOptions.of_run(params),
        in_batches=bool(params.get("batch")),
        budget_share=budget_share,
    )


class RunScorer:
    """Scores texts of the run, which it takes from `texts`."""

    def __init__(
        self,
        work: UnitOfWork,
        run: RunSummary,
        model: RecordedModel,
        stages: Stages,
        known: JudgeLogprobs,
        texts: TextShelf,
    ) -> None:
        self.texts = texts
        self._first = evaluators_of(work, run, model, stages, known)
        self._again = evaluators_of(work, run, model.second_try(), stages, known)

    async def score(self, planned: PlannedScore) -> Evaluation:
        """Where an earlier try failed, its replies are in the ledger: they are asked for anew where nothing could be
        made of them, and taken as they are otherwise."""
        evaluators = self._again if planned.again else self._first
        return await evaluators[planned.dimension].score(self.texts[planned.text])

    async def score_as_it_is(self, planned: PlannedScore) -> Evaluation:
        """With whatever replies there are, also where an earlier try failed."""
        return await self._first[planned.dimension].score(self.texts[planned.text])

    def second_try(self, before: Mapping[int, Outcome]) -> ScoreOne:
        return second_try(self._again, self.texts, before)


def second_try(again: Mapping[int, Evaluator], texts: TextShelf, before: Mapping[int, Outcome]) -> ScoreOne:
    """What was answered in part stays as it is where the second try gives less."""

    async def score(planned: PlannedScore) -> Evaluation:
        earlier = before[planned.id].evaluation
        try:
            found = await again[planned.dimension].score(texts[planned.text])
        except CHANCE:
            if earlier is None:
                raise
            return earlier
        return found if earlier is None else max(found, earlier, key=lambda each: each.coverage)  # the later of equals

    return score
