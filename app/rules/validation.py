"""Validation of a checklist's questions: mends, merges and drops, each with the reason."""

from collections.abc import Mapping
from typing import Any

from app.domain.wording.english_words import QUOTES
from app.rules.catalogue import THEMES
from app.rules.clauses import Clauses
from app.rules.english import finish, is_bad
from app.rules.matching import named_rule
from app.rules.meaning import keeps_meaning
from app.rules.phrasing import is_yes_no, question_from
from app.rules.questions import overlaps
from app.rules.relevance import field_of
from app.rules.request import Context, context_of
from app.rules.tokens import words
from app.rules.vectors import topic_stems

KEPT = "Kept as it is."
# Of the words of the shorter question, where both name the same rule, and where they don't.
SHARED_WITH_RULE, SHARED_ALONE = 0.6, 0.8


def validation(variables: Mapping[str, Any]) -> dict[str, Any]:
    """Questions with the ids they come from and what was changed and why; dropped ones with the reason."""
    context = context_of(variables)
    field = field_of([entry["question"] for entry in variables["questions"]], context)
    kept: list[dict[str, Any]] = []
    dropped: list[dict[str, Any]] = []
    for entry in variables["questions"]:
        question, reason = _mended(entry["question"], context)
        if question is None:
            dropped.append({"question": entry["id"], "reason": reason})
            continue
        same = next((k for k in kept if _ask_the_same(question, k["question"], context)), None)
        if same:
            same["sources"].append(entry["id"])
            topic = _named_by_both(same["question"], question, context)
            same["reason"] = f"These questions ask about the same thing{topic}."
        elif why := field.irrelevance(question, entry["component"]):
            dropped.append({"question": entry["id"], "reason": why})
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
    if is_bad(question) and QUOTES not in question:  # a quoted attribute is never reworded
        turned = Clauses(context.text_name).turned(question.rstrip("?"))
        if turned is not None and not keeps_meaning(question, turned):
            return question, KEPT  # naming a fault isn't having one: "Does it admit a mistake openly?"
        if turned is None:
            return None, "A yes would speak against the text."
        return finish(turned), "Turned round so that yes is good."
    return question, KEPT


def _ask_the_same(question: str, other: str, context: Context) -> bool:
    """Whether two questions make one point: nearly the same words, or one rule and most words of the shorter one."""
    if overlaps(question, [other], context):
        return True
    first, second = named_rule(question, context), named_rule(other, context)
    one, two = set(topic_stems(question, context)), set(topic_stems(other, context))
    shared = len(one & two)
    least = SHARED_WITH_RULE if first is not None and first == second else SHARED_ALONE
    return shared >= 2 and shared >= least * min(len(one), len(two))


def _named_by_both(one: str, other: str, context: Context) -> str:
    first, second = named_rule(one, context), named_rule(other, context)
    if first is None or first != second:
        return ""
    return f" ({THEMES[first.theme].name.lower()})"
