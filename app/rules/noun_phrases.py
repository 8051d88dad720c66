"""Bare noun phrases as people jot them down: "clear topic sentence" needs an article, "smooth transitions" none."""

import re

from app.rules.tokens import word_set

_COUNTED = word_set(
    "sentence beginning end ending structure thread order idea introduction conclusion opening tone tense focus "
    "message flow sequence connection link transition overview style voice theme topic point purpose argument "
    "statement thesis title headline length pace register perspective picture line core range balance build-up "
    "summary lead"
)
_MASS = word_set(
    "punctuation grammar spelling agreement coherence cohesion vocabulary usage use capitalization capitalisation "
    "wording language information content phrasing clarity accuracy syntax support evidence context detail unity "
    "consistency completeness brevity concision readability logic progression variation formatting substance coverage "
    "neutrality variety"
)
_DETERMINED = re.compile(r"^(?:an?|the|each|every|one|its|their|enough|more|all|both|two|three|\d+)\b", re.IGNORECASE)
_ABSTRACT = re.compile(r"^(?!sentence|reference|audience|quality)\w+(?:ency|ity|ness|ance|ence|acy|ety)$")
_DESCRIBED = re.compile(
    r"^(?:clear|smooth|good|strong|short|brief|simple|varied|proper|correct|precise|exact|right|rich|plain|balanced|vivid"
    r"|main|strict|fair|even|firm|full|close|accurate|adequate|appropriate|separate|relevant|complete|concise|well-\w+"
    r"|easy-\w+|\w+(?:al|ic|ive|ent|ant|ous|able|ible|ful|ary|ing|ed))$"
)
_ENDS = re.compile(
    r",| (?:of|in|on|between|among|with|from|for|to|about|without|throughout|and|or|at|especially|such as|that) "
)
LONGEST_LISTED = 3


def is_abstract(phrase: str) -> bool:
    """Whether a phrase opens with a quality, which a text shows rather than has: "accuracy of names"."""
    return bool(_ABSTRACT.match(phrase.split(" ", 1)[0].lower()))


def with_article(phrase: str) -> str | None:
    """The phrase with "a" or "an" where its head, the last word before any preposition, needs one.

    None where the head is unknown, or names a thing without saying how it should be ("order of events").
    """
    parts = phrase.split(", ")
    if len(parts) > 1 and all(len(part.split()) <= LONGEST_LISTED for part in parts) and " and " not in phrase:
        listed = [with_article(part) for part in parts]
        return None if None in listed else f"{', '.join(map(str, listed[:-1]))} and {listed[-1]}"
    spoken = phrase if phrase[:2].isupper() else phrase[:1].lower() + phrase[1:]
    if _DETERMINED.match(spoken):
        return spoken
    start = _ENDS.split(spoken, maxsplit=1)[0].split()
    if not start:
        return None
    head, described = start[-1], len(start) > 1 and bool(_DESCRIBED.match(start[0]))
    if head in _COUNTED:
        return f"{'an' if spoken[0] in 'aeiou' else 'a'} {spoken}" if described else None
    if is_abstract(spoken) or re.search(r"[^s]s$", head):
        return spoken
    return spoken if head in _MASS and (described or "-" in start[0]) else None
