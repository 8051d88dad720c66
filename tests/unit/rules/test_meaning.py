"""Attributes in many wordings: none is turned round, none becomes broken English."""

import re

import pytest

from app.construction.question_hints import english_hints
from app.rules.phrasing import is_yes_no, question_from, quoted
from app.rules.questions import validation
from app.rules.rule_input import Context
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
    "Are the sources named": "Are the sources named?",
    "Would my grandmother get it?": "Would my grandmother get it?",
    "Isn't the ending rushed?": "Isn't the ending rushed?",
    "Can’t the reader follow?": "Can’t the reader follow?",
    "Won't it confuse people?": "Won't it confuse people?",
    "States are abbreviated correctly": "Are states abbreviated correctly?",
    "Locks are released even if a step stops": "Are locks released even if a step stops?",
    "Only cites sources that exist": "Does the reply only cite sources that exist?",
    "Lack of jargon": "Does the reply avoid jargon?",
    "Presence of a next step": "Does the reply have a next step?",
    "There's no next step": "Is it true that there is no next step?",
    "Not too many adjectives": "Does the reply avoid too many adjectives?",
    "Don't nag the user": "Does the reply avoid nagging the user?",
    "It should be obvious which button to press": "Is it obvious which button to press?",
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
    "Time runs forward unless a word says otherwise",
    "Trust grows as the talk goes on",
    "The recipe lists ingredients in the order they are used",
    "Uncertainty is stated where it exists",
    "Whether the notice was served in time is answered",
    "Whether the shop or the carrier pays is clear",
    "Each source is named or the reason why not is given",
    "Each paragraph argues one point",
    "Vital signs precede the diagnosis",
    "The reply is polite and solves the problem",
    "The reply is polite, and the customer learns what happens next",
    "Rules that apply are cited, those that don't are left out",
    "Customer knows what happens next",
    "Reader's time is respected",
    "Follow-up is booked or its lack explained",
    "The reply should not only apologise but also fix the problem",
    "The writer doesn't just retell the plot",
    "Show, don't tell",
    "Facts right, names right",
    "Often cites sources",
    "Never talks down",
    "Hardly any jargon",
    "Like a friend would say it",
    "It isn't clear who pays",
    "I don't want to be scared",
    "Politely declines",
    "Time passes",
    "One paragraph, one idea",
    "De toon is vriendelijk",
    "A resposta explica o motivo",
    "Cita fuentes",
    "Jawaban jelas",
    "Er soll freundlich sein",
)


def asked(attribute: str, context: Context = REPLY) -> str | None:
    found = question_from(attribute, context)
    return found.question if found else quoted(attribute, context)


@pytest.mark.parametrize(("attribute", "question"), TURNED.items())
def test_a_sure_attribute_becomes_its_question(attribute: str, question: str) -> None:
    assert asked(attribute) == question


def test_an_unsure_attribute_is_quoted_unchanged(subtests: pytest.Subtests) -> None:
    for attribute in QUOTED:
        with subtests.test(attribute):
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
