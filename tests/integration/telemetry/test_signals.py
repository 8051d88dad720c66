"""Telemetry is off unless an address is set; then requests are spans, judgments are events, and texts stay at home."""

import builtins
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from app import telemetry as module
from app.benchmarks.scoring import fill
from app.errors import ModelTimeoutError, NotReadyError
from app.providers.specs import traced_names
from app.services.runtime import batch_rounds
from app.services.scoring.runs import RunOptions, start_run, work_on
from app.settings import settings
from app.telemetry import request_span, signals
from tests.support.modern_vendors import modern_vendors
from tests.support.otlp_collector import Collected, otlp_collector
from tests.support.projects import ready_to_score, workbench_at
from tests.support.wording_judges import JUDGE, WordingModels, misreads_warm, scored_letters, wording_bench

TEXTS, QUESTIONS = 4, 3


@dataclass(frozen=True)
class Prompt:
    name: str
    system: str
    user: str


@pytest.fixture
def collected(monkeypatch: pytest.MonkeyPatch) -> Iterator[Collected]:
    with otlp_collector() as running:
        monkeypatch.setenv(module.ENDPOINT, running.url)
        settings.cache_clear()
        yield running
        sent = signals()
        assert sent is not None
        for provider in sent.providers:
            provider.shutdown()
    module._signals.cache_clear()
    settings.cache_clear()


def scored(folder: Path) -> WordingModels:
    models = WordingModels(misreads_warm, ())
    bench = wording_bench(folder, models)
    made = scored_letters(bench, models, TEXTS)
    run = start_run(bench, 1, RunOptions((made.dimension,), JUDGE, use_cache=False))
    work_on(bench, run)
    bench.database.close()
    return models


def sent_by(collected: Collected) -> Collected:
    found = signals()
    assert found is not None
    found.flush()
    return collected


def test_each_request_is_a_span_and_each_judgment_and_score_an_event(tmp_path: Path, collected: Collected) -> None:
    scored(tmp_path)
    sent = sent_by(collected)
    assert len(sent.spans) == 2 * TEXTS  # two runs
    raw = b"".join(sent.raw)
    assert not [text for text in (b"words on a", b"Is it warm?") if text in raw], "no texts unless that is asked for"
    name, span = sent.spans[0]
    assert name == "chat judge"
    assert span == {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "llama",
        "gen_ai.request.model": "judge",
        "gen_ai.response.model": "judge",
        "gen_ai.response.finish_reasons": ["stop"],
        "gen_ai.usage.input_tokens": 100,
        "gen_ai.usage.output_tokens": 7,
        "gen_ai.usage.cache_read.input_tokens": 0,
        "interacteval.prompt": "judge-checklist",
        "interacteval.run": 1,
    }
    assert {name for name, _ in sent.events} == {"gen_ai.evaluation.result"}
    answers = [event for _, event in sent.events if "gen_ai.evaluation.score.label" in event]
    scores = [event for _, event in sent.events if "gen_ai.evaluation.score.label" not in event]
    assert (len(answers), len(scores)) == (2 * TEXTS * QUESTIONS, 2 * TEXTS)
    assert {(each["gen_ai.evaluation.name"], each["interacteval.method"]) for each in scores} == {("tone", "checklist")}
    assert {each["gen_ai.evaluation.score.value"] for each in scores} == {1 + 4 * 2 / 3, 5.0}
    assert {(each["gen_ai.provider.name"], each["gen_ai.request.model"]) for each in answers + scores} == {
        (span["gen_ai.provider.name"], span["gen_ai.request.model"])
    }
    worth = {"yes": 1.0, "no": 0.0}
    assert all(
        each["gen_ai.evaluation.score.value"] == worth[each["gen_ai.evaluation.score.label"]] for each in answers
    )


def test_collector_that_leads_elsewhere_is_not_followed(tmp_path: Path, collected: Collected) -> None:
    with otlp_collector() as elsewhere:
        collected.leads_to = elsewhere.url
        scored(tmp_path)
        sent_by(collected)
        assert collected.raw
        assert elsewhere.raw == []


def test_a_score_that_no_model_gave_names_none(tmp_path: Path, collected: Collected) -> None:
    bench = workbench_at(tmp_path)
    dimension = fill(bench, 2, references=1)
    work_on(bench, start_run(bench, 1, RunOptions((dimension,), "rules", "rouge-l")))
    sent = sent_by(collected)
    assert [event["interacteval.method"] for _, event in sent.events] == ["rouge-l"] * 2
    assert not any({"gen_ai.provider.name", "gen_ai.request.model"} & event.keys() for _, event in sent.events)
    assert sent.spans == []


def test_requests_that_are_answered_in_batches_are_spans_too(
    tmp_path: Path, collected: Collected, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batch_rounds, "FIRST_LOOK", 0.05)
    bench = workbench_at(tmp_path)
    dimension = ready_to_score(bench, texts=12)
    with modern_vendors() as vendors:
        asking = replace(bench, credentials=vendors.credentials("batch=0.1,bexpire=4,berror=5"))
        work_on(asking, start_run(asking, 1, RunOptions((dimension,), "openai:gpt-4o", batch=batch_rounds.LIVE)))
    spans = [span for _, span in sent_by(collected).spans]
    batched = [span for span in spans if span.get("interacteval.batch")]
    answered = [span for span in spans if "gen_ai.usage.output_tokens" in span]
    assert len(answered) == 12
    assert {span["gen_ai.response.finish_reasons"][0] for span in answered} == {"stop"}
    assert [len([s for s in batched if ("error.type" in s) is failed]) for failed in (False, True)] == [7, 2]
    raw = b"".join(collected.raw)
    assert b"sk-local" not in raw
    assert b"Text number" not in raw


def test_texts_are_sent_where_that_is_asked_for(
    tmp_path: Path, collected: Collected, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("INTERACTEVAL_OTEL_TEXTS", "yes")
    settings.cache_clear()
    scored(tmp_path)
    raw = b"".join(sent_by(collected).raw)
    assert b"words on a" in raw
    assert b"Is it warm?" in raw


def test_a_failed_request_is_named_by_its_kind_and_quotes_nothing(collected: Collected) -> None:
    prompt = Prompt("judge-checklist", "Judge.", "My secret letter.")
    with pytest.raises(ModelTimeoutError), request_span(*traced_names("google:gemini-3.8-flash"), prompt, None):
        raise ModelTimeoutError("No answer about “My secret letter”.")
    ((name, span),) = sent_by(collected).spans
    assert (name, span["error.type"], span["gen_ai.provider.name"]) == (
        "chat gemini-3.8-flash",
        ModelTimeoutError.kind,
        "gcp.gemini",
    )
    assert b"secret" not in b"".join(collected.raw)


def test_nothing_is_imported_and_nothing_made_without_an_address(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(module.ENDPOINT, raising=False)
    settings.cache_clear()
    really = builtins.__import__

    def watched(name: str, *more: Any, **named: Any) -> Any:
        assert not name.startswith("opentelemetry.sdk"), "the SDK is imported"
        return really(name, *more, **named)

    monkeypatch.setattr(builtins, "__import__", watched)
    assert signals() is None
    scored(tmp_path)


def test_without_the_extra_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(module.ENDPOINT, "http://127.0.0.1:9")
    settings.cache_clear()
    really = builtins.__import__

    def missing(name: str, *more: Any, **named: Any) -> Any:
        if name.startswith("opentelemetry.exporter"):
            raise ImportError(name)
        return really(name, *more, **named)

    monkeypatch.setattr(builtins, "__import__", missing)
    with pytest.raises(NotReadyError, match=r"isn't installed.*otel"):
        signals()
    settings.cache_clear()
