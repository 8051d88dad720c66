"""The mean over dimensions: hand-made means, intervals that know of shared texts, and what has no mean."""

from typing import Any

import numpy as np
import pytest

from app.errors import InputError
from app.meta_evaluation.bootstrap import AgreementDesign
from app.meta_evaluation.evaluation import BY_TEXT, ScoredDimension, evaluate, mean_over_dimensions
from app.meta_evaluation.score_matrix import OTHER_SCALE, Floats

SOURCES, SYSTEMS = 40, 8
GROUP, SYSTEM = np.divmod(np.arange(SOURCES * SYSTEMS), SYSTEMS)


def dimension(seed: int, noise: float = 1.0) -> ScoredDimension:
    rng = np.random.default_rng(seed)
    human = rng.normal(size=GROUP.size)
    return ScoredDimension(human + noise * rng.normal(size=GROUP.size), human, on_scale=True)


def alone(each: ScoredDimension, **more: Any) -> Any:
    return evaluate(each.pred, each.human, AgreementDesign(group=GROUP, system=SYSTEM, **more), on_scale=each.on_scale)


@pytest.mark.parametrize("level", ["per-source", "dataset", "system"])
def test_it_is_the_mean_of_what_each_has_alone(level: Any) -> None:
    several = [dimension(1), dimension(2, 2.0), dimension(3, 0.5)]
    found = mean_over_dimensions(several, AgreementDesign(group=GROUP, system=SYSTEM, level=level))
    each = [alone(one, level=level) for one in several]
    for name in ("spearman", "kendall", "pearson"):
        assert found[name].value == pytest.approx(np.mean([one.figures[name].value for one in each]))
        assert found[name].low < found[name].value < found[name].high
    assert found["mae"].value == pytest.approx(np.mean([one.mae.value for one in each]))
    assert "mean of 3 dimensions" in str(found["spearman"].signature)


def test_one_dimension_has_its_own_interval() -> None:
    one = dimension(4)
    found, meta = mean_over_dimensions([one], AgreementDesign(group=GROUP, system=SYSTEM)), alone(one)
    assert (found["spearman"].low, found["spearman"].high) == (
        pytest.approx(meta.figures["spearman"].low),
        pytest.approx(meta.figures["spearman"].high),
    )


def test_the_same_dimension_twice_is_no_surer_and_another_is() -> None:
    one, other = dimension(5), dimension(6)

    def width(*dimensions: ScoredDimension) -> float:
        figure = mean_over_dimensions(dimensions, AgreementDesign(group=GROUP, system=SYSTEM))["spearman"]
        assert figure.low is not None
        assert figure.high is not None
        return figure.high - figure.low

    assert width(one, one) == pytest.approx(width(one))
    assert width(one, other) < 0.85 * width(one)


def _without(column: Any, sources: range) -> Floats:
    return np.where(np.isin(GROUP, list(sources)), np.nan, column)


def test_dimensions_may_lack_different_sources() -> None:
    """As where each leaves out the documents of its own samples."""
    one, other = dimension(7), dimension(8)
    cut = [
        ScoredDimension(_without(one.pred, range(4)), one.human, True),
        ScoredDimension(_without(other.pred, range(4, 8)), other.human, True),
    ]
    found = mean_over_dimensions(cut, AgreementDesign(group=GROUP, system=SYSTEM))
    each = [alone(part).figures["spearman"].value for part in cut]
    assert found["spearman"].value == pytest.approx(np.mean(each))
    assert found["spearman"].n == 36 * SYSTEMS
    assert found["spearman"].low is not None


def test_what_has_no_mean_says_why() -> None:
    one = dimension(9)
    constant = ScoredDimension(np.ones(GROUP.size), one.human, True)
    undefined = mean_over_dimensions([one, constant], AgreementDesign(group=GROUP, system=SYSTEM, level="dataset"))
    assert (undefined["spearman"].value, undefined["mae"].value is None) == (None, False)
    assert undefined["spearman"].reason
    elsewhere = ScoredDimension(one.pred, one.human, on_scale=False)
    found = mean_over_dimensions([one, elsewhere], AgreementDesign(group=GROUP, system=SYSTEM))
    assert found["mae"].value is None
    assert found["mae"].reason == OTHER_SCALE
    assert found["spearman"].value is not None
    by_text = mean_over_dimensions([one, one], AgreementDesign(group=GROUP, level="dataset", resampling="texts"))[
        "spearman"
    ]
    assert (by_text.low, by_text.reason) == (None, BY_TEXT)
    with pytest.raises(InputError, match="no dimension"):
        mean_over_dimensions([])
