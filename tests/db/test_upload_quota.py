"""What each person uploads is counted once for all processes, and a refusal says how much, and what to do."""

import threading
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta

import pytest
from sqlmodel import select

from app.domain.roles_and_rights import LOCAL_OWNER, Actor
from app.errors import InputError, NotAllowedError
from app.limits import MB
from app.providers.credentials import Credentials
from app.services.people.upload_limits import DAY, count_upload, largest_upload, uploads_a_day
from app.services.runtime.workbench import Workbench
from app.settings import settings
from db.models.columns import now
from db.models.project import CountedUploadRow
from db.unit_of_work import Database


@pytest.fixture(autouse=True)
def _team(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INTERACTEVAL_ACCESS", "invite")
    monkeypatch.setenv("INTERACTEVAL_CONTACT", "Dr. Costa")
    monkeypatch.setenv("INTERACTEVAL_UPLOAD_MB", "60")
    monkeypatch.setenv("INTERACTEVAL_UPLOAD_MB_A_DAY", "100")
    settings.cache_clear()


@pytest.fixture
def ana(database: Database) -> Workbench:
    with database.write() as work:
        return Workbench(database, Credentials(), actor=work.people.actor(work.people.add("invite", "ana", "Ana").id))


@pytest.fixture
def elsewhere(address: str, ana: Workbench) -> Iterator[Workbench]:
    """Ana in another web process."""
    opened = replace(ana, database=Database(address))
    yield opened
    opened.database.close()


def counted(workbench: Workbench) -> list[int]:
    with workbench.database.read() as work:
        return sorted(work.upload_counts._session.exec(select(CountedUploadRow.size)))


def test_what_is_sent_to_one_process_counts_in_all(ana: Workbench, elsewhere: Workbench) -> None:
    count_upload(ana, "first.csv", 60 * MB)
    count_upload(elsewhere, "second.csv", 40 * MB)
    with pytest.raises(NotAllowedError) as refused:
        count_upload(elsewhere, "third.csv", 1)
    assert str(refused.value) == (
        "third.csv has 1 MB, and you have uploaded 100 MB in the last 24 hours; this server takes 100 MB a day from "
        "each person. Upload it tomorrow, choose a smaller file, or ask Dr. Costa for more."
    )
    assert counted(ana) == [40 * MB, 60 * MB]


def test_a_file_that_is_too_large_is_refused_and_does_not_count(ana: Workbench) -> None:
    with pytest.raises(NotAllowedError) as refused:
        count_upload(ana, "huge.csv", 60 * MB + 1)
    assert str(refused.value) == (
        "huge.csv has 61 MB; this server takes files of up to 60 MB. Split it into smaller files, or ask Dr. Costa for "
        "more."
    )
    assert counted(ana) == []


def test_what_was_sent_longer_ago_counts_no_more(ana: Workbench) -> None:
    count_upload(ana, "first.csv", 60 * MB)
    with ana.database.write() as work:
        work.upload_counts._session.exec(select(CountedUploadRow)).one().at = now() - DAY - timedelta(seconds=1)
    count_upload(ana, "second.csv", 50 * MB)
    assert counted(ana) == [50 * MB]


def test_each_person_has_their_own(ana: Workbench) -> None:
    with ana.database.write() as work:
        ben: Actor = work.people.actor(work.people.add("invite", "ben", "Ben").id)
    count_upload(ana, "first.csv", 60 * MB)
    count_upload(replace(ana, actor=ben), "first.csv", 60 * MB)
    assert counted(ana) == [60 * MB, 60 * MB]


def test_what_was_just_said_counts_and_is_never_refused(ana: Workbench) -> None:
    count_upload(ana, "voice.wav", 120 * MB, irreplaceable=True)
    with pytest.raises(NotAllowedError):
        count_upload(ana, "first.csv", 1)
    count_upload(ana, "voice.wav", 5 * MB, irreplaceable=True)
    assert counted(ana) == [5 * MB, 120 * MB]


def test_the_owner_has_a_largest_file_and_no_limit_a_day(ana: Workbench) -> None:
    owner = replace(ana, actor=replace(ana.actor, owner=True))
    for _ in range(3):
        count_upload(owner, "first.csv", 50 * MB)
    with pytest.raises(NotAllowedError, match="up to 60 MB"):
        count_upload(owner, "huge.csv", 61 * MB)


def test_at_once_in_two_processes_nobody_gets_more(ana: Workbench, elsewhere: Workbench) -> None:
    refused: list[str] = []

    def send(workbench: Workbench) -> None:
        for _ in range(4):
            try:
                count_upload(workbench, "a.csv", 30 * MB)
            except NotAllowedError as error:
                refused.append(error.message)

    threads = [threading.Thread(target=send, args=(workbench,)) for workbench in (ana, elsewhere)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (len(refused), counted(ana)) == (5, [30 * MB] * 3)


def test_on_ones_own_computer_nothing_is_counted(ana: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INTERACTEVAL_ACCESS", "local")
    settings.cache_clear()
    count_upload(replace(ana, actor=LOCAL_OWNER), "huge.csv", 499 * MB)
    count_upload(replace(ana, actor=LOCAL_OWNER), "huge.csv", 499 * MB)
    assert (counted(ana), largest_upload()) == ([], 500)


@pytest.mark.parametrize("written", ["0", "-5", "501", "many", "1.5"])
def test_a_limit_that_is_none_is_one_sentence(monkeypatch: pytest.MonkeyPatch, written: str) -> None:
    monkeypatch.setenv("INTERACTEVAL_UPLOAD_MB", written)
    settings.cache_clear()
    with pytest.raises(InputError, match=f"INTERACTEVAL_UPLOAD_MB is “{written}”.*from 1 to 500"):
        largest_upload()


def test_a_day_may_be_as_large_as_one_likes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INTERACTEVAL_UPLOAD_MB_A_DAY", "100000")
    settings.cache_clear()
    assert uploads_a_day() == 100_000
    monkeypatch.setenv("INTERACTEVAL_UPLOAD_MB_A_DAY", "none")
    settings.cache_clear()
    with pytest.raises(InputError, match="from 1 on"):
        uploads_a_day()
