import json

import numpy as np
import pytest

from app.errors import InputError
from app.meta_evaluation import comparison
from app.meta_evaluation.bootstrap import AgreementDesign
from app.meta_evaluation.comparison import Difference, compare_scores, corrected
from app.meta_evaluation.evaluation import evaluate
from app.meta_evaluation.permutation import DifferenceTest, holm
from app.meta_evaluation.score_matrix import OTHER_SCALE, Floats, Level


def data(sources: int = 30, systems: int = 6) -> dict[str, Floats]:
    rng = np.random.default_rng(4)
    source, system = (axis.ravel() for axis in np.indices((sources, systems)))
    human = rng.integers(1, 6, source.size) + system / 2
    close, far = (human + rng.normal(scale=scale, size=human.size) for scale in (0.4, 4.0))
    return {"a": close, "b": far, "human": human, "group": source, "system": system}


@pytest.mark.parametrize("level", ["per-source", "dataset"])
def test_the_better_scores_are_found_better(level: Level) -> None:
    d = data()
    found = compare_scores(
        d["a"], d["b"], d["human"], AgreementDesign(group=d["group"], system=d["system"], level=level)
    )
    for tested in found.differences.values():
        figure = tested.figure
        assert figure.difference is not None
        assert figure.low is not None
        assert 0 < figure.low < figure.difference
        for test in (tested.permutation, tested.williams, tested.fisher):
            assert test.p is not None
            assert test.p < 0.01
    assert found.mae.difference is not None
    assert found.mae.difference < 0


@pytest.mark.parametrize(
    ("low", "high", "p", "p_holm", "expected"),
    [
        (0.1, 0.3, 0.01, None, True),
        (-0.1, 0.3, 0.01, None, False),
        (-0.3, -0.1, 0.01, None, True),
        (0.1, 0.3, 0.06, None, False),
        (0.1, 0.3, 0.01, 0.06, False),
        (0.1, 0.3, 0.06, 0.01, True),
        (None, None, 0.01, None, False),
        (0.1, 0.3, None, None, False),
    ],
)
def test_interval_and_permutation_test_decide_together(
    low: float | None, high: float | None, p: float | None, p_holm: float | None, expected: bool
) -> None:
    test = DifferenceTest("any", 30, 0.2, p)
    tested = comparison.TestedDifference(Difference(0.5, 0.3, 0.2, low, high, 30, 0, 1), test, test, test, p_holm)
    assert tested.is_significant is expected


def test_exchanging_a_and_b_exchanges_the_sign() -> None:
    d = data()
    by = AgreementDesign(d["group"], d["system"])
    ab = compare_scores(d["a"], d["b"], d["human"], by, permutations=200).differences["kendall"]
    ba = compare_scores(d["b"], d["a"], d["human"], by, permutations=200).differences["kendall"]
    assert ab.figure.difference == pytest.approx(-ba.figure.difference)  # type: ignore[operator]
    assert ab.figure.low == pytest.approx(-ba.figure.high)  # type: ignore[operator]
    assert (ab.permutation.p, ab.williams.p) == pytest.approx((ba.permutation.p, ba.williams.p))


@pytest.mark.parametrize("level", ["per-source", "dataset", "system"])
def test_values_are_those_of_each_alone_where_the_same_sources_count(level: Level) -> None:
    d = data()
    by = AgreementDesign(d["group"], d["system"], level=level)
    found = compare_scores(d["a"], d["b"], d["human"], by, permutations=10)
    alone = evaluate(d["b"], d["human"], by)
    for name, tested in found.differences.items():
        assert tested.figure.b == pytest.approx(alone.figures[name].value)


@pytest.mark.parametrize("level", ["per-source", "dataset", "system"])
def test_scores_compared_with_themselves_do_not_differ(level: Level) -> None:
    d = data()
    found = compare_scores(
        d["a"], d["a"], d["human"], AgreementDesign(group=d["group"], system=d["system"], level=level), permutations=50
    )
    for tested in found.differences.values():
        assert (tested.figure.difference, tested.figure.low, tested.figure.high) == (0, 0, 0)
        assert (tested.permutation.p, tested.williams.p, tested.fisher.p) == (1, 1, 1)


def test_json_has_the_contract_fields_and_no_nan() -> None:
    d = data()
    payload = compare_scores(d["a"], d["b"], d["human"], AgreementDesign(group=d["group"]), permutations=20).to_json()
    contract = "a b difference low high p_permutation p_williams p_fisher"
    for name in ("spearman", "kendall", "pearson"):
        assert set(contract.split()) <= set(payload[name])  # type: ignore[call-overload]
    assert {"level", "n"} <= set(payload)
    json.dumps(payload, allow_nan=False)


@pytest.mark.parametrize("b", [[4, 4, 4, 4], [None, None, 1, 2], [None] * 4])
def test_what_cannot_be_compared_says_why(b: list[float | None]) -> None:
    found = compare_scores([1, 2, 3, 4], b, [1, 2, 3, 4], AgreementDesign(level="dataset"), permutations=20)
    payload = found.to_json()
    json.dumps(payload, allow_nan=False)
    tested = found.differences["spearman"]
    assert tested.figure.difference is None
    assert tested.figure.reason
    assert (tested.permutation.p, tested.williams.p, tested.fisher.p) == (None, None, None)


@pytest.mark.parametrize(("a", "known"), [([1, 2, 3, 4], False), ([-1, -2, -3, -5], None)])
def test_scores_on_another_scale_than_ratings_have_no_distance(a: list[float], known: bool | None) -> None:
    by = AgreementDesign(level="dataset")
    found = compare_scores(a, [2, 1, 4, 3], [1, 2, 3, 4], by, permutations=20, on_scale=known)
    assert (found.mae.a, found.mae.difference, found.mae.low, found.mae.reason) == (None, None, None, OTHER_SCALE)
    assert found.differences["pearson"].figure.difference is not None


def test_perfect_scores_have_no_fisher_z_and_say_so() -> None:
    found = compare_scores([1, 2, 3, 4], [2, 1, 3, 4], [1, 2, 3, 4], AgreementDesign(level="dataset"), permutations=20)
    assert any("infinite" in reason for reason in found.differences["spearman"].to_json()["tests_not_made"])  # type: ignore[attr-defined]


def test_many_comparisons_are_corrected_together() -> None:
    d = data()
    preds = {"close": d["a"], "middle": (d["a"] + d["b"]) / 2}
    by = AgreementDesign(d["group"], resamples=50)
    made = {name: compare_scores(pred, d["b"], d["human"], by, permutations=200) for name, pred in preds.items()}
    found = corrected(made)
    before, after = ([c.differences["spearman"] for c in of.values()] for of in (made, found))
    assert [tested.p_holm for tested in before] == [None, None]
    assert [tested.p_holm for tested in after] == list(holm([tested.permutation.p for tested in before]))


def test_negative_permutations_are_refused() -> None:
    with pytest.raises(InputError, match="negative"):
        compare_scores([1], [1], [1], AgreementDesign(level="dataset"), permutations=-1)
