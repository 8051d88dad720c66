"""From a consideration to a yes/no question where yes is good.

Works on the usual shapes: "Check whether ...", "The summary should (not) ...", "I want to see ...", "No ...",
"Avoid ...", "If ..., ...", "Is the ...", "Are there any errors ...". What doesn't come out as sound English is given up
(None) rather than bent: the caller then has other considerations or the rule's own wording.
"""

import re
from dataclasses import dataclass
from itertools import zip_longest

from app.domain.wording.english_words import OPEN_WORDS, QUOTES
from app.rules.clauses import Clauses
from app.rules.english import AUXILIARIES, finish, is_bad
from app.rules.frames import shortened, unframed
from app.rules.meaning import keeps_meaning
from app.rules.plain import elaborated, impersonal, plain, without_bullet
from app.rules.request import Context
from app.rules.tokens import sentences, words

LONGEST, SHORTEST = 30, 3
_LABELLED = re.compile(r"^(?P<label>(?:\w+ ){0,2}\w+)(?::| [-–—]+) (?P<point>\w.+)$")
_OPEN = re.compile(rf"^(?:{'|'.join(OPEN_WORDS)})\b", re.IGNORECASE)
_LEFTOVER = re.compile(
    r"\b(?:whether|ensure|check|assess)\b|(?<!expectation that)\bshould\b|[:;=<>|{}#]|\?.|\([^)]*$", re.IGNORECASE
)
_STATED = re.compile(
    r"^(?:(?:check|assess|ensure|verify|confirm|evaluate|consider|determine|make sure|examine|see) )?"
    r"(?:if|whether|that) (?:it|(?:the|this) \w+) ",
    re.IGNORECASE,
)
_FOREIGN = re.compile(
    r"[äöüßéèêàçñõåøæ]|\b(?:und|oder|nicht|kein\w*|ist|sind|ein|eine[nmrs]?|der|das|dem|den|wird|werden|mit|für|auf|zu|er"
    r"|une?|les|des|est|pas|avec|pour|que|los|las|una|con|por|het|een|niet|zijn|voor)\b",
    re.IGNORECASE,
)
_EXPECTATION = "meet the expectation that"
_ANSWERED_BADLY = re.compile(r"^(?:then|if so|if yes|in that case)\b", re.IGNORECASE)
_IT = re.compile(
    r"^(?P<verb>\w+) it (?!(?:[\w-]+ ){0,2}(?:that|who|what|which|where|when|how|whether|to \w+ (?!and\b)\w))",
    re.IGNORECASE,
)
_READ_IT = re.compile(
    r"^(?P<asked>(?:can|could|do|does|will|would) (?:readers|(?:an?|the) [\w-]+) \w+) it\b", re.IGNORECASE
)
_UNDERSTOOD = re.compile(
    r"^(?P<asked>(?:do|does|can|could|would|will) (?:an? |the |every )?readers?\b.*) it$", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Phrased:
    """A question with a rank: 3 for a plain statement about the text, less for what needed more bending."""

    question: str
    rank: int


def question_from(attribute: str, context: Context) -> Phrased | None:
    """The best question that a consideration gives, None where none comes out sound."""
    if not is_english(context, attribute):
        return None
    clauses = Clauses(context.text_name)
    pieces = [piece.strip() for part in sentences(without_bullet(attribute)) for piece in part.split(";")]
    found: list[Phrased] = []
    for piece, after in zip_longest(pieces, pieces[1:], fillvalue=""):
        line = plain(piece)
        if line.endswith("?") and _ANSWERED_BADLY.match(after) and is_bad(after):
            phrased = _ranked(clauses.turned(_named(impersonal(line.rstrip("? ")), clauses)), 3)
        else:
            phrased = _convert(line, clauses)
        if phrased and not keeps_meaning(_STATED.sub("", line), phrased.question):
            phrased = None
        if phrased and is_sound(phrased.question):
            found.append(phrased)
    return max(found, key=lambda phrased: phrased.rank, default=None)


def quoted(attribute: str, context: Context) -> str | None:
    """A question that quotes an attribute which can't surely be turned into one; None for one that can, and for none.

    A yes/no question that somebody wrote stays as it is.
    """
    said = " ".join(without_bullet(attribute).split())
    if not said or question_from(attribute, context):
        return None
    return said if is_yes_no(said) else f"Does the {context.text_name} {QUOTES} {said.rstrip(' .!?;:')}?"


def is_english(context: Context, attribute: str) -> bool:
    """Whether the grammar here may be used: the project's language is English, and nothing shows another one."""
    return context.language.lower() in ("", "english", "en") and not _FOREIGN.search(attribute)


def is_sound(question: str) -> bool:
    """One yes/no question in English of a bearable length, asked so that yes is good."""
    body = question.rstrip("?").strip()
    count = len(words(body))
    if not is_yes_no(question) or not SHORTEST <= count <= LONGEST:
        return False
    return _EXPECTATION in body or (not _LEFTOVER.search(body) and not is_bad(body))


def is_yes_no(question: str) -> bool:
    """Whether a question ends with its mark and opens as English yes/no questions do; other scripts may open freely."""
    if not question.endswith(("?", "？")):
        return False
    first = next(iter(words(question)), "")
    return first in AUXILIARIES if first.isascii() else bool(first)


def _convert(line: str, clauses: Clauses) -> Phrased | None:
    label = _LABELLED.match(line)
    if label and (labelled := _convert(label["point"], clauses)):
        return labelled
    head, more = elaborated(line)
    if more and (phrased := _convert(head, clauses)):
        return Phrased(f"{phrased.question.rstrip('?')} ({more})?", phrased.rank)
    if line.endswith(("?", "？")):
        return _from_question(line, clauses)
    found = unframed(shortened(line.rstrip(" .!")), clauses)
    return _ranked(_UNDERSTOOD.sub(rf"\g<asked> the {clauses.text_name}", found[0]), found[1]) if found else None


def _from_question(line: str, clauses: Clauses) -> Phrased | None:
    body = _named(impersonal(shortened(line.rstrip("?？ "))), clauses)
    first = next(iter(words(body)), "")
    if not first.isascii():
        return Phrased(line, 3)
    if _OPEN.match(body) or first not in AUXILIARIES:
        return None
    if not is_bad(body):
        return _ranked(body, 3)
    plainly, _, other = body.partition(" or ")
    return _ranked(plainly if is_bad(other) and not is_bad(plainly) else clauses.turned(body), 3)


def _named(body: str, clauses: Clauses) -> str:
    """A question that stands alone names the text: "Does it flow" -> "Does the summary flow"."""
    text = f"the {clauses.text_name}"
    return _READ_IT.sub(rf"\g<asked> {text}", _IT.sub(rf"\g<verb> {text} ", f"{body} ")).strip()


def _ranked(question: str | None, rank: int) -> Phrased | None:
    return Phrased(finish(question), rank) if question else None
