"""A whole project goes to another computer and on from there: nothing is lost, nothing is paid twice."""

import itertools
import json
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

import pytest

from app.domain.attribute import ContributorKind
from app.domain.checklist import ChecklistStatus
from app.domain.checklist_score import Answer as Given
from app.domain.project import Dimension, Project
from app.errors import ConflictError, DatabaseError, FileFormatError, NotFoundError
from app.evaluators.checklist import JudgeOptions
from app.limits import PROJECT_FILE
from app.services.attributes.attributes import add_attributes
from app.services.checklists.answer_draws import draw_texts
from app.services.checklists.answer_files import answers_csv
from app.services.checklists.lineage import lineage_document, lineage_of_version
from app.services.conditions.study import StudyOptions, plan_study
from app.services.conditions.study_worker import run_study
from app.services.data import project_transfer
from app.services.data.project_transfer import export_project, import_project
from app.services.data.projects import get_project, list_projects, overview
from app.services.drift.anchors import freeze_anchors, newest_anchors
from app.services.drift.drift_checks import Asking, ask_reference, drift_state, look_once
from app.services.people.api_tokens import make_api_token
from app.services.people.sign_ins import token_hash
from app.services.results.results import results_of
from app.services.runtime.workbench import Workbench
from app.services.scoring.runs import RunOptions, list_runs, start_run, work_on
from app.services.think_aloud.transcripts import save_recording, voice_recording_path
from tests.support.answering import answer_all
from tests.support.fake_llm.behaviour import Answer, all_yes
from tests.support.fake_llm.server import FakeLlm, Received, Usual
from tests.support.prepared import Prepared, prepared
from tests.support.projects import ready_to_score, workbench_at
from tests.support.study_project import ferry_project


@pytest.fixture
def usual() -> Usual:
    return Answer(all_yes)


@pytest.fixture(scope="module")
def ferry() -> Prepared[Project]:
    return prepared(ferry_project)


@pytest.fixture
def elsewhere(ferry: Prepared[Project], llm: FakeLlm, tmp_path: Path) -> Iterator[Workbench]:
    """Another computer, with a project of its own, so that all ids differ."""
    (tmp_path / "elsewhere").mkdir()
    ferry.copy(tmp_path / "elsewhere")
    made = workbench_at(tmp_path / "elsewhere", f"{llm.url}/v1")
    yield made
    made.database.close()


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The file of a project with two texts, an attribute and a run."""
    folder = tmp_path_factory.mktemp("exported")
    workbench = workbench_at(folder)
    dimension = ready_to_score(workbench, texts=2, questions=2)
    add_attributes(workbench, 1, "Ada", ContributorKind.HUMAN, ["Links."])
    work_on(workbench, start_run(workbench, 1, RunOptions((dimension,), "rules")))
    export_project(workbench, "Ready", folder / "ready.zip")
    workbench.database.close()
    return (folder / "ready.zip").read_bytes()


@pytest.fixture
def ready_zip(exported: bytes, tmp_path: Path) -> Path:
    (tmp_path / "ready.zip").write_bytes(exported)
    return tmp_path / "ready.zip"


def test_a_run_that_was_stopped_goes_on_elsewhere_and_asks_only_what_is_missing(
    workbench: Workbench, elsewhere: Workbench, llm: FakeLlm, tmp_path: Path
) -> None:
    dimension = ready_to_score(workbench, texts=8)

    def late(received: Received) -> Answer:
        about_two = "Is part 2 in its place?" in str(received.body["messages"])
        return Answer("I would rather not.") if about_two else Answer(all_yes)

    llm.usual = late
    run = start_run(workbench, 1, RunOptions((dimension,), "llama:judge", asking=JudgeOptions(per_question=True)))
    assert work_on(workbench, run).run.failed == 8
    out = export_project(workbench, "Ready", tmp_path / "ready.zip")
    assert (out.texts, out.runs) == (8, 1)

    done = import_project(elsewhere, tmp_path / "ready.zip")
    assert (done.project, done.texts, done.runs) == ("Ready", 8, 1)
    with elsewhere.database.read() as work:
        (there,) = work.runs.all(work.projects.get("Ready").id)
    llm.usual = Answer(all_yes)
    llm.requests.clear()
    assert work_on(elsewhere, there.id).run.done == 8
    assert len(llm.requests) == 8, "the third question of each text, and neither of the two that were paid for"
    work_on(workbench, run)
    here, over_there = results_of(workbench, run)[0], results_of(elsewhere, there.id)[0]
    assert [row.score for row in here.rows] == [row.score for row in over_there.rows]
    assert here.meta.to_json() == over_there.meta.to_json()


@pytest.mark.long
def test_a_study_is_found_there_as_built_and_scored_with_the_lineage_of_each_question(
    workbench: Workbench, elsewhere: Workbench, tmp_path: Path
) -> None:
    project = ferry_project(workbench)
    with workbench.database.read() as work:
        dimensions = tuple(work.projects.dimensions(project.id))
    run_study(workbench, project, StudyOptions(dimensions, "rules", "rules"))
    export_project(workbench, "P", tmp_path / "p.zip")
    import_project(elsewhere, tmp_path / "p.zip", "P again")
    again = get_project(elsewhere, "P again")
    with elsewhere.database.read() as work:
        there = tuple(work.projects.dimensions(again.id))
    plan = plan_study(elsewhere, again, StudyOptions(there, "rules", "rules"))
    assert (len(plan.cells), len(plan.to_build), len(plan.to_score)) == (11, 0, 0)
    for cell in plan.cells:
        assert cell.checklist is not None
        assert _lineage(elsewhere, there[0], cell.checklist.version) == _lineage(
            workbench, dimensions[0], cell.checklist.version
        )


def _lineage(workbench: Workbench, dimension: Dimension, version: int) -> str:
    """Without the numbers of attributes, which are others there."""
    found = json.dumps(lineage_document(lineage_of_version(workbench, dimension.id, version)))
    return re.sub(r'"id": \d+', '"id"', found)


def test_answers_recordings_and_anchors_come_along_and_tokens_do_not(
    workbench: Workbench, elsewhere: Workbench, tmp_path: Path
) -> None:
    dimension, asking = ready_to_score(workbench), Asking("llama:judge")
    draw = draw_texts(workbench, 1, 8, seed=2)
    with workbench.database.read() as work:
        questions = [question.id for question in work.checklists.get(1).asked]
    answer_all(workbench, draw, "Ana", dict.fromkeys(itertools.product(draw.texts, questions), Given.YES))
    save_recording(workbench, dimension.id, "Ana", b"RIFF of Ana", "ana.wav")
    ask_reference(workbench, 1, dimension, freeze_anchors(workbench, 1, dimension, "Ana"), asking)
    secret = make_api_token(workbench, 1, "nightly", 5.0).secret
    assert export_project(workbench, "Ready", tmp_path / "ready.zip").recordings == 1
    with ZipFile(tmp_path / "ready.zip") as file:
        held = b"".join(file.read(name) for name in file.namelist())
    assert b"Text number 1" in held
    assert [each for each in (secret, token_hash(secret)) if each.encode() in held] == []

    import_project(elsewhere, tmp_path / "ready.zip")
    project = get_project(elsewhere, "Ready").id
    with elsewhere.database.read() as work:
        (there,) = work.projects.dimensions(project)
        (checklist,) = (c for c in work.checklists.versions(there.id) if c.status is ChecklistStatus.PUBLISHED)
        (name,) = work.transfers.recordings(project)
        assert work.api_tokens.of_project(project) == []
    assert answers_csv(elsewhere, checklist.id) == answers_csv(workbench, 1)
    assert voice_recording_path(name).read_bytes() == b"RIFF of Ana"
    found = newest_anchors(elsewhere, there)
    assert found is not None
    look_once(elsewhere, project, there, found, asking)
    assert [each.figures["flips"] for each in drift_state(elsewhere, project, there).looks] == [0]
    assert list_runs(elsewhere, project) == [], "runs about anchors are no results there either"


def _tampered(file: Path, target: Path, statement: str) -> Path:
    """The same project file with a change in its database."""
    with ZipFile(file) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    inside = target.with_suffix(".db")
    inside.write_bytes(parts["project.db"])
    with sqlite3.connect(inside) as connection:
        connection.executescript(statement)
    connection.close()
    with ZipFile(target, "w") as archive:
        for name, content in (parts | {"project.db": inside.read_bytes()}).items():
            archive.writestr(name, content)
    return target


def test_no_name_in_a_file_from_elsewhere_is_a_path_here(
    workbench: Workbench, elsewhere: Workbench, tmp_path: Path
) -> None:
    dimension = ready_to_score(workbench, texts=2, questions=2)
    save_recording(workbench, dimension.id, "Ana", b"RIFF", "ana.wav")
    export_project(workbench, "Ready", tmp_path / "ready.zip")
    hostile = _tampered(
        tmp_path / "ready.zip", tmp_path / "hostile.zip", "UPDATE transcript SET audio = '../../etc/passwd.wav'"
    )
    assert import_project(elsewhere, hostile).recordings == 0
    with elsewhere.database.read() as work:
        assert work.transfers.recordings(work.projects.get("Ready").id) == []


def _cut(file: Path) -> Path:
    file.write_bytes(file.read_bytes()[:-2000])
    return file


def _flipped(file: Path) -> Path:
    raw = bytearray(file.read_bytes())
    raw[len(raw) // 2] ^= 0xFF
    file.write_bytes(bytes(raw))
    return file


def _of_others(file: Path) -> Path:
    with ZipFile(file, "w") as archive:
        archive.writestr("project.json", '{"format": "something else"}')
    return file


def _empty(file: Path) -> Path:
    with ZipFile(file, "w") as archive:
        archive.writestr("project.json", '{"format": "interacteval-project", "version": 1}')
    return file


def _no_zip(file: Path) -> Path:
    file.write_text("texts", encoding="utf-8")
    return file


def _states(file: Path) -> Path:
    return _tampered(file, file.with_name("states.zip"), "UPDATE scoring_run SET params = '[1]'")


def test_a_file_that_is_no_whole_project_changes_nothing(
    elsewhere: Workbench, exported: bytes, tmp_path: Path, subtests: pytest.Subtests, monkeypatch: pytest.MonkeyPatch
) -> None:
    for broken in (_cut, _flipped, _of_others, _empty, _no_zip, _states):
        with subtests.test(broken.__name__):
            file = tmp_path / f"{broken.__name__}.zip"
            file.write_bytes(exported)
            with pytest.raises(FileFormatError) as said:
                import_project(elsewhere, broken(file))
            assert said.value.hint
            assert [project.name for project in list_projects(elsewhere)] == ["P"]
    (tmp_path / "ready.zip").write_bytes(exported)
    monkeypatch.setattr(project_transfer, "import_seconds", lambda _: -1.0)
    with pytest.raises(FileFormatError):  # it takes too long to copy
        import_project(elsewhere, tmp_path / "ready.zip")
    assert [project.name for project in list_projects(elsewhere)] == ["P"]


def test_what_cannot_be_taken_says_why(elsewhere: Workbench, ready_zip: Path, tmp_path: Path) -> None:
    import_project(elsewhere, ready_zip)
    with pytest.raises(ConflictError, match="There is already a project “Ready”"):
        import_project(elsewhere, ready_zip)
    with pytest.raises(NotFoundError):
        import_project(elsewhere, tmp_path / "nothing.zip")
    with pytest.raises(NotFoundError):
        export_project(elsewhere, "Nobody's", tmp_path / "nobodys.zip")
    assert not (tmp_path / "nobodys.zip").exists()
    newer = _tampered(ready_zip, tmp_path / "newer.zip", "UPDATE alembic_version SET version_num = '9999'")
    with pytest.raises((FileFormatError, DatabaseError), match="newer version"):
        import_project(elsewhere, newer, "Newer")
    foreign = "CREATE TABLE foreign_table (a); INSERT INTO foreign_table VALUES (1)"
    bare = _tampered(ready_zip, tmp_path / "bare.zip", foreign)
    assert import_project(elsewhere, bare, "Bare").texts == 2, "a foreign table is left out"


ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i AS id, i AS name FROM n"


MORE_THAN_DATA = {
    "view": f"CREATE VIEW endless AS {ENDLESS}",
    "table as view": f"DROP TABLE project; CREATE VIEW project AS {ENDLESS}",
    "trigger": "CREATE TRIGGER t AFTER UPDATE ON project BEGIN DELETE FROM text; END",
    "computed": "CREATE TABLE computed (a INT, b INT GENERATED ALWAYS AS (a + 1))",
    "row": "UPDATE project SET notice = printf('%.*c', 2500000, 'x')",
    "checklist": "UPDATE checklist SET status = 'odd'",
    "attribute": "UPDATE attribute SET status = 'odd'",
    "contributor": "UPDATE contributor SET kind = 'odd'",
    "deep JSON": "UPDATE project SET human_systems = printf('%.*c', 200000, '[')",
    "half characters": "UPDATE project SET notice = CAST(x'ff' AS TEXT)",
    "word for number": "UPDATE dimension SET low = 'odd'",
    "number for day": "UPDATE project SET created_at = 7",
    "no table": "DROP TABLE score",
    "no column": "ALTER TABLE project RENAME COLUMN notice TO odd",
    "no version": "DELETE FROM alembic_version",
}


def test_project_file_that_is_more_than_data_is_refused(
    elsewhere: Workbench, ready_zip: Path, tmp_path: Path, subtests: pytest.Subtests, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ZipFile(ready_zip) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    before, database = list_projects(elsewhere), tmp_path / "inside.db"
    for kind, change in MORE_THAN_DATA.items():
        database.write_bytes(parts["project.db"])
        with closing(sqlite3.connect(database)) as connection:
            connection.executescript(f"PRAGMA foreign_keys=OFF; {change};")
        with ZipFile(tmp_path / "odd.zip", "w") as archive:
            for name, content in {**parts, "project.db": database.read_bytes()}.items():
                archive.writestr(name, content)
        with subtests.test(kind), monkeypatch.context() as patch:
            if kind != "deep JSON":  # JSON is read row by row
                patch.setattr(elsewhere.database, "write", lambda: pytest.fail("Nobody else could write meanwhile."))
            with pytest.raises(FileFormatError):
                import_project(elsewhere, tmp_path / "odd.zip")
            assert list_projects(elsewhere) == before


def test_project_file_with_too_much_or_too_many_parts_is_refused(
    elsewhere: Workbench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(project_transfer, "PROJECT_FILE", replace(PROJECT_FILE, free=2**20))
    with ZipFile(tmp_path / "bomb.zip", "w", ZIP_DEFLATED) as archive:
        archive.writestr("project.json", '{"format": "interacteval-project", "version": 1}')
        archive.writestr("project.db", bytes(2 * 2**20))
    with pytest.raises(FileFormatError):
        import_project(elsewhere, tmp_path / "bomb.zip")
    # Too many parts are refused unread.
    monkeypatch.setattr(project_transfer, "LONGEST_DIRECTORY", 5_000)
    monkeypatch.setattr(project_transfer, "ZipFile", lambda _: pytest.fail("It was read."))
    with ZipFile(tmp_path / "many.zip", "w") as archive:
        archive.writestr("project.json", '{"format": "interacteval-project", "version": 1}')
        for number in range(100):
            archive.writestr(f"part {number}", "")
    with pytest.raises(FileFormatError):
        import_project(elsewhere, tmp_path / "many.zip")


def test_overview_of_rows_in_unknown_states_shows_the_project(workbench: Workbench) -> None:
    dimension = ready_to_score(workbench, texts=2, questions=2)
    add_attributes(workbench, 1, "Ada", ContributorKind.HUMAN, ["Links."])
    start_run(workbench, 1, RunOptions((dimension,), "rules", asking=JudgeOptions()))
    with workbench.database.write() as work:
        for table in ("scoring_run", "checklist", "attribute", "question"):
            column = "kind" if table == "question" else "status"
            work._session.connection().exec_driver_sql(f"UPDATE {table} SET {column} = 'odd'")
        work._session.connection().exec_driver_sql("UPDATE contributor SET kind = 'odd'")
    assert [overview(workbench, each.id).texts for each in list_projects(workbench)] == [2]
