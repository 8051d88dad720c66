"""Scoring runs: plan, progress, and their writers."""

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import bindparam, func, insert, update
from sqlalchemy import select as sql_select
from sqlmodel import Session, col, delete, select

from app.domain.job import HEARTBEAT_TIMEOUT
from app.domain.run import Lease, Outcome, PlannedScore, RunDimension, RunStatus, RunSummary, ScoreStatus
from app.errors import ConflictError, NotFoundError, RunLostError
from db.engine import stored_state
from db.models.checklist import ChecklistRow
from db.models.columns import database_now, now
from db.models.project import DimensionRow, ProjectRow
from db.models.run import JudgmentRow, RunDimensionRow, ScoreRow, ScoringRunRow
from db.repositories.repository import Repository, rows_of, table_of, value_of

_SCORES, _JUDGMENTS, _RUNS = table_of(ScoreRow), table_of(JudgmentRow), table_of(ScoringRunRow)
_PART, _PROJECT = table_of(RunDimensionRow).c, table_of(ProjectRow).c
_DIMENSION, _CHECKLIST = table_of(DimensionRow).c, table_of(ChecklistRow).c
_ALL_RUNS = (
    sql_select(_RUNS, _PROJECT.name.label("project"))
    .where(_PROJECT.id == _RUNS.c.project_id)
    .order_by(_RUNS.c.id.desc())
)
_RUNS_OF_PROJECT = _ALL_RUNS.where(_RUNS.c.project_id == bindparam("project"))
_RUNNING = (
    sql_select(_RUNS.c.id, _RUNS.c.heartbeat_at)
    .where(_RUNS.c.project_id == bindparam("project"), _RUNS.c.status == RunStatus.RUNNING.value)
    .order_by(_RUNS.c.id.desc())
)
_THESE_RUNS = _ALL_RUNS.where(_RUNS.c.id.in_(bindparam("ids", expanding=True)))
_COUNTS = (
    sql_select(_SCORES.c.run_id, _SCORES.c.status, func.count(_SCORES.c.id))
    .where(_SCORES.c.run_id.in_(bindparam("ids", expanding=True)))
    .group_by(_SCORES.c.run_id, _SCORES.c.status)
)
_DIMENSIONS = (
    sql_select(_PART.run_id, _DIMENSION.name, _CHECKLIST.version)
    .select_from(
        table_of(RunDimensionRow)
        .join(table_of(DimensionRow), _DIMENSION.id == _PART.dimension_id)
        .outerjoin(table_of(ChecklistRow), _CHECKLIST.id == _PART.checklist_id)
    )
    .where(_PART.run_id.in_(bindparam("ids", expanding=True)))
    .order_by(_DIMENSION.position)
)
_PARTS = (
    sql_select(table_of(RunDimensionRow), _DIMENSION.name)
    .where(_DIMENSION.id == _PART.dimension_id, _PART.run_id == bindparam("run"))
    .order_by(_DIMENSION.position)
)


def summaries(session: Session, rows: Sequence[Any]) -> list[RunSummary]:
    """Return the runs in these rows of `_ALL_RUNS`, each with how many of its scores are done and failed."""
    ids = [run.id for run in rows]
    counts: dict[tuple[int, str], int] = {}
    dimensions: dict[int, list[str]] = {}
    versions: dict[int, dict[str, int]] = {}
    if ids:
        for run_id, status, count in rows_of(session, _COUNTS, ids=ids):
            counts[run_id, status] = count
        for run_id, name, version in rows_of(session, _DIMENSIONS, ids=ids):
            dimensions.setdefault(run_id, []).append(name)
            if version is not None:
                versions.setdefault(run_id, {})[name] = version
    return [_summary(session, run, counts, dimensions, versions) for run in rows]


def silent(session: Session, row: Any) -> bool:
    """Return whether nobody works on the run any more, whatever its status. A heartbeat in the future doesn't count: a
    clock was set back since."""
    return row.heartbeat_at is None or abs(database_now(session) - row.heartbeat_at) > HEARTBEAT_TIMEOUT


def _summary(
    session: Session,
    run: Any,
    counts: dict[tuple[int, str], int],
    dimensions: dict[int, list[str]],
    versions: dict[int, dict[str, int]],
) -> RunSummary:
    run_id = int(run.id)
    status = stored_state(RunStatus, run.status, RunStatus.FAILED)
    if status is RunStatus.RUNNING and silent(session, run):
        status = RunStatus.INTERRUPTED
    done, failed, pending = (counts.get((run_id, s), 0) for s in ("done", "failed", "pending"))
    return value_of(
        RunSummary,
        run,
        dimensions=tuple(dimensions.get(run_id, ())),
        status=status,
        done=done,
        failed=failed,
        all=done + failed + pending,
        started=run.started_at,
        versions=versions.get(run_id, {}),
    )


# Made once, and for tables instead of objects: a run saves its scores some hundred times a minute beside its requests,
# which wait meanwhile (2 texts with 9 judgments each: 0.5 ms instead of 1.3).
_SAVE_SCORE = update(_SCORES).where(_SCORES.c.id == bindparam("saved_id"))
_DROP_JUDGMENTS = delete(_JUDGMENTS).where(_JUDGMENTS.c.score_id == bindparam("saved_id"))
_STOP_REQUESTED = sql_select(_RUNS.c.stop_requested).where(_RUNS.c.id == bindparam("run"))
_ADD_JUDGMENT = insert(_JUDGMENTS)
_RENEW_LEASE = (
    update(_RUNS)
    .where(_RUNS.c.id == bindparam("run"), _RUNS.c.writer == bindparam("mine"))
    .values(heartbeat_at=bindparam("now"))
)
_PLAN_SCORE = insert(_SCORES)
_PLANNED_AT_ONCE = 5_000


class Runs(Repository):
    def create(
        self, project_id: int, evaluator: str, judge: str, params: Mapping[str, Any], plan: Sequence[RunDimension]
    ) -> int:
        """Create a run with its plan: one pending score per text and dimension. Return its id."""
        run = ScoringRunRow(project_id=project_id, evaluator=evaluator, judge=judge, params=dict(params))
        self._add(run)
        run_id = int(run.id or 0)
        for part in plan:
            self._session.add(
                RunDimensionRow(
                    run_id=run_id,
                    dimension_id=part.dimension,
                    checklist_id=part.checklist,
                    excluded_docs=list(part.excluded_docs),
                    excluded_texts=list(part.excluded_texts),
                    prompt_digest=part.prompt_digest,
                )
            )
            connection = self._session.connection()
            for start in range(0, len(part.texts), _PLANNED_AT_ONCE):
                planned = part.texts[start : start + _PLANNED_AT_ONCE]
                connection.execute(
                    _PLAN_SCORE,
                    [
                        {"run_id": run_id, "dimension_id": part.dimension, "text_id": text, "status": "pending"}
                        for text in planned
                    ],
                )
        self._session.flush()
        return run_id

    def get(self, run_id: int) -> RunSummary:
        return self.get_all([run_id])[run_id]

    def get_all(self, run_ids: Sequence[int]) -> dict[int, RunSummary]:
        """Return id -> run. Raises NotFoundError if one is missing."""
        rows = rows_of(self._session, _THESE_RUNS, ids=list(run_ids))
        found = {run.id: run for run in summaries(self._session, rows)}
        for missing in set(run_ids) - found.keys():
            raise NotFoundError(*_gone(missing))
        return found

    def all(self, project_id: int | None = None, *, anchors: bool = False) -> list[RunSummary]:
        """Return the runs, newest first. `anchors`: include runs on anchors, whose scores are no results."""
        rows = (
            rows_of(self._session, _ALL_RUNS)
            if project_id is None
            else rows_of(self._session, _RUNS_OF_PROJECT, project=project_id)
        )
        return [run for run in summaries(self._session, rows) if anchors or not run.anchors]

    def running(self, project_id: int) -> list[int]:
        """Return the runs somebody is working on, newest first."""
        rows = rows_of(self._session, _RUNNING, project=project_id)
        return [row.id for row in rows if not silent(self._session, row)]

    def parts(self, run_id: int) -> list[RunDimension]:
        """Return what the run does on each of its dimensions, without the texts."""
        return [value_of(RunDimension, row, texts=()) for row in rows_of(self._session, _PARTS, run=run_id)]

    def texts_of(self, run_id: int, dimension_id: int) -> frozenset[int]:
        """Return the ids of the texts it planned to score on a dimension."""
        rows = self._session.exec(
            select(ScoreRow.text_id).where(ScoreRow.run_id == run_id, ScoreRow.dimension_id == dimension_id)
        )
        return frozenset(rows)

    def progress_on(self, run_id: int, dimension_id: int) -> tuple[int, int]:
        """Return (texts scored, texts planned) on a dimension."""
        rows = self._session.exec(
            select(ScoreRow.status, func.count(col(ScoreRow.id)))
            .where(ScoreRow.run_id == run_id, ScoreRow.dimension_id == dimension_id)
            .group_by(col(ScoreRow.status))
        )
        counts = dict(rows.all())
        return counts.get("done", 0), sum(counts.values())

    def with_checklist(self, checklist_id: int) -> set[int]:
        """Return the runs that answer this checklist."""
        query = select(RunDimensionRow.run_id).where(RunDimensionRow.checklist_id == checklist_id)
        return set(self._session.exec(query))

    def project_of(self, run_id: int) -> int:
        return int(self._by_id(ScoringRunRow, run_id, *_gone(run_id)).project_id)

    def claim(self, run_id: int, writer: str, gone: str = "") -> None:
        """Become the run's only writer. Raises ConflictError if another process works on it.

        gone: the name of a writer that is known to have ended.
        """
        row = self._session.get_one(ScoringRunRow, run_id, with_for_update=True)
        taken = row.status == RunStatus.RUNNING.value and row.writer not in (writer, gone)
        if taken and not silent(self._session, row):
            raise ConflictError(
                f"Run {run_id} is being worked on by another process.",
                "Stop it there, or wait until it ends; "
                f"one that was killed lets go after {HEARTBEAT_TIMEOUT.seconds} seconds.",
            )
        row.status, row.writer, row.message = RunStatus.RUNNING.value, writer, ""
        row.stop_requested, row.heartbeat_at, row.finished_at = False, database_now(self._session), None

    def renew_lease(self, run_id: int, writer: str) -> None:
        """Record the writer's heartbeat, and keep others from claiming the run until the transaction ends.

        Raises RunLostError if the run has another writer.
        """
        beat = {"run": run_id, "mine": writer, "now": database_now(self._session)}
        held: Any = self._session.execute(_RENEW_LEASE, beat)
        if not held.rowcount:
            raise _lost(run_id)

    def lease(self, run_id: int) -> Lease | None:
        """Return the lease of the run's worker; None where its heartbeat has stopped."""
        row = self._session.get(ScoringRunRow, run_id)
        if row is None or row.status != RunStatus.RUNNING.value or silent(self._session, row):
            return None
        assert row.heartbeat_at is not None
        since = database_now(self._session) - row.heartbeat_at
        return Lease(row.writer, row.heartbeat_at, (HEARTBEAT_TIMEOUT - since).total_seconds())

    def stop_requested(self, run_id: int) -> bool:
        found = rows_of(self._session, _STOP_REQUESTED, run=run_id)
        if not found:
            raise _lost(run_id)
        return bool(found[0].stop_requested)

    def request_stop(self, run_id: int, gone: str = "") -> None:
        """Ask the run's writer to stop. gone: the name of a writer that is known to have ended."""
        row = self._row(run_id)
        row.stop_requested = True
        left = row.status == RunStatus.RUNNING.value and (silent(self._session, row) or row.writer == gone)
        if row.status == RunStatus.WAITING.value or left:
            row.status, row.finished_at = RunStatus.STOPPED.value, now()

    def count_calls(self, run_id: int, cached: int, retries: int) -> None:
        """Add to the counts of requests answered from the ledger and of requests sent again."""
        run = ScoringRunRow
        more = {"calls_cached": col(run.calls_cached) + cached, "retries": col(run.retries) + retries}
        self._session.execute(update(run).where(col(run.id) == run_id).values(**more))

    def set_param(self, run_id: int, name: str, value: Any) -> None:
        row = self._session.get_one(ScoringRunRow, run_id, with_for_update=True)
        row.params = {**row.params, name: value}

    def set_message(self, run_id: int, message: str) -> None:
        """Set the message shown while the run continues."""
        self._session.get_one(ScoringRunRow, run_id).message = message

    def finish(self, run_id: int, status: RunStatus, message: str = "") -> None:
        row = self._session.get_one(ScoringRunRow, run_id)
        row.status, row.message, row.finished_at = status.value, message, now()

    def open_scores(self, run_id: int) -> list[PlannedScore]:
        """Return the scores to do, in plan order: pending ones, and failed ones to retry."""
        states = [ScoreStatus.PENDING.value, ScoreStatus.FAILED.value]
        rows = self._session.exec(
            select(ScoreRow.id, ScoreRow.dimension_id, ScoreRow.text_id, ScoreRow.status)
            .where(ScoreRow.run_id == run_id, col(ScoreRow.status).in_(states))
            .order_by(col(ScoreRow.id))
        )
        return [
            PlannedScore(int(score or 0), dimension, text, status == ScoreStatus.FAILED.value)
            for score, dimension, text, status in rows
        ]

    def still_open(self, run_id: int, scores: Sequence[int]) -> set[int]:
        """Return which of these scores (ids) of the run have no value yet."""
        found: set[int] = set()
        for start in range(0, len(scores), 500):
            query = select(ScoreRow.id).where(
                ScoreRow.run_id == run_id,
                col(ScoreRow.id).in_(scores[start : start + 500]),
                ScoreRow.status != ScoreStatus.DONE.value,
            )
            found.update(int(score or 0) for score in self._session.exec(query))
        return found

    def save(self, outcomes: Sequence[Outcome]) -> None:
        """Save scores and their judgments together; a retried score replaces its earlier judgments."""
        if not outcomes:
            return
        connection = self._session.connection()
        connection.execute(_SAVE_SCORE, [_score_columns(o) for o in outcomes])
        connection.execute(_DROP_JUDGMENTS, [{"saved_id": o.planned.id} for o in outcomes])
        judgments = [
            {
                "score_id": o.planned.id,
                "question_id": j.question,
                "repeat": j.repeat,
                "answer": j.answer.value,
                "cannot_tell": j.cannot_tell,
                "p_yes": j.p_yes,
                "origin_run_id": j.origin,
                "rationale": j.rationale,
                "quote": j.quote,
            }
            for o in outcomes
            if o.evaluation is not None
            for j in o.evaluation.judgments
        ]
        if judgments:
            connection.execute(_ADD_JUDGMENT, judgments)

    def _row(self, run_id: int) -> ScoringRunRow:
        return self._found(ScoringRunRow, run_id, *_gone(run_id))


def _gone(run_id: int) -> tuple[str, str]:
    return f"There is no run {run_id}.", "`interacteval runs list` shows them."


def _score_columns(outcome: Outcome) -> dict[str, Any]:
    found = outcome.evaluation
    return {
        "saved_id": outcome.planned.id,
        "status": outcome.status.value,
        "value": found.value if found else None,
        "coverage": found.coverage if found else None,
        "soft_value": found.soft if found else None,
        "details": dict(found.details) if found else {},
        "error_kind": outcome.error_kind,
        "error": outcome.error,
    }


def _lost(run_id: int) -> RunLostError:
    return RunLostError(f"Run {run_id} was taken over by another process while this one was silent, or was deleted.")
