"""Follow-up questions: off at first, about the expert's own attribute, and provably without a word of anybody else."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from app.domain.attribute import ContributorKind
from app.domain.roles_and_rights import Actor, Membership, Role
from app.errors import NotAllowedError, NotReadyError, ProviderError
from app.services.attributes.attributes import add_attributes
from app.services.data.projects import choose_follow_up, dimensions_named, get_project
from app.services.runtime.workbench import Workbench
from app.services.think_aloud.independence import add_own_attribute
from app.services.think_aloud.transcripts import ask_follow_up, save_transcript
from app.settings import settings
from tests.support.fake_llm.behaviour import Answer
from tests.support.fake_llm.server import FakeLlm
from tests.support.projects import ready_to_score, workbench_at

QUESTION = "What would a text look like that fails this?"
OWN, OTHERS = "The order is clear.", "ZEBRA"


@pytest.fixture
def server() -> Iterator[FakeLlm]:
    with FakeLlm(usual=Answer(json.dumps({"question": QUESTION}))) as running:
        yield running


@pytest.fixture
def bench(tmp_path: Path, server: FakeLlm, monkeypatch: pytest.MonkeyPatch) -> Iterator[Workbench]:
    monkeypatch.setenv("INTERACTEVAL_HOME", str(tmp_path))
    settings.cache_clear()
    workbench = workbench_at(tmp_path, server.url + "/v1")
    ready_to_score(workbench)
    add_attributes(workbench, 1, "Ben", ContributorKind.HUMAN, [f"{OTHERS} one.", f"{OTHERS} two."])
    add_attributes(workbench, 1, "llama:other", ContributorKind.LLM, [f"{OTHERS} three."])
    save_transcript(workbench, 1, "Ben", f"{OTHERS} four.")
    yield workbench
    settings.cache_clear()


def asked(bench: Workbench, attribute: int) -> str:
    project, dimension = get_project(bench, "Ready"), dimensions_named(bench, "Ready", "all")[0]
    return ask_follow_up(bench, project, dimension, attribute)


def test_follow_up_is_off_until_a_model_is_chosen(bench: Workbench, server: FakeLlm) -> None:
    own = add_own_attribute(bench, 1, "Ana", OWN)
    assert get_project(bench, "Ready").follow_up == ""
    with pytest.raises(NotReadyError):
        asked(bench, own)
    assert server.requests == []


def test_follow_up_prompt_holds_nobody_elses_words(bench: Workbench, server: FakeLlm) -> None:
    choose_follow_up(bench, 1, "llama:asker")
    add_own_attribute(bench, 1, "Ana", "Another attribute of hers.")
    own = add_own_attribute(bench, 1, "Ana", OWN)
    assert asked(bench, own) == QUESTION
    (request,) = server.requests
    assert OWN in json.dumps(request.body)
    with bench.database.read() as work:
        (stage,) = [one for one in work.stages.of(1) if one.stage == "follow-up"]
        texts = [text.text for text in work.texts.after(1, 0, 100)]
    stored = json.dumps(stage.inputs)
    assert stage.inputs.keys() == {"task", "dimension", "attribute"}
    assert stage.inputs["attribute"] == OWN
    for words in (json.dumps(request.body), stored):
        assert OTHERS not in words
        assert "Another attribute" not in words
        assert not [text for text in texts if text in words]


def test_follow_up_is_about_ones_own_attribute_only(bench: Workbench) -> None:
    choose_follow_up(bench, 1, "llama:asker")
    with bench.database.write() as work:
        person = work.people.add("invite", "ana", "Ana").id
        work.people.join(person, 1, Role.EXPERT, "Ana")
        bens = next(a.id for a in work.think_aloud.attributes(1, 1) if a.contributor == "Ben")
    ana = replace(bench, actor=Actor(person, "", False, {1: Membership(Role.EXPERT, "Ana")}))
    own = add_own_attribute(ana, 1, "Ana", OWN)
    assert asked(ana, own) == QUESTION
    with pytest.raises(NotAllowedError):
        asked(ana, bens)
    with pytest.raises(NotAllowedError):
        choose_follow_up(ana, 1, "llama:other")


def test_follow_up_that_fails_stays_on_record(bench: Workbench, server: FakeLlm) -> None:
    choose_follow_up(bench, 1, "llama:asker")
    server.usual = Answer(json.dumps({"question": "x" * 301}))
    with pytest.raises(ProviderError):
        asked(bench, add_own_attribute(bench, 1, "Ana", OWN))
    with bench.database.read() as work:
        (stage,) = [one for one in work.stages.of(1) if one.stage == "follow-up"]
    assert stage.error_kind
