"""Measures against values counted by hand."""

import pytest

from app.rules import measures
from app.rules.rule_input import Profile, grounding_of, passage, source_of

SOURCE = (
    "The harbour of Lund opened a new ferry line on Monday. The ferry carries 40 cars to Moss. "
    "Captain Berg welcomed the first guests. The town hopes that the ferry brings visitors. "
    "A ticket costs 12 euros, and children travel free. The line closes in winter."
)


def profile(text: str, source: str = SOURCE) -> Profile:
    cut, beside = passage(text), source_of(source)
    return Profile(cut, beside, grounding_of(cut, beside))


def test_novelty_counts_content_words_that_the_source_lacks() -> None:
    reading = measures.novelty(profile("Captain Berg sold the ferry."))
    assert reading.value == pytest.approx(1 / 4)
    assert reading.finding == "1 of 4 content words (25 %) are not in the source"


def test_invented_details_sees_figures_and_names() -> None:
    reading = measures.invented_details(profile("The ferry to Moss carries 90 cars, said Anna."))
    assert reading.finding.startswith("2 of 3 figures and names")
    assert reading.value == pytest.approx(2 / 3)


def test_invented_details_has_nothing_to_say_without_any() -> None:
    assert not measures.invented_details(profile("the ferry carries cars .")).applies


def test_broken_pairs_finds_facts_joined_anew() -> None:
    joined = "Captain Berg costs 12 euros."  # captain-berg stands in the source, berg-cost not, cost-12, 12-euro do
    assert measures.broken_pairs(profile(joined)).value == pytest.approx(1 / 4)


def test_order_agreement_follows_the_source() -> None:
    kept = "The harbour opened a line. Berg welcomed guests. A ticket costs euros."
    turned = "A ticket costs euros. Berg welcomed guests. The harbour opened a line."
    assert measures.order_agreement(profile(kept)).value == 1.0
    assert measures.order_agreement(profile(turned)).value == 0.0


def test_key_term_coverage_is_one_for_the_source_itself() -> None:
    assert measures.key_term_coverage(profile(SOURCE)).value == pytest.approx(1.0)
    assert measures.key_term_coverage(profile("Something else entirely.")).value == 0.0


def test_key_term_coverage_is_exact_so_that_a_limit_is_met() -> None:
    terms = ["copper", "velvet", "harbour", "lantern", "marble", "pepper", "saddle", "timber", "walnut"]
    for taken in range(1, len(terms) + 1):
        text = " ".join([*terms[:taken], "zebra", "igloo", "jungle", "mirror"])
        found = measures.key_term_coverage(profile(text, " ".join(terms))).value
        assert found == taken / min(len(terms), taken + 4), taken


def test_a_topic_supports_no_facts_but_is_covered() -> None:
    essay = profile("Technology shapes how people talk. " * 5, "Impact of technology")
    assert not measures.novelty(essay).applies
    assert measures.key_term_coverage(essay).value == pytest.approx(0.5)


@pytest.mark.parametrize("measure", [measures.novelty, measures.key_term_coverage, measures.order_agreement])
def test_without_a_source_nothing_is_compared(measure) -> None:
    reading = measure(profile("A dog ran.", ""))
    assert not reading.applies
    assert "no source" in reading.finding


def test_length_fold_is_one_at_three_times_the_root() -> None:
    source = " ".join(f"word{i}" for i in range(100)) + "."
    assert measures.length_fold(profile("word1 " * 30, source)).value == pytest.approx(1.0)
    assert measures.length_fold(profile("word1 " * 15, source)).value == pytest.approx(2.0)
    assert measures.length_fold(profile("word1 " * 60, source)).value == pytest.approx(2.0)


def test_repetition_counts_trigrams_seen_before() -> None:
    assert measures.repetition(profile("the dog ran and the dog ran")).value == pytest.approx(1 / 5)


def test_linked_sentences_by_shared_word_or_pronoun() -> None:
    text = "The ferry sails. It carries cars. Winter closes lines. Cars wait."
    assert measures.linked_sentences(profile(text)).value == pytest.approx(1 / 3)


def test_complete_sentences_need_verb_end_mark_and_no_dangling_word() -> None:
    text = "The ferry has many guests. Many guests on board. The captain was happy with the"
    assert measures.complete_sentences(profile(text)).value == pytest.approx(1 / 3)


def test_slips_counts_doubled_words_and_broken_off_ends() -> None:
    reading = measures.slips(profile("the the ferry has an captain . it sails to the"))
    assert reading.finding == "4 slips of form in 10 words"  # doubled, an captain, dangling, no end mark


def test_tokenised_lower_case_corpora_are_not_blamed() -> None:
    text = profile("the ferry 's captain , mr berg , welcomed 40 guests . the town is happy .")
    assert measures.punctuation_slips(text).value == 0.0
    assert not measures.missing_capitals(text).applies
    assert measures.complete_sentences(text).value == 1.0


def test_missing_capitals_in_a_text_that_uses_them() -> None:
    text = profile("The town waits. the ferry comes. And i wave.")
    assert measures.missing_capitals(text).value == pytest.approx(2 / 3)


def test_variety_is_a_moving_type_token_ratio() -> None:
    assert measures.variety(profile("a b a b")).value == pytest.approx(0.5)
    assert measures.variety(profile(" ".join(["x", "y"] * 20))).value == pytest.approx(2 / 25)


def test_lix_of_a_counted_text() -> None:
    assert measures.reading_difficulty(profile("We eat apples. They understand everything.")).value == pytest.approx(
        3 + 200 / 6
    )
