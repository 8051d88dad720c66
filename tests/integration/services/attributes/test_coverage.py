"""Coverage of a project's attributes: who counts, what was merged, and who may ask."""

import json
from dataclasses import replace

import pytest

from app.domain.attribute import ContributorKind
from app.domain.checklist import Checklist, ChecklistStatus, Component, Question
from app.domain.people import Role
from app.errors import NotAllowedError, NotReadyError
from app.services.attributes.analysis import ThemeCoverage, attribute_coverage, checklist_coverage
from app.services.attributes.attribute_changes import exclude_attributes, merge_attributes
from app.services.attributes.attributes import add_attributes
from app.services.runtime.workbench import Workbench
from tests.support.console import console
from tests.support.projects import ready_to_score

LINKED, ORDER, JOKES = "Sentences are linked by words.", "Events keep their order.", "Jokes amuse readers."


@pytest.fixture
def bench(workbench: Workbench) -> Workbench:
    ready_to_score(workbench)
    exclude_attributes(workbench, [one.id for one in _all(workbench)], "not for this test")
    return workbench


def _all(workbench: Workbench) -> list[object]:
    with workbench.database.read() as work:
        return list(work.think_aloud.attributes(1, 1))


def found(workbench: Workbench) -> ThemeCoverage:
    return attribute_coverage(workbench, 1, 1, least=0.5)


def test_coverage_counts_a_merged_attribute_for_its_contributor(bench: Workbench) -> None:
    (first, _) = add_attributes(bench, 1, "Ana", ContributorKind.HUMAN, [LINKED, ORDER])
    (same, _) = add_attributes(bench, 1, "Ben", ContributorKind.HUMAN, ["Phrases get tied together.", JOKES])
    assert (found(bench).themes, found(bench).leave_one_out["Ben"].covered) == (4, 0)
    merge_attributes(bench, first, [same])
    now = found(bench)
    assert (now.attributes, now.themes, now.labels) == (4, 3, (0, 1, 0, 2))
    assert {name: one.covered for name, one in now.leave_one_out.items()} == {"Ana": 1, "Ben": 1}


def test_coverage_leaves_out_what_is_excluded(bench: Workbench) -> None:
    first, _ = add_attributes(bench, 1, "Ana", ContributorKind.HUMAN, [LINKED, ORDER])
    exclude_attributes(bench, [first], "too narrow")
    assert (found(bench).attributes, found(bench).coverage) == (1, None)


def test_coverage_without_attributes_says_so(bench: Workbench) -> None:
    with pytest.raises(NotReadyError):
        found(bench)


@pytest.mark.parametrize("role", [Role.EXPERT, Role.READER])
def test_coverage_is_for_facilitators(bench: Workbench, role: Role) -> None:
    with bench.database.write() as work:
        person = work.people.add("invite", "eve", "Eve")
        work.people.join(person.id, 1, role, "Eve")
        actor = work.people.actor(person.id)
    with pytest.raises(NotAllowedError):
        found(replace(bench, actor=actor))


def test_attributes_coverage_prints_the_contract(
    bench: Workbench, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("app.services.runtime.workbench.open_workbench", lambda: bench)
    add_attributes(bench, 1, "Ana", ContributorKind.HUMAN, [LINKED, ORDER])
    add_attributes(bench, 1, "Ben", ContributorKind.HUMAN, [LINKED, JOKES])
    with bench.database.read() as work:
        project, dimension = work.projects.by_id(1).name, work.projects.dimension_by_id(1).name
    asked = ["attributes", "coverage", "--project", project, "--dimension", dimension, "--embedding", "lsa"]
    _, out, _ = console(monkeypatch, capsys)(*asked, "--least", "0.5", "--json")
    printed = json.loads(out)
    assert (printed["attributes"], printed["themes"]) == (4, 3)
    assert set(printed["coverage"]) == {"value", "low", "high"}
    # Two themes of one, one of both: 2/4 * 2 / (2 + 2).
    assert printed["coverage"]["value"] == pytest.approx(0.75)
    assert printed["unseen_themes"] == pytest.approx(1.0)
    assert printed["next_expert"] == pytest.approx(0.5)
    assert printed["by_checklist"] is None
    assert printed["leave_one_out"]["Ana"] == pytest.approx(
        {"covered": 1, "of": 2, "low": 0.0945, "high": 0.9055}, abs=1e-3
    )


def test_checklist_coverage_takes_out_what_only_the_expert_led_to(bench: Workbench) -> None:
    linked, order = add_attributes(bench, 1, "Ana", ContributorKind.HUMAN, [LINKED, ORDER])
    same, jokes = add_attributes(bench, 1, "Ben", ContributorKind.HUMAN, ["Phrases get tied together.", JOKES])
    merge_attributes(bench, linked, [same])
    asked = tuple(
        Question(text, "All", position=place, attributes=(id_,))
        for place, (text, id_) in enumerate(((LINKED, linked), (ORDER, order), (JOKES, jokes)))
    )
    draft = Checklist("coherence", 0, ChecklistStatus.DRAFT, "comb", "", (Component("All"),), asked)
    with bench.database.write() as work:
        work.checklists.save(1, draft)
    covered = checklist_coverage(bench, 1, 1, near=0.9)
    assert covered is not None
    assert covered.questions == 3
    assert dict(covered.left) == {"Ana": 2, "Ben": 2}, "what both said, merged into one, is nobody's alone"
    assert {name: (one.covered, one.of) for name, one in covered.experts.items()} == {"Ana": (1, 2), "Ben": (1, 2)}


def test_checklist_coverage_of_one_expert_is_none(bench: Workbench) -> None:
    add_attributes(bench, 1, "Ana", ContributorKind.HUMAN, [LINKED])
    assert checklist_coverage(bench, 1, 1) is None
