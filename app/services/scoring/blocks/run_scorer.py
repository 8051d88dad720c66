"""A run's judge and methods as one process has them."""

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager

from app.domain.judgment import Evaluation
from app.domain.run import Outcome, PlannedScore, RunSummary
from app.errors import ConnectionFailedError, NoAnswerError, OverloadedError, RateLimitError, WrongSchemaError
from app.evaluators.method import Evaluator, JudgeLogprobs, Stages
from app.providers.model_options import ModelOptions
from app.providers.recorded import RecordedModel
from app.providers.specs import traced_names
from app.scoring.engine import ScoreOne
from app.services.runtime.models import model_session, unjudged
from app.services.runtime.workbench import Workbench
from app.services.scoring.evaluators import NO_JUDGE, evaluators_of
from app.services.scoring.run_writer import LOGPROBS, REFUSED, RunHold, TextShelf, logprobs_param
from app.telemetry import report_outcomes
from db.unit_of_work import Database, UnitOfWork

BEAT_SECONDS = 5.0
# Failures of chance: with many texts a few run out of attempts, and nothing speaks against asking once more. A request
# that ran out of time and an answer that ran out of room are none: they were paid, and would end in the same way.
CHANCE = (
    ConnectionFailedError,
    NoAnswerError,
    OverloadedError,
    RateLimitError,
    WrongSchemaError,
)


class DatabaseSink:
    """`chance` holds the outcomes worth a second try, by score: failures of chance and answers with gaps.

    ending: whether this process ends. on_progress: hears how far the run is, about every second.
    """

    def __init__(
        self,
        database: Database,
        run: RunSummary,
        hold: RunHold,
        model: RecordedModel,
        known: JudgeLogprobs,
        ending: Callable[[], bool] = lambda: False,
        on_progress: Callable[[RunSummary], None] | None = None,
    ) -> None:
        self.chance: dict[int, Outcome] = {}
        self.known = known
        self._database = database
        self._run, self._run_id = run, run.id
        self._hold = hold
        self._counted = 0, 0
        self._told_pause = ""
        self._model = model
        self._stored = run.params.get(LOGPROBS, "")
        self._ending = ending
        self._on_progress = on_progress
        self._last_beat = time.monotonic()
        self._last_told = 0.0

    def save(self, outcomes: Sequence[Outcome]) -> None:
        with self._database.write() as work:
            self._hold.hold(work)
            work.runs.save(outcomes)
            self._note_logprobs(work)
            self._count(work)
        judge = None if self._run.judge == NO_JUDGE else traced_names(self._run.judge)
        report_outcomes(self._run, judge, self._named, outcomes)
        self.chance |= {outcome.planned.id: outcome for outcome in outcomes if _by_chance(outcome)}

    def beat(self) -> bool:
        now = time.monotonic()
        pause = self._model.pause_message
        if now - self._last_beat > BEAT_SECONDS or pause != self._told_pause:
            self._last_beat = now
            with self._database.write() as work:
                self._hold.hold(work)
                self._count(work)
                if pause != self._told_pause:
                    work.runs.set_message(self._run_id, pause)
            self._told_pause = pause
        with self._database.read() as work:
            stop = work.runs.stop_requested(self._run_id) or self._ending()
            if self._on_progress is not None and now - self._last_told > 1.0:
                self._last_told = now
                self._on_progress(work.runs.get(self._run_id))
        return stop

    def _named(self) -> Mapping[int, str]:
        """Dimension -> its name."""
        with self._database.read() as work:
            return {part.dimension: part.name for part in work.runs.parts(self._run_id)}

    def _note_logprobs(self, work: UnitOfWork) -> None:
        """What one process was refused, no other's answer takes back."""
        found = logprobs_param(self.known)
        if found and found != self._stored:
            self._stored = found
            if found == REFUSED or work.runs.get(self._run_id).params.get(LOGPROBS) != REFUSED:
                work.runs.set_param(self._run_id, LOGPROBS, found)

    def _count(self, work: UnitOfWork) -> None:
        """What was asked so far, for every process that watches: written with what is written anyway."""
        counts = self._model.tally.cached, self._model.retries
        if counts != self._counted:
            work.runs.count_calls(self._run_id, counts[0] - self._counted[0], counts[1] - self._counted[1])
            self._counted = counts


def _by_chance(outcome: Outcome) -> bool:
    if outcome.evaluation is None:
        return any(outcome.error_kind == error.kind for error in CHANCE)
    return not outcome.complete


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
