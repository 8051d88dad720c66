"""Batches at providers are on record before they are handed in, and open until their answers are kept."""

import pytest

from app.domain.model_call import BatchStatus
from app.domain.project import Dimension, Task
from app.domain.run import RunDimension
from app.errors import NotFoundError
from db.unit_of_work import Database


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
