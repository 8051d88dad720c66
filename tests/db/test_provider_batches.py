"""Batches at providers are on record before they are handed in, and open until their answers are kept."""

from datetime import UTC, datetime

import pytest
from sqlalchemy import Table

from app.domain.model_call import BatchStatus
from app.domain.project import Dimension, Task
from app.domain.run import RunDimension
from app.errors import NotFoundError
from db.unit_of_work import Database
from tests.support.earlier_version import database_at


@pytest.fixture
def run(database: Database) -> int:
    with database.write() as work:
        project = work.projects.add("P", Task("letter"))
        dimension = work.projects.add_dimension(project.id, Dimension("tone"))
        return work.runs.create(project.id, "checklist", "openai:gpt-4o", {}, [RunDimension(dimension.id, None)])


def test_a_batch_is_open_until_its_answers_are_kept(database: Database, run: int) -> None:
    with database.write() as work:
        first, second = (work.provider_batches.intend(run, token, 3) for token in ("a", "b"))
        assert (first.status, first.handle, first.out_at) == (BatchStatus.INTENDED, "", None)
        out = work.provider_batches.is_out(first.id, "batch_1")
        assert (out.status, out.handle) == (BatchStatus.OUT, "batch_1")
        assert out.out_at is not None
        assert work.provider_batches.note(first.id, BatchStatus.OUT, 2).answered == 2
        assert [each.id for each in work.provider_batches.open(run)] == [first.id, second.id]
        assert work.provider_batches.note(first.id, BatchStatus.COLLECTED).answered == 2
        work.provider_batches.note(second.id, BatchStatus.NOTHING)
        assert work.provider_batches.open(run) == []
        assert [each.token for each in work.provider_batches.of_run(run)] == ["a", "b"]


def test_what_is_not_on_record_is_said(database: Database) -> None:
    with database.write() as work, pytest.raises(NotFoundError, match="no longer on record"):
        work.provider_batches.note(7, BatchStatus.OUT)


def test_batches_of_a_model_beside_its_runs_are_apart(database: Database, run: int) -> None:
    with database.write() as work:
        work.provider_batches.intend(run, "of a run", 3)
        alone = work.provider_batches.record_batch_intent(1, "openai:gpt-4o", "alone", 2)
        assert (alone.run, alone.requests) == (None, 2)
        assert [each.token for each in work.provider_batches.open(run)] == ["of a run"]
        assert [each.token for each in work.provider_batches.open_without_run(1, "openai:gpt-4o")] == ["alone"]
        assert work.provider_batches.open_without_run(1, "openai:gpt-6-sol") == []
        work.provider_batches.note(alone.id, BatchStatus.COLLECTED)
        assert work.provider_batches.open_without_run(1, "openai:gpt-4o") == []


def test_batches_of_an_older_database_keep_their_runs(empty_address: str) -> None:
    with database_at(empty_address, "0032") as (connection, metadata):
        rows = {
            "project": {"name": "A"},
            "scoring_run": {"project_id": 1, "judge": "openai:gpt-4o"},
            "provider_batch": {"run_id": 1, "token": "t", "handle": "batch_1", "status": "at the provider"},
        }
        for name, row in rows.items():
            table = metadata.tables[name]
            connection.execute(table.insert().values({**filled(table), "id": 1, **row}))
    database = Database(empty_address)
    with database.read() as work:
        (found,) = work.provider_batches.open(1)
        assert (found.run, found.handle, found.status) == (1, "batch_1", BatchStatus.OUT)
        assert work.provider_batches.open_without_run(1, "openai:gpt-4o") == []
    database.close()


def filled(table: Table) -> dict[str, object]:
    """Something in every column that needs it."""
    empty: dict[type, object] = {str: "", int: 0, float: 0.0, bool: False, dict: {}, datetime: datetime.now(UTC)}
    return {c.name: empty.get(c.type.python_type, {}) for c in table.columns if not (c.nullable or c.primary_key)}
