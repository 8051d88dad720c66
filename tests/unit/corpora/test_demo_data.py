"""The demo's bundled texts: what was spoiled is known, and the simulated ratings follow it."""

import re
from collections import defaultdict
from itertools import pairwise
from statistics import mean

import numpy as np
import pytest
from scipy.stats import spearmanr

from app.corpora.corpus import CorpusText
from app.corpora.demo_data.corpus import DEMO_NOTICE, demo_attributes, demo_corpus
from tests.support.demo.texts import (
    RATERS,
    SYSTEMS,
    WAYS,
    WEIGHTS,
    Article,
    Degradation,
    break_sentence,
    degrade,
    load_articles,
    made_corpus,
    rate,
    severity,
)

DIMENSIONS = ("coherence", "fluency", "consistency", "relevance")
ARTICLES = load_articles()
TEXTS = demo_corpus().texts

PLAIN = Article(
    id="plain",
    title="Plain",
    article="Nothing to read.",
    summary=("One is first here.", "Two comes after it.", "Three is then next.", "Four ends the row."),
    inventions=("A false thing is said.", "Another false thing is said."),
    trivia=("A small thing is said.", "Another small thing is said."),
)


def mean_rating(text: CorpusText, dimension: str) -> float:
    return mean(rating.value for rating in text.ratings if rating.dimension == dimension)


def harm(text: CorpusText, dimension: str) -> float:
    strengths = text.text.extra["degradations"]
    return severity(dimension, {Degradation(kind): strength for kind, strength in strengths.items()})


def sentences_of(text: str) -> list[str]:
    return re.findall(r"[^.]+\.", text.replace(". ", "."))


def rng() -> np.random.Generator:
    return np.random.default_rng(11)


# The articles


@pytest.mark.parametrize("article", ARTICLES, ids=lambda article: article.id)
def test_article_and_summary_have_the_length_of_news_and_of_a_summary(article: Article) -> None:
    assert 120 <= len(article.article.split()) <= 200
    assert 35 <= len(" ".join(article.summary).split()) <= 90
    assert 3 <= len(article.summary) <= 4
    assert len(article.inventions) == len(article.trivia) == 2


@pytest.mark.parametrize("article", ARTICLES, ids=lambda article: article.id)
def test_summary_and_trivia_use_only_numbers_of_the_article_and_inventions_are_not_in_it(article: Article) -> None:
    in_article = set(re.findall(r"\d[\d.,:]*\d|\d", article.article))
    for sentence in article.summary + article.trivia:
        assert set(re.findall(r"\d[\d.,:]*\d|\d", sentence)) <= in_article
    assert not any(invention in article.article for invention in article.inventions)


# The corpus


def test_every_source_has_one_text_of_each_system_and_every_text_three_ratings_per_dimension() -> None:
    corpus = demo_corpus()
    systems = defaultdict(list)
    for entry in corpus.texts:
        systems[entry.text.doc_id].append(entry.text.system_id)
        pairs = {(rating.dimension, rating.rater) for rating in entry.ratings}
        assert pairs == {(dimension, rater.name) for dimension in DIMENSIONS for rater in RATERS}
        assert len(entry.ratings) == len(pairs)
        assert all(rating.value in {1.0, 2.0, 3.0, 4.0, 5.0} for rating in entry.ratings)
    assert corpus.format == "sample"
    assert corpus.skipped == ()
    assert [entry.row for entry in corpus.texts] == list(range(1, len(corpus.texts) + 1))
    assert len(systems) >= 10
    assert all(names == list(SYSTEMS) for names in systems.values())
    assert len({entry.text.text for entry in corpus.texts}) == len(corpus.texts)


def test_dimensions_are_those_of_news_summaries_and_say_what_they_mean() -> None:
    dimensions = demo_corpus().dimensions
    assert {dimension.name for dimension in dimensions} == set(DIMENSIONS)
    assert all(dimension.rubric and (dimension.low, dimension.high) == (1, 5) for dimension in dimensions)


def test_the_demo_data_is_the_same_each_time() -> None:
    assert made_corpus() == made_corpus() == demo_corpus()


def test_every_text_says_that_it_is_simulated_and_what_was_done_to_it() -> None:
    assert all(entry.text.extra["simulated"] is True for entry in TEXTS)
    degraded = [entry for entry in TEXTS if entry.text.extra["degradations"]]
    assert {kind for entry in degraded for kind in entry.text.extra["degradations"]} == set(Degradation)
    assert len(degraded) == 3 * len(ARTICLES)
    summaries = {article.id: " ".join(article.summary) for article in ARTICLES}
    for entry in TEXTS:
        intact = entry.text.text == summaries[entry.text.doc_id]
        assert intact == (entry.text.extra["degradations"] == {})


def test_the_notice_is_one_sentence_that_says_made_up_and_simulated() -> None:
    assert "made up" in DEMO_NOTICE
    assert "simulated" in DEMO_NOTICE
    assert DEMO_NOTICE.count(".") == 1


# The ratings


@pytest.mark.parametrize("dimension", DIMENSIONS)
def test_degraded_texts_are_rated_lower_the_more_they_are_degraded(dimension: str) -> None:
    harms = [harm(entry, dimension) for entry in TEXTS]
    ratings = [mean_rating(entry, dimension) for entry in TEXTS]
    good = [rating for rating, harmed in zip(ratings, harms, strict=True) if harmed < 0.25]
    bad = [rating for rating, harmed in zip(ratings, harms, strict=True) if harmed >= 0.5]
    assert min(len(good), len(bad)) >= 14
    assert mean(good) > mean(bad) + 1.5
    assert spearmanr(harms, ratings).statistic < -0.75


@pytest.mark.parametrize("dimension", DIMENSIONS)
def test_scores_spread_over_the_scale_and_within_the_sources(dimension: str) -> None:
    by_source = defaultdict(list)
    for entry in TEXTS:
        by_source[entry.text.doc_id].append(mean_rating(entry, dimension))
    scores = [score for group in by_source.values() for score in group]
    assert max(scores) - min(scores) >= 2.5
    constant = sum(len(set(group)) == 1 for group in by_source.values())
    assert constant <= len(by_source) / 4
    assert mean(len(set(group)) for group in by_source.values()) >= 2.5


def test_raters_differ_in_severity_and_mostly_agree() -> None:
    by_rater = defaultdict(list)
    for entry in TEXTS:
        for rating in entry.ratings:
            by_rater[rating.rater].append(rating.value)
    means = [mean(by_rater[rater.name]) for rater in RATERS]
    assert means == sorted(means, reverse=True)
    assert 0.1 < means[0] - means[-1] < 1
    assert np.corrcoef([by_rater[rater.name] for rater in RATERS]).min() > 0.8


def test_rating_without_noise_follows_the_formula(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.support.demo.texts.NOISE", 0.0)
    ratings = rate({Degradation.SHUFFLED: 0.5, Degradation.REPEATED: 1.0}, ("coherence", "fluency"), rng())
    # coherence: severity 0.5 + 0.2, so 5 - 3.6 * 0.7 = 2.48; fluency: severity 0.3, so 5 - 1.08 = 3.92
    assert [rating.value for rating in ratings] == [3, 2, 2, 4, 4, 4]


def test_severity_ends_at_one_and_each_degradation_aims_at_one_dimension() -> None:
    everything = dict.fromkeys(Degradation, 1.0)
    assert all(severity(dimension, everything) == 1.0 for dimension in DIMENSIONS)
    targets = {kind: max(weights, key=lambda name: weights[name]) for kind, weights in WEIGHTS.items()}
    assert targets == {
        Degradation.TRIVIA: "relevance",
        Degradation.SHUFFLED: "coherence",
        Degradation.REPEATED: "relevance",
        Degradation.INVENTED: "consistency",
        Degradation.BROKEN: "fluency",
    }


# The degradations


def test_nothing_wanted_leaves_the_summary_as_it_is() -> None:
    degraded = degrade(PLAIN, {Degradation.BROKEN: 0.0}, rng())
    assert degraded.text == " ".join(PLAIN.summary)
    assert degraded.strengths == {}


def test_shuffling_fully_reverses_and_half_turns_half_of_the_pairs() -> None:
    full = degrade(PLAIN, {Degradation.SHUFFLED: 1.0}, rng())
    assert sentences_of(full.text) == list(reversed(PLAIN.summary))
    half = degrade(PLAIN, {Degradation.SHUFFLED: 0.5}, rng())
    order = [PLAIN.summary.index(sentence) for sentence in sentences_of(half.text)]
    assert sum(order[i] > order[j] for i in range(4) for j in range(i + 1, 4)) == 3
    assert half.strengths == {Degradation.SHUFFLED: 0.5}


def test_trivia_stand_in_place_of_main_points_but_not_of_the_first() -> None:
    degraded = degrade(PLAIN, {Degradation.TRIVIA: 1.0}, rng())
    sentences = sentences_of(degraded.text)
    assert len(sentences) == 4
    assert sentences[0] == PLAIN.summary[0]
    assert set(PLAIN.trivia) <= set(sentences)


def test_inventions_are_added_and_the_strength_reached_is_told() -> None:
    degraded = degrade(PLAIN, {Degradation.INVENTED: 0.2}, rng())
    sentences = sentences_of(degraded.text)
    assert [sentence for sentence in sentences if sentence in PLAIN.summary] == list(PLAIN.summary)
    assert len(set(sentences) & set(PLAIN.inventions)) == 1
    assert degraded.strengths == {Degradation.INVENTED: 0.5}


def test_repetition_says_sentences_twice_in_the_order_of_their_first_mention() -> None:
    degraded = degrade(PLAIN, {Degradation.REPEATED: 0.67}, rng())
    sentences = sentences_of(degraded.text)
    assert len(sentences) == 6
    assert list(dict.fromkeys(sentences)) == list(PLAIN.summary)
    assert degraded.strengths[Degradation.REPEATED] == pytest.approx(2 / 3)


def test_breaking_half_leaves_half_of_the_sentences_intact() -> None:
    degraded = degrade(PLAIN, {Degradation.BROKEN: 0.5}, rng())
    assert sum(sentence in degraded.text for sentence in PLAIN.summary) == 2
    assert degraded.strengths == {Degradation.BROKEN: 0.5}


@pytest.mark.parametrize("way", range(len(WAYS)))
def test_every_way_breaks_every_sentence(way: int) -> None:
    for article in ARTICLES:
        for sentence in article.summary + article.inventions + article.trivia:
            assert break_sentence(sentence, way, rng()) != sentence


def test_ways_of_breaking_do_what_they_say() -> None:
    sentence = "The clock of Dunmere was mended, and the town is glad."
    cut, dropped, doubled, lowered = (break_sentence(sentence, way, rng()) for way in range(4))
    assert sentence.startswith(cut)
    assert not cut.endswith(".")
    assert dropped == "clock Dunmere mended, town glad."
    words = doubled.split()
    assert sum(first == second for first, second in pairwise(words)) == 3
    assert lowered == "the clock of dunmere was mended and the town is glad"


# The experts


def test_two_experts_say_six_to_eight_different_things_about_each_dimension() -> None:
    attributes = demo_attributes()
    assert set(attributes) == set(DIMENSIONS)
    for experts in attributes.values():
        assert list(experts) == ["simulated expert Ada", "simulated expert Ben"]
        assert all(6 <= len(attributes) <= 8 for attributes in experts.values())
    every = [line for experts in attributes.values() for lines in experts.values() for line in lines]
    assert all(isinstance(line, str) and line.endswith((".", "?")) for line in every)
    assert len(set(every)) == len(every)


def test_attributes_are_general_and_name_nothing_of_the_articles() -> None:
    names = {name for article in ARTICLES for name in re.findall(r"(?<=[a-z,] )[A-Z][a-z]{3,}", article.article)}
    lines = [line for experts in demo_attributes().values() for lines in experts.values() for line in lines]
    assert len(names) > 30
    assert not any(re.search(rf"\b{name}\b", line) for name in names for line in lines)
