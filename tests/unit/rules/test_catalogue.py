"""The catalogue keeps its own promises."""

import pytest

from app.rules.catalogue import BY_ID, RULES, THEMES, GoodDirection, Rule
from app.rules.judge import best_rule
from app.rules.phrasing import is_sound
from app.rules.rule_input import Context, Reading

CONTEXT = Context("summary", "article", "coherence", "")
PHRASES = [(rule, phrase) for rule in RULES for phrase in (*rule.questions, *rule.attributes)]


def test_ids_are_unique_and_every_theme_has_a_rule() -> None:
    assert len(BY_ID) == len(RULES)
    assert {rule.theme for rule in RULES} == set(THEMES)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_limits_run_from_lenient_to_strict(rule: Rule) -> None:
    expected = sorted(rule.limits, reverse=rule.better is GoodDirection.LESS)
    assert list(rule.limits) == expected
    assert rule.limit(0.0) == rule.limits[0]
    assert rule.limit(0.5) == pytest.approx(rule.limits[2])
    assert rule.limit(1.0) == rule.limits[-1]


def test_what_a_rule_says_leads_back_to_it(subtests: pytest.Subtests) -> None:
    for rule, phrase in PHRASES:
        with subtests.test(phrase):
            assert best_rule(CONTEXT.fill(phrase), CONTEXT).id == rule.id


def test_a_native_speaker_is_no_conversation() -> None:
    assert best_rule("Words are used as a native speaker would.", CONTEXT).theme == "word-choice"


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_own_questions_are_sound(rule: Rule) -> None:
    for question in rule.questions:
        assert is_sound(CONTEXT.fill(question)), question


@pytest.mark.parametrize("theme", THEMES.values(), ids=lambda theme: theme.id)
def test_key_questions_are_sound(theme) -> None:
    assert is_sound(CONTEXT.fill(theme.question))


def test_a_reason_gives_finding_and_limit() -> None:
    rule = BY_ID["support"]
    reading = Reading(3 / 41, "3 of 41 content words (7 %) are not in the source")
    assert rule.reason(reading, 0.15) == "3 of 41 content words (7 %) are not in the source; up to 15 % is allowed."


def test_a_rule_with_nothing_to_look_at_passes_and_says_so() -> None:
    rule = BY_ID["support"]
    reading = Reading(1.0, "there is no source to compare with", applies=False)
    assert rule.passes(reading, 0.0)
    assert rule.reason(reading, 0.0) == "Nothing to object: there is no source to compare with."
