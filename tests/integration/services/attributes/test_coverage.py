"""Coverage of a project's attributes: who counts, what was merged, and who may ask."""

import json
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from pydantic import SecretStr

from app.attribute_analysis.coverage import ThemeCoverage
from app.attribute_analysis.embedding import cosine_matrix
from app.domain.attribute import Attribute, ContributorKind
from app.domain.checklist import Checklist, ChecklistStatus, Component, Question
from app.domain.roles_and_rights import Role
from app.errors import NotAllowedError, NotReadyError
from app.providers.credentials import Access, Credentials
from app.services.attributes.attribute_changes import exclude_attributes, merge_attributes
from app.services.attributes.attributes import add_attributes
from app.services.attributes.checklist_coverage import (
    begin_judging_coverage,
    checklist_coverage,
    forecast_coverage,
    judge_coverage,
)
from app.services.attributes.comparison import attribute_coverage
from app.services.attributes.embedding_choice import LSA, NEAR
from app.services.background.runner import drain_jobs
from app.services.data.projects import dimensions_named
from app.services.demo import DEMO_PROJECT, load_demo
from app.services.runtime.workbench import Workbench
from tests.support.console import console
from tests.support.fake_llm.behaviour import Answer
from tests.support.fake_llm.server import FakeLlm
from tests.support.projects import ready_to_score

MODEL = "llama:tiny"
LINKED, ORDER, JOKES = "Sentences are linked by words.", "Events keep their order.", "Jokes amuse readers."


@pytest.fixture
def bench(workbench: Workbench) -> Workbench:
    ready_to_score(workbench)
    exclude_attributes(workbench, [one.id for one in _all(workbench)], "not for this test")
    return workbench


def _all(workbench: Workbench) -> list[Attribute]:
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


@pytest.fixture
def with_checklist(bench: Workbench) -> Workbench:
    """Ana and Ben say one thing both, in one attribute merged into the other, and each one thing alone."""
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
    return bench


def test_checklist_coverage_takes_out_what_only_the_expert_led_to(with_checklist: Workbench) -> None:
    covered = checklist_coverage(with_checklist, 1, 1, near=0.9)
    assert covered is not None
    assert covered.questions == 3
    assert dict(covered.left) == {"Ana": 2, "Ben": 2}, "what both said, merged into one, is nobody's alone"
    assert {name: (one.covered, one.of) for name, one in covered.experts.items()} == {"Ana": (1, 2), "Ben": (1, 2)}
    assert (covered.judge, covered.agreement) == ("", None)


COVERED = {"attributes": [{"attribute": n, "questions": found} for n, found in ((1, [1]), (2, [1, 2]), (3, [3]))]}


@pytest.fixture
def server() -> Iterator[FakeLlm]:
    with FakeLlm(usual=Answer(json.dumps(COVERED))) as served:
        yield served


@pytest.fixture
def asking(with_checklist: Workbench, server: FakeLlm) -> Workbench:
    access = Access(SecretStr("planted-key"), server.url + "/v1", "the test")
    return replace(with_checklist, credentials=Credentials({"llama": access}))


def test_judged_coverage_stands_beside_the_embedding_and_is_asked_once(asking: Workbench, server: FakeLlm) -> None:
    assert forecast_coverage(asking, 1, 1, MODEL).calls == 1
    assert judge_coverage(asking, 1, 1, MODEL)
    found = checklist_coverage(asking, 1, 1, near=0.9)
    assert found is not None
    # Question 1 covers Ana's second attribute too; those that only she or only Ben led to don't count for them.
    assert {name: (one.covered, one.of) for name, one in found.judged.items()} == {"Ana": (2, 2), "Ben": (1, 2)}
    assert (found.judge, found.agreement) == (MODEL, 0.75)
    assert found.kappa == pytest.approx(0.5)
    # The prompt names no contributor.
    with asking.database.read() as work:
        stage = next(one for one in work.stages.of(1) if one.stage == "checklist-coverage")
    sent = json.dumps(stage.inputs)
    assert LINKED in sent
    assert not any(name in sent for name in ("Ana", "Ben"))
    asked = len(server.requests)
    assert forecast_coverage(asking, 1, 1, MODEL).calls == 0
    assert judge_coverage(asking, 1, 1, MODEL)
    assert len(server.requests) == asked


def test_judged_coverage_resumes_where_it_was_stopped(
    with_checklist: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.services.attributes.checklist_coverage.AT_ONCE", 2)
    looks = iter([False, True])
    assert not judge_coverage(with_checklist, 1, 1, "rules", stopped=lambda: next(looks))
    half = checklist_coverage(with_checklist, 1, 1)
    assert half is not None
    assert half.judge == ""
    assert forecast_coverage(with_checklist, 1, 1, "rules").calls == 1
    assert judge_coverage(with_checklist, 1, 1, "rules")
    whole = checklist_coverage(with_checklist, 1, 1)
    assert whole is not None
    assert whole.judge == "rules"


def test_coverage_and_judging_it_are_for_facilitators(with_checklist: Workbench) -> None:
    for role in (Role.EXPERT, Role.READER):
        with with_checklist.database.write() as work:
            person = work.people.add("invite", role.value, role.value)
            work.people.join(person.id, 1, role, role.value)
            member = replace(with_checklist, actor=work.people.actor(person.id))
        with pytest.raises(NotAllowedError):
            found(member)
        with pytest.raises(NotAllowedError):
            judge_coverage(member, 1, 1, "rules")


def test_attributes_coverage_asks_a_model_after_its_forecast(
    with_checklist: Workbench, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("app.services.runtime.workbench.open_workbench", lambda: with_checklist)
    with with_checklist.database.read() as work:
        of = ("--project", work.projects.by_id(1).name, "--dimension", work.projects.dimension_by_id(1).name, "--json")
    run = console(monkeypatch, capsys)
    assert run("attributes", "coverage", *of, "--dry-run")[0] == 2
    for calls in (1, 0):
        status, out, _ = run("attributes", "coverage", *of, "--model", "rules", "--dry-run")
        assert (status, json.loads(out)[0]["calls"]) == (0, calls)
        status, out, _ = run("attributes", "coverage", *of, "--model", "rules")
        assert (status, json.loads(out)["by_checklist"]["judge"]) == (0, "rules")


def test_coverage_job_asks_in_the_background(with_checklist: Workbench) -> None:
    begin_judging_coverage(with_checklist, 1, 1, "rules")
    drain_jobs(60)
    found = checklist_coverage(with_checklist, 1, 1)
    assert found is not None
    assert found.judge == "rules"


def test_checklist_coverage_of_one_expert_is_none(bench: Workbench) -> None:
    add_attributes(bench, 1, "Ana", ContributorKind.HUMAN, [LINKED])
    assert checklist_coverage(bench, 1, 1) is None


@pytest.mark.long
def test_near_is_the_lowest_threshold_with_few_false_pairs(workbench: Workbench) -> None:
    """The calibration that docs/guide/figures.md tells: steps of 0.02, at most 5 % of other pairs near."""
    load_demo(workbench)
    made, others = list[float](), list[float]()
    for dimension in dimensions_named(workbench, DEMO_PROJECT, "all"):
        with workbench.database.read() as work:
            attributes = work.think_aloud.attributes(work.projects.project_of(dimension.id).id, dimension.id)
            asked = next(one for one in work.checklists.versions(dimension.id) if one.asked[0].attributes).asked
        vectors = LSA.embedder.embed([one.text for one in attributes] + [question.text for question in asked])
        cosine = np.nan_to_num(cosine_matrix(np.asarray(vectors))[: len(attributes), len(attributes) :], nan=-1.0)
        for row, one in zip(cosine, attributes, strict=True):
            for value, question in zip(row, asked, strict=True):
                (made if one.id in question.attributes else others).append(float(value))
    false = {step: float(np.mean(np.array(others) >= step / 100)) for step in range(2, 60, 2)}
    least = min(step for step, share in false.items() if share <= 0.05)
    assert least / 100 == NEAR[LSA.name]
    assert (len(made), len(others)) == (197, 2414)
    assert false[least] == pytest.approx(0.040, abs=1e-3)
    assert np.mean(np.array(made) >= NEAR[LSA.name]) == pytest.approx(0.447, abs=1e-3)
