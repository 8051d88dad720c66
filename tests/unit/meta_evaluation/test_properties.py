"""What must hold for any data."""

import json
import math

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from app.meta_evaluation.bootstrap import AgreementDesign
from app.meta_evaluation.correlation import estimate
from app.meta_evaluation.evaluation import evaluate
from app.meta_evaluation.score_matrix import COEFFICIENTS, Floats, score_table

LEVELS = st.sampled_from(["per-source", "dataset", "system"])
SCORES = st.integers(0, 5).map(float)
ROWS = st.lists(st.tuples(SCORES, SCORES, st.integers(0, 3), st.integers(0, 4)), min_size=0, max_size=30)
WITH_GAPS = st.lists(
    st.tuples(
        st.one_of(st.none(), st.floats()),
        st.one_of(st.none(), st.floats(-1e9, 1e9), st.just(math.nan)),
        st.one_of(st.none(), st.sampled_from("abc")),
        st.one_of(st.none(), st.sampled_from("xyz")),
    ),
    max_size=20,
)
Row = tuple[float, float, int, int]


def values(rows: list[Row], level: str, pred: Floats | None = None, constant: str = "skip") -> Floats:
    x, y, group, system = (list(column) for column in zip(*rows, strict=True)) if rows else ([], [], [], [])
    table = score_table([x if pred is None else pred], y, group=group, system=system, duplicates="keep")
    return estimate(table, level, constant).values[0]  # type: ignore[arg-type]


@given(ROWS, LEVELS, st.randoms(use_true_random=False))
def test_the_order_of_rows_does_not_matter(rows: list[Row], level: str, random: object) -> None:
    shuffled = list(rows)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    np.testing.assert_allclose(values(shuffled, level), values(rows, level), atol=1e-9)


@given(ROWS, st.sampled_from(["per-source", "dataset"]))
def test_rank_coefficients_ignore_any_increasing_change_of_scale(rows: list[Row], level: str) -> None:
    changed = np.array([math.exp(row[0]) * 3 - 1 for row in rows])
    np.testing.assert_allclose(values(rows, level, changed)[:2], values(rows, level)[:2], atol=1e-9)


@given(ROWS, LEVELS)
def test_pearson_ignores_a_linear_change_and_all_flip_with_the_sign(rows: list[Row], level: str) -> None:
    original = values(rows, level)[:3]
    scores = np.array([row[0] for row in rows])
    np.testing.assert_allclose(values(rows, level, scores * 4 + 8)[:3], original, atol=1e-9)
    np.testing.assert_allclose(values(rows, level, -scores)[:3], -original, atol=1e-9)


@given(ROWS, LEVELS)
def test_scores_equal_to_the_ratings_agree_perfectly_or_not_at_all(rows: list[Row], level: str) -> None:
    found = values(rows, level, np.array([row[1] for row in rows]))
    assert np.isnan(found[:3]).all() or np.allclose(found, [1, 1, 1, 0])


@given(ROWS, st.sampled_from(["per-source", "dataset", "system"]))
def test_constant_scores_have_no_coefficient(rows: list[Row], level: str) -> None:
    assert np.isnan(values(rows, level, np.full(len(rows), 2.0))[:3]).all()


@given(ROWS, LEVELS, st.sampled_from(["skip", "zero"]))
def test_coefficients_stay_within_their_bounds(rows: list[Row], level: str, constant: str) -> None:
    found = values(rows, level, constant=constant)[:3]
    assert np.isnan(found).all() or np.all(np.abs(found) <= 1)


@given(ROWS)
def test_zero_never_raises_a_figure_in_size(rows: list[Row]) -> None:
    skip, zero = (values(rows, "per-source", constant=constant)[:3] for constant in ("skip", "zero"))
    if not np.isnan(skip).any():
        assert np.all(np.abs(zero) <= np.abs(skip) + 1e-12)


@settings(deadline=None)
@given(WITH_GAPS, LEVELS, st.sampled_from([None, "sources", "both"]), st.sampled_from(["once", "keep"]))
def test_whatever_the_columns_hold_no_nan_comes_out(
    rows: list[tuple[object, ...]], level: str, resampling: str | None, duplicates: str
) -> None:
    pred, human, group, system = (list(column) for column in zip(*rows, strict=True)) if rows else ([], [], [], [])
    found = evaluate(
        pred,
        human,
        AgreementDesign(
            group=group, system=system, level=level, duplicates=duplicates, resampling=resampling, resamples=10
        ),
    )
    json.dumps(found.to_json(), allow_nan=False)
    intake = found.intake
    lost = intake.duplicates if duplicates == "once" else 0
    most_missing = sum(intake.missing_pred) + intake.missing_human + intake.missing_key
    assert found.basis.n >= intake.rows - lost - most_missing
    for name in COEFFICIENTS:
        figure = found.figures[name]
        assert figure.value is not None or figure.reason
