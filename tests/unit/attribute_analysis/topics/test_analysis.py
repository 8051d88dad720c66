import json

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from app.attribute_analysis.pool import AttributePool, pool_attributes
from app.attribute_analysis.topics.grouping import TopicGrouping, chance_spread
from app.attribute_analysis.topics.topic_models import TopicAnalysis, analyse_topics, find_lda_topics, find_nmf_topics
from app.domain.attribute import ContributorKind
from app.errors import InputError, NotReadyError

THEMES = [
    ["commas", "spelling", "grammar", "tense", "verbs"],
    ["order", "links", "transitions", "flow", "pronouns"],
    ["facts", "names", "dates", "numbers", "source"],
]


def planted(each: int = 14, seed: int = 0) -> tuple[AttributePool, list[int]]:
    """Attributes of four words from one of three themes; people never speak of the third."""
    rng = np.random.default_rng(seed)
    said: dict[str, list[str]] = {"ada": [], "m1": []}
    themes: dict[str, list[int]] = {"ada": [], "m1": []}
    for name, known in (("ada", 2), ("m1", 3)):
        for i in range(each * known):
            said[name].append(" ".join(rng.choice(THEMES[i % known], 4, replace=False)))
            themes[name].append(i % known)
    kinds = {"ada": ContributorKind.HUMAN, "m1": ContributorKind.LLM}
    return pool_attributes(said, kinds), themes["ada"] + themes["m1"]


@pytest.fixture(scope="module")
def nmf() -> TopicGrouping:
    return find_nmf_topics(planted()[0], 3)


@pytest.fixture(scope="module")
def analysis() -> TopicAnalysis:
    return analyse_topics(planted()[0], 3, 3)


@pytest.fixture(scope="module")
def lda() -> TopicGrouping:
    return find_lda_topics(planted()[0], 3, seeds=3)


def test_both_models_find_planted_themes(nmf: TopicGrouping, lda: TopicGrouping) -> None:
    themes = planted()[1]
    assert adjusted_rand_score(themes, nmf.labels) == 1
    assert adjusted_rand_score(themes, lda.labels) > 0.8
    assert {frozenset(topic.words[:5]) for topic in nmf.topics} == {frozenset(theme) for theme in THEMES}


def test_planted_themes_are_steady_and_need_no_warning(nmf: TopicGrouping) -> None:
    assert nmf.stability.grade == "steady"
    assert nmf.stability.above_baseline == 1
    assert nmf.warning == ""
    assert nmf.consensus.together == 1 and nmf.consensus.apart == 0


def test_what_only_llms_notice_is_empty_for_people(nmf: TopicGrouping) -> None:
    facts = next(topic for topic in nmf.topics if "facts" in topic.words)
    assert facts.only_kind == "llm"
    assert nmf.spreads["ada"].empty == (facts.id,)
    assert nmf.conditions["mh"].empty == (facts.id,)
    assert nmf.conditions["comb"].empty == ()
    assert nmf.spreads["ada"].by_top_topic is not None
    assert nmf.spreads["ada"].by_top_topic.spread == pytest.approx(np.std([0.5, 0.5, 0]))


def test_representatives_belong_to_their_topic(nmf: TopicGrouping) -> None:
    for topic in nmf.topics:
        assert all(set(r.text.split()) <= set(topic.words) for r in topic.representatives)


@pytest.mark.parametrize("find", [find_lda_topics, find_nmf_topics])
def test_order_of_attributes_and_contributors_does_not_matter(find) -> None:
    pool, _ = planted()
    said = {name: [pool.texts[i] for i in at][::-1] for name, at in pool.by_contributor().items()}
    turned = pool_attributes(dict(reversed(said.items())), pool.kinds)
    straight, other = find(pool, 3, 2).to_json(), find(turned, 3, 2).to_json()
    assert straight["topics"] == other["topics"]
    assert straight["shares"] == other["shares"]
    assert straight["stability"] == other["stability"]


def test_the_same_input_gives_the_same_output(analysis: TopicAnalysis) -> None:
    assert analyse_topics(planted()[0], 3, 3).to_json() == analysis.to_json()


def test_noise_is_called_noise() -> None:
    rng = np.random.default_rng(1)
    texts = [" ".join(f"word{i}" for i in rng.integers(60, size=6)) for _ in range(60)]
    found = analyse_topics(pool_attributes({"a": texts}), 5, 4)
    assert found.lda.stability.grade == "chance"
    assert "hardly more than by chance" in found.lda.warning
    assert found.nmf.stability.grade == "chance"
    assert found.nmf.stability.baseline > 0.2
    assert "No model finds stable topics" in found.verdict


def test_verdict_leads_with_what_repeats_best(analysis: TopicAnalysis) -> None:
    assert analysis.lead == "steady"
    assert "are stable" in analysis.verdict


def test_json_has_the_promised_fields(analysis: TopicAnalysis) -> None:
    document = analysis.to_json()
    json.dumps(document, allow_nan=False)
    assert [topic["id"] for topic in document["topics"]] == [1, 2, 3]
    assert sum(document["shares"]["ada"]) == pytest.approx(1)
    assert document["spread"]["m1"] == pytest.approx(np.std(document["shares"]["m1"]))
    assert set(document["empty"]) == {"ada", "m1"}
    assert document["stability"]["seeds"] == 3
    assert {"ari_median", "ari_low"} <= set(document["stability"])


@pytest.mark.parametrize(
    ("n", "topics", "expected"), [(1, 2, 0.5), (2, 2, 0.25), (1, 5, 0.4), (7, 5, 0.142), (80, 5, 0.042)]
)
def test_what_a_set_spreads_by_chance_depends_on_its_size(n: int, topics: int, expected: float) -> None:
    assert chance_spread(n, topics) == pytest.approx(expected, abs=0.004)


def test_each_set_stands_beside_its_own_chance(analysis: TopicAnalysis) -> None:
    chance = analysis.to_json()["chance"]
    assert chance == {name: chance_spread(spread.n, 3) for name, spread in analysis.lda.spreads.items()}


def test_one_seed_says_that_stability_is_unknown() -> None:
    found = find_lda_topics(planted()[0], 3, seeds=1)
    assert found.stability.ari_median is None
    assert "can't be told" in found.warning


def test_a_small_set_is_called_too_small() -> None:
    found = analyse_topics(pool_attributes({"a": [f"own{i} word{i}" for i in range(6)]}), 5, 3)
    assert "too small for topics" in found.verdict
    assert "too small" in found.lda.warning


def test_attributes_without_words_are_counted_and_left_out() -> None:
    pool, _ = planted()
    with_empty = pool_attributes({"ada": ["the of", *pool.texts], "ben": ["it is"]})
    found = find_lda_topics(with_empty, 3, seeds=2)
    assert found.labels[0] == 0
    assert found.spreads["ben"].by_top_topic is None
    assert any("2 of" in note for note in found.notes)


@pytest.mark.parametrize("texts", [["clear"], ["clear text", "clear text"], ["the", "of", "it"], ["!", "😀"]])
def test_sets_that_can_t_carry_topics_get_a_sentence(texts: list[str]) -> None:
    with pytest.raises(NotReadyError) as caught:
        analyse_topics(pool_attributes({"a": texts}))
    assert caught.value.hint


def test_numbers_out_of_range_are_refused() -> None:
    pool, _ = planted()
    for topics, seeds in ((1, 5), (13, 5), (5, 0), (5, 201)):
        with pytest.raises(InputError):
            find_lda_topics(pool, topics, seeds)


def test_other_scripts_have_topics() -> None:
    said = ["结构清晰", "清晰结构", "语法正确", "正确语法", "事实准确", "准确事实"] * 3
    found = analyse_topics(pool_attributes({"a": said}), 3, 3)
    assert len({found.nmf.labels[0], found.nmf.labels[2], found.nmf.labels[4]}) == 3
