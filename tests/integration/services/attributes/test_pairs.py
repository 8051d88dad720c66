"""Pairs that experts compare blind: an order of their own that stays, reasons as attributes, contrasts by a model."""

import json
from dataclasses import replace

import pytest
from pydantic import SecretStr

from app.domain.attribute import ContributorKind
from app.domain.expert_answer import Winner
from app.domain.job import JobStatus
from app.domain.project import Dimension, Project, Task, Text
from app.domain.roles_and_rights import Actor, Membership, Role
from app.errors import InputError, NotAllowedError, NotReadyError
from app.providers.credentials import Access, Credentials
from app.services.attributes.attributes import attributes_of
from app.services.attributes.pairs import (
    ask_contrasts,
    begin_contrasts,
    contrast_job_key,
    draw_pairs_for_experts,
    pair_progress,
    pair_sheet,
    say_preference,
    stop_contrasts,
)
from app.services.background.jobs import job_state
from app.services.background.runner import drain_jobs
from app.services.building.build import build
from app.services.checklists.my_work import TaskKind, tasks_of
from app.services.data.projects import create_project
from app.services.results.preferences import preference_summary
from app.services.runtime.workbench import Workbench
from app.services.think_aloud.independence import (
    add_own_attribute,
    is_done,
    is_thinking_aloud,
    mark_done,
    own_attributes_of,
)
from tests.support.fake_llm.behaviour import Answer
from tests.support.fake_llm.server import FakeLlm, Received

TEXTS = [Text(f"d{n}", f"Text {n} of {system}.", system, source=f"Source {n}.") for n in range(4) for system in "abc"]


@pytest.fixture
def project(workbench: Workbench) -> Project:
    made = create_project(workbench, "Chats", Task("reply", "prompt"), (Dimension("tone", "How it sounds."),))
    with workbench.database.write() as work:
        work.texts.add_many(made.id, TEXTS)
    return made


def test_each_expert_meets_the_same_pairs_in_an_order_that_stays(workbench: Workbench, project: Project) -> None:
    draw = draw_pairs_for_experts(workbench, 1, 6)
    assert len({frozenset(pair) for pair in draw.pairs}) == 6
    sheets = {name: pair_sheet(workbench, 1, name) for name in ("Ana", "Ben", "Cleo")}
    orders = {name: [(p.left.id, p.right.id) for p in sheet.pairs] if sheet else [] for name, sheet in sheets.items()}
    assert all(sorted(map(sorted, order)) == sorted(map(sorted, draw.pairs)) for order in orders.values())
    assert len({tuple(order) for order in orders.values()}) == 3
    again = pair_sheet(workbench, 1, "Ana")
    assert again is not None
    assert [(p.left.id, p.right.id) for p in again.pairs] == orders["Ana"]
    assert all(p.left.doc_id == p.right.doc_id and p.left.system_id != p.right.system_id for p in again.pairs)


def test_what_is_said_counts_whichever_side_the_text_stood_on(workbench: Workbench, project: Project) -> None:
    draw = draw_pairs_for_experts(workbench, 1, 4)
    low = {min(pair) for pair in draw.pairs}
    for name in ("Ana", "Ben", "Cleo"):
        sheet = pair_sheet(workbench, 1, name)
        assert sheet is not None
        for pair in sheet.pairs:
            won = Winner.A if pair.left.id in low else Winner.B
            say_preference(workbench, 1, name, pair.left.id, pair.right.id, won)
        seen = pair_sheet(workbench, 1, name)
        assert seen is not None
        assert [one.said for one in seen.pairs] == [Winner.A if p.left.id in low else Winner.B for p in sheet.pairs]
    with workbench.database.read() as work:
        kept = work.preferences.of(1)
    assert {one.a.id if one.winner is Winner.A else one.b.id for one in kept} == low
    assert pair_progress(workbench, 1) == (4, {"Ana": 4, "Ben": 4, "Cleo": 4})


def test_a_reason_becomes_an_attribute_with_its_pair_once(workbench: Workbench, project: Project) -> None:
    draw_pairs_for_experts(workbench, 1, 2)
    sheet = pair_sheet(workbench, 1, "Ana")
    assert sheet is not None
    for pair in (*sheet.pairs, sheet.pairs[0]):
        say_preference(workbench, 1, "Ana", pair.left.id, pair.right.id, Winner.TIE, " It answers\nthe question. ")
    (one,) = own_attributes_of(workbench, project.id, 1, "Ana")
    assert (one.text, one.kind) == ("It answers the question.", ContributorKind.HUMAN)
    assert one.pair is not None
    summary = preference_summary(workbench, Dimension("tone", id=1))
    assert summary is not None
    assert (summary.pairs, summary.ties) == (2, 2)


@pytest.mark.parametrize("aloud", [False, True])
def test_a_reason_hides_nothing_from_who_compares(workbench: Workbench, project: Project, aloud: bool) -> None:
    draw_pairs_for_experts(workbench, 1, 2)
    if aloud:
        add_own_attribute(workbench, 1, "Ana", "It is kind")
        mark_done(workbench, 1, "Ana")
    sheet = pair_sheet(workbench, 1, "Ana")
    assert sheet is not None
    pair = sheet.pairs[0]
    say_preference(workbench, 1, "Ana", pair.left.id, pair.right.id, Winner.A, "It answers the question.")
    assert not is_thinking_aloud(workbench, 1, "Ana")
    assert is_done(workbench, project.id, 1, "Ana") is aloud
    add_own_attribute(workbench, 1, "Ana", "It is short")
    assert is_thinking_aloud(workbench, 1, "Ana")


def test_pairs_are_each_experts_own_and_on_their_work(workbench: Workbench, project: Project) -> None:
    draw_pairs_for_experts(workbench, 1, 2)
    (task,) = [one for one in tasks_of(workbench, project.id, "Ana") if one.kind is TaskKind.WHICH_IS_BETTER]
    assert (task.done, task.all, task.finished) == (0, 2, False)
    with workbench.database.write() as work:
        person = work.people.add("invite", "ana", "Ana").id
        work.people.join(person, project.id, Role.EXPERT, "Ana")
    ana = replace(workbench, actor=Actor(person, "", False, {project.id: Membership(Role.EXPERT, "Ana")}))
    with pytest.raises(NotAllowedError):
        pair_sheet(ana, 1, "Ben")
    with pytest.raises(NotAllowedError):
        draw_pairs_for_experts(ana, 1)
    with pytest.raises(InputError):
        say_preference(ana, 1, "Ana", 1, 12, Winner.A)  # of two sources, so never drawn
    with pytest.raises(InputError):
        draw_pairs_for_experts(workbench, 1, 0)


def test_contrasts_of_a_model_become_attributes_and_a_checklist(workbench: Workbench, project: Project) -> None:
    with pytest.raises(NotReadyError):
        ask_contrasts(workbench, project, Dimension("tone", "How it sounds.", id=1), "llama:writer")
    draw_pairs_for_experts(workbench, 1, 2)
    sheet = pair_sheet(workbench, 1, "Ana")
    assert sheet is not None
    first, second = sheet.pairs
    say_preference(workbench, 1, "Ana", first.left.id, first.right.id, Winner.B, "SECRET REASON")
    say_preference(workbench, 1, "Ana", second.left.id, second.right.id, Winner.TIE)
    said = {"attributes": [{"attribute": "It is warm.", "pair": 1}, {"attribute": " ", "pair": 1}]}
    with FakeLlm(usual=Answer(json.dumps(said))) as server:
        access = Access(SecretStr("planted-key"), server.url + "/v1", "the test")
        bench = replace(workbench, credentials=Credentials({"llama": access}))
        found = ask_contrasts(bench, project, Dimension("tone", id=1), "llama:writer")
        asked = json.dumps(server.requests[-1].body)
        paid = len(server.requests)
        begin_contrasts(bench, project, Dimension("tone", id=1), ["llama:writer"])
        drain_jobs(60)
        job = job_state(bench, contrast_job_key(1))
        assert job is not None
        assert (job.status, job.complete, len(server.requests)) == (JobStatus.DONE, True, paid)
    assert (found.attributes, found.repeated) == (1, 0)
    assert first.right.text in asked
    assert second.left.text not in asked, "nobody said which of these is better"
    assert "SECRET" not in asked
    (one,) = [a for a in attributes_of(workbench, project.id, 1) if a.kind is ContributorKind.LLM]
    assert one.text == "It is warm."
    assert build(workbench, project, Dimension("tone", "How it sounds.", id=1), "rules", "ml").asked


def test_a_stop_keeps_the_first_models_answer_and_the_rest_can_be_resumed(
    workbench: Workbench, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.services.background.progress.LOOK_SECONDS", 0)
    draw_pairs_for_experts(workbench, 1, 1)
    sheet = pair_sheet(workbench, 1, "Ana")
    assert sheet is not None
    (pair,) = sheet.pairs
    say_preference(workbench, 1, "Ana", pair.left.id, pair.right.id, Winner.A)
    said = Answer(json.dumps({"attributes": [{"attribute": "It is warm.", "pair": 1}]}))
    stops = True

    def answered(_: Received) -> Answer:
        if stops:
            stop_contrasts(workbench, 1)
        return said

    def state_after_asking() -> tuple[bool, list[str]]:
        begin_contrasts(bench, project, Dimension("tone", id=1), ["llama:first", "llama:second"])
        drain_jobs(60)
        job = job_state(bench, contrast_job_key(1))
        assert job is not None
        return job.complete, [request.body["model"] for request in server.requests]

    with FakeLlm(usual=answered) as server:
        access = Access(SecretStr("planted-key"), server.url + "/v1", "the test")
        bench = replace(workbench, credentials=Credentials({"llama": access}))
        assert state_after_asking() == (False, ["first"])
        stops = False
        assert state_after_asking() == (True, ["first", "second"])
