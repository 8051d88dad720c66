import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer

from app.attribute_analysis import embedding
from app.attribute_analysis.embedding import LsaEmbedder, cosine_matrix, map_to_plane

TEXTS = ["ideas follow logically", "sentences follow ideas", "grammar holds", "correct grammar", "the of"]


def test_with_all_dimensions_lsa_is_the_cosine_of_tf_idf() -> None:
    weights = TfidfVectorizer(stop_words="english").fit_transform(TEXTS[:4]).toarray()
    found = cosine_matrix(LsaEmbedder().embed(TEXTS[:4]))
    assert np.allclose(found, weights @ weights.T, atol=1e-9)


def test_both_decompositions_give_the_same_cosines(monkeypatch) -> None:
    exact = cosine_matrix(LsaEmbedder(2).embed(TEXTS[:4]))
    monkeypatch.setattr(embedding, "EXACT_TEXTS", 0)
    assert np.allclose(cosine_matrix(LsaEmbedder(2).embed(TEXTS[:4])), exact, atol=1e-9)


def test_order_does_not_change_cosines() -> None:
    order = [3, 1, 4, 0, 2]
    straight = cosine_matrix(LsaEmbedder(2).embed(TEXTS))
    shuffled = cosine_matrix(LsaEmbedder(2).embed([TEXTS[i] for i in order]))
    assert np.allclose(shuffled, straight[np.ix_(order, order)], equal_nan=True)


def test_a_text_of_stop_words_points_nowhere() -> None:
    cosines = cosine_matrix(LsaEmbedder().embed(TEXTS))
    assert np.isnan(cosines[4]).all()
    assert not np.isnan(cosines[:4, :4]).any()
    assert LsaEmbedder().embed(["the", ""]).shape == (2, 1)


def test_the_name_says_what_it_is() -> None:
    assert LsaEmbedder().name == "lsa-100 on tf-idf"


def test_plane_keeps_distances_of_what_lies_in_a_plane() -> None:
    unit = np.array([[1.0, 0, 0], [0, 1, 0], [-1, 0, 0], [0, -1, 0]])
    points, explained = map_to_plane(unit)
    assert np.isclose(sum(explained), 1)
    assert np.allclose(np.linalg.norm(points[0] - points[1]), np.sqrt(2))


def test_plane_of_one_or_equal_vectors_is_one_point() -> None:
    for vectors in (np.array([[1.0, 2.0]]), np.array([[1.0, 2.0], [2.0, 4.0], [1.0, 2.0]])):
        points, explained = map_to_plane(vectors)
        assert np.allclose(points, 0)
        assert explained == (0.0, 0.0)
