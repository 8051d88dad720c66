"""The frames that people put around a point: "Check whether ...", "Avoid ...", "Watch out for ...", or none at all."""

import re

from app.rules import subjects
from app.rules.clauses import Clauses
from app.rules.english import AUXILIARIES, VERBS, base_form, is_bad, lower_first
from app.rules.plain import impersonal
from app.rules.tokens import word_set
from app.rules.wishes import wished

_ASSERT = (
    r"(?:check|assess|ensure|verify|confirm|evaluate|consider|determine|see to it|see|make sure|examine|ask yourself"
    r"|decide|judge|note|analyse|analyze|look at|look out for|look for|watch for|be sure|take care|think about|observe"
    r"|pay attention to)"
)
_CLAUSE = re.compile(rf"^(?:{_ASSERT}(?: out)? (?:if|whether|that)|whether) (.+)$", re.IGNORECASE)
_HOW = re.compile(
    rf"^(?:{_ASSERT} )?how (well|effectively|clearly|accurately|smoothly|consistently) (.+)$", re.IGNORECASE
)
_EXPECTED = re.compile(
    r"^(?:check for|look for|look out for|watch for|watch out for|beware of|ensure|verify|confirm|make sure|check"
    r"|examine for|search for|identify(?= any)) (.+)$",
    re.IGNORECASE,
)
_WARNED = re.compile(r"^(?:watch out for|beware of|look out for) ", re.IGNORECASE)
_CARE = re.compile(r"^(?:be careful with|take care (?:with|of)|pay attention to|mind) (.+)$", re.IGNORECASE)
_ABILITY = re.compile(rf"^{_ASSERT} .*?'s ability to (.+)$", re.IGNORECASE)
_PRESENCE = re.compile(rf"^{_ASSERT} (?:the )?(presence|absence) of (.+)$", re.IGNORECASE)
_IMPERATIVE = re.compile(
    r"^(avoid|exclude|include|focus on|stick to|keep|use|maintain|provide|present|leave out|start|begin|put|stay|state"
    r"|give|make(?! sure)|tell|name|cite|explain|follow|connect|spell|capture|mention|describe) "
    r"(?!(?:of|is|are|and|or|between|should|must)\b)(.+)$",
    re.IGNORECASE,
)
_PROHIBITED = re.compile(r"^(?:do not|never) ((?!(?:is|are|the|a)\b)\w+ .+)$", re.IGNORECASE)
_PREDICATE = re.compile(
    r"^(?P<verb>[a-z]+s|should|must|can|cannot|is|does not|is not|has) "
    r"(?P<sure>(?:the|an?|all|every|each|only|its|who|what|where|how|when)\b)?",
    re.IGNORECASE,
)
_NAMES_A_THING = word_set(
    "name quote link end show answer lead move turn form sound match find focus use support start call"
)
_QUALITY = re.compile(
    r"^(?:(?:easy|free|clear|short|concise|brief|coherent|readable|accurate|complete|precise|neutral|logical|consistent)"
    r"(?=$|,| (?:to|of|from|and|but|enough|for|throughout)\b)|(?:well|clearly|logically)[- ]\w+(?=$|,| (?:and|but)\b)"
    r"|neither\b.+\bnor\b|as \w+ as\b).*$",
    re.IGNORECASE,
)
_NOTED = re.compile(
    r"^(?P<thing>(?:[\w-]+ ){1,3})(?P<how>(?:used|spelled|spelt|given|told|kept|\w{3,}ed) (?:right|well|\w+ly))$"
)
_ONLY = re.compile(r"^only (?P<what>\w+s\b[^,]*)(?:,? please)?$", re.IGNORECASE)
_ALTERNATIVE = re.compile(r",? or (?:not|does|do|is|are|whether|if|has|have|can)\b.*$", re.IGNORECASE)
_DETERMINER = r"(?:it|they|none|nothing|nobody|no \w+|(?:the|its|their|each|every|all|readers)(?: \w+){0,3}?|\w+s)"
_FINITE = r"(?:is|are|does|do|has|have|should|must|can|will)"
_CONCESSION = re.compile(r",? (?:even if|even though|because)\b.*$|, as (?:it|they|this) .*$", re.IGNORECASE)
_SECOND = re.compile(
    rf",? and (?:{_FINITE})\b|,? (?:and|but) {_DETERMINER} {_FINITE}\b"
    r"|, (?:and|but) (?:it|none|nothing|nobody|no \w+) \w+s\b",
    re.IGNORECASE,
)
_BARE_FRAME = re.compile(
    rf"^{_ASSERT}\b|^(?:identify|pay|understand|find|read|compare|these|those|this|he|she|they)\b", re.IGNORECASE
)
_YOURS = ((re.compile(r"\byour\b"), "its"), (re.compile(r"\byourself\b"), "itself"))
_NEGATIVE = re.compile(r"^(?:no|not|nor|none)\b", re.IGNORECASE)
LONGEST_NOTE = 10

Ranked = tuple[str, int]


def shortened(line: str) -> str:
    """A statement or question without "... or not", a second clause, or a concession."""
    line = _CONCESSION.sub("", _ALTERNATIVE.sub("", line))
    heads = (line[: second.start()] for second in _SECOND.finditer(line))
    return next((head for head in heads if subjects.has_verb(head, asked=True)), line)


def unframed(line: str, clauses: Clauses) -> Ranked | None:
    """A statement's question with its rank: 3 for a plain statement about the text, less for what needed bending."""
    if wish := wished(line, clauses):
        return wish, 2
    if told := _told(line, clauses):
        return told, 2
    line = impersonal(line)
    if match := _CLAUSE.match(line):
        return _ranked(clauses.question(match[1]), 3)
    if match := _HOW.match(line):
        return _ranked(clauses.question(_with_adverb(match[1].lower(), match[2])), 2)
    if match := _ABILITY.match(line):
        return f"Does the {clauses.text_name} {match[1]}", 2
    if match := _PRESENCE.match(line):
        return _ranked(clauses.avoiding(match[2]) if match[1].lower() == "absence" or is_bad(match[2]) else None, 2)
    if match := _EXPECTED.match(line):
        thing = match[1]
        if _WARNED.match(line):
            return _ranked(clauses.avoiding(thing) if is_bad(thing) or line.lower().startswith("beware") else None, 2)
        return _ranked(clauses.question(thing) or clauses.having(thing), 2)
    return None if _BARE_FRAME.match(line) else _unstated(line, clauses)


def _told(line: str, clauses: Clauses) -> str | None:
    """An order to the writer: "Never repeat yourself" -> "Does the summary avoid repeating itself"."""
    for pattern, its in _YOURS:
        line = pattern.sub(its, line)
    line = impersonal(line)
    if match := _PROHIBITED.match(line):
        return clauses.without(lower_first(match[1]))
    if match := _CARE.match(line):
        used = re.match(r"(?:the )?(\w+ use of .+)$", match[1])
        return clauses.having(used[1]) if used else f"Does the {clauses.text_name} handle {match[1]} with care"
    if match := re.match(r"^keep it (.+)$", line, re.IGNORECASE):
        return f"Is the {clauses.text_name} {match[1]}"
    if match := _IMPERATIVE.match(line):
        return f"Does the {clauses.text_name} {match[1].lower()} {clauses.placeless(match[2])}"
    return None


def _unstated(line: str, clauses: Clauses) -> Ranked | None:
    """A point without a frame: a clause, a predicate, a quality or a bare thing."""
    match = _PREDICATE.match(line)
    if match and _is_predicate(match["verb"].lower(), bool(match["sure"])):
        return _ranked(clauses.question(f"the {clauses.text_name} {lower_first(line)}"), 3)
    if _QUALITY.match(line):
        listed = re.sub(r"(?<=, )(\w+), (\w+)$", r"\1 and \2", lower_first(line))
        return _ranked(f"Is the {clauses.text_name} {listed}", 2)
    if (match := re.match(r"^not (.+)$", line, re.IGNORECASE)) and is_bad(match[1]):
        return _ranked(f"Does the {clauses.text_name} avoid being {match[1]}", 2)
    if match := _ONLY.match(line):
        bare = not subjects.has_verb(match["what"])
        return _ranked(f"Does the {clauses.text_name} contain only {match['what']}" if bare else None, 2)
    if question := clauses.question(line):
        return question, 3
    if match := _NOTED.match(line):
        thing = lower_first(match["thing"]).strip()
        return f"{'Are' if subjects.is_plural(thing) else 'Is'} {thing} {match['how']}", 2
    bare = (
        len(line.split()) <= LONGEST_NOTE
        and not _NEGATIVE.match(line)
        and not subjects.RELATIVE.search(line)
        and not subjects.has_verb(line)
    )
    return _ranked(clauses.having(lower_first(line)) if bare else None, 1)


def _is_predicate(verb: str, sure: bool) -> bool:
    """Whether "covers", "must", "is not" opens a predicate; "names" does only before a determiner."""
    base = base_form(verb)
    return verb.split(maxsplit=1)[0] in AUXILIARIES or (base in VERBS and (sure or base not in _NAMES_A_THING))


def _with_adverb(adverb: str, clause: str) -> str:
    """ "effectively", "the summary conveys X" -> "the summary effectively conveys X"; "well" adds nothing here."""
    return clause if adverb == "well" else re.sub(r"^(the \w+) ", rf"\1 {adverb} ", clause)


def _ranked(question: str | None, rank: int) -> Ranked | None:
    return (question, rank) if question else None
