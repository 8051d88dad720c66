"""The ledger: intents, calls, batches and stages."""

from collections.abc import Iterable, Sequence
from dataclasses import astuple, dataclass
from datetime import datetime
from functools import cache
from typing import Any

from sqlalchemy import ColumnElement, and_, bindparam, func, insert, or_, update
from sqlalchemy import select as sql_select
from sqlmodel import col, delete, select

from app.domain.model_call import OPEN, BatchStatus, CallIntent, ProviderBatch, RecordedCall
from app.domain.run import StageRun
from db.engine import stored_state
from db.models.columns import now
from db.models.people import PersonRow
from db.models.project import DimensionRow
from db.models.run import CallIntentRow, CallUseRow, ModelCallRow, ProviderBatchRow, ScoringRunRow, StageRunRow
from db.repositories.repository import Query, Repository, columns_of, rows_of, table_of, value_of

# Made once, and for the table instead of objects: every request of a run waits until its reply is written.
_CALLS = table_of(ModelCallRow)
# A paid reply is kept also where who asked for it is gone since.
_PEOPLE = table_of(PersonRow)
_STILL_THERE = select(_PEOPLE.c.id).where(_PEOPLE.c.id == bindparam("asked_by")).scalar_subquery()
_ADD = insert(_CALLS).values(person_id=_STILL_THERE)
_INTENTS = table_of(CallIntentRow)
_INTEND = insert(_INTENTS)
_INTEND_AGAIN = update(_INTENTS).where(_INTENTS.c.id == bindparam("intended")).values(counted=False)
_END_INTENT = delete(_INTENTS).where(_INTENTS.c.id == bindparam("ended"))
_DISCARD = update(_CALLS).where(_CALLS.c.digest == bindparam("discarded")).values(usable=False)


@dataclass(frozen=True, slots=True)
class PaidCalls:
    """Totals of answered calls, useless answers and errors included, as they are paid. Those whose reply was lost may
    be. `unpriced` of them have no known cost."""

    answered: int
    unpriced: int
    input_tokens: int
    cached_tokens: int
    output_tokens: int
    cache_write_tokens: int
    cost_usd: float

    def __add__(self, other: "PaidCalls") -> "PaidCalls":
        return PaidCalls(*(mine + others for mine, others in zip(astuple(self), astuple(other), strict=True)))


class Calls(Repository):
    def find(
        self, digest: str, usable: bool = False, run_id: int | None = None, project_id: int | None = None
    ) -> RecordedCall | None:
        """Return the newest reply to this exact request, None without one.

        usable: only one that wasn't discarded. run_id: only one that this run asked for. project_id: only one that this
        project paid for, or was answered with before.
        """
        query = _newest_reply(usable, run_id is not None, project_id is not None)
        rows = rows_of(self._session, query, digest=digest, run=run_id, project=project_id)
        return _call(rows[0]) if rows else None

    def answered(self, model: str, run_id: int | None = None, project_id: int | None = None) -> set[str]:
        """Return the digests of all requests to this model for which `find` would find a reply."""
        query = select(ModelCallRow.digest).where(ModelCallRow.model == model, ModelCallRow.error_kind == "")
        if run_id is not None:
            query = query.where(ModelCallRow.run_id == run_id)
        if project_id is not None:
            query = query.where(_of_project(project_id))
        return set(self._session.exec(query))

    def by_ending(self) -> list[tuple[str, int, int, int]]:
        """Return (kind of error, "" for none; calls; input tokens; output tokens) of the whole ledger."""
        call = ModelCallRow
        tokens = func.coalesce(func.sum(call.input_tokens), 0), func.coalesce(func.sum(call.output_tokens), 0)
        query = select(call.error_kind, func.count(col(call.id)), *tokens).group_by(call.error_kind)
        return [(kind, calls, int(given), int(made)) for kind, calls, given, made in self._session.exec(query)]

    def discard(self, digests: Sequence[str]) -> None:
        """Mark the replies to these requests as unreadable; they stay recorded as paid."""
        if digests:
            self._session.connection().execute(_DISCARD, [{"discarded": digest} for digest in digests])

    def note_use(self, digest: str, project_id: int) -> None:
        """Record that the project was answered with a reply that another paid for."""
        known = select(CallUseRow.id).where(CallUseRow.digest == digest, CallUseRow.project_id == project_id)
        if self._session.exec(known).first() is None:
            self._add(CallUseRow(digest=digest, project_id=project_id))

    def delete_of_project(self, project_id: int) -> None:
        """Delete all calls that the project paid for, except replies that other projects use: those belong to nobody
        from then on, and are deleted with the last project that used them."""
        call, use = ModelCallRow, CallUseRow
        others = select(use.digest).where(use.project_id != project_id)
        mine = select(use.digest).where(use.project_id == project_id)
        runs = select(ScoringRunRow.id).where(ScoringRunRow.project_id == project_id)
        paid = or_(col(call.project_id) == project_id, col(call.run_id).in_(runs))
        nobodys = and_(col(call.project_id).is_(None), col(call.run_id).is_(None), col(call.digest).in_(mine))
        self._session.execute(delete(call).where(or_(paid, nobodys), col(call.digest).not_in(others)))

    def longest_reply(self, run_id: int) -> int:
        """Return the output tokens, reasoning included, of the run's longest reply; 0 without one."""
        query = select(func.max(ModelCallRow.output_tokens)).where(ModelCallRow.run_id == run_id)
        return int(self._session.exec(query).one() or 0)

    def known(self, digests: Iterable[str], project_id: int | None = None) -> set[str]:
        """Return which of these requests have a reply; project_id as in `find`."""
        wanted = list(digests)
        query = select(ModelCallRow.digest).where(ModelCallRow.error_kind == "")
        if project_id is not None:
            query = query.where(_of_project(project_id))
        found: set[str] = set()
        for start in range(0, len(wanted), 500):
            found.update(self._session.exec(query.where(col(ModelCallRow.digest).in_(wanted[start : start + 500]))))
        return found

    def written(self, model: str) -> dict[int | None, tuple[int, int, int]]:
        """Return run (None for calls outside runs) -> its answered calls with a token count: their number, output
        tokens and characters of the replies."""
        call, run = ModelCallRow, col(ModelCallRow.run_id)
        rows = self._session.exec(
            select(run, func.count(col(call.id)), func.sum(call.output_tokens), func.sum(func.length(call.reply)))
            .where(call.model == model, call.error_kind == "", col(call.output_tokens) > 0)
            .group_by(run)
        )
        return {found: (count, tokens, characters) for found, count, tokens, characters in rows}

    def add(self, calls: Sequence[RecordedCall]) -> None:
        if calls:
            self._session.connection().execute(_ADD, [_values(call) for call in calls])

    def intend(self, intents: Sequence[CallIntent], again: Sequence[str] = ()) -> None:
        """Record requests before they are sent; `again`: the keys of those without a reply that are sent once more."""
        if intents:
            values = [{"id": each.key, "digest": each.digest, "counted": False, "run_id": each.run} for each in intents]
            self._session.connection().execute(_INTEND, values)
        if again:
            self._session.connection().execute(_INTEND_AGAIN, [{"intended": key} for key in again])

    def end_intents(self, keys: Sequence[str]) -> None:
        """Delete intents whose replies are saved in the same transaction, or that were never sent."""
        if keys:
            self._session.connection().execute(_END_INTENT, [{"ended": key} for key in keys])

    def intents_left(self, run_id: int) -> dict[str, str]:
        """Return digest -> key of the requests that an earlier session of the run sent and got no reply to."""
        intent = CallIntentRow
        query = select(intent.digest, intent.id).where(intent.run_id == run_id, col(intent.counted))
        return dict(self._session.exec(query).all())

    def count_intents_left(self, run_id: int) -> int:
        """If nobody works on the run, add its requests without a reply to its `maybe_paid_twice`, once. Return their
        number."""
        intent, run = CallIntentRow, ScoringRunRow
        left = update(intent).where(col(intent.run_id) == run_id, ~col(intent.counted)).values(counted=True)
        found: Any = self._session.execute(left)
        count = int(found.rowcount)
        if count:
            more = {"maybe_paid_twice": col(run.maybe_paid_twice) + count}
            self._session.execute(update(run).where(col(run.id) == run_id).values(**more))
        return count

    def of_run(self, run_id: int) -> list[RecordedCall]:
        rows = self._session.exec(
            select(ModelCallRow).where(ModelCallRow.run_id == run_id).order_by(col(ModelCallRow.id))
        )
        return [_call(row) for row in rows]

    def totals(self, run_ids: Sequence[int]) -> dict[int, PaidCalls]:
        """Return run -> totals of its calls; without runs that have none."""
        run = col(ModelCallRow.run_id)
        rows = self._session.exec(_paid(run).where(run.in_(run_ids)).group_by(run))
        return {run_id: PaidCalls(*counted) for run_id, *counted in rows}

    def spent_since(self, since: datetime, *, project: int | None = None, person: int | None = None) -> float:
        """Return the US dollars that are known to have been spent by the project, or the person."""
        call, paid = ModelCallRow, []
        if project is not None:
            runs = select(ScoringRunRow.id).where(ScoringRunRow.project_id == project)
            paid.append(or_(col(call.project_id) == project, col(call.run_id).in_(runs)))
        if person is not None:
            paid.append(col(call.person_id) == person)
        # What a file brought along counts too, but nothing can make up for what was paid.
        query = select(func.coalesce(func.sum(call.cost_usd), 0.0)).where(
            *paid, col(call.cost_usd) > 0, call.created_at >= since
        )
        return float(self._session.exec(query).one() or 0.0)

    def outside_runs(self, project_id: int) -> dict[tuple[str, str], PaidCalls]:
        """Return (prompt's name, model) -> totals of the project's stages, in the order they were first asked."""
        prompt, model = col(ModelCallRow.prompt), col(ModelCallRow.model)
        rows = self._session.exec(
            _paid(prompt, model)
            .where(ModelCallRow.project_id == project_id, col(ModelCallRow.run_id).is_(None))
            .group_by(prompt, model)
            .order_by(func.min(ModelCallRow.id))
        )
        found: dict[tuple[str, str], PaidCalls] = {}
        for label, name, *counted in rows:
            key, paid = (label.partition("@")[0], name), PaidCalls(*counted)
            found[key] = found[key] + paid if key in found else paid
        return found


@cache
def _newest_reply(usable: bool, of_run: bool, of_project: bool) -> Query:
    query = sql_select(_CALLS).where(_CALLS.c.digest == bindparam("digest"), _CALLS.c.error_kind == "")
    if usable:
        query = query.where(_CALLS.c.usable)
    if of_run:
        query = query.where(_CALLS.c.run_id == bindparam("run"))
    if of_project:
        query = query.where(_of_project(bindparam("project")))
    return query.order_by(_CALLS.c.id.desc()).limit(1)


def _paid(*by: Any) -> Any:
    """Return the columns to group by, followed by the counts of PaidCalls."""
    call = ModelCallRow
    counts = (
        func.count(col(call.id)),
        func.count(col(call.id)) - func.count(col(call.cost_usd)),
        func.sum(call.input_tokens),
        func.sum(call.cached_tokens),
        func.sum(call.output_tokens),
        func.sum(call.cache_write_tokens),
        func.coalesce(func.sum(call.cost_usd), 0.0),
    )
    billed = or_(col(call.input_tokens) > 0, col(call.cost_usd).is_(None), col(call.cost_usd) > 0)
    return select(*by, *counts).where(or_(col(call.error_kind) == "", billed))  # type: ignore[call-overload]


def _values(call: RecordedCall) -> dict[str, object]:
    same = columns_of(call, "run", "project", "person", "logprobs")
    beside = {"usable": True, "run_id": call.run, "project_id": call.project, "asked_by": call.person}
    return same | beside | {"logprobs": list(call.logprobs)}


def _call(row: Any) -> RecordedCall:
    return value_of(RecordedCall, row, logprobs=row.logprobs)


def _of_project(project_id: Any) -> ColumnElement[bool]:
    """Return the condition for replies that the project paid for or already uses."""
    runs = select(ScoringRunRow.id).where(ScoringRunRow.project_id == project_id)
    used = select(CallUseRow.digest).where(CallUseRow.project_id == project_id)
    call = ModelCallRow
    return or_(col(call.project_id) == project_id, col(call.run_id).in_(runs), col(call.digest).in_(used))


class ProviderBatches(Repository):
    def intend(self, run_id: int, token: str, requests: int) -> ProviderBatch:
        """Record a run's batch before it is submitted."""
        run = self._session.get_one(ScoringRunRow, run_id)
        return self._intended(run.project_id, run_id, run.judge, token, requests)

    def record_batch_intent(
        self, project_id: int, model: str, token: str, requests: int, effort: str = ""
    ) -> ProviderBatch:
        """Record a project's batch outside runs before it is submitted."""
        return self._intended(project_id, None, model, token, requests, effort)

    def _intended(
        self, project: int, run: int | None, model: str, token: str, requests: int, effort: str = ""
    ) -> ProviderBatch:
        status = BatchStatus.INTENDED.value
        row = ProviderBatchRow(
            project_id=project, run_id=run, model=model, effort=effort, token=token, requests=requests, status=status
        )
        return self._kept(row)

    def is_out(self, batch_id: int, handle: str) -> ProviderBatch:
        row = self._row(batch_id)
        row.handle, row.status, row.out_at = handle, BatchStatus.OUT.value, now()
        return self._kept(row)

    def note(self, batch_id: int, status: BatchStatus, answered: int | None = None) -> ProviderBatch:
        row = self._row(batch_id)
        row.status, row.answered = status.value, row.answered if answered is None else answered
        return self._kept(row)

    def one(self, batch_id: int) -> ProviderBatch:
        """Return the batch. Raises NotFoundError."""
        return _batch(self._row(batch_id))

    def of_run(self, run_id: int) -> list[ProviderBatch]:
        """Return the run's batches, oldest first."""
        query = select(ProviderBatchRow).where(ProviderBatchRow.run_id == run_id).order_by(col(ProviderBatchRow.id))
        return [_batch(row) for row in self._session.exec(query)]

    def open(self, run_id: int) -> list[ProviderBatch]:
        """Return batches whose answers aren't in the ledger yet."""
        return [each for each in self.of_run(run_id) if each.status in OPEN]

    def open_without_run(self, project_id: int, model: str = "") -> list[ProviderBatch]:
        """Return open batches for no run, of one model in a project or of all, oldest first."""
        row = ProviderBatchRow
        query = select(row).where(col(row.project_id) == project_id, col(row.run_id).is_(None)).order_by(col(row.id))
        query = query.where(col(row.model) == model) if model else query
        return [each for each in map(_batch, self._session.exec(query)) if each.status in OPEN]

    def _row(self, batch_id: int) -> ProviderBatchRow:
        return self._found(ProviderBatchRow, batch_id, "This batch is no longer on record.", "Its run was deleted.")

    def _kept(self, row: ProviderBatchRow) -> ProviderBatch:
        self._add(row)
        return _batch(row)


def _batch(row: ProviderBatchRow) -> ProviderBatch:
    return value_of(ProviderBatch, row, status=stored_state(BatchStatus, row.status, BatchStatus.NOTHING))


class StageRuns(Repository):
    def add(self, dimension_id: int, stage: StageRun, checklist_id: int | None = None) -> int:
        same = columns_of(stage, "id", "created_at")
        return self._add(StageRunRow(dimension_id=dimension_id, checklist_id=checklist_id, **same))

    def answered(self, dimension_id: int, stage: str, model: str) -> int:
        """Return how often the model answered at this stage of the dimension."""
        query = select(func.count(col(StageRunRow.id))).where(
            StageRunRow.dimension_id == dimension_id,
            StageRunRow.stage == stage,
            StageRunRow.model == model,
            StageRunRow.error_kind == "",
        )
        return self._session.exec(query).one()

    def last_models(self, project_id: int, stages: Sequence[str]) -> list[str]:
        """Return the models that answered at one of these stages of the project, each once, newest first."""
        of_project = select(DimensionRow.id).where(DimensionRow.project_id == project_id)
        query = (
            select(StageRunRow.model)
            .where(
                col(StageRunRow.dimension_id).in_(of_project),
                col(StageRunRow.stage).in_(stages),
                StageRunRow.error_kind == "",
            )
            .group_by(col(StageRunRow.model))
            .order_by(func.max(StageRunRow.id).desc())
        )
        return list(self._session.exec(query))

    def length_of_answers(
        self, stage: str, model: str = "", project_id: int | None = None, other_than: str = ""
    ) -> tuple[int, int]:
        """Return the number of answers at this stage and their total characters: of one model, else of all but one, in
        one project, else in all. Tokens can't be used: answers from batches have none here."""
        row = StageRunRow
        query = select(func.count(col(row.id)), func.coalesce(func.sum(func.length(row.output)), 0)).where(
            row.stage == stage, row.error_kind == "", row.model != other_than
        )
        if model:
            query = query.where(row.model == model)
        if project_id is not None:
            of_project = select(DimensionRow.id).where(DimensionRow.project_id == project_id)
            query = query.where(col(row.dimension_id).in_(of_project))
        count, characters = self._session.exec(query).one()
        return count, int(characters)

    def of(self, dimension_id: int, checklist_id: int | None = None) -> list[StageRun]:
        """Return the stage runs, oldest first; of one checklist, else all of the dimension."""
        query = select(StageRunRow).where(StageRunRow.dimension_id == dimension_id)
        if checklist_id is not None:
            query = query.where(StageRunRow.checklist_id == checklist_id)
        return [value_of(StageRun, row) for row in self._session.exec(query.order_by(col(StageRunRow.id)))]
