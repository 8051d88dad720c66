"""The fits are held to scikit-learn's own, seed by seed."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.decomposition import LatentDirichletAllocation

from app.attribute_analysis.topics import topic_models
from app.attribute_analysis.topics.topic_models import fit_lda


def random_counts(documents: int, words: int, seed: int = 0) -> sparse.csr_array:
    rng = np.random.default_rng(seed)
    counts = rng.poisson(0.15, (documents, words)).astype(float)
    counts[np.arange(documents), rng.integers(words, size=documents)] += 1
    matrix = sparse.csr_array(counts)
    matrix.sort_indices()
    return matrix


@pytest.mark.parametrize("topics", [2, 5])
def test_fits_equal_scikit_learn_s(topics: int) -> None:
    counts = random_counts(40, 60)
    found = fit_lda(counts, topics, [3, 11], iterations=15)
    for i, seed in enumerate([3, 11]):
        model = LatentDirichletAllocation(topics, max_iter=15, random_state=seed)
        mixtures = model.fit_transform(counts)
        words = model.components_ / model.components_.sum(axis=1, keepdims=True)
        assert np.allclose(found.mixtures[i], mixtures, atol=1e-6)
        assert np.allclose(found.topic_words[i], words, atol=1e-8)


def test_block_size_changes_nothing(monkeypatch) -> None:
    counts = random_counts(20, 30)
    whole = fit_lda(counts, 3, [0, 1], iterations=5)
    monkeypatch.setattr(topic_models, "BLOCK_ELEMENTS", 1)
    assert np.allclose(fit_lda(counts, 3, [0, 1], iterations=5).mixtures, whole.mixtures, atol=1e-10)


def test_a_fit_does_not_depend_on_its_neighbours() -> None:
    counts = random_counts(20, 30)
    together = fit_lda(counts, 3, [4, 9], iterations=5)
    alone = fit_lda(counts, 3, [9], iterations=5)
    assert np.allclose(together.mixtures[1], alone.mixtures[0], atol=1e-12)
