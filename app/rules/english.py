"""The little English grammar that turning a statement into a yes/no question needs."""

import re

from app.domain.wording import english_words
from app.domain.wording.english_words import CONTRASTS, TURNS
from app.rules.tokens import word_set

AUXILIARIES = english_words.AUXILIARIES | {"am"}
_DOUBLED = word_set("omit infer occur stop get put cut refer run plan skip drop begin set let permit jar swap")

# Verbs that considerations about texts use; they find the predicate of a clause whose subject is not the text itself.
VERBS = word_set(
    "build connect contribute convey follow flow relate read represent reflect include contain introduce present "
    "provide support use match keep maintain make lead say give show help answer respond refer agree fit serve begin "
    "end start open close come stay remain appear occur exist correspond vary add stand sound engage offer guide "
    "capture cover describe explain identify summarize summarise state mention address carry form feel develop differ "
    "belong suit tell share survive combine work hold go lack omit stop repeat need require get happen take bring put "
    "link move think turn see know understand call matter arise emerge depend reach find shift wrap sum cite quote "
    "name define spell focus rest rely meet avoid leave contradict"
)
_FAULTS = (
    *english_words.FAULTS,
    r"inaccura\w*|wrong\w*|omit\w*|repetit\w*|unnecessar\w*|trivial?|minor details|excess\w*|extraneous|stray\w*",
    r"too (?:much|many|long|short)|infers?|run-on\w*|bias\w*|jarring|glaring|discrepanc\w*|any (?:issue|problem)s?",
    r"disjointed|padding|bad(?:ly)?|false(?:ly)?|needless\w*|clumsy|boring|dull|illogical\w*|ungrammatical|misspel\w*",
    r"misus\w*|harmful|toxic|rambl\w*|digress\w*|exaggerat\w*|fillers?|jumps?|abrupt\w*|unnatural|exclamations?",
    r"sudden\w*|dangling|mix(?:es|ed)? up|spoils?|tiring|superfluous|choppy|plagiari\w*|off[- ]topic|wander\w*|copied",
    r"would .*(?:easier|better|clearer|improve\w*)",
    r"(?:format|formatting|grammar|grammatical|spelling|fluency|clarity|punctuation) (?:issue|problem)s?",
    r"(?:list|heap|collection) of (?:separate|loose|loosely|disconnected|unrelated|related) \w+",
)
_TURNED = (
    *TURNS,
    *CONTRASTS,
    r"nothing|nobody|nor|absence|exclud\w*|minimi[sz]\w*|keeps? out|left out|kept out|removed|\w+n't",
    r"omits? (?:minor|trivial|irrelevant|unnecessary)",
)
_ESSENTIAL = r"(?:any |some |the |too |many )*(?:key|important|main|essential|crucial|necessary|central|vital|major)"
_DROPPED = r"(?:(?:that|which) .*leaves? out|left out|omitted|skipped|ignored|forgotten|missing|missed)"
_LOSS = re.compile(
    rf"\b(?:leav\w+ out|omit\w*|skip\w*|ignor\w*|miss\w*) {_ESSENTIAL}\b|\b{_ESSENTIAL}\b[^,]*\b{_DROPPED}\b",
    re.IGNORECASE,
)
_DENIED = re.compile(rf"\b(?:{'|'.join(TURNS)}|cannot|nothing)\b", re.IGNORECASE)
_BAD = re.compile(rf"\b(?:{'|'.join(_FAULTS)})\b", re.IGNORECASE)
_GUARD = re.compile(rf"\b(?:{'|'.join(_TURNED)})\b", re.IGNORECASE)


def is_bad(clause: str) -> bool:
    """Whether a yes to the clause would speak against the text: a fault is named and nothing turns it round."""
    return drops_essentials(clause) or (bool(_BAD.search(clause)) and not _GUARD.search(clause))


def drops_essentials(clause: str) -> bool:
    """Whether it says that something important is left out; leaving out the unimportant is good."""
    return bool(_LOSS.search(clause)) and not _DENIED.search(clause)


def names_fault(clause: str) -> bool:
    """Whether a fault is named at all."""
    return bool(_BAD.search(clause))


def base_form(verb: str) -> str:
    """The infinitive of a verb in the third person singular: "includes" -> "include"."""
    if verb in {"is", "are"}:
        return "be"
    if verb == "has":
        return "have"
    if verb.endswith("ies") and len(verb) > 4:
        return verb[:-3] + "y"
    if verb.endswith(("sses", "ches", "shes", "xes", "zzes", "oes", "cuses")):
        return verb[:-2]
    return verb[:-1] if verb.endswith("s") and not verb.endswith("ss") else verb


def gerund(verb: str) -> str:
    """The -ing form of an infinitive: "omit" -> "omitting", "introduce" -> "introducing"."""
    if verb == "be":
        return "being"
    if verb in _DOUBLED:
        return f"{verb}{verb[-1]}ing"
    if verb.endswith("ie"):
        return verb[:-2] + "ying"
    if verb.endswith("e") and not verb.endswith(("ee", "oe", "ye")):
        return verb[:-1] + "ing"
    return verb + "ing"


def is_third_person(verb: str) -> bool:
    """Whether a word can be a verb in the third person singular."""
    return verb in {"is", "has", "does"} or (
        verb.endswith("s") and not verb.endswith(("ss", "us", "'s")) and len(verb) > 3
    )


def lower_first(phrase: str) -> str:
    """A phrase inside a sentence: its first letter small unless its first word is a name in capitals."""
    first = phrase.split(" ", 1)[0]
    return phrase if len(first) > 1 and first.isupper() else phrase[:1].lower() + phrase[1:]


def finish(question: str) -> str:
    """One line, a capital first, a single question mark last."""
    line = " ".join(question.split()).rstrip(" .,;:!?")
    return f"{line[:1].upper()}{line[1:]}?"
