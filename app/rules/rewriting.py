"""Questions worded anew, made simpler, split and merged, as far as fixed rules can; else a sentence that says so."""

import re
from collections.abc import Callable, Mapping
from typing import Any

from app.errors import UnsupportedError
from app.rules.english import finish
from app.rules.matching import named_rule
from app.rules.phrasing import is_sound, is_yes_no
from app.rules.plain import plain
from app.rules.questions import overlaps
from app.rules.request import Context, context_of
from app.rules.tokens import words

_AUXILIARY = r"(?:is|are|was|were|do|does|did|has|have|can|could|will|would|should)\b"
_TWO_CLAUSES = re.compile(rf",? (?:and|or) (?={_AUXILIARY})", re.IGNORECASE)
_TWO_ENDS = re.compile(r"^(?P<head>.+ )(?P<first>[\w-]+),? and (?P<second>[\w-]+)\?$")

_LINES = 3  # of what people said, in one line of guidance


def rephrased(variables: Mapping[str, Any]) -> dict[str, Any]:
    """The rule's own wording for what the question is about."""
    context, question = context_of(variables), _only(variables)
    found = _catalogue_wording(question, variables["others"], context)
    if found is None:
        raise _beyond("no other wording of their own for this question")
    return {"questions": [found], "reason": "The rules' own wording for what it asks about."}


def simplified(variables: Mapping[str, Any]) -> dict[str, Any]:
    """The question without asides and examples; else the rule's own wording, where that is shorter."""
    context, question = context_of(variables), _only(variables)
    bare = plain(question)
    if bare != question and len(words(bare)) < len(words(question)) and is_sound(bare):
        return {"questions": [bare], "reason": "Asides and examples are left out."}
    found = _catalogue_wording(question, variables["others"], context)
    if found is None or len(words(found)) >= len(words(question)):
        raise _beyond("nothing in this question that they could leave out")
    return {"questions": [found], "reason": "The rules' own wording, which is shorter."}


def split(variables: Mapping[str, Any]) -> dict[str, Any]:
    """Two clauses joined by "and", or two qualities at the end, each as a question."""
    question = _only(variables)
    clauses = [finish(part.strip(" ,?")) for part in _TWO_CLAUSES.split(question)]
    ends = _TWO_ENDS.match(question)
    if len(clauses) < 2 and ends is not None:
        clauses = [finish(ends["head"] + ends[part]) for part in ("first", "second")]
    if not 2 <= len(clauses) <= 4 or not all(is_yes_no(clause) for clause in clauses):
        raise _beyond("no “and” in this question at which they could split it")
    return {"questions": clauses, "reason": "Each of them asks one thing."}


def merged(variables: Mapping[str, Any]) -> dict[str, Any]:
    """The first of questions that are worded nearly alike."""
    context, asked = context_of(variables), [entry["question"] for entry in variables["questions"]]
    if not all(overlaps(asked[0], [other], context) for other in asked[1:]):
        raise _beyond("too little in common in the words of these questions")
    return {"questions": [asked[0]], "reason": "They are worded nearly alike; the first stands for all."}


def improved(variables: Mapping[str, Any]) -> dict[str, Any]:
    """What people said of the errors as guidance, and the rule's own wording; no rule reads guidance, LLMs do."""
    context, question = context_of(variables), variables["question"]
    asked = " ".join(str(question["question"]).split())
    said = dict.fromkeys(finished(error["why"]) for error in variables["errors"] if error["why"].strip())
    guidance = " ".join([*filter(None, [str(question["guidance"]).strip()]), *list(said)[:_LINES]])
    found = []
    if said:
        reason = "It says what people said of the judge's errors."
        found.append({"question": asked, "guidance": guidance, "reason": reason})
    wording = _catalogue_wording(asked, variables["others"], context)
    if wording is not None:
        reason = "The rule's own wording for what it asks about."
        found.append({"question": wording, "guidance": str(question["guidance"]), "reason": reason})
    if not found:
        raise _beyond("nothing to go by: nobody said why, and they have no other wording for this question")
    return {"proposals": found}


def finished(sentence: str) -> str:
    """With a mark at its end."""
    line = " ".join(sentence.split())
    return line if line[-1:] in ".!?" else f"{line}."


ANSWERS: dict[str, Callable[[Mapping[str, Any]], dict[str, Any]]] = {
    "question-rephrase": rephrased,
    "question-simpler": simplified,
    "question-split": split,
    "question-merge": merged,
    "question-improve": improved,
}


def _only(variables: Mapping[str, Any]) -> str:
    return " ".join(str(variables["questions"][0]["question"]).split())


def _catalogue_wording(question: str, others: list[str], context: Context) -> str | None:
    rule = named_rule(question, context)
    wordings = [context.fill(template) for template in rule.questions] if rule else []
    return next((w for w in wordings if w != question and not overlaps(w, others, context)), None)


def _beyond(what: str) -> UnsupportedError:
    return UnsupportedError(f"The built-in rules find {what}.", "Choose an LLM for this, or reword it by hand.")
