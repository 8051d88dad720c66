"""Considerations as yes/no questions where yes is good."""

import pytest

from app.rules.phrasing import is_sound, question_from
from app.rules.rule_input import Context

CONTEXT = Context("summary", "article", "", "")


@pytest.mark.parametrize(
    ("attribute", "question"),
    [
        ("Check if the summary includes a conclusion.", "Does the summary include a conclusion?"),
        ("Ensure that the claims are backed up.", "Are the claims backed up?"),
        ("Assess whether each paragraph supports the thesis.", "Does each paragraph support the thesis?"),
        ("The summary should be short.", "Is the summary short?"),
        ("The summary should not invent quotations.", "Does the summary avoid inventing quotations?"),
        ("Every paragraph should be needed.", "Is every paragraph needed?"),
        ("Are there any spelling mistakes?", "Does the summary avoid spelling mistakes?"),
        ("Does the summary contain any vague words?", "Does the summary avoid vague words?"),
        ("Check if the summary is missing any key facts.", "Does the summary avoid missing key facts?"),
        ("Check whether the summary omits key facts.", "Does the summary avoid omitting key facts?"),
        ("Look for repetition in the summary.", "Does the summary avoid repetition?"),
        ("Check for proper paragraphs", "Does the summary have proper paragraphs?"),
        ("Check for appropriate use of headings", "Does the summary make appropriate use of headings?"),
        ("Avoid needless adverbs", "Does the summary avoid needless adverbs?"),
        ("Evaluate how effectively the summary conveys the mood.", "Does the summary effectively convey the mood?"),
        ("Evaluate the summary's ability to hold attention", "Does the summary hold attention?"),
        ("Determine whether broken sentences exist (e.g. no verb).", "Does the summary avoid broken sentences?"),
        ("Is the ending clear or confusing?", "Is the ending clear?"),
        ("Are the dates right, or are there any errors?", "Are the dates right?"),
        ("Evaluate whether the text is clear or confusing.", "Is the summary clear?"),
        ("Check for grammar. The summary should not contain errors.", "Does the summary avoid errors?"),
        ("Check whether it is clear who speaks.", "Is it clear who speaks?"),
        ("How good is it?", None),
        ("Consider the context.", None),
        ("asdf", None),
        ("", None),
        ("摘要是否清楚？", "摘要是否清楚？"),
    ],
)
def test_question_from(attribute: str, question: str | None) -> None:
    found = question_from(attribute, CONTEXT)
    assert (found.question if found else None) == question


@pytest.mark.parametrize(
    "question",
    [
        "Is it good",
        "Why is it good?",
        "Are there any errors?",
        "Does it ensure? Yes?",
        "Is?",
        "Does the summary " + "very " * 30 + "well?",
    ],
)
def test_unsound_questions_are_known(question: str) -> None:
    assert not is_sound(question)
