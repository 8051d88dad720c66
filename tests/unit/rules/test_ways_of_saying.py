"""The varied ways in which people jot down what they look for, each as the question it should become."""

import re

import pytest

from app.corpora.demo_data.corpus import demo_attributes
from app.rules.catalogue import RULES
from app.rules.phrasing import is_sound, question_from
from app.rules.rule_input import Context

CONTEXT = Context("summary", "article", "", "")

PERSONS = {
    "I can follow the thread at once.": "Can readers follow the thread at once?",
    'I must not meet "he" before I know the man.': (
        'Does the summary keep readers from meeting "he" before they know the man?'
    ),
    "Can I read it in one go?": "Can readers read the summary in one go?",
    "I want to know early who is involved.": "Does the summary let readers know early who is involved?",
    "I'd like to see a strong opening.": "Does the summary have a strong opening?",
    "I don't want to see the same idea expressed twice.": (
        "Does the summary keep the same idea from being expressed twice?"
    ),
    "We want sentences to link to each other.": "Do sentences link to each other?",
    "I look for a clear structure.": "Does the summary have a clear structure?",
    "Your summary must not be a list.": "Does the summary avoid being a list?",
    "My pupils must name the author.": "Does the writer name the author?",
    "I check the names first.": None,
    "After reading I know what I think.": None,
}
ORDERS = {
    "Don't repeat yourself.": "Does the summary avoid repeating itself?",
    "Never add what the article doesn't say.": "Does the summary avoid adding what the article does not say?",
    "Begin with the main event.": "Does the summary begin with the main event?",
    "Keep it short!": "Is the summary short?",
    "Be careful with dates.": "Does the summary handle dates with care?",
    "Watch out for sudden turns.": "Does the summary avoid sudden turns?",
    "Watch out for dates.": None,
    "Stick to facts; leave out opinions.": "Does the summary stick to facts?",
}
DENIALS = {
    "Nothing is told twice.": "Is it true that nothing is told twice?",
    "Nothing may be made up, even if it fits.": "Is it true that nothing is made up?",
    "No word is typed twice.": "Is it true that no word is typed twice?",
    "No run-on sentences": "Does the summary avoid run-on sentences?",
    "no typos, no missing words": "Does the summary avoid typos or missing words?",
    "no clear ending": None,
    "Facts are not exaggerated.": "Does the summary keep facts from being exaggerated?",
    "Sentences mustn't contradict each other.": ("Does the summary keep sentences from contradicting each other?"),
    "Sentences should not be too long to follow.": "Do sentences avoid being too long to follow?",
    "Check if the meaning is distorted in the summary.": "Does the summary keep the meaning from being distorted?",
    "There shouldn't be any typos.": "Does the summary avoid typos?",
    "It doesn't read like notes but like prose.": "Does the summary read like prose rather than like notes?",
    "Is there anything missing?": "Is it true that there is nothing missing?",
    "Isn't it too long?": "Does the summary avoid being too long?",
    "Does it leave me puzzled? Then something important is missing.": (
        "Does the summary avoid leaving readers puzzled?"
    ),
    "Check whether the summary leaves out key facts.": "Does the summary avoid leaving out key facts?",
    "Would another order be easier to follow?": None,
}
SUBJECTS = {
    'Pronouns such as "it" must be clear.': 'Are pronouns such as "it" clear?',
    "Each claim can be traced back.": "Can each claim be traced back?",
    "Ideas that belong together are kept together.": "Are ideas that belong together kept together?",
    "A reader who hasn't seen the article should understand it.": (
        "Does a reader who has not seen the article understand the summary?"
    ),
    "Who speaks is always clear.": "Is it always clear who speaks?",
    "Accuracy of names and numbers": "Does the summary show accuracy of names and numbers?",
    "Dates, names, and places must be right.": "Are dates, names, and places right?",
    "A good summary gives the cause first.": "Does the summary give the cause first?",
    "Side remarks are nice but have no place here.": None,
}
SHAPES = {
    "The order makes sense - first causes, then effects.": "Does the order make sense (first causes, then effects)?",
    "Events come in order, or else the change is marked.": (
        "Is it true that events come in order, or else the change is marked?"
    ),
    "Every sentence is complete, and none breaks off.": "Is every sentence complete?",
    "If a name is used, it should be introduced.": (
        "Does the summary meet the expectation that, if a name is used, it should be introduced?"
    ),
    "When the topic changes, there should be a signal.": "Does the summary have a signal when the topic changes?",
    "THE SUMMARY MUST BE SHORT.": "Is the summary short?",
    "CLEAR STRUCTURE: BEGINNING, MIDDLE, END.": "Does the summary have a clear structure (beginning, middle, end)?",
    "Grammar: articles are used correctly.": "Are articles used correctly?",
    "2) names spelled right": "Are names spelled right?",
    "* facts = as in article": None,
    "clear topic sentence": "Does the summary have a clear topic sentence?",
    "order of events": None,
    "Has a clear main idea": "Does the summary have a clear main idea?",
    "Well organised, with a clear thread": "Is the summary well organised, with a clear thread?",
    "Coherent, concise, complete.": "Is the summary coherent, concise and complete?",
    "Does it flow?": "Does the summary flow?",
    "Is the wording free of fillers or padding?": "Is the wording free of fillers or padding?",
    "The text holds together (e.g. by linking words).": "Does the summary hold together?",
}


@pytest.mark.parametrize(
    ("attribute", "question"),
    [pair for shape in (PERSONS, ORDERS, DENIALS, SUBJECTS, SHAPES) for pair in shape.items()],
)
def test_question(attribute: str, question: str | None) -> None:
    found = question_from(attribute, CONTEXT)
    assert (found.question if found else None) == question


def everything_said() -> list[str]:
    said = [line for experts in demo_attributes().values() for lines in experts.values() for line in lines]
    return said + [CONTEXT.fill(line) for rule in RULES for line in rule.attributes]


def test_bundled_attributes_give_sound_questions_without_persons(subtests: pytest.Subtests) -> None:
    for attribute in everything_said():
        with subtests.test(attribute):
            found = question_from(attribute, CONTEXT)
            if found:
                assert is_sound(found.question)
                assert not re.search(
                    r"\b(?:I|me|my|we|you)\b|n't\b|\?.|^(?:Do|Is) (?:you|whether|how|if|unless)\b", found.question
                )
                assert found.question.count("(") == found.question.count(")")


def test_most_bundled_attributes_give_a_question() -> None:
    every = everything_said()
    assert sum(question_from(line, CONTEXT) is not None for line in every) >= 0.75 * len(every)
