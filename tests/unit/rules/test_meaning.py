"""Attributes in many wordings: none is turned round, none becomes broken English."""

import re

import pytest

from app.construction.lint import english_hints
from app.rules.phrasing import is_yes_no, question_from, quoted
from app.rules.questions import validation
from app.rules.reading import Context
from tests.support.real_data import shared_data

REPLY = Context("reply", "ticket", "tone", "")
GERMAN = Context("Antwort", "Anfrage", "Ton", "", "German")
TURNED = {
    "No jargon": "Does the reply avoid jargon?",
    "Doesn't blame the customer": "Does the reply avoid blaming the customer?",
    "Does not repeat the question": "Does the reply avoid repeating the question?",
    "Avoids jargon": "Does the reply avoid jargon?",
    "Grammatical errors": "Does the reply avoid grammatical errors?",
    "Errors": "Does the reply avoid errors?",
    "Contains spelling mistakes": "Does the reply avoid spelling mistakes?",
    "Is confusing": "Does the reply avoid being confusing?",
    "Takes the complaint seriously": "Does the reply take the complaint seriously?",
    "Says sorry without excuses": "Does the reply say sorry without excuses?",
    "A clear next step": "Does the reply have a clear next step?",
    "Leaves no question open": "Does the reply leave no question open?",
    "Short sentences": "Does the reply have short sentences?",
    "Is the mistake admitted?": "Is the mistake admitted?",
    "Does the reply admit a mistake openly?": "Does the reply admit a mistake openly?",
}
QUOTED = (
    "Admits a mistake openly and fixes it",
    "Admit mistakes openly",
    "Acknowledging errors",
    "Owns up to errors",
    "Corrects errors in the order",
    "Points out the risks of a wrong dose",
    "Warns about misleading labels",
    "Explains why the error happened",
    "Names the fault and says who repairs it",
    "Apologises for the delay and the confusion",
    "Handles irrelevant questions politely",
    "Open about mistakes",
    "Honesty about errors",
    "Tells bad news gently",
    "Offers compensation for the wrong item",
    "Mentions the missing part",
    "Reduces confusion",
    "Treats errors as a chance to learn",
    "Recovery from a mistake",
    "The reply admits its mistakes",
    "Check if the reply admits a mistake",
    "Uses simple words",
    "Prevents misunderstandings",
    "Thank the customer",
    "Be polite",
    "Never vague",
    "Gibt einen Fehler offen zu",
    "Keine Floskeln",
    "Er soll freundlich sein",
)


def asked(attribute: str, context: Context = REPLY) -> str | None:
    found = question_from(attribute, context)
    return found.question if found else quoted(attribute, context)


@pytest.mark.parametrize(("attribute", "question"), TURNED.items())
def test_a_sure_attribute_becomes_its_question(attribute: str, question: str) -> None:
    assert asked(attribute) == question


@pytest.mark.parametrize("attribute", QUOTED)
def test_an_unsure_attribute_is_quoted_unchanged(attribute: str) -> None:
    assert asked(attribute) == f"Does the reply fit this: {attribute}?"


@pytest.mark.parametrize("attribute", ["Nennt Quellen", "Ton", "Is clear", "Freundliche Anrede"])
def test_an_attribute_of_a_project_in_another_language_is_quoted(attribute: str) -> None:
    assert asked(attribute, GERMAN) == f"Does the Antwort fit this: {attribute}?"


@pytest.mark.parametrize("part", ["coherence", "consistency", "fluency", "relevance"])
@pytest.mark.parametrize("kind", ["human", "llm"])
def test_published_attributes_avoid_only_what_they_deny_or_call_a_fault(part: str, kind: str) -> None:
    lines = shared_data(f"interacteval_attributes_{part}_{kind}.txt").read_text(encoding="utf-8").splitlines()
    praised = re.compile(r"\bavoid (?:maintain|reflect|accura|clear|logical|complet|coheren|correct)\w*", re.IGNORECASE)
    for line in filter(None, lines):
        question = asked(line, Context("summary", "article", part, ""))
        assert question
        assert is_yes_no(question), line
        assert not praised.search(question), line
        assert not re.search(r"\bavoid (?!\w*ss\b)\w+s (?:the|an?|its)\b", question), line


@pytest.mark.parametrize(
    "question",
    [
        "Does the reply admit a mistake openly and fix it?",
        "Does the reply explain why the error happened?",
        "Does the reply warn about misleading labels?",
        "Does the reply correct wrong dates?",
    ],
)
def test_a_question_about_handling_a_fault_is_not_pushed_back(question: str) -> None:
    assert "yes-is-bad" not in [hint.code for hint in english_hints(question)]
    assert validated(question) == [question]


def test_a_question_that_quotes_an_attribute_is_never_turned_round() -> None:
    question = "Does the reply fit this: Repeats key words to tie ideas?"
    assert validated(question) == [question]


def validated(question: str) -> list[str]:
    """What the validation by the rules makes of a checklist of one question."""
    shown = validation(
        {
            "task": {"text_name": "reply", "source_name": "", "language": "English"},
            "dimension": {"name": "tone", "rubric": ""},
            "questions": [{"id": 1, "question": question, "component": "Honesty"}],
        }
    )
    return [each["question"] for each in shown["questions"]]
