"""Sink of a run in the database, for every process that scores some of it."""

import time
from collections.abc import Callable, Mapping, Sequence

from app.domain.run import Outcome, RunSummary
from app.errors import ConnectionFailedError, NoAnswerError, OverloadedError, RateLimitError, WrongSchemaError
from app.evaluators.method import JudgeLogprobs
from app.providers.recorded import RecordedModel
from app.providers.specs import traced_names
from app.services.scoring.evaluators import NO_JUDGE
from app.services.scoring.judge_logprobs import LOGPROBS, REFUSED, logprobs_param
from app.services.scoring.run_writer import RunHold
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
