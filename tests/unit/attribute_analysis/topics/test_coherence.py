import numpy as np
import pytest

from app.attribute_analysis.pool import pool_attributes
from app.attribute_analysis.topics.stability import canonical_texts
from app.attribute_analysis.topics.topic_models import Cooccurrence, coherence_of, coherence_over_topics, npmi, umass

# Word a in 4 texts of 8, word b in 2, both in 2.
TOGETHER = np.array([[4.0, 2.0], [2.0, 2.0]])


def test_umass_by_hand() -> None:
    assert umass(TOGETHER) == pytest.approx(np.log(3 / 4))


def test_npmi_by_hand() -> None:
    # p(ab) = 1/4, p(a) p(b) = 1/8: log 2 / log 4.
    assert npmi(TOGETHER, 8) == pytest.approx(0.5)


def test_npmi_ends() -> None:
    assert npmi(np.array([[2.0, 0.0], [0.0, 2.0]]), 8) == -1
    assert npmi(np.array([[2.0, 2.0], [2.0, 2.0]]), 8) == pytest.approx(1)
    assert npmi(np.array([[8.0, 8.0], [8.0, 8.0]]), 8) == 1


def test_words_that_meet_are_more_coherent() -> None:
    pool = pool_attributes({"a": ["commas grammar", "grammar commas verbs", "order flow", "flow order links"]})
    occurrence = Cooccurrence(canonical_texts(pool, 2))
    good = coherence_of([["commas", "grammar"], ["order", "flow"]], occurrence)
    bad = coherence_of([["commas", "flow"], ["order", "grammar"]], occurrence)
    assert good.npmi == pytest.approx(1) and bad.npmi == -1
    assert good.umass is not None and bad.umass is not None and good.umass > bad.umass


def test_a_topic_of_one_word_has_no_coherence() -> None:
    pool = pool_attributes({"a": ["commas grammar", "order flow"]})
    assert coherence_of([["commas"]], Cooccurrence(canonical_texts(pool, 2))).npmi is None


def test_the_curve_stops_where_the_set_ends() -> None:
    texts = ["commas grammar", "grammar verbs", "order flow", "flow links"]
    curve = coherence_over_topics(pool_attributes({"a": texts}), seeds=2)
    assert [point.n_topics for point in curve] == [2, 3, 4]
