"""What a build's records say when read back."""

import json

import pytest

from app.domain.attribute import ContributorKind
from app.domain.condition import conditions_of
from app.domain.run import StageRun
from app.domain.task import Dimension, Task
from app.providers.credentials import Credentials
from app.services.attributes import add_attributes, attributes_of, exclude_attribute
from app.services.build_history import attribute_changes, newest_build
from app.services.building import build, build_all
from app.services.checklists import import_checklist_file, new_draft
from app.services.projects import add_dimension, create_project, dimensions_named, get_project
from app.services.workbench import Workbench
from app.settings import settings
from db.unit_of_work import Database

ADA = ["Sentences follow from each other.", "The order is logical.", "Pronouns are clear."]


@pytest.fixture
def workbench(tmp_path) -> Workbench:
    return Workbench(Database(f"sqlite:///{tmp_path / 'test.db'}"), Credentials.from_settings(settings()))


@pytest.fixture
def place(workbench: Workbench) -> tuple[int, Dimension]:
    project = create_project(workbench, "P", Task(), (Dimension("coherence", "How the parts fit together."),))
    dimension = dimensions_named(workbench, "P", "all")[0]
    add_attributes(workbench, dimension.id, "Ada", ContributorKind.HUMAN, ADA)
    add_attributes(workbench, dimension.id, "some:llm", ContributorKind.LLM, ["The text reads as a whole."])
    return project.id, dimension


def keep(workbench: Workbench, dimension: Dimension, stage: str, inputs: dict, output: object, **rest: str) -> None:
    written = output if isinstance(output, str) else json.dumps(output)
    with workbench.database.write() as work:
        work.runs.add_stage(dimension.id, StageRun(stage, "some:llm", inputs=inputs, output=written, **rest))


def test_nothing_built_is_no_build(workbench, place):
    assert newest_build(workbench, place[1].id) is None


def test_clusters_and_questions_are_read_by_component(workbench, place):
    components = [{"id": 1, "name": "Order"}, {"id": 2, "name": "Unity"}]
    keep(workbench, place[1], "components", {}, {"components": [{"name": "Order", "description": "What comes when."}]})
    keep(
        workbench,
        place[1],
        "clusters",
        {"components": components, "attributes": [{"id": 1, "text": "a"}, {"id": 2, "text": "b"}]},
        'Here it is:\n```json\n{"clusters": [{"component": 2, "attributes": [2, 1]}], "dropped": []}\n```',
    )
    keep(
        workbench,
        place[1],
        "key-questions",
        {"components": components},
        {"questions": [{"component": 1, "question": "Ordered?", "attributes": []}]},
    )
    stages = newest_build(workbench, place[1].id).stages
    assert [(m.heading, m.lines, m.note) for m in stages[0].made] == [("Order", (), "What comes when.")]
    assert [(m.heading, m.lines) for m in stages[1].made] == [("Order", ()), ("Unity", ("b", "a"))]
    assert [(m.heading, m.lines) for m in stages[2].made] == [("Order", ("Ordered?",)), ("Unity", ())]
    assert stages[3].run is None


def test_validation_is_read_as_merged_reworded_dropped_and_kept(workbench, place):
    questions = [{"id": n, "component": "c", "question": q} for n, q in enumerate("ABCDE", start=1)]
    answer = {
        "questions": [
            {"sources": [1, 2], "question": "AB", "reason": "the same"},
            {"sources": [3], "question": "C", "reason": ""},
            {"sources": [4], "question": "D!", "reason": "clearer"},
        ],
        "dropped": [{"question": 5, "reason": "off topic"}, {"question": 3, "reason": "used after all"}],
    }
    keep(workbench, place[1], "validation", {"questions": questions}, answer)
    found = newest_build(workbench, place[1].id).stages[-1].revisions
    assert [(r.before, r.after, r.reason, r.changed) for r in found] == [
        (("A", "B"), "AB", "the same", True),
        (("C",), "C", "", False),
        (("D",), "D!", "clearer", True),
        (("E",), "", "off topic", True),
    ]


def test_only_the_last_attempt_counts_and_its_failure_is_known(workbench, place):
    _, dimension = place
    keep(workbench, dimension, "components", {}, {"components": []})
    keep(workbench, dimension, "clusters", {}, "", error_kind="quota", error="No credit.")
    keep(workbench, dimension, "components", {}, "", error_kind="no-key", error="No key.")
    found = newest_build(workbench, dimension.id)
    assert found.checklist is None
    assert found.failed.error == "No key."
    assert [view.run is not None for view in found.stages] == [True, False, False, False, False]


def test_an_answer_that_is_no_json_is_still_shown(workbench, place):
    keep(workbench, place[1], "components", {}, "nothing of the kind")
    stage = newest_build(workbench, place[1].id).stages[0]
    assert stage.made == ()
    assert stage.run.output == "nothing of the kind"


def _built(workbench, place, condition="comb"):
    return build(workbench, get_project(workbench, "P"), place[1], "rules", condition)


def test_changes_are_counted_within_the_condition_and_through_copies(workbench, place):
    project_id, dimension = place
    version = _built(workbench, place, "mh")
    copied = new_draft(workbench, version.id)
    add_attributes(workbench, dimension.id, "some:llm", ContributorKind.LLM, ["LLMs don't feed this one."])
    assert not attribute_changes(workbench, project_id, dimension.id, copied).any
    add_attributes(workbench, dimension.id, "Ben", ContributorKind.HUMAN, ["It begins and ends."])
    exclude_attribute(workbench, attributes_of(workbench, project_id, dimension.id)[0].id, "no")
    found = attribute_changes(workbench, project_id, dimension.id, copied)
    assert (found.added, found.gone, found.reworded) == (1, 1, 0)


def test_a_single_contributor_without_attributes_left_counts_as_gone(workbench, place):
    project_id, dimension = place
    version = _built(workbench, place, "sh:Ada")
    for attribute in attributes_of(workbench, project_id, dimension.id):
        exclude_attribute(workbench, attribute.id, "no")
    assert attribute_changes(workbench, project_id, dimension.id, version).gone == len(ADA)


def test_an_imported_checklist_has_no_attributes_to_change(workbench, place):
    project_id, dimension = place
    imported = import_checklist_file(workbench, dimension.id, b'{"questions": ["Is it short?"]}')
    assert not attribute_changes(workbench, project_id, dimension.id, imported).any


def test_building_all_goes_on_where_one_cannot_be_built(workbench, place):
    project = get_project(workbench, "P")
    empty = add_dimension(workbench, project.id, Dimension("fluency", "How it reads."))
    heard: list[tuple[str, int, int]] = []
    found = build_all(workbench, project, [empty, place[1]], "rules", report=lambda *said: heard.append(said))
    assert [(o.dimension, o.version) for o in found] == [("fluency", None), ("coherence", 1)]
    assert "Nobody has said yet" in found[0].error
    assert heard[0] == ("fluency", 0, 10)
    assert heard[-1] == ("coherence, validation done", 10, 10)


def test_conditions_that_have_attributes_are_offered_with_their_size(workbench, place):
    project_id, dimension = place
    found = conditions_of(attributes_of(workbench, project_id, dimension.id))
    assert [(c.code, c.size) for c in found] == [("comb", 4), ("mh", 3), ("ml", 1), ("sh:Ada", 3), ("sl:some:llm", 1)]
    assert conditions_of([]) == []
