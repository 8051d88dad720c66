"""Draws, trials, and the check of a draw against the whole."""

from dataclasses import replace

import pytest
from scipy.stats import ks_2samp

from app.domain.project import Dimension
from app.errors import InputError, NotReadyError
from app.services.results.results import trials_of
from app.services.runtime.workbench import Workbench
from app.services.scoring.draws import check_draw, check_draws
from app.services.scoring.runs import RunOptions, plan_run, start_runs, work_on
from tests.support.fake_llm.server import FakeLlm, varied_answers
from tests.support.projects import ready_to_score

PROJECT = 1


@pytest.fixture
def options(workbench: Workbench) -> RunOptions:
    """Sixty texts about fifteen documents by four systems each, rated 1 to 5 in turn."""
    return RunOptions((ready_to_score(workbench, texts=60),), "rules", share=0.2, seed=5)


def ratings(workbench: Workbench, dimension: Dimension, texts: tuple[int, ...]) -> list[float]:
    with workbench.database.read() as work:
        means = work.texts.mean_scores(dimension.id)
    return [means[text] for text in texts]


def test_each_trial_draws_with_the_next_seed(workbench: Workbench, options: RunOptions) -> None:
    runs = start_runs(workbench, PROJECT, (replace(options, trials=3),))
    with workbench.database.read() as work:
        found = [(work.runs.get(r).params["seed"], work.runs.texts_of(r, options.dimensions[0].id)) for r in runs]
    assert [seed for seed, _ in found] == [5, 6, 7]
    for seed, texts in found:
        alone = plan_run(workbench, PROJECT, replace(options, seed=seed))[0].texts
        assert texts == frozenset(alone)
    assert len({texts for _, texts in found}) == 3


def test_trials_of_everything_are_refused(workbench: Workbench, options: RunOptions) -> None:
    with pytest.raises(InputError, match="same each time"):
        start_runs(workbench, PROJECT, (replace(options, share=1.0, trials=2),))


def test_a_grid_takes_so_many_systems_of_so_many_documents(workbench: Workbench, options: RunOptions) -> None:
    (part,) = plan_run(workbench, PROJECT, replace(options, share=1.0, draw=(4, 3)))
    with workbench.database.read() as work:
        texts = work.texts.many(part.texts).values()
    assert len(part.texts) == 12
    assert len({text.doc_id for text in texts}) == 4
    assert len({(text.doc_id, text.system_id) for text in texts}) == 12
    with pytest.raises(NotReadyError, match="Only 15 of 15 documents"):
        plan_run(workbench, PROJECT, replace(options, share=1.0, draw=(40, 4)))


def test_a_share_and_a_grid_at_once_are_refused(workbench: Workbench, options: RunOptions) -> None:
    with pytest.raises(InputError, match="both asked for"):
        plan_run(workbench, PROJECT, replace(options, draw=(4, 3)))


def test_a_draw_that_leaves_two_texts_of_a_document_says_so_and_names_another(
    workbench: Workbench, options: RunOptions
) -> None:
    (check,) = check_draw(workbench, PROJECT, replace(options, share=0.25))
    assert "have fewer than three texts" in check.cautions[0]
    assert "for example 4 x 4" in check.cautions[0]
    (thin,) = check_draw(workbench, PROJECT, replace(options, share=1.0, draw=(10, 2)))
    assert "10 of the 10 documents" in thin.cautions[0]
    (wide,) = check_draw(workbench, PROJECT, replace(options, share=1.0, draw=(10, 4)))
    assert wide.cautions == ()


def test_every_trial_is_checked(workbench: Workbench, options: RunOptions) -> None:
    assert [check.seed for check in check_draws(workbench, PROJECT, replace(options, trials=3))] == [5, 6, 7]
    assert check_draws(workbench, PROJECT, replace(options, share=1.0)) == []


def test_a_draw_is_checked_against_all_it_was_drawn_from(workbench: Workbench, options: RunOptions) -> None:
    (check,) = check_draw(workbench, PROJECT, options)
    (part,) = plan_run(workbench, PROJECT, options)
    whole = plan_run(workbench, PROJECT, replace(options, share=1.0))[0].texts
    expected = ks_2samp(
        ratings(workbench, options.dimensions[0], part.texts), ratings(workbench, options.dimensions[0], whole)
    )
    assert (check.ks.statistic, check.ks.p_value) == pytest.approx((expected.statistic, expected.pvalue))
    assert (check.ks.n_drawn, check.ks.n_all) == (12, 60)
    assert sum(p.drawn for p in check.parts) == pytest.approx(1)
    assert sum(p.whole for p in check.parts) == pytest.approx(1)
    assert [p.whole for p in check.parts if p.whole] == pytest.approx([0.2] * 5)


def test_locked_texts_are_neither_drawn_nor_part_of_the_whole(workbench: Workbench, options: RunOptions) -> None:
    with workbench.database.write() as work:
        work.held_out_splits.lock(PROJECT, ["d0", "d1", "d2"], 0.2, 1, "Ana")
        locked = {text.id for text in work.held_out_texts.all(PROJECT)}
    (check,) = check_draw(workbench, PROJECT, options)
    assert check.ks.n_all == 48
    for way in (options, replace(options, share=1.0, draw=(10, 4))):
        assert not locked & set(plan_run(workbench, PROJECT, way)[0].texts)


def test_runs_that_differ_in_their_draw_alone_are_trials(
    workbench: Workbench, options: RunOptions, llm: FakeLlm
) -> None:
    llm.usual = varied_answers
    options = replace(options, judge="llama:judge")
    runs = start_runs(workbench, PROJECT, (replace(options, trials=2), replace(options, share=0.3)))
    for run in runs:
        work_on(workbench, run)
    (group,) = trials_of(workbench, PROJECT, options.dimensions[0])
    assert [run.id for run in group.runs] == runs[:2]
    values = group.values("spearman")
    assert len(set(values)) == 2
    spread = group.spread("spearman")
    assert spread is not None
    assert spread[0] == pytest.approx(sum(values) / 2)
    assert spread[1] == pytest.approx(abs(values[0] - values[1]) / 2**0.5)
