import numpy as np
import pytest

from app.attribute_analysis.topics.grouping import group_spreads
from app.attribute_analysis.topics.stability import UNPLACED

LABELS = np.array([[0, 0, 1, 2], [0, 1, 1, 2]])
MIXTURES = np.array(
    [
        [[0.8, 0.1, 0.1], [0.6, 0.4, 0.0], [0.1, 0.9, 0.0], [0.0, 0.0, 1.0]],
        [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
    ]
)


def test_shares_by_top_topic_and_by_mixture() -> None:
    found = group_spreads({"ada": (0, 1), "m1": (2, 3)}, LABELS, MIXTURES, 0)
    ada = found["ada"]
    assert ada.by_top_topic is not None and ada.by_mixture is not None
    assert ada.by_top_topic.values == (1.0, 0.0, 0.0)
    assert ada.by_mixture.values == pytest.approx((0.7, 0.25, 0.05))
    assert ada.empty == (2, 3)
    assert ada.empty_share == (0.0, 0.5, 1.0)


def test_spread_of_everything_in_one_topic_is_the_largest_possible() -> None:
    shares = group_spreads({"ada": (0, 1)}, LABELS, MIXTURES, 0)["ada"].by_top_topic
    assert shares is not None
    assert shares.spread == pytest.approx(np.sqrt(2) / 3)
    assert shares.intervals[0].low == 0.5 and shares.intervals[0].high == 1.0
    assert shares.spread_interval.low == pytest.approx(np.std([0.5, 0.5, 0]))


def test_unplaced_attributes_are_not_counted() -> None:
    labels = np.array([[0, UNPLACED, 1, 2], [UNPLACED, UNPLACED, 1, 2]])
    found = group_spreads({"ada": (0, 1), "ben": (1,)}, labels, MIXTURES, 0)
    assert found["ada"].n == 1
    assert found["ada"].empty_share == (0.0, 1.0, 1.0)
    assert found["ben"].by_top_topic is None
    assert found["ben"].n == 0
