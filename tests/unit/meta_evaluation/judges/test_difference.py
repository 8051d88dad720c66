"""The difference of two means: in pairs, by document, of sides that share nothing, and with unequal drawing."""

from dataclasses import replace

import numpy as np
import pytest

from app.errors import InputError
from app.meta_evaluation.judges.difference import (
    EstimatedDifference,
    difference,
    difference_cautions,
    difference_verdict,
)
from app.meta_evaluation.judges.estimate import ComparedSide, estimate, judge_alone
from app.meta_evaluation.judges.powered_estimates import EstimatedFigure, Z
from app.meta_evaluation.score_matrix import Floats


def side(name: str, judge: Floats, human: Floats, **more: object) -> ComparedSide:
    return ComparedSide(name, judge, human, **more)  # type: ignore[arg-type]


def scores(seed: int, n: int = 300, answered: int = 60) -> tuple[Floats, Floats, Floats, Floats]:
    """Judge and people of two systems on n sources: what the source is worth moves both."""
    rng = np.random.default_rng(seed)
    source = rng.normal(3, 1, n)
    a, b = source + 0.3 + rng.normal(0, 0.4, n), source + rng.normal(0, 0.4, n)
    known = np.arange(n) < answered
    return a + 0.5, np.where(known, a, np.nan), b - 0.2, np.where(known, b, np.nan)


def test_pairs_are_an_estimate_of_their_differences() -> None:
    judge_a, human_a, judge_b, human_b = scores(1)
    judge_a = judge_a + np.random.default_rng(2).normal(0, 0.3, 300)
    keys = [f"d{n}" for n in range(300)]
    turned = np.random.default_rng(3).permutation(300)
    a = side("A", judge_a, human_a, key=keys)
    b = side("B", judge_b[turned], human_b[turned], key=[keys[n] for n in turned])
    found = difference(a, b)
    same = estimate(judge_a - judge_b, human_a - human_b)
    assert (found.paired, found.n, found.n_human, found.left_out) == (True, 300, 60, (0, 0))
    for ours, theirs in (
        (found.judge_only, same.judge_only),
        (found.human_only, same.human_only),
        (found.corrected, same.corrected),
    ):
        assert ours is not None
        assert (ours.value, ours.low, ours.high) == pytest.approx((theirs.value, theirs.low, theirs.high))
    assert found.weight == pytest.approx(same.weight)
    assert found.bias == pytest.approx(0.7, abs=0.05)
    apart = difference(replace(a, key=None), replace(b, key=None))
    assert not apart.paired
    assert apart.human_only is not None
    assert found.human_only is not None
    assert (apart.human_only.width or 0) > 2 * (found.human_only.width or 0), "pairs take the source out"


def test_sides_that_share_nothing_are_two_independent_estimates() -> None:
    judge_a, human_a, judge_b, human_b = scores(4)
    found = difference(side("A", judge_a, human_a), side("B", judge_b[:200], human_b[:200]))
    one, other = estimate(judge_a, human_a).corrected, estimate(judge_b[:200], human_b[:200]).corrected
    assert found.corrected is not None
    assert one.value is not None
    assert other.value is not None
    assert found.corrected.value == pytest.approx(one.value - other.value)
    assert found.corrected.width == pytest.approx(np.hypot(one.width or 0, other.width or 0))
    assert (found.n, found.n_human, found.documents, found.weight) == (200, 60, None, None)
    assert any("by itself" in said for said in difference_cautions(found))


def test_rows_of_shared_documents_are_drawn_together() -> None:
    """Ten rows a document say the same on both sides, so the difference is sure, though each share is not."""
    rng = np.random.default_rng(5)
    documents = np.repeat(np.arange(40), 10)
    judge = (rng.random(40) < 0.5).astype(np.float64)[documents]
    human = np.where(np.arange(400) % 2 == 0, judge, np.nan)
    found = difference(side("A", judge, human, group=documents), side("B", judge, human, group=documents))
    assert (found.paired, found.documents, found.documents_answered) == (False, 40, 40)
    assert found.judge_only == EstimatedFigure(0.0, 0.0, 0.0)
    alone = difference(side("A", judge, human, group=documents), side("B", judge, human, group=documents + 40))
    by_document = judge_alone(judge, group=documents).width or 0
    assert alone.judge_only.width == pytest.approx(np.sqrt(2) * by_document, rel=0.1)


@pytest.mark.parametrize("paired", [True, pytest.param(False, marks=pytest.mark.long)])
def test_intervals_by_document_hold_the_difference(paired: bool) -> None:
    rng, held, documents = np.random.default_rng(6), 0, np.repeat(np.arange(50), 6)
    for _ in range(150):
        leaning = rng.beta(2, 2, 50)[documents]
        a, b = (rng.random(300) < 0.2 + 0.6 * leaning), (rng.random(300) < 0.6 * leaning)
        judged = [np.where(rng.random(300) < 0.8, each, ~each).astype(np.float64) for each in (a, b)]
        answered = rng.random(300) < 0.3
        human = [np.where(answered, each, np.nan).astype(np.float64) for each in (a, b)]
        keys = np.arange(300) if paired else None
        sides = (side(*each, key=keys, group=documents) for each in zip("AB", judged, human, strict=True))
        found = difference(*sides, resamples=200)
        assert found.paired is paired
        assert found.corrected is not None
        held += (found.corrected.low or 0) <= 0.2 <= (found.corrected.high or 0)
    assert 0.91 <= held / 150 <= 0.99


@pytest.mark.long
def test_sides_drawn_apart_with_unequal_probabilities_are_weighed_each_by_its_own() -> None:
    """The judge overrates hard texts of A alone, and those were drawn most; each side had a draw of its own."""
    rng, values, held, keys = np.random.default_rng(7), [], 0, np.arange(300)
    for _ in range(100):
        hard = rng.random(300)
        human_a, human_b = rng.normal(3.2 - hard, 0.5), rng.normal(3.0 - hard, 0.5)
        chance_a, chance_b = 0.05 + 0.4 * hard, 0.05 + 0.4 * (1 - hard)
        said_a, said_b = (
            np.where(rng.random(300) < chance, human, np.nan)
            for chance, human in ((chance_a, human_a), (chance_b, human_b))
        )
        a = side("A", human_a + hard, said_a, key=keys, probability=chance_a)
        b = side("B", human_b, said_b, key=keys, probability=chance_b)
        found = difference(a, b, resamples=100)
        assert not found.paired, "the probability of both being drawn is written nowhere"
        assert found.corrected is not None
        assert found.corrected.value is not None
        values.append(found.corrected.value)
        held += (found.corrected.low or 0) <= 0.2 <= (found.corrected.high or 0)
    assert np.mean(values) == pytest.approx(0.2, abs=0.03)
    assert 0.91 <= held / 100 <= 0.99


def test_pairs_that_were_drawn_as_one_are_weighed_by_their_probability() -> None:
    judge_a, human_a, judge_b, human_b = scores(8)
    chance = np.where(np.arange(300) % 3 == 0, 0.5, 0.1)
    a = side("A", judge_a, human_a, key=np.arange(300), probability=chance)
    b = side("B", judge_b, human_b, key=np.arange(300), probability=chance)
    found = difference(a, b)
    assert found.paired
    assert found.human_only is not None
    apart, weight = (human_a - human_b)[:60], 1 / chance[:60]
    assert found.human_only.value == pytest.approx((apart * weight).sum() / weight.sum())
    assert not difference(a, replace(b, probability=None)).paired
    alike = [replace(each, probability=np.full(300, chance)) for each, chance in ((a, 0.2), (b, 0.1))]
    assert difference(*alike).paired, "a product of constants is a constant"
    with pytest.raises(InputError, match="Row 1 "):
        difference(replace(a, probability=np.zeros(300)), b)


def test_pairs_that_would_lose_most_answers_are_not_made() -> None:
    judge_a, human_a, judge_b, _ = scores(9)
    other = np.where(np.arange(300) >= 40, judge_b, np.nan)[:100]
    a, b = side("A", judge_a, human_a, key=np.arange(300)), side("B", judge_b[:100], other, key=np.arange(100))
    found = difference(a, b)
    assert (found.paired, found.n_human) == (False, 60)
    assert found.documents == 100, "what both judged is drawn together"
    few = difference(a, replace(b, key=np.arange(280, 380)))
    assert (few.paired, few.documents) == (False, 100)
    twice = difference(a, replace(b, key=np.arange(100) // 2))
    assert not twice.paired
    assert difference(a, replace(b, human=human_a[:100])).left_out == (200, 0)


def test_what_nobody_answered_on_both_sides_leaves_the_judge_alone() -> None:
    judge_a, human_a, judge_b, _ = scores(10)
    found = difference(
        side("A", judge_a, human_a, key=np.arange(300)),
        side("B", judge_b, np.full(300, np.nan), key=np.arange(300)),
    )
    assert (found.human_only, found.corrected, found.bias, found.advised) == (None, None, None, "judge_only")
    assert (found.judge_only.low or 0) > 0.9
    words = difference_verdict(found)
    assert words.startswith("A is 1.0")
    assert "by the judge alone" in words
    assert "people gave no answers to both sides" in words
    assert found.to_json()["corrected"] is None


@pytest.mark.parametrize(("difference_of", "low", "high"), [(0, -1, 1), (1, -2, 0), (-1, 0, 2)])
def test_pairs_that_all_differ_alike_may_hide_others(difference_of: int, low: int, high: int) -> None:
    """Of 20 pairs none differs otherwise: Wilson's upper end of 0 of 20 is z2 / (20 + z2)."""
    b = np.tile([1.0, 0.0], 20) if difference_of == 0 else np.full(40, float(difference_of < 0))
    a, known = b + difference_of, np.arange(40) < 20
    found = difference(
        *(side(name, x, np.where(known, x, np.nan), key=np.arange(40)) for name, x in (("A", a), ("B", b)))
    )
    reach = Z**2 / (20 + Z**2)
    assert found.human_only is not None
    assert found.human_only.low == pytest.approx(difference_of + low * reach)
    assert found.human_only.high == pytest.approx(difference_of + high * reach)


def test_a_side_of_nothing_but_yes_may_hide_a_no() -> None:
    """20 of 20 and 10 of 20, apart: MOVER of Wilson's lower end and the other's normal interval."""
    a, b = np.ones(20), np.tile([1.0, 0.0], 10)
    found = difference(side("A", a, a), side("B", b, b)).judge_only
    reach = Z * np.sqrt(0.25 / 20)
    assert found.low == pytest.approx(0.5 - np.hypot(Z**2 / (20 + Z**2), reach))
    assert found.high == pytest.approx(0.5 + reach)
    grouped = difference(
        side("A", a, a, group=np.arange(20) // 2), side("B", b, b, group=np.arange(20) // 2), resamples=200
    )
    assert grouped.judge_only.low == pytest.approx(0.5 - Z**2 / (20 + Z**2)), "documents here never differ"


def plain_difference(**figures: object) -> EstimatedDifference:
    parts = {name: EstimatedFigure(*ends) if ends else None for name, ends in figures.items()}  # type: ignore[misc]
    return EstimatedDifference(
        "A",
        "B",
        True,
        90,
        40,
        (3, 0),
        None,
        None,
        True,
        weight=0.5,
        shifted=True,
        **parts,  # type: ignore[arg-type]
    )


def test_a_verdict_says_who_is_ahead_and_how_far_the_judge_is_off() -> None:
    people = (-0.1, -0.3, 0.1)
    ahead = plain_difference(judge_only=(0.02, -0.05, 0.1), human_only=people, corrected=(-0.1, -0.16, -0.04))
    assert difference_verdict(ahead) == (
        "B is 10.0 points higher than A by the corrected figures: the 95 % interval, 4.0 to 16.0, leaves out 0. The "
        "judge alone puts A 2.0 points ahead, 12.0 points too much in favour of A."
    )
    open_ = plain_difference(judge_only=(0.02, 0, 0.1), human_only=(0.03, -0.1, 0.2), corrected=(0.02, -0.1, 0.25))
    assert difference_verdict(open_) == (
        "Which is higher can't be told: by people's answers alone (the judge makes them no more precise) A is 3.0 "
        "points higher than B, but the 95 % interval, -10.0 to 20.0, includes 0. The judge alone puts A 2.0 points "
        "ahead, inside the corrected interval."
    )
    said = " ".join(difference_cautions(ahead))
    assert "3 of A and 0 of B have no partner" in said
    assert "unlike the rest" in said
    nothing = plain_difference(judge_only=(None,), human_only=None, corrected=None)
    assert "Nothing can be said" in difference_verdict(nothing)
    one = plain_difference(judge_only=(0.1,), human_only=(0.1,), corrected=(0.1,))
    assert "too few documents" in difference_verdict(one)
