"""Files that people upload where they sign in: how much, what is refused, and who has them afterwards."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from types import SimpleNamespace

import pytest
from streamlit.testing.v1 import AppTest

from app.domain.project import Task
from app.domain.roles_and_rights import Actor, Role
from app.limits import MB
from app.services.background import jobs
from app.services.background.runner import do_in_thread, next_job
from app.services.data import imports
from app.services.data.imports import import_key
from app.services.data.projects import create_project, get_project, overview
from app.services.runtime.backups import WriterLock
from app.services.runtime.workbench import Workbench
from app.settings import settings
from db.models.columns import now
from pages.components.shell import current, upload_field
from tests.pages.test_texts import TABLE, Open, upload
from tests.support.background import ended

SignIn = Callable[[Role], Actor]


@pytest.fixture
def sign_in(workbench: Workbench, monkeypatch: pytest.MonkeyPatch) -> SignIn:
    """Ana, with this role in the project “Fresh”, on a server that takes 1 MB a file and as much a day."""
    monkeypatch.setenv("INTERACTEVAL_ACCESS", "invite")
    monkeypatch.setenv("INTERACTEVAL_CONTACT", "Dr. Costa")
    monkeypatch.setenv("INTERACTEVAL_UPLOAD_MB", "1")
    monkeypatch.setenv("INTERACTEVAL_UPLOAD_MB_A_DAY", "1")
    settings.cache_clear()
    project = create_project(workbench, "Fresh", Task())

    def signed_in(role: Role) -> Actor:
        with workbench.database.write() as work:
            person = work.people.add("invite", "ana", "Ana")
            work.people.join(person.id, project.id, role, "Ana")
            actor = work.people.actor(person.id)
        monkeypatch.setattr(current, "person_at_browser", lambda *_: actor)
        return actor

    return signed_in


def sent(workbench: Workbench, actor: Actor) -> int:
    """Bytes that count for the person."""
    assert actor.person is not None
    with workbench.database.read() as work:
        return work.upload_counts.since(actor.person, now() - timedelta(days=1))


def large(size: int) -> str:
    """A table of so many bytes."""
    head = "doc,summary,coherence\n"
    return head + "d1," + "x" * (size - len(head) - 6) + ",3\n"


def test_what_is_too_much_for_a_day_is_refused_in_a_sentence_and_let_go_of(
    workbench: Workbench, open_screen: Open, sign_in: SignIn
) -> None:
    ana = sign_in(Role.FACILITATOR)
    size = MB - len(TABLE)
    app = upload(open_screen("texts"), "first.csv", large(size))
    assert not app.error
    assert any(button.key == "start_import" for button in app.button)
    assert sent(workbench, ana) == size
    app.run()  # drawn again it is no second upload
    assert sent(workbench, ana) == size
    app = upload(app, "second.csv", large(len(TABLE) + 1))
    assert [error.value.partition("\n\n")[0] for error in app.error] == [
        "second.csv has 1 MB, and you have uploaded 1 MB in the last 24 hours; this server takes 1 MB a day from each "
        "person. Upload it tomorrow, choose a smaller file, or ask Dr. Costa for more."
    ]
    assert sent(workbench, ana) == size
    field = app.file_uploader(key="import_file_1")
    assert field.value is None
    field.set_value(("third.csv", TABLE.encode(), "text/csv"))
    app.run()
    assert not app.error
    assert sent(workbench, ana) == MB


def test_every_field_says_how_large_a_file_may_be(workbench: Workbench, open_screen: Open, sign_in: SignIn) -> None:
    sign_in(Role.FACILITATOR)
    fields = open_screen("texts").file_uploader
    assert {field.proto.max_upload_size_mb for field in fields} == {1}


def test_on_ones_own_computer_files_are_as_large_as_they_were(workbench: Workbench, open_screen: Open) -> None:
    fields = open_screen("texts").file_uploader
    assert {field.proto.max_upload_size_mb for field in fields} == {500}


def test_a_file_that_was_handed_over_is_held_by_the_web_process_no_longer(
    workbench: Workbench, open_screen: Open, sign_in: SignIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    sign_in(Role.FACILITATOR)
    monkeypatch.setattr(imports, "LARGE_IMPORT", 10)
    monkeypatch.setattr(jobs, "WORKER_TIMEOUT", timedelta(days=1))
    with workbench.database.write() as work:
        work.jobs.worker_seen("elsewhere|1")
    app = upload(open_screen("texts"), "texts.csv", TABLE)
    app.button(key="start_import").click().run()
    assert not app.exception
    assert "waiting for a worker" in _progress(app)
    assert "kept_upload" not in app.session_state
    field = app.file_uploader(key="import_file_1")
    assert field.value is None
    lock = WriterLock()
    lock.acquire()
    found = next_job(workbench, lock)
    assert found is not None
    do_in_thread(*found, lock)
    app = ended(app, import_key("Fresh"))
    assert "3 texts and 5 ratings came in** from texts.csv" in " ".join(m.value for m in app.markdown)
    assert overview(workbench, get_project(workbench, "Fresh").id).texts == 3
    other = open_screen("texts")  # another session, in whatever process
    assert "3 texts and 5 ratings came in** from texts.csv" in " ".join(m.value for m in other.markdown)
    other.button(key="close_report").click().run()
    assert "came in" not in " ".join(m.value for m in app.run().markdown)


def test_what_was_just_said_is_taken_however_much_was_sent(
    workbench: Workbench, sign_in: SignIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    """AppTest can't speak, so the microphone is played."""
    ana = sign_in(Role.EXPERT)
    with workbench.database.write() as work:
        assert ana.person is not None
        work.upload_counts.add(ana.person, MB)
    said = SimpleNamespace(file_id="1", name="voice.wav", size=7)
    monkeypatch.setattr(upload_field, "st", SimpleNamespace(audio_input=lambda *_, **__: said, session_state={}))
    with_ana = replace(workbench, actor=ana)
    for _ in range(2):
        assert upload_field.recording_field(with_ana, "Your voice", "voice", "help") is said
    assert sent(workbench, ana) == MB + 7  # drawn twice, said once


def _progress(app: AppTest) -> str:
    return " ".join(str(one.proto.text) for one in app.get("progress"))
