"""Validation of a checklist's questions: mends, merges and drops, each with the reason."""

from collections.abc import Mapping, Sequence
from typing import Any

from app.providers.rules.clauses import Clauses
from app.providers.rules.english import finish, is_bad
from app.providers.rules.matching import affinities
from app.providers.rules.phrasing import is_yes_no, question_from
from app.providers.rules.questions import overlaps
from app.providers.rules.request import Context, context_of
from app.providers.rules.tokens import content_stems, words

KEPT = "Kept as it is."
LEAST_KNOWN, KNOWN_SHARE = 5, 0.7


def validation(variables: Mapping[str, Any]) -> dict[str, Any]:
    """Questions with the ids they come from and what was changed and why; dropped ones with the reason."""
    context = context_of(variables)
    judges_relevance = _knows([entry["question"] for entry in variables["questions"]], context)
    kept: list[dict[str, Any]] = []
    dropped: list[dict[str, Any]] = []
    for entry in variables["questions"]:
        question, reason = _mended(entry["question"], context)
        if question is None or (judges_relevance and not _is_relevant(question, entry["component"], context)):
            why = reason if question is None else "It has nothing to do with the dimension or its component."
            dropped.append({"question": entry["id"], "reason": why})
            continue
        same = next((k for k in kept if overlaps(question, [k["question"]], context)), None)
        if same:
            same["sources"].append(entry["id"])
            same["reason"] = "Merged: these questions ask about the same thing."
        else:
            kept.append({"sources": [entry["id"]], "question": question, "reason": reason})
    return {"questions": kept, "dropped": dropped}


def _mended(written: str, context: Context) -> tuple[str | None, str]:
    """A sound form of a question with what was mended, or None with what is wrong."""
    question = " ".join(written.split())
    if len(words(question)) < 2:
        return None, "It is not a question."
    if not is_yes_no(question):
        if is_yes_no(finish(question)):
            return finish(question), "A question mark was missing."
        phrased = question_from(question, context)
        return (
            (phrased.question, "Turned into a yes/no question.")
            if phrased
            else (None, "It can't be answered yes or no.")
        )
    if is_bad(question):
        turned = Clauses(context.text_name).turned(question.rstrip("?"))
        if turned is None:
            return None, "A yes would speak against the text."
        return finish(turned), "Turned round so that yes is good."
    return question, KEPT


def _knows(questions: Sequence[str], context: Context) -> bool:
    """Whether the rules know the checklist's field well enough to call a question irrelevant: most name a rule."""
    known = sum(bool(affinities(question, context)) for question in questions)
    return known >= max(LEAST_KNOWN, KNOWN_SHARE * len(questions))


def _is_relevant(question: str, component: str, context: Context) -> bool:
    """Whether it names something a rule, the component, the rubric or the text knows; other scripts pass."""
    if not question.isascii() or affinities(question, context):
        return True
    known = f"{component} {context.dimension} {context.rubric} {context.text_name} {context.source_name}"
    return not set(content_stems(words(question))).isdisjoint(content_stems(words(known)))
