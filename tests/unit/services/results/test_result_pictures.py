"""What the pictures of a result count."""

import pytest

from app.domain.run import ScoredText, ScoreStatus
from app.meta_evaluation.evaluation import SourceCoefficient
from app.services.results.chart_counts import (
    BINS,
    MOST_SOURCES,
    calibration,
    pair_counts,
    score_distributions,
    shown_sources,
)
from app.services.results.result_texts import disagreements


def rows(*pairs: tuple[float | None, float | None]) -> list[ScoredText]:
    """(rating, score) of each text."""
    return [
        ScoredText(number, f"d{number}", "", "", ScoreStatus.DONE, score, 1.0, human, 3)
        for number, (human, score) in enumerate(pairs, start=1)
    ]


def test_equal_pairs_are_counted_and_missing_values_left_out() -> None:
    found = pair_counts(rows((3, 4), (3, 4), (1, 2), (None, 2), (3, None)))
    assert [(pair.human, pair.score, pair.texts) for pair in found] == [(1, 2, 1), (3, 4, 2)]


def test_distributions_cover_the_scale_ends_included() -> None:
    bins = score_distributions(rows((1, 5), (1.49, 5), (1.5, 4.5), (5, 1)), 1, 5)
    assert [bin_.ratings for bin_ in bins] == [2, 1, 0, 0, 0, 0, 0, 1]
    assert [bin_.scores for bin_ in bins] == [1, 0, 0, 0, 0, 0, 0, 3]
    assert (bins[0].low, bins[-1].high, len(bins)) == (1, 5, BINS)


def test_what_lies_outside_the_scale_counts_at_its_ends() -> None:
    bins = score_distributions(rows((-3, 9)), 0, 1)
    assert (bins[0].ratings, bins[-1].scores) == (1, 1)


def test_a_scale_without_width_is_no_error() -> None:
    assert sum(bin_.ratings for bin_ in score_distributions(rows((2, 2), (2, 2)), 2, 2)) == 2
    assert [point.texts for point in calibration(rows((2, 2), (2, 2)), 2, 2)] == [2]


def test_calibration_groups_ratings_around_points_of_the_scale() -> None:
    points = calibration(rows((1, 2), (1.2, 4), (3, 3), (5, 1), (5, 2), (5, 3), (5, 4), (5, 5)), 1, 5)
    assert [point.texts for point in points] == [2, 1, 5]
    assert points[0].human == pytest.approx(1.1)
    assert [point.score for point in points] == [3, 3, 3]
    assert (points[2].lower_quartile, points[2].upper_quartile) == (2, 4)
    assert (points[1].lower_quartile, points[1].upper_quartile) == (3, 3)


def test_nothing_to_show_is_no_error() -> None:
    assert pair_counts([]) == []
    assert calibration(rows((None, 1)), 1, 5) == []
    assert disagreements(rows((None, 1), (1, None))) == []


def test_disagreements_start_with_the_farthest_apart_in_either_direction() -> None:
    found = disagreements(rows((1, 2), (5, 1), (2, 5), (3, 3), (4, 1)))
    assert [each.row.text for each in found] == [2, 3, 5, 1, 4]
    assert [each.difference for each in found] == [-4, 3, -3, 1, 0]


def test_of_very_many_sources_as_many_are_shown_as_a_picture_holds_evenly_by_coefficient() -> None:
    every = [SourceCoefficient(f"d{n}", (n * 7919 % 5_000) / 5_000, 10) for n in range(5_000)]
    shown = shown_sources(every)
    assert [each.spearman for each in shown] == [n / 5_000 for n in range(0, 5_000, 3)]
    assert len(shown) <= MOST_SOURCES
    assert shown_sources(every[:MOST_SOURCES]) == every[:MOST_SOURCES], "as they come"
