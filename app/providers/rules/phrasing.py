"""From a consideration to a yes/no question where yes is good.

Works on the usual shapes: "Check whether ...", "Ensure that ...", "The summary should (not) ...", "Look for ...",
"Avoid ...", "Is the ...", "Are there any errors ...". What doesn't come out as sound English is given up (None)
rather than bent: the caller then has other considerations or the rule's own wording.
"""

import re
from dataclasses import dataclass

from app.providers.rules.clauses import Clauses
from app.providers.rules.english import AUXILIARIES, finish, is_bad
from app.providers.rules.request import Context
from app.providers.rules.tokens import sentences, words

LONGEST, SHORTEST = 30, 3
_ASSERT = (
    r"(?:check|assess|ensure|verify|confirm|evaluate|consider|determine|see|make sure|examine|ask yourself|decide|judge"
    r"|note|analyse|analyze|look at|look out for|look for|watch for|be sure|think about|observe|pay attention to)"
)
_CLAUSE = re.compile(rf"^{_ASSERT}(?: out)? (?:if|whether|that) (.+)$", re.IGNORECASE)
_HOW = re.compile(rf"^{_ASSERT} how (well|effectively|clearly|accurately|smoothly|consistently) (.+)$", re.IGNORECASE)
_EXPECTED = re.compile(
    r"^(?:check for|look for|look out for|watch for|ensure|verify|confirm|make sure|check|examine for|search for"
    r"|identify(?= any)) (.+)$",
    re.IGNORECASE,
)
_ABILITY = re.compile(rf"^{_ASSERT} .*?'s ability to (.+)$", re.IGNORECASE)
_PRESENCE = re.compile(rf"^{_ASSERT} (?:the )?(presence|absence) of (.+)$", re.IGNORECASE)
_IMPERATIVE = re.compile(
    r"^(avoid|exclude|include|focus on|stick to|keep|use|maintain|provide|present|leave out) (.+)$", re.IGNORECASE
)
_ALTERNATIVE = re.compile(r",? or (?:not|does|do|is|are|whether|if|has|have|can)\b.*$", re.IGNORECASE)
_TAIL = re.compile(r",? (?:even if|even though)\b.*$|,? and (?:is|are|does|do)\b.*$", re.IGNORECASE)
_BARE_FRAME = re.compile(
    rf"^{_ASSERT}\b|^(?:identify|pay|understand|find|read|compare|when|if|these|those|this)\b", re.IGNORECASE
)
_ASIDE = re.compile(r"\s*\([^)]*\)")
_OPEN = re.compile(r"^(?:who|what|which|when|where|why|how)\b", re.IGNORECASE)
_LEFTOVER = re.compile(r"\b(?:whether|should|ensure|check|assess)\b|[:;]|\?.", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Phrased:
    """A question with a rank: 3 for a plain statement about the text, less for what needed more bending."""

    question: str
    rank: int


def question_from(attribute: str, context: Context) -> Phrased | None:
    """The best question that a consideration gives, None where none comes out sound."""
    found: list[Phrased] = []
    for sentence in sentences(attribute.strip().lstrip("-*• ")):
        phrased = _convert(sentence, Clauses(context.text_name))
        if phrased and is_sound(phrased.question):
            found.append(phrased)
    return max(found, key=lambda phrased: phrased.rank, default=None)


def is_sound(question: str) -> bool:
    """One yes/no question in English of a bearable length, asked so that yes is good."""
    body = question.rstrip("?").strip()
    count = len(words(body))
    return is_yes_no(question) and SHORTEST <= count <= LONGEST and not _LEFTOVER.search(body) and not is_bad(body)


def is_yes_no(question: str) -> bool:
    """Whether a question ends with its mark and opens as English yes/no questions do; other scripts may open freely."""
    if not question.endswith(("?", "？")):
        return False
    first = next(iter(words(question)), "")
    return first in AUXILIARIES if first.isascii() else bool(first)


def _convert(sentence: str, clauses: Clauses) -> Phrased | None:
    line = _ASIDE.sub("", " ".join(sentence.split()))
    if line.endswith(("?", "？")):
        return _from_question(line, clauses)
    line = _TAIL.sub("", _ALTERNATIVE.sub("", line.rstrip(" .!")))
    if match := _CLAUSE.match(line):
        return _ranked(clauses.question(match[1]), 3)
    if match := _HOW.match(line):
        return _ranked(clauses.question(_with_adverb(match[1].lower(), match[2])), 2)
    if match := _ABILITY.match(line):
        return _ranked(f"Does the {clauses.text_name} {match[1]}", 2)
    if match := _PRESENCE.match(line):
        return _ranked(clauses.avoiding(match[2]) if match[1].lower() == "absence" or is_bad(match[2]) else None, 2)
    if match := _EXPECTED.match(line):
        return _ranked(clauses.question(match[1]) or clauses.having(match[1]), 2)
    if match := _IMPERATIVE.match(line):
        return _ranked(f"Does the {clauses.text_name} {match[1].lower()} {clauses.placeless(match[2])}", 2)
    return None if _BARE_FRAME.match(line) else _ranked(clauses.question(line), 3)


def _from_question(line: str, clauses: Clauses) -> Phrased | None:
    body = _TAIL.sub("", _ALTERNATIVE.sub("", line.rstrip("?？ ")))
    first = next(iter(words(body)), "")
    if not first.isascii():
        return Phrased(line, 3)
    if _OPEN.match(body) or first not in AUXILIARIES:
        return None
    plain, _, other = body.partition(" or ")
    if is_bad(other) and not is_bad(plain):
        return _ranked(plain, 3)
    return _ranked(clauses.turned(body) if is_bad(body) else body, 3)


def _with_adverb(adverb: str, clause: str) -> str:
    """ "effectively", "the summary conveys X" -> "the summary effectively conveys X"; "well" adds nothing here."""
    return clause if adverb == "well" else re.sub(r"^(the \w+) ", rf"\1 {adverb} ", clause)


def _ranked(question: str | None, rank: int) -> Phrased | None:
    return Phrased(finish(question), rank) if question else None
