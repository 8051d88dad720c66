"""Scores mapped to people's scale, on data whose error is known."""

import numpy as np
import pytest

from app.errors import NotReadyError
from app.meta_evaluation.score_map import ISOTONIC_FROM, map_scores

LOW, HIGH = 1.0, 5.0


def made(n: int, seed: int, strict: float, noise: float = 0.4) -> tuple[np.ndarray, np.ndarray, list[str]]:
    """Ratings of texts of ten sources, and scores of a judge that is stricter by so many points."""
    rng = np.random.default_rng(seed)
    human = rng.uniform(2.0, 4.5, n)
    scores = np.clip(human - strict + rng.normal(0, noise, n), LOW, HIGH)
    return scores, human, [f"source {place % 10}" for place in range(n)]


@pytest.mark.parametrize("n", [80, ISOTONIC_FROM])
def test_a_strict_judge_is_mended_on_unseen_sources(n: int) -> None:
    scores, human, group = made(n, 3, strict=1.2)
    found = map_scores(scores, human, group, LOW, HIGH, resamples=200)
    assert found.offered
    assert found.map.kind == ("isotonic" if n >= ISOTONIC_FROM else "line")
    assert found.mapped == pytest.approx(np.abs(found.held_out - human).mean())
    assert found.raw - found.mapped == pytest.approx(found.improvement.value)
    assert found.mapped < 0.5 < found.raw
    assert found.to_json()["offered"] is True


def test_a_map_is_monotone_and_stays_on_the_scale() -> None:
    for n in (80, ISOTONIC_FROM):
        scores, human, group = made(n, 4, strict=1.2)
        at = np.linspace(LOW, HIGH, 41)
        mapped = map_scores(scores, human, group, LOW, HIGH, resamples=50).map.of(at)
        assert (np.diff(mapped) >= 0).all()
        assert (mapped >= LOW).all()
        assert (mapped <= HIGH).all()
    assert np.isnan(map_scores(scores, human, group, LOW, HIGH, resamples=50).map.of(np.array([np.nan]))).all()


def test_a_judge_that_goes_against_people_gets_one_score_for_all() -> None:
    scores, human, group = made(80, 5, strict=0)
    found = map_scores(6 - scores, human, group, LOW, HIGH, resamples=50)
    assert np.ptp(found.map.of(np.linspace(LOW, HIGH, 5))) == 0


def test_where_nothing_is_to_mend_a_map_is_hardly_ever_offered() -> None:
    offered = []
    for seed in range(60):
        rng = np.random.default_rng(seed)
        scores = rng.uniform(1.5, 4.5, 80)
        human = scores + rng.normal(0, 0.4, 80)
        offered.append(map_scores(scores, human, [str(n % 20) for n in range(80)], 0, 6, resamples=200).offered)
    assert sum(offered) <= 3


@pytest.mark.parametrize(("n", "sources"), [(39, 10), (80, 4)])
def test_too_little_is_refused(n: int, sources: int) -> None:
    scores, human, _ = made(n, 1, strict=1)
    with pytest.raises(NotReadyError):
        map_scores(scores, human, [str(place % sources) for place in range(n)], LOW, HIGH)
