"""What counts as a fault, a denial or the beginning of a question is the same to the rules and to the hints."""

import pytest

from app.construction.question_hints import lint_question
from app.domain.question_words import AUXILIARIES
from app.rules.english import is_bad, names_fault
from app.rules.phrasing import is_yes_no


def hints(question: str) -> set[str]:
    return {hint.code for hint in lint_question(question)}


@pytest.mark.parametrize("fault", ["errors", "contradictory claims", "hallucinated facts", "jargon", "an unclear end"])
def test_a_fault_is_one_to_both_until_something_turns_it_round(fault: str) -> None:
    assert names_fault(fault)
    asked = f"Does the summary have {fault}?"
    assert is_bad(asked) and "yes-is-bad" in hints(asked)
    for turn in ("avoid", "stay free of", "do without"):
        turned = f"Does the summary {turn} {fault}?"
        assert not is_bad(turned) and "yes-is-bad" not in hints(turned)


@pytest.mark.parametrize("first", sorted(AUXILIARIES))
def test_both_know_what_opens_a_yes_no_question(first: str) -> None:
    question = f"{first.capitalize()} the summary name the place?"
    assert is_yes_no(question) and "not-yes-no" not in hints(question)
