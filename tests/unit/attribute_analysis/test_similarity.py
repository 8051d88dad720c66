import json

import numpy as np
import pytest

from app.attribute_analysis.similarity import (
    compare_groups,
    jaccard_matrix,
    pair_matrices,
    rouge_l_matrix,
    within,
)
from tests.support.attribute_sets import compare_sets


def test_rouge_l_by_hand() -> None:
    # Longest common subsequence "ideas in order": 3 of 4 and 5 words, so F = 2 * 3 / 9.
    words = [["ideas", "come", "in", "order"], ["ideas", "stand", "in", "good", "order"]]
    assert rouge_l_matrix(words)[0, 1] == pytest.approx(2 / 3)


def test_rouge_l_respects_order_and_jaccard_does_not() -> None:
    words = [["a", "b", "c"], ["c", "b", "a"]]
    assert rouge_l_matrix(words)[0, 1] == pytest.approx(1 / 3)
    assert jaccard_matrix(words)[0, 1] == 1


def test_jaccard_counts_a_repeated_word_once() -> None:
    assert jaccard_matrix([["a", "a", "b"], ["a", "c"]])[0, 1] == pytest.approx(1 / 3)


def test_without_words_nothing_is_shared() -> None:
    assert rouge_l_matrix([[], []]).tolist() == [[0, 0], [0, 0]]
    assert jaccard_matrix([[], []]).tolist() == [[0, 0], [0, 0]]


def test_more_words_than_the_first_plane_of_characters_holds() -> None:
    many = [f"w{i}" for i in range(60_000)]
    assert rouge_l_matrix([many[55_000:], many[59_000:]])[0, 1] == pytest.approx(2 * 1000 / 6000)
    assert rouge_l_matrix([many, many[59_000:]])[0, 1] == pytest.approx(2 * 1000 / 61_000)


def test_means_run_over_unordered_pairs_within_and_all_pairs_between() -> None:
    found = compare_sets({"x": ["a1 b1", "a1 c1", "b1 c1"], "y": ["a1 b1"]})
    assert found.within["x"].pairs == 3
    assert found.within["x"].jaccard == pytest.approx(1 / 3)
    assert found.between["x", "y"].pairs == 3
    assert found.between["x", "y"].jaccard == pytest.approx((1 + 1 / 3 + 1 / 3) / 3)


def test_overlapping_groups_never_pair_a_text_with_itself() -> None:
    matrices = pair_matrices(["a1 b1", "c1 d1"])
    found = compare_groups(matrices, {"all": (0, 1), "first": (0,)})
    assert found.between["all", "first"].pairs == 1
    assert found.between["all", "first"].rouge_l == 0


def test_diversity_is_the_rest() -> None:
    found = compare_sets({"x": ["a1 b1", "a1 c1"]}).within["x"]
    assert found.diversity["jaccard"] == pytest.approx(2 / 3)
    assert found.to_json()["diversity"] == found.diversity


def test_order_of_attributes_changes_nothing() -> None:
    texts = ["ideas follow ideas", "clear sentences", "sentences follow", "good grammar", "clear grammar"]
    straight = within(pair_matrices(texts), range(5))
    turned = within(pair_matrices(texts[::-1]), range(5))
    assert turned.rouge_l == pytest.approx(straight.rouge_l, abs=1e-12)
    assert turned.cosine == pytest.approx(straight.cosine, abs=1e-9)


def test_one_attribute_has_no_pair_and_says_so() -> None:
    found = compare_sets({"x": ["clear"], "y": ["clear", "clear"]})
    assert found.within["x"].rouge_l is None
    assert "two attributes" in found.within["x"].reason
    assert found.within["y"].cosine == pytest.approx(1)
    assert found.between["x", "y"].rouge_l == 1


def test_stop_words_alone_have_no_cosine_and_the_notes_say_so() -> None:
    found = compare_sets({"x": ["the of", "of the", ""]})
    assert found.within["x"].cosine is None
    assert found.within["x"].rouge_l is not None
    assert any("without a word the embedding uses: 3 of 3" in note for note in found.notes)
    assert any("without any word: 1 of 3" in note for note in found.notes)


def test_json_has_the_promised_fields_and_no_nan() -> None:
    document = compare_sets({"x": ["the", "of"], "y": ["clear"]}).to_json()
    json.dumps(document, allow_nan=False)
    assert {"n", "rouge_l", "jaccard", "cosine"} <= set(document["sets"]["x"])
    assert {"a", "b", "rouge_l", "jaccard", "cosine"} <= set(document["between"][0])
    assert document["embedding"] == "lsa-100 on tf-idf"


def test_another_embedder_is_used_and_named() -> None:
    class Letters:
        name = "letters"

        def embed(self, texts: list[str]) -> np.ndarray:
            return np.array([[text.count("a"), text.count("b")] for text in texts], dtype=float)

    found = compare_sets({"x": ["aa", "bb", "ab"]}, Letters())
    assert found.embedding == "letters"
    assert found.within["x"].cosine == pytest.approx((0 + 2 * np.sqrt(0.5)) / 3)
