"""Jobs are done by one process at a time, in the order they were begun, whatever becomes of who does them."""

from datetime import timedelta

import pytest

from app.domain.job import Job, JobStatus, NewJob
from app.errors import ConflictError, JobLostError
from db.models.columns import now
from db.models.project import JobRow
from db.unit_of_work import Database


def new(key: str = "a", bound: bool = False) -> NewJob:
    return NewJob(key, "Kind", {"n": 1}, f"Doing {key}", bound=bound)


def add(database: Database, key: str = "a", writer: str = "", bound: bool = False) -> Job:
    with database.write() as work:
        return work.jobs.add(new(key, bound), writer)


def silent(database: Database, job: Job) -> None:
    with database.write() as work:
        work._session.get_one(JobRow, job.id).heartbeat_at = now() - timedelta(minutes=1)


def test_two_of_one_key_never_run_at_once(database: Database) -> None:
    first = add(database)
    with pytest.raises(ConflictError, match="“Doing a” is already running"):
        add(database, writer="w")
    with database.write() as work:
        assert work.jobs.claim_next("w") is not None
        work.jobs.end(first.id, "w", JobStatus.DONE, "")
    assert add(database).id != first.id


def test_the_oldest_that_waits_is_begun_first_and_each_once(database: Database) -> None:
    add(database, "mine", "web", bound=True)
    added = [add(database, key).id for key in "abc"]
    with database.write() as work:
        found = [work.jobs.claim_next(f"w{number}") for number in range(4)]
    assert [job.id if job else None for job in found] == [*added, None]
    assert [job.writer for job in found if job] == ["w0", "w1", "w2"]


def test_what_a_process_left_goes_to_another_and_it_can_say_no_more(database: Database) -> None:
    job, bound = add(database, "a", "w"), add(database, "b", "w", bound=True)
    with database.write() as work:
        assert work.jobs.writers() == {"w"}
        assert work.jobs.claim_next("x") is None
        work.jobs.report(job.id, "w", done=3, all=9)
    silent(database, job)
    silent(database, bound)
    with database.write() as work:
        taken = work.jobs.claim_next("x")
        assert taken is not None
        assert (taken.id, taken.done, taken.writer) == (job.id, 3, "x")
        assert work.jobs.claim_next("y", gone=["x"]) is not None
        assert not work.jobs.any_left()
        for lost in ("w", "x"):
            with pytest.raises(JobLostError):
                work.jobs.report(job.id, lost, done=4)
            with pytest.raises(JobLostError):
                work.jobs.end(job.id, lost, JobStatus.DONE, "")
        assert work.jobs.beat("y") == 1


def test_a_job_that_ends_every_process_is_given_up(database: Database) -> None:
    first, second = add(database, "a", "w0"), add(database, "b")
    with database.write() as work:
        for number in (1, 2):
            taken = work.jobs.claim_next(f"w{number}", gone=[f"w{number - 1}"])
            assert taken is not None
            assert taken.id == first.id
        other = work.jobs.claim_next("w3", gone=["w2"])
        assert other is not None
        assert other.id == second.id
        found = work.jobs.newest("a")
        assert found is not None
        assert (found.status, found.message[:11]) == (JobStatus.FAILED, "3 processes")


def test_what_was_given_back_waits_again(database: Database) -> None:
    job = add(database, "a", "w")
    with database.write() as work:
        work.jobs.give_back(job.id, "w")
        found = work.jobs.newest("a")
        assert found is not None
        assert (found.status, found.writer) == (JobStatus.WAITING, "")
        assert work.jobs.claim_next("x") is not None


def test_a_stop_ends_what_nobody_has_begun_and_tells_who_has(database: Database) -> None:
    add(database, "a")
    running = add(database, "b", "w")
    with database.write() as work:
        for key in ("a", "b", "none"):
            work.jobs.request_stop(key)
        waited = work.jobs.newest("a")
        assert waited is not None
        assert (waited.status, waited.complete) == (JobStatus.DONE, False)
        assert work.jobs.report(running.id, "w") is True
        assert work.jobs.claim_next("x") is None


def test_how_a_job_ended_is_told_once(database: Database) -> None:
    job = add(database, "a", "w")
    with database.write() as work:
        work.jobs.note_seen(job.id)
        assert work.jobs.newest("a") is not None  # it goes on
        work.jobs.end(job.id, "w", JobStatus.FAILED, "No key.")
        found = work.jobs.newest("a")
        assert found is not None
        assert (found.status, found.message) == (JobStatus.FAILED, "No key.")
        work.jobs.note_seen(job.id)
        assert work.jobs.newest("a") is None
        assert work.jobs.counts() == {"failed": 1}


def test_workers_are_there_as_long_as_they_say_so(database: Database) -> None:
    with database.write() as work:
        work.jobs.worker_seen("w")
        work.jobs.worker_seen("w")
        work.jobs.worker_seen("x")
        assert work.jobs.workers(timedelta(seconds=20)) == ["w", "x"]
        work.jobs.worker_ended("x")
        assert work.jobs.workers(timedelta(seconds=20)) == ["w"]
        assert work.jobs.workers(timedelta(seconds=-1)) == []
