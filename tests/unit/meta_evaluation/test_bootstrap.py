"""The vectorised bootstrap against the obvious one: copy the drawn texts and compute again."""

import numpy as np
import pytest

from app.meta_evaluation import bootstrap
from app.meta_evaluation import bootstrap as resampling_module
from app.meta_evaluation import correlation as pooled_module
from app.meta_evaluation.bootstrap import Draws, draw, draw_counts, interval, resample
from app.meta_evaluation.correlation import estimate
from app.meta_evaluation.score_matrix import Constant, Floats, Level, Resampling, ScoreTable, score_table

RESAMPLES = 25


def table_of(seed: int, duplicates: int = 0) -> ScoreTable:
    rng = np.random.default_rng(seed)
    source, system = (axis.ravel() for axis in np.indices((8, 5)))
    kept = rng.permutation(40)[:35]
    rows = np.concatenate([kept, kept[:duplicates]])
    human = rng.integers(1, 4, rows.size)
    preds = [human + rng.integers(0, 4, rows.size) for _ in range(2)]
    return score_table(preds, human, group=source[rows], system=system[rows], duplicates="keep")


def copied(table: ScoreTable, level: Level, constant: Constant, source: Floats, system: Floats, text: Floats) -> Floats:
    """(C, 4) of the table made of copies: a drawn source or system counts as a new one each time it is drawn."""
    assert table.source is not None
    assert table.system is not None
    rows, groups, systems = [], [], []
    for n in range(table.n):
        for i in range(int(source[table.source[n]])):
            for j in range(int(system[table.system[n]])):
                for _ in range(int(text[n])):
                    rows.append(n)
                    groups.append(f"{table.source[n]}#{i}")
                    systems.append(f"{table.system[n]}#{j}")
    made = score_table(table.scores[:, rows], table.human[rows], group=groups, system=systems, duplicates="keep")
    return estimate(made, level, constant).values


@pytest.mark.parametrize("duplicates", [0, 3])
@pytest.mark.parametrize("constant", ["skip", "zero"])
@pytest.mark.parametrize(
    ("level", "resampling"),
    [
        *((level, unit) for level in ("per-source", "dataset", "system") for unit in ("sources", "systems", "both")),
        ("dataset", "texts"),
    ],
)
def test_equals_copying_the_drawn_texts(
    level: Level, resampling: Resampling, constant: Constant, duplicates: int
) -> None:
    table = table_of(3, duplicates)
    found = resample(table, level, resampling, constant=constant, resamples=RESAMPLES, rng=np.random.default_rng(9))
    drawn = draw(table, resampling, RESAMPLES, np.random.default_rng(9))
    ones = [np.ones((RESAMPLES, size)) for size in (table.sources, table.systems, table.n)]
    weights = [
        given if given is not None else one
        for given, one in zip((drawn.source, drawn.system, drawn.text), ones, strict=True)
    ]
    for b in range(0, RESAMPLES, 3):  # a drawn table is copied row by row, which takes its time
        expected = copied(table, level, constant, *(w[b] for w in weights))
        np.testing.assert_allclose(found.values[:, :, b], expected, atol=1e-9)


def test_pieces_of_work_make_no_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    def values() -> Floats:
        return resample(table_of(1), "per-source", "both", resamples=30, rng=np.random.default_rng(2)).values

    whole = values()
    monkeypatch.setattr(bootstrap, "CHUNK", 60)
    np.testing.assert_allclose(values(), whole)


def test_the_seed_decides() -> None:
    def values(seed: int) -> Floats:
        return resample(table_of(1), "dataset", "sources", resamples=20, rng=np.random.default_rng(seed)).values

    np.testing.assert_array_equal(values(4), values(4))
    assert not np.array_equal(values(4), values(5))


def test_undefined_resamples_are_counted() -> None:
    # One of two sources is constant: a resample that draws it twice has no figure (one in four).
    table = score_table([[1, 2, 3, 1, 2, 3]], [1, 2, 3, 4, 4, 4], group=list("aaabbb"))
    draws = resample(table, "per-source", "sources", resamples=400, rng=np.random.default_rng(0))
    found = interval(draws, draws.values[0, 0])
    assert 70 <= found.n_undefined <= 130
    assert (found.low, found.high) == (1.0, 1.0)


def test_too_many_undefined_resamples_give_no_interval() -> None:
    draws = Draws(np.full((1, 4, 10), np.nan), 5, "sources")
    values = np.array([0.5] * 4 + [np.nan] * 6)
    found = interval(draws, values)
    assert (found.low, found.high, found.n_undefined) == (None, None, 6)
    assert "6 of 10 resamples" in found.reason


def test_one_source_gives_no_interval() -> None:
    table = score_table([[1, 2, 3]], [1, 3, 2], group=list("aaa"))
    draws = resample(table, "per-source", "sources", resamples=10, rng=np.random.default_rng(0))
    assert "at least two sources" in interval(draws, draws.values[0, 0]).reason


def test_the_interval_is_the_central_share_of_the_resamples() -> None:
    values = np.linspace(0, 1, 1001)
    found = interval(Draws(np.empty((1, 4, 1001)), 9, "texts"), values)
    assert (found.low, found.high) == (pytest.approx(0.025), pytest.approx(0.975))


@pytest.mark.parametrize(
    ("level", "resampling"),
    [
        ("per-source", "sources"),
        ("per-source", "systems"),
        ("dataset", "sources"),
        ("dataset", "texts"),
        ("system", "sources"),
    ],
)
def test_draws_that_do_not_fit_into_memory_are_the_same_in_parts(
    level: Level, resampling: Resampling, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = table_of(5)
    whole = resample(table, level, resampling, resamples=RESAMPLES, rng=np.random.default_rng(4))
    monkeypatch.setattr(resampling_module, "MOST_DRAWN", 4 * table.n)
    parts = resample(table, level, resampling, resamples=RESAMPLES, rng=np.random.default_rng(4))
    assert parts.values.shape == whole.values.shape
    np.testing.assert_allclose(parts.values, whole.values, equal_nan=True)


def test_many_units_are_drawn_with_replacement_each_as_often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resampling_module, "MANY", 3)
    counts = resampling_module.draw_counts(np.array([0, 1, 1, 2, 4, 5]), 6, 4_000, np.random.default_rng(0))
    assert (counts.sum(axis=1) == 5).all()
    assert not counts[:, 3].any()
    np.testing.assert_allclose(counts[:, [0, 1, 2, 4, 5]].mean(axis=0), 1, atol=0.06)


def test_counts_without_zeros_give_the_same_coefficients(monkeypatch: pytest.MonkeyPatch) -> None:
    table = table_of(6)
    whole = resample(table, "dataset", "sources", resamples=RESAMPLES, rng=np.random.default_rng(4))
    monkeypatch.setattr(pooled_module, "MOST_COUNTS", 1)
    sparse = resample(table, "dataset", "sources", resamples=RESAMPLES, rng=np.random.default_rng(4))
    np.testing.assert_allclose(sparse.values, whole.values, equal_nan=True)


@pytest.mark.parametrize("many", [10, 10**6])
def test_classes_are_drawn_with_replacement_in_both_ways(many: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bootstrap, "MANY", many)
    counts = draw_counts(np.arange(1, 41), 41, 500, np.random.default_rng(1))
    assert (counts.sum(axis=1) == 40).all()
    assert (counts[:, 0] == 0).all()  # a class without a text
    assert counts[:, 1:].mean(axis=0) == pytest.approx(np.ones(40), abs=0.2)
    assert counts[:, 1:].var() == pytest.approx(39 / 40, abs=0.05)  # binomial: 40 draws, one in 40
