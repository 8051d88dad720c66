"""What a forecast says of a provider's cache: the part that all requests share, and the most that it saves."""

from dataclasses import replace
from pathlib import Path

import pytest

from app.domain.task import Dimension
from app.providers.pricing import estimate_tokens
from app.services.runtime.workbench import Workbench
from app.services.scoring.forecast import CACHED_FROM, estimate
from app.services.scoring.runs import RunOptions
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


def test_what_is_too_short_for_any_cache_is_said(workbench: Workbench) -> None:
    found = estimate(workbench, 1, RunOptions((ready_to_score(workbench),), "openai:gpt-4o"))
    assert found.cache_saves_usd == 0
    assert 0 < found.constant_tokens < CACHED_FROM
    assert "saves nothing" in str(found)


def test_all_requests_but_the_first_read_the_constant_part(workbench: Workbench) -> None:
    dimension = long_rubric(workbench)
    found = estimate(workbench, 1, RunOptions((dimension,), "openai:gpt-4o"))
    assert found.constant_tokens > estimate_tokens(RUBRIC) > CACHED_FROM
    assert found.cache_saves_usd == pytest.approx(11 * found.constant_tokens * (2.5 - 1.25) / 1e6)
    written = estimate(workbench, 1, RunOptions((dimension,), "anthropic:claude-haiku-4-5"))
    assert written.cache_saves_usd == pytest.approx(written.constant_tokens * (11 * (1 - 0.1) - (1.25 - 1)) / 1e6)
    assert "may save up to $" in str(written)


def test_without_a_price_nothing_is_said(workbench: Workbench) -> None:
    found = estimate(workbench, 1, RunOptions((ready_to_score(workbench),), "llama:qwen3:8b"))
    assert found.cache_saves_usd is None
    assert "cache" not in str(found)
