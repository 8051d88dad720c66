import numpy as np
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer

from app.attribute_analysis.tokens import content_words, count_words

TEXTS = ["Ideas follow the ideas before.", "Is it clear?", "Clear ideas, clear words", "a I x"]


def test_counts_are_those_of_scikit_learn_with_its_stop_words() -> None:
    vectorizer = CountVectorizer(stop_words="english")
    expected = vectorizer.fit_transform(TEXTS).toarray()
    found = count_words(TEXTS)
    assert found.vocabulary == tuple(vectorizer.get_feature_names_out())
    assert np.array_equal(found.counts.toarray(), expected)
    assert found.with_words.tolist() == [0, 1, 2]


def test_tf_idf_is_scikit_learn_s() -> None:
    expected = TfidfVectorizer(stop_words="english").fit_transform(TEXTS).toarray()
    assert np.allclose(count_words(TEXTS).tf_idf().toarray(), expected)


def test_words_in_several_texts() -> None:
    assert count_words(TEXTS).in_several_texts().vocabulary == ("clear", "ideas")
    assert count_words(["clear", "ideas"]).in_several_texts().vocabulary == ("clear", "ideas")


def test_rows_keep_only_the_words_they_use() -> None:
    picked = count_words(TEXTS).rows(np.array([1]))
    assert picked.vocabulary == ("clear",)
    assert picked.counts.toarray().tolist() == [[1.0]]


def test_shuffling_keeps_lengths_and_frequencies_and_moves_words() -> None:
    texts = [f"word{i} word{i + 1} word{i + 1} word{i + 5}" for i in range(20)]
    found = count_words(texts)
    dealt = found.shuffled(np.random.default_rng(0))
    assert np.array_equal(dealt.counts.sum(axis=0), found.counts.sum(axis=0))
    assert np.array_equal(dealt.counts.sum(axis=1), found.counts.sum(axis=1))
    assert not np.array_equal(dealt.counts.toarray(), found.counts.toarray())


def test_texts_with_the_same_words_as_often_count_once() -> None:
    assert count_words(["clear ideas", "Ideas: clear!", "clear clear ideas"]).different_texts == 2


def test_scripts_without_spaces_count_pairs_of_characters() -> None:
    assert content_words("结构清晰") == ["结构", "构清", "清晰"]
    assert content_words("清") == ["清"]
    assert content_words("Ясный ли текст") == ["ясный", "ли", "текст"]


def test_nothing_that_counts_gives_no_columns() -> None:
    found = count_words(["the", ""])
    assert found.counts.shape == (2, 0)
    assert not len(found.with_words)
