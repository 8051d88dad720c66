"""Runs as they are told of: their state, and how far they are."""

from datetime import timedelta
from typing import Any

from sqlalchemy import func
from sqlmodel import Session, col, select

from app.domain.run import RunStatus, RunSummary
from db.models import ChecklistRow, DimensionRow, ProjectRow, RunDimensionRow, ScoreRow, ScoringRunRow
from db.models.columns import database_now
from db.storable import stored_state

SILENCE = timedelta(seconds=30)  # a running run that has not said so for this long has lost its process


def summaries(session: Session, clause: Any) -> list[RunSummary]:
    """The runs that meet the clause, newest first, each with how many of its scores are done and failed."""
    rows = session.exec(
        select(ScoringRunRow, ProjectRow.name)
        .join(ProjectRow, col(ProjectRow.id) == ScoringRunRow.project_id)
        .where(clause)
        .order_by(col(ScoringRunRow.id).desc())
    ).all()
    ids = [run.id for run, _ in rows]
    counts: dict[tuple[int, str], int] = {}
    dimensions: dict[int, list[str]] = {}
    versions: dict[int, dict[str, int]] = {}
    if ids:
        for run_id, status, count in session.exec(
            select(ScoreRow.run_id, ScoreRow.status, func.count(col(ScoreRow.id)))
            .where(col(ScoreRow.run_id).in_(ids))
            .group_by(col(ScoreRow.run_id), col(ScoreRow.status))
        ):
            counts[run_id, status] = count
        for run_id, name, version in session.exec(
            select(RunDimensionRow.run_id, DimensionRow.name, ChecklistRow.version)
            .join(DimensionRow, col(DimensionRow.id) == RunDimensionRow.dimension_id)
            .outerjoin(ChecklistRow, col(ChecklistRow.id) == RunDimensionRow.checklist_id)
            .where(col(RunDimensionRow.run_id).in_(ids))
            .order_by(col(DimensionRow.position))
        ):
            dimensions.setdefault(run_id, []).append(name)
            if version is not None:
                versions.setdefault(run_id, {})[name] = version
    return [_summary(session, run, name, counts, dimensions, versions) for run, name in rows]


def silent(session: Session, row: ScoringRunRow) -> bool:
    """Whether nobody works on it any more, whatever it says itself. A sign of life from the future is none: a clock was
    set back since."""
    return row.heartbeat_at is None or abs(database_now(session) - row.heartbeat_at) > SILENCE


def _summary(
    session: Session,
    run: ScoringRunRow,
    project: str,
    counts: dict[tuple[int, str], int],
    dimensions: dict[int, list[str]],
    versions: dict[int, dict[str, int]],
) -> RunSummary:
    run_id = int(run.id or 0)
    status = stored_state(RunStatus, run.status, RunStatus.FAILED)
    if status is RunStatus.RUNNING and silent(session, run):
        status = RunStatus.INTERRUPTED
    done, failed, pending = (counts.get((run_id, s), 0) for s in ("done", "failed", "pending"))
    return RunSummary(
        id=run_id,
        project=project,
        evaluator=run.evaluator,
        judge=run.judge,
        dimensions=tuple(dimensions.get(run_id, ())),
        status=status,
        done=done,
        failed=failed,
        all=done + failed + pending,
        started=run.started_at,
        message=run.message,
        params=run.params,
        calls_cached=run.calls_cached,
        retries=run.retries,
        maybe_paid_twice=run.maybe_paid_twice,
        versions=versions.get(run_id, {}),
    )
