"""Checklists out as files for people and tools, and in again as drafts."""

import ast
import json
from collections.abc import Iterator
from pathlib import Path

import jsonschema
import pytest
import yaml

from app.domain.attribute import ContributorKind
from app.domain.checklist import Checklist, ChecklistStatus, Question
from app.domain.project import Dimension
from app.errors import FileFormatError, NotReadyError
from app.export.checklist import schema_text
from app.services.attributes.attributes import add_attributes, attributes_of
from app.services.building.build import build
from app.services.checklists.checklist_files import export_file, export_name, import_checklist_file
from app.services.checklists.checklists import ChecklistView, versions_of, view_checklist
from app.services.checklists.question_proposals import comment_on, comments_on, settle_comment
from app.services.data.projects import get_project, one_dimension
from app.services.runtime.workbench import Workbench
from tests.support.prepared import Prepared, prepared
from tests.support.projects import ready_to_score, workbench_at

BREAKING = 'Is """ {{ env.KEY }} {% raw %} \\" \'\'\' \u2028 ${x} <b>fine</b>?'


def _built(bench: Workbench) -> ChecklistView:
    ready_to_score(bench)
    add_attributes(bench, 1, "Ada", ContributorKind.HUMAN, ["The sentences follow in order", "Connectives fit"])
    add_attributes(bench, 1, "rules", ContributorKind.LLM, ["Nothing is repeated", "The end follows from the start"])
    build(bench, get_project(bench, "Ready"), one_dimension(bench, "Ready", "coherence"), "rules")
    return view_checklist(bench, 1)


@pytest.fixture(scope="module")
def built_once() -> Prepared[ChecklistView]:
    return prepared(_built)


@pytest.fixture(scope="module")
def ready() -> Prepared[Dimension]:
    return prepared(ready_to_score)


@pytest.fixture
def bench(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Workbench]:
    """A copy of the project; with the built checklist for a test that takes `built`."""
    there: Prepared[object] = request.getfixturevalue("built_once" if "built" in request.fixturenames else "ready")
    there.copy(tmp_path)
    made = workbench_at(tmp_path)
    yield made
    made.database.close()


@pytest.fixture
def built(built_once: Prepared[ChecklistView]) -> ChecklistView:
    """A checklist that the rules built from what two contributors said."""
    return built_once.made


def test_a_built_checklist_fits_the_published_schema(bench: Workbench, built: ChecklistView) -> None:
    document = json.loads(export_file(bench, built, "json"))
    jsonschema.validate(document, json.loads(schema_text()))
    said = {a["text"] for c in document["components"] for a in c["attributes"]} | {
        a["text"] for a in document["dropped"]
    }
    assert said == {a.text for a in built.attributes.values()}


def test_what_comes_back_into_its_project_knows_its_attributes(bench: Workbench, built: ChecklistView) -> None:
    draft = import_checklist_file(bench, 1, export_file(bench, built, "yaml"), "mine.yaml").checklist
    assert [(q.text, q.component, q.attributes, q.origin) for q in draft.asked] == [
        (q.text, q.component, q.attributes, q.origin) for q in built.checklist.asked
    ]
    assert {c.name: c.attributes for c in draft.components} == {
        c.name: c.attributes for c in built.checklist.components
    }
    assert len(attributes_of(bench, 1)) == 4
    for form in ("csv", "md"):
        draft = import_checklist_file(bench, 1, export_file(bench, built, form), f"mine.{form}").checklist
        assert [(q.text, q.component) for q in draft.asked] == [(q.text, q.component) for q in built.checklist.asked]


UNREADABLE = [
    ("a.csv", b'text,weight\n"a?,1', "Row 1"),
    ("a.csv", b"text\n\xff", "UTF-8"),
    ("a.docx", b"PK", "a.docx is no kind"),
    ("a.json", b"{", "JSON"),
]


def test_nothing_comes_in_from_what_cant_be_read(bench: Workbench) -> None:
    for name, data, place in UNREADABLE:
        with pytest.raises(FileFormatError, match=place):
            import_checklist_file(bench, 1, data, name)
    assert len(versions_of(bench, 1)) == 1


def _asking(bench: Workbench, *questions: str) -> ChecklistView:
    with bench.database.write() as work:
        made = Checklist(
            "coherence", 0, ChecklistStatus.DRAFT, "comb", "", questions=tuple(Question(q, "") for q in questions)
        )
        work.checklists.save(1, made)
    return view_checklist(bench, 1)


def test_no_wording_becomes_code_a_template_or_breaks_yaml(bench: Workbench) -> None:
    view = _asking(bench, BREAKING)
    for form in ("deepeval", "inspect"):
        tree = ast.parse(export_file(bench, view, form))
        (value,) = [
            node.value
            for node in tree.body
            if isinstance(node, ast.Assign) and isinstance(t := node.targets[0], ast.Name) and t.id == "CHECKLIST"
        ]
        assert ast.literal_eval(value)["questions"][0]["text"] == BREAKING, form
    content = export_file(bench, view, "promptfoo").decode()
    config = yaml.safe_load(content)
    code = config["defaultTest"]["assert"][0]["value"]
    line = code.splitlines()[0].removeprefix("const checklist = ").removesuffix(";")
    assert json.loads(line)["questions"][0]["text"] == BREAKING
    ours = {config["prompts"][0]["raw"], config["providers"][0]["id"]}
    for part in ours:
        content = content.replace(part, "")
    assert not {"{{", "{%", "{#"} & {content[i : i + 2] for i in range(len(content))}


def test_a_checklist_that_asks_nothing_is_no_file_for_a_tool(bench: Workbench) -> None:
    with pytest.raises(NotReadyError, match="asks nothing"):
        export_file(bench, _asking(bench), "inspect")


def test_names_of_files_can_be_imported_by_python(bench: Workbench) -> None:
    view = view_checklist(bench, 1)
    assert export_name(view, "json") == "Ready_coherence_v1.json"
    assert export_name(view, "deepeval").removesuffix(".py").isidentifier()


def test_comments_go_out_and_come_in_with_their_question(bench, built):
    question = built.checklist.asked[0]
    comment_on(bench, question.id, "Too <b>soft</b>?", "Ana")
    (said,) = comments_on(bench, built.checklist.id)[question.id]
    settle_comment(bench, said.id, True, "Ben")
    files = {form: export_file(bench, built, form) for form in ("json", "yaml")}
    jsonschema.validate(json.loads(files["json"]), json.loads(schema_text()))
    for form, data in files.items():
        draft = import_checklist_file(bench, 1, data, f"mine.{form}").checklist
        ((found,),) = comments_on(bench, draft.id).values()
        assert (found.who, found.text, found.at, found.resolved) == ("Ana", "Too <b>soft</b>?", said.at, True), form


def test_what_is_no_comment_is_passed_over(bench):
    data = json.dumps(
        {"questions": [{"text": "Is it warm?", "comments": [3, {"text": ""}, {"text": "Why?", "at": 1}]}]}
    )
    draft = import_checklist_file(bench, 1, data.encode(), "mine.json").checklist
    ((found,),) = comments_on(bench, draft.id).values()
    assert (found.who, found.text, found.resolved) == ("", "Why?", False)
