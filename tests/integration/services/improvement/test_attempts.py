"""An attempt at a better wording goes on without the browser: a worker tries and proves it."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from app.domain.job import JobStatus
from app.services.background.jobs import job_state, workers_there
from app.services.improvement.improve import attempt_outcome, attempts_at, begin_improvement, improvement_job_key
from tests.support.improving_models import improving_models
from tests.support.wording_judges import (
    WRITER,
    DecidedProject,
    WordingModels,
    decided_project,
    misreads_warm,
)
from tests.support.workers import until, worker_processes


@pytest.fixture
def decided(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[DecidedProject]:
    """No worker counts as gone because the machine is slow."""
    monkeypatch.setattr("app.services.background.jobs.WORKER_TIMEOUT", timedelta(days=1))
    made = decided_project(tmp_path, WordingModels(misreads_warm, ()))
    yield made
    made.workbench.database.close()


@pytest.mark.long
def test_a_worker_tries_and_proves_a_wording(decided: DecidedProject, tmp_path: Path) -> None:
    workbench, question = decided.workbench, decided.question.id
    key = improvement_job_key(decided.draft.id)
    with improving_models() as models:
        reached = {"INTERACTEVAL_DATABASE_URL": f"sqlite:///{tmp_path}/workbench.db", "LLAMA_BASE_URL": models.url}
        with worker_processes(reached) as started:
            started()
            until(lambda: workers_there(workbench), "no worker came")
            begin_improvement(workbench, decided.draft.id, question, WRITER, who="Ben")

            def over() -> bool:
                job = job_state(workbench, key)
                return job is not None and not job.active

            until(over, "the worker did not end")
        asked = len(models.requests)
    job = job_state(workbench, key)
    assert job is not None
    assert (job.status, job.bound) == (JobStatus.DONE, False)
    assert job.message.startswith("Proven better on texts that no proposal had seen")
    (attempt,) = attempts_at(workbench, decided.draft.id)[question]
    assert (attempt_outcome(attempt), attempt.calls) == ("proven better", asked)
    assert decided.models.requests == []  # nothing was asked in this process
