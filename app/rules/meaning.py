"""Whether a question made of an attribute still means the same, as far as its grammar tells for certain.

"Admits a mistake openly" praises what names a fault. Asking whether a text avoids something is sound only where the
attribute denies it, or names nothing but the fault.
"""

import re

from app.domain.wording.english_words import HANDLED
from app.rules.english import AUXILIARIES, is_third_person, names_fault
from app.rules.tokens import word_set

_DENIED = re.compile(
    r"\b(?:no|not|never|none|nothing|nobody|nor|neither|cannot|avoid\w*|without|free (?:of|from)|free|absence|absent"
    r"|beware|watch out|look out|refrain\w*|exclud\w*|keeps? out|leave out|kept out|left out)\b|n't\b",
    re.IGNORECASE,
)
_AVOIDED = re.compile(r"\bavoid (?P<thing>.+?)\??$")
_HOLDS = r"(?:contain|include|have|has|show|use|make|give|introduce|sound|seem|feel|appear|become|be|is|are|was|were)"
_LOSES = r"(?:lack|omit|miss|skip|ignore|lose|forget|leave|fail|drop|jump|stray|deviate|shift|change|add|read|end)"
_HOLDING = re.compile(
    r"^(?:\w+ly )?(?:being|having|containing|including|showing|using|making|giving|introducing|sounding|seeming|feeling"
    r"|appearing|becoming|lacking|omitting|missing|skipping|ignoring|losing|forgetting|leaving|failing|dropping|jumping"
    r"|straying|deviating|shifting|changing|adding|reading|ending)\b",
    re.IGNORECASE,
)
_FRAMED = re.compile(rf"^(?:\w+ly )?(?:{_HOLDS}|{_LOSES})(?:s|es)?\b", re.IGNORECASE)
_ABOUT = re.compile(
    r"\b(?:about|of|for|from|with|on|to|after|towards?|into|against|over|why|how|what|who|when|where|that|which)\b",
    re.IGNORECASE,
)
_HANDLES = re.compile(rf"^(?:{'|'.join(HANDLED)}|honest|open|clear|frank|candid)\w*\b", re.IGNORECASE)
_FAULTS_ALONE = word_set(
    "errors mistakes typos flaws inconsistencies contradictions redundancies repetitions omissions"
)
_NOUN_FOLLOWS = re.compile(r"^(?:of|between)\b", re.IGNORECASE)
_SECOND_VERB = re.compile(
    r"^(?:does|do|can|will|would) .+? and (?:then )?(?!is\b|has\b|does\b)\w+s (?:the|an?|it|its|them|their|his|her|who"
    r"|what|how|why|where|when|that|to|out|up)\b",
    re.IGNORECASE,
)


def keeps_meaning(attribute: str, question: str) -> bool:
    """Whether the question surely says what the attribute says: not turned round, and no verb where a noun belongs."""
    words = attribute.split()
    if not words:
        return False
    first, rest = words[0].lower().strip(",;:"), " ".join(words[1:])
    if len(words) == 1 and first in _FAULTS_ALONE:
        return True
    if _SECOND_VERB.match(question):
        return False
    verb = first not in AUXILIARIES and is_third_person(first) and not _NOUN_FOLLOWS.match(rest)
    if verb and re.search(rf"\b(?:have|show|avoid|of) {re.escape(first)}\b", question, re.IGNORECASE):
        return False
    avoided = _AVOIDED.search(question)
    if avoided is None or _DENIED.search(attribute):
        return True
    if verb and len(words) > 1 and not (_FRAMED.match(attribute) or names_fault(first)):
        return False
    return _is_fault(avoided["thing"])


def _is_fault(thing: str) -> bool:
    """Whether a phrase names a fault and nothing that is done about one."""
    bare = _HOLDING.sub("", thing).strip()
    if bare != thing:
        return True
    if _HANDLES.match(thing) and not names_fault(thing.split(maxsplit=1)[0]):
        return False
    first = thing.split(maxsplit=1)[0]
    if (
        first.endswith("ing")
        and len(thing.split()) > 1
        and not names_fault(first)
        and re.search(rf"^{re.escape(first)} (?:the|an?|its|their|his|her|your|my)\b", thing)
    ):
        return False
    about = _ABOUT.search(thing)
    return about is None or names_fault(thing[: about.start()])
