"""What a forecast says of a provider's cache: the part that all requests share, and the most that it saves."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from app.domain.checklist import ChecklistStatus
from app.domain.project import Dimension, Text
from app.evaluators.checklist import judge_request
from app.providers.pricing import estimate_tokens
from app.providers.registry import cached_from
from app.services.runtime import endpoint_models
from app.services.runtime.workbench import Workbench
from app.services.scoring import forecast
from app.services.scoring.forecast import estimate
from app.services.scoring.runs import RunOptions
from tests.support.fake_llm.local_servers import MODEL, lm_studio, ollama
from tests.support.projects import ready_to_score, workbench_at

RUBRIC = "The parts fit together. " * 400


@pytest.fixture
def workbench(tmp_path: Path) -> Workbench:
    return workbench_at(tmp_path)


def long_rubric(workbench: Workbench) -> Dimension:
    dimension = ready_to_score(workbench)
    with workbench.database.write() as work:
        work.projects.set_dimension(longer := replace(dimension, rubric=RUBRIC))
    return longer


def test_what_is_too_short_for_the_models_cache_is_said(workbench: Workbench) -> None:
    found = estimate(workbench, 1, RunOptions((ready_to_score(workbench),), "openai:gpt-4o"))
    assert (found.cache_saves_usd, found.cache_read_tokens, found.cached_from_tokens) == (0, 0, 1024)
    assert 0 < found.constant_tokens < 1024
    assert "a cache saves nothing to count on" in str(found)
    assert "below the 1,024 that this model's keeps" in str(found)


def test_all_requests_but_the_first_read_the_constant_part(workbench: Workbench) -> None:
    dimension = long_rubric(workbench)
    found = estimate(workbench, 1, RunOptions((dimension,), "openai:gpt-4o"))
    assert found.constant_tokens > estimate_tokens(RUBRIC) > 1024
    assert found.cache_read_tokens == 11 * found.constant_tokens < found.input_tokens
    assert found.cache_saves_usd == pytest.approx(11 * found.constant_tokens * (2.5 - 1.25) / 1e6)
    written = estimate(workbench, 1, RunOptions((dimension,), "anthropic:claude-sonnet-4-5"))
    assert written.cache_saves_usd == pytest.approx(written.constant_tokens * (11 * (3 - 0.3) - (3.75 - 3)) / 1e6)
    assert written.cost_usd is not None
    with_it = written.cost_usd - written.cache_saves_usd
    assert f"a cache may spare up to {written.cache_read_tokens:,} of the tokens in: about ${with_it:.2f}" in str(
        written
    )


def test_the_schema_is_read_with_every_request_and_kept_by_the_cache(workbench: Workbench) -> None:
    dimension = long_rubric(workbench)
    options = RunOptions((dimension,), "openai:gpt-4o")
    found, asking = estimate(workbench, 1, options), options.judge_options()
    with workbench.database.read() as work:
        asked = work.checklists.get(work.checklists.find_id(dimension.id, None, ChecklistStatus.PUBLISHED) or 0).asked
        task, text = work.projects.by_id(1).task, Text("d", "A text.")
    request = judge_request(asking.template(asked), task, dimension, asked, text, asking)
    said, schema = request.prompt.system, json.dumps(request.schema, separators=(",", ":"))
    assert len(schema) > 40
    assert found.constant_tokens == estimate_tokens(said + schema)
    assert found.input_tokens > 12 * found.constant_tokens


def test_a_batch_saves_what_its_own_prices_say(workbench: Workbench) -> None:
    """Nothing where a batch costs the same from the cache."""
    dimension = long_rubric(workbench)
    found = estimate(workbench, 1, RunOptions((dimension,), "openai:gpt-4o-mini", batch="again"))
    assert found.cache_read_tokens
    assert found.cache_saves_usd == 0
    assert "at no lower price" in str(found)


def test_the_same_part_may_be_too_short_for_one_model_and_not_for_another(workbench: Workbench) -> None:
    dimension = long_rubric(workbench)
    found = estimate(workbench, 1, RunOptions((dimension,), "anthropic:claude-haiku-4-5"))
    assert 1024 < found.constant_tokens < 4096 == found.cached_from_tokens
    assert (found.cache_read_tokens, found.cache_saves_usd) == (0, 0)


@pytest.mark.parametrize(
    ("model", "least"),
    [
        ("openai:gpt-5-mini", 1024),
        ("anthropic:claude-opus-4-6", 4096),
        ("anthropic:claude-opus-4-7-20260401", 2048),
        ("anthropic:claude-3-5-haiku-latest", 2048),
        ("anthropic:claude-opus-5", 512),
        ("anthropic:claude-sonnet-5-5", 1024),
        ("google:gemini-2.5-flash", 2048),
        ("google:gemini-3.8-flash", 4096),
        ("google:gemini-2.0-flash", None),
        ("llama:qwen3:8b", None),
        ("rules", None),
    ],
)
def test_each_models_cache_keeps_what_has_so_many_tokens(model: str, least: int | None) -> None:
    assert cached_from(model) == least


def test_methods_that_are_asked_once_for_a_text_say_the_same(workbench: Workbench) -> None:
    short = ready_to_score(workbench)
    found = estimate(workbench, 1, RunOptions((short,), "openai:gpt-4o", "llm-score"))
    assert 0 < found.constant_tokens < 1024
    assert "a cache saves nothing to count on" in str(found)
    with workbench.database.write() as work:
        work.projects.set_dimension(longer := replace(short, rubric=RUBRIC))
    found = estimate(workbench, 1, RunOptions((longer,), "openai:gpt-4o", "llm-score"))
    assert found.cache_read_tokens == 11 * found.constant_tokens
    assert found.cache_saves_usd == pytest.approx(11 * found.constant_tokens * (2.5 - 1.25) / 1e6)


@pytest.mark.parametrize("method", ["g-eval", "coascore", "check-eval"])
def test_nothing_is_said_of_requests_that_can_not_be_written_yet(workbench: Workbench, method: str) -> None:
    found = estimate(workbench, 1, RunOptions((long_rubric(workbench),), "openai:gpt-4o", method))
    assert found.calls > 12
    assert (found.cached_from_tokens, found.cache_saves_usd) == (None, None)
    assert "cache" not in str(found)


def test_of_very_many_texts_all_are_counted(workbench: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
    dimension = long_rubric(workbench)
    every = estimate(workbench, 1, RunOptions((dimension,), "openai:gpt-4o"))
    monkeypatch.setattr(forecast, "SAMPLED_FROM", 11)
    monkeypatch.setattr(forecast, "SAMPLED", 6)
    some = estimate(workbench, 1, RunOptions((dimension,), "openai:gpt-4o"))
    assert some.sampled == 6
    assert some.cache_read_tokens == 10 * some.constant_tokens
    assert some.cache_read_tokens == pytest.approx(every.cache_read_tokens, rel=0.1)


def test_where_nobody_knows_of_a_cache_nothing_is_said(workbench: Workbench) -> None:
    found = estimate(workbench, 1, RunOptions((ready_to_score(workbench),), "llama:qwen3:8b"))
    assert found.cache_saves_usd is None
    assert "cache" not in str(found)


@pytest.fixture
def no_known_windows() -> None:
    """What an earlier server said counts no more: a later one may get its port."""
    endpoint_models._windows.clear()


@pytest.mark.usefixtures("no_known_windows")
@pytest.mark.parametrize(("context", "fits"), [(512, False), (65_536, True)])
def test_requests_longer_than_the_models_window_are_noticed(tmp_path: Path, context: int, *, fits: bool) -> None:
    with ollama(context) as server:
        workbench = workbench_at(tmp_path, server.url)
        found = estimate(workbench, 1, RunOptions((long_rubric(workbench),), f"llama:{MODEL}"))
        assert found.context_tokens == context
        assert 512 < estimate_tokens(RUBRIC) < found.longest_request_tokens < 65_536
        assert (not found.too_long) is fits
        assert (found.too_long in str(found)) and json.loads(json.dumps(found.to_json()))["too_long"] == found.too_long
        assert server.requests == []


@pytest.mark.usefixtures("no_known_windows")
def test_a_window_is_looked_up_again_after_a_while(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now = [1000.0]
    monkeypatch.setattr(endpoint_models, "monotonic", lambda: now[0])
    with lm_studio(512) as server:
        workbench = workbench_at(tmp_path, server.url)
        options = RunOptions((long_rubric(workbench),), "llama:qwen3-8b")
        assert forecast.forecast(workbench, 1, options).estimate.too_long
        server.beside["/api/v0/models"]["data"][0]["loaded_context_length"] = 65_536
        now[0] += endpoint_models.RETRY_SECONDS + 1
        assert not forecast.forecast(workbench, 1, options).estimate.too_long
