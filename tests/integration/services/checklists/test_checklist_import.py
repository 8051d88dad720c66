"""A checklist in another project: what came with it, and that a judge is asked alike there."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.domain.checklist import Checklist, ChecklistStatus, Component, Question, QuestionKind
from app.domain.project import Dimension, Rating, Task, Text
from app.errors import FileFormatError, NotFoundError
from app.services.checklists.checklist_files import export_file, import_checklist, project_for_checklist
from app.services.checklists.checklists import publish, view_checklist
from app.services.data.projects import create_project, get_project, list_projects, save_dimension, save_task
from app.services.runtime.prompts import project_prompt, save_wording, sections_of, use_wording
from app.services.runtime.workbench import Workbench
from app.services.scoring.runs import RunOptions, start_run, work_on
from tests.support.fake_llm.behaviour import Answer
from tests.support.fake_llm.server import FakeLlm
from tests.support.prepared import Prepared, prepared
from tests.support.projects import workbench_at

RUBRIC = "How polite:\n- greets  \n\n  * thanks\ttwice\n“Ünïcode” \u2028 %yes: #no\n"
TASK = Task("reply", "ticket", "Replies of a help desk: short, “warm”.", "German")
QUESTIONS = (
    Question("Does it greet?", "Opening", QuestionKind.KEY),
    Question("Grüßt sie: mit Namen?", "Opening", key_question="Does it greet?", guidance="Vorname: ja.", weight=2.5),
    Question("Is 'no' said kindly?", "Opening", key_question="Does it greet?", may_not_apply=True, position=1),
    Question("1e3", "", position=2),
    Question("Does it blame?", "", position=3, must_not=True, cap=0.0),
    Question("Is it kind?", "", position=4, grade="Wärme: gut"),
    Question("Is it very kind?", "", position=5, grade="Wärme: gut"),
)
PROMPT = "judge-checklist-open"


@pytest.fixture
def usual() -> Answer:
    return Answer("no idea")


def _export(workbench: Workbench) -> dict[str, bytes]:
    project = create_project(workbench, "A", TASK, (Dimension("tone", RUBRIC, 0, 7),))
    with workbench.database.write() as work:
        dimension = work.projects.dimension(project.id, "tone")
        parts = (Component("Opening", "How it begins."),)
        draft = Checklist("tone", 0, ChecklistStatus.DRAFT, "comb", "", parts, QUESTIONS)
        work.checklists.publish(work.checklists.save(dimension.id, draft))
    system, user = sections_of(project_prompt(workbench, project.id, PROMPT).builtin.source)
    save_wording(workbench, project.id, PROMPT, f"{system}\nBe strict.\n", user)
    view = view_checklist(workbench, dimension.id)
    return {form: export_file(workbench, view, form) for form in ("json", "yaml")}


@pytest.fixture(scope="module")
def made() -> Prepared[dict[str, bytes]]:
    """Made once; each test has a copy."""
    return prepared(_export)


@pytest.fixture
def workbench(made: Prepared[dict[str, bytes]], llm: FakeLlm, tmp_path: Path) -> Iterator[Workbench]:
    """One with project A, whose judge has a prompt of the project's own."""
    made.copy(tmp_path)
    found = workbench_at(tmp_path, f"{llm.url}/v1")
    yield found
    found.database.close()


@pytest.fixture
def exported(made: Prepared[dict[str, bytes]]) -> dict[str, bytes]:
    """Format -> the checklist of project A."""
    return made.made


def requests(workbench: Workbench, llm: FakeLlm, project: str) -> list[str]:
    """What the judge is sent about one text, as JSON."""
    with workbench.database.write() as work:
        found = work.projects.get(project)
        work.texts.add_many(found.id, [Text("d", "Dear Ann, thanks.", source="It broke.")])
        dimension = work.projects.dimension(found.id, "tone")
    llm.requests.clear()
    work_on(workbench, start_run(workbench, found.id, RunOptions((dimension,), "llama:judge", use_cache=False)))
    return [json.dumps(request.body) for request in llm.requests]


@pytest.mark.parametrize(
    ("form", "there"),
    [("yaml", "nothing"), ("json", "project"), ("json", "rated")],
)
def test_an_imported_checklist_is_asked_to_the_byte(workbench, exported, llm: FakeLlm, form: str, there: str) -> None:
    if there != "nothing":
        create_project(workbench, "B", Task(), (Dimension("tone"),) if there != "project" else ())
    if there == "rated":
        with workbench.database.write() as work:
            project = work.projects.get("B")
            work.texts.add_many(project.id, [Text("r", "Rated.")])
            place = work.projects.dimension(project.id, "tone").id
            work.texts.add_ratings([(work.texts.ids(project.id)[0], place, Rating("tone", "r1", 3.0))])
    before = requests(workbench, llm, "A")
    target, made = project_for_checklist(workbench, "B", exported[form], f"tone.{form}")
    found = import_checklist(workbench, target.id, exported[form], f"tone.{form}")
    publish(workbench, found.checklist.id)
    after = requests(workbench, llm, "B")
    assert before
    assert set(after) >= set(before)
    assert (made, found.made, found.asked_alike, found.differs) == (
        there == "nothing",
        there in ("nothing", "project"),
        True,
        (),
    )
    assert (found.dimension.low, found.dimension.high) == (0, 7)
    assert [q.weight for q in found.checklist.asked] == [2.5, 1, 1, 1, 1, 1]
    counting = [(q.must_not, q.cap, q.grade) for q in found.checklist.asked]
    assert counting == [(q.must_not, q.cap, q.grade) for q in QUESTIONS[1:]]


@pytest.fixture
def other(workbench: Workbench) -> int:
    """A project with a rubric and a kind of text of its own."""
    return create_project(workbench, "B", Task("letter", language="Dutch"), (Dimension("tone", "Warmth."),)).id


def test_different_settings_are_named_and_stay_until_chosen(workbench, exported, other: int) -> None:
    found = import_checklist(workbench, other, exported["json"], "tone.json")
    assert {one.setting for one in found.differs} == {"rubric", "text_name", "language"}
    assert set(found.taken) == {"low", "high", "source_name", "description", PROMPT}
    assert (found.dimension.rubric, found.asked_alike) == ("Warmth.", False)
    assert found.to_json()["differs"][0] == {"setting": "rubric", "file": RUBRIC, "project": "Warmth."}
    assert any("rubric" in sentence for sentence in found.sentences)


def test_the_files_settings_hold_where_that_is_chosen(workbench, exported, other: int, llm: FakeLlm) -> None:
    before = requests(workbench, llm, "A")
    found = import_checklist(workbench, other, exported["yaml"], "tone.yaml", holds="file")
    publish(workbench, found.checklist.id)
    assert (found.dimension.rubric, found.asked_alike) == (RUBRIC, True)
    assert requests(workbench, llm, "B") == before


def test_empty_words_of_a_file_replace_no_written_ones(workbench, exported, other: int) -> None:
    empty = json.loads(exported["json"])
    assert empty["rubric"] == RUBRIC
    empty["rubric"] = " "
    found = import_checklist(workbench, other, json.dumps(empty).encode(), "tone.json", holds="file")
    assert (found.dimension.rubric, found.asked_alike) == ("Warmth.", False)
    assert ([one.setting for one in found.stays], found.to_json()["rubric"]) == (["rubric"], "project")
    assert get_project(workbench, "B").task.language == "German"


def test_the_projects_settings_hold_where_that_is_chosen(workbench, exported, other: int) -> None:
    found = import_checklist(workbench, other, exported["json"], "tone.json", "tone", "project")
    assert (found.taken, found.dimension.low) == ((), 1)
    assert get_project(workbench, "B").task == Task("letter", language="Dutch")


def test_a_project_with_runs_keeps_what_its_runs_were_asked(workbench, exported, llm: FakeLlm) -> None:
    project = create_project(workbench, "B", Task(), (Dimension("tone"),))
    first = import_checklist(workbench, project.id, b"Is it warm?", "list.txt", "tone")
    publish(workbench, first.checklist.id)
    requests(workbench, llm, "B")
    found = import_checklist(workbench, project.id, exported["json"], "tone.json")
    assert (found.taken, found.dimension.rubric) == ((), "")
    assert {one.setting for one in found.differs} >= {"rubric", "text_name", PROMPT}


def test_an_own_prompt_that_the_file_hasnt_is_a_difference(workbench, exported) -> None:
    project = get_project(workbench, "A")
    use_wording(workbench, project.id, PROMPT, 0)
    builtin = export_file(workbench, view_checklist(workbench, 1), "json")
    use_wording(workbench, project.id, PROMPT, 1)
    found = import_checklist(workbench, project.id, builtin, "tone.json")
    assert [one.setting for one in found.differs] == [PROMPT]
    import_checklist(workbench, project.id, builtin, "tone.json", holds="file")
    assert project_prompt(workbench, project.id, PROMPT).in_use == 0


def test_the_same_settings_and_older_files_without_them_are_no_difference(workbench, exported) -> None:
    project = get_project(workbench, "A")
    for holds in ("", "file", "project"):
        found = import_checklist(workbench, project.id, exported["json"], "tone.json", holds=holds)
        assert (found.made, found.taken, found.differs) == (False, (), ())
    document = json.loads(exported["json"])
    for field in ("source_name", "description", "language", "prompts"):
        document.pop(field, None)
    save_task(workbench, project.id, TASK)
    save_dimension(workbench, Dimension("tone", RUBRIC, 0, 7, 0, 1))
    found = import_checklist(workbench, project.id, json.dumps(document).encode(), "tone.json")
    assert found.differs == ()


def test_a_file_without_settings_makes_nothing_but_the_draft(workbench, exported) -> None:
    with pytest.raises(NotFoundError):
        import_checklist(workbench, get_project(workbench, "A").id, b"Is it warm?", "list.txt", "warmth")
    with pytest.raises(NotFoundError):
        project_for_checklist(workbench, "C", b"Is it warm?", "list.txt")
    broken = exported["json"].replace(b'"low": 0.0', b'"low": "x"')
    with pytest.raises(FileFormatError):
        project_for_checklist(workbench, "C", broken, "tone.json")
    assert [project.name for project in list_projects(workbench)] == ["A"]
