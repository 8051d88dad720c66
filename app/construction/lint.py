"""Fast checks of a question without any model: hints while a person edits, never blocks.

They restate the conditions of the question stages (InteractEval, section 3.4.3) as patterns, so they can be wrong in
either direction. Checks of wording know English only; the others work in any language.
"""

import re
from collections.abc import Sequence

from rapidfuzz import fuzz, process
from rapidfuzz.utils import default_process

from app.construction.hint import Hint
from app.construction.lint_english import english_hints
from app.construction.lint_samples import sample_hints

MAX_WORDS = 30
MAX_CHARACTERS = 220  # for languages that don't put spaces between words
PATTERN_LIMIT = 1000  # characters
NEAR_DUPLICATE = 0.85
QUESTION_MARKS = ("?", "？", "؟", "՞", "⸮")


def lint_question(
    text: str, others: Sequence[str] = (), samples: Sequence[str] = (), language: str = "English"
) -> list[Hint]:
    """All hints about one question.

    others: the checklist's other questions. samples: the texts that assessors read while thinking aloud, and their
    sources; what a question takes from them doesn't hold for other texts.
    """
    question = text.strip()
    if not question:
        return [Hint("empty", "The question is empty.")]
    hints = [*_form_hints(question), *_length_hints(question)]
    # The patterns are made for questions; on a pasted page they would be slow and say nothing.
    if len(question) <= PATTERN_LIMIT and language.strip().casefold().startswith("english"):
        hints += english_hints(question)
    return [*hints, *duplicate_hints(question, others), *sample_hints(question, samples, language)]


def lint_checklist(texts: Sequence[str], samples: Sequence[str] = (), language: str = "English") -> list[list[Hint]]:
    """The hints of every question, each compared with all others, in their order."""
    return [
        lint_question(text, [*texts[:number], *texts[number + 1 :]], samples, language)
        for number, text in enumerate(texts)
    ]


def similarity(a: str, b: str) -> float:
    """How alike two questions are worded, 0 to 1, regardless of word order, case and punctuation."""
    return fuzz.token_sort_ratio(a, b, processor=default_process) / 100


def duplicate_hints(text: str, others: Sequence[str]) -> list[Hint]:
    """At most one hint: the most similar other question, where it is similar enough."""
    found = process.extractOne(
        text, others, scorer=fuzz.token_sort_ratio, processor=default_process, score_cutoff=100 * NEAR_DUPLICATE
    )
    if found is None:
        return []
    other, percent, _ = found
    return [Hint("near-duplicate", f"{percent:.0f} % alike: “{other}” Merge the two, or make the difference clear.")]


def _form_hints(text: str) -> list[Hint]:
    if not text.endswith(QUESTION_MARKS):
        return [Hint("not-a-question", "End with a question mark: the judge answers questions.")]
    marks = [match for match in re.finditer("[" + "".join(QUESTION_MARKS) + "]", text) if match.end() < len(text)]
    if not marks:
        return []
    return [Hint("asks-two-things", "There are several questions in one. Split them.", marks[0].span())]


def _length_hints(text: str) -> list[Hint]:
    words = len(text.split())
    if words > MAX_WORDS:
        return [Hint("too-long", f"{words} words; up to {MAX_WORDS} are easy to answer.")]
    if len(text) > MAX_CHARACTERS:
        return [Hint("too-long", f"{len(text)} characters; up to {MAX_CHARACTERS} are easy to answer.")]
    return []
