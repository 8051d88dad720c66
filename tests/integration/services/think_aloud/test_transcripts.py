"""A recording becomes attributes only as far as its expert accepts it, and is never lost on the way."""

import json
from pathlib import Path

import pytest

from app.domain.attribute import ContributorKind
from app.errors import BudgetError, ConflictError, InputError, ProviderError, UnsupportedError
from app.services.attributes.attributes import attributes_of
from app.services.data.projects import dimensions_named, get_project
from app.services.runtime.voice_recordings import voice_recording_path
from app.services.runtime.workbench import Workbench
from app.services.think_aloud.transcripts import (
    accept,
    decline,
    proposals_of,
    propose_attributes,
    save_recording,
    save_transcript,
    transcribe,
    transcripts_of,
)
from app.settings import settings
from tests.support.fake_llm.behaviour import Answer, Drop, Fail, Raw, Status
from tests.support.fake_llm.server import FakeLlm
from tests.support.projects import ready_to_score, workbench_at

SPOKEN = "Well, I look at the order first. Each sentence should follow from the one before. Hm."


@pytest.fixture
def server():
    with FakeLlm() as running:
        yield running


@pytest.fixture
def bench(tmp_path: Path, server: FakeLlm, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("INTERACTEVAL_HOME", str(tmp_path))
    settings.cache_clear()
    workbench = workbench_at(tmp_path, server.url + "/v1")
    ready_to_score(workbench)
    yield workbench
    settings.cache_clear()


def proposed(bench: Workbench, transcript: int, model: str = "") -> list[tuple[str, str]]:
    project, dimension = get_project(bench, "Ready"), dimensions_named(bench, "Ready", "all")[0]
    return [(p.text, p.words) for p in propose_attributes(bench, project, dimension, transcript, model)]


def said(bench: Workbench) -> list[tuple[str, str, ContributorKind]]:
    return [(a.contributor, a.text, a.kind) for a in attributes_of(bench, 1)]


def test_from_audio_to_accepted_attributes(bench: Workbench, server: FakeLlm) -> None:
    number = save_recording(bench, 1, "Ada", b"RIFF-not-really", "my voice.WAV")
    server.script(Answer(SPOKEN))
    transcribe(bench, number, "llama:whisper")
    sent = server.requests[0].body
    assert (sent["model"], sent["file"][1]) == ("whisper", b"RIFF-not-really")
    assert transcripts_of(bench, 1, "Ada")[0].text == SPOKEN
    found = {"attribute": "Sentences follow from each other.", "words": "each sentence  should follow"}
    made_up = {"attribute": "It is short.", "words": "brevity matters"}
    server.script(
        Answer(json.dumps({"attributes": [found, made_up]})),
        Answer(json.dumps({"attributes": [found]})),
    )
    assert proposed(bench, number, "llama:judge") == [(found["attribute"], found["words"])]
    assert said(bench) == []
    proposal = proposals_of(bench, number)[0]
    accept(bench, proposal.id)
    assert said(bench) == [("Ada", "Sentences follow from each other.", ContributorKind.HUMAN)]
    with pytest.raises(ConflictError):
        accept(bench, proposal.id)
    with pytest.raises(ConflictError):
        decline(bench, proposal.id)


@pytest.mark.parametrize("trouble", [Drop(), Status(503), Fail("wrong-key"), Fail("rate-limit"), Raw(b"<html>")])
def test_a_failed_transcription_keeps_the_audio_and_says_what_to_do(
    bench: Workbench, server: FakeLlm, trouble: object
) -> None:
    number = save_recording(bench, 1, "Ada", b"sound", "a.webm")
    server.script(trouble)  # type: ignore[arg-type]
    with pytest.raises(ProviderError) as failure:
        transcribe(bench, number, "llama:whisper")
    kept = transcripts_of(bench, 1, "Ada")[0]
    assert voice_recording_path(kept.audio).read_bytes() == b"sound"
    assert kept.error == failure.value.in_full
    assert failure.value.hint
    assert "planted-key" not in kept.error
    server.script(Answer("At last."))
    transcribe(bench, number, "llama:whisper")
    again = transcripts_of(bench, 1, "Ada")[0]
    assert (again.text, again.error) == ("At last.", "")


def test_a_model_that_cannot_listen_and_a_silent_recording_are_said(bench: Workbench, server: FakeLlm) -> None:
    number = save_recording(bench, 1, "Ada", b"sound", "a.wav")
    with pytest.raises(UnsupportedError):
        transcribe(bench, number, "rules")
    server.script(Answer("  "))
    with pytest.raises(InputError, match="heard no words"):
        transcribe(bench, number, "llama:whisper")


@pytest.mark.parametrize(("audio", "name"), [(b"", "a.wav"), (b"x", "a.exe"), (b"x", "../../etc/passwd")])
def test_what_is_no_recording_is_refused(bench: Workbench, audio: bytes, name: str) -> None:
    with pytest.raises(InputError):
        save_recording(bench, 1, "Ada", audio, name)


def test_without_an_llm_each_sentence_is_proposed_and_decisions_stay(bench: Workbench) -> None:
    number = save_transcript(bench, 1, "Ada", SPOKEN)
    first, second = proposed(bench, number)
    assert first[0] == "Well, I look at the order first."
    assert second[0] == "Each sentence should follow from the one before."
    decline(bench, proposals_of(bench, number)[0].id)
    accept(bench, proposals_of(bench, number)[1].id, "Sentences follow each other.")
    proposed(bench, number)
    assert [(p.open, p.declined) for p in proposals_of(bench, number)] == [(False, True), (False, False)]
    assert said(bench) == [("Ada", "Sentences follow each other.", ContributorKind.HUMAN)]


def test_a_transcript_is_kept_to_the_letter(bench: Workbench) -> None:
    text = "  <script>x</script>\n\nعربي 🎈 " + "y" * 5000
    save_transcript(bench, 1, "Ada", text)
    assert transcripts_of(bench, 1, "Ada")[0].text == text
    with pytest.raises(InputError):
        save_transcript(bench, 1, "Ada", " \n")


def test_listening_whose_cost_nobody_knows_is_not_paid_by_a_server_that_limits_it(
    bench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    number = save_recording(bench, 1, "Ana", b"RIFF....WAVE", "a.wav")
    monkeypatch.setenv("INTERACTEVAL_PROJECT_BUDGET", "5")
    settings.cache_clear()
    with pytest.raises(BudgetError, match="The price of openai:whisper-1 is unknown"):
        transcribe(bench, number, "openai:whisper-1")
    settings.cache_clear()
