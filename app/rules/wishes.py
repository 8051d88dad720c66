"""Wishes as assessors word them: "I want to see ...", "I look for ...", "readers need to know ..."."""

import re

from app.rules import subjects
from app.rules.clauses import Clauses
from app.rules.plain import impersonal

_WHO = r"(?:I|we|you|readers?|the reader|teachers|one)(?: would| really| always| usually| also| just| only| should)*"
_LOOKED_FOR = re.compile(rf"^{_WHO} (?:look for|watch for|hope for) (?P<what>.+)$", re.IGNORECASE)
_WISH = re.compile(
    rf"^{_WHO} (?P<not>do not )?(?:want|expect|need|like|love|hope|prefer|wish|have)s? (?P<what>.+)$", re.IGNORECASE
)
_TOLD = re.compile(r"^to (?P<verb>know|understand|learn|see (?=how|why|what|who|when|where)) ?(?P<what>.+)$")
_SEEN = re.compile(r"^to (?:see|find|get|have|read|be given) (?P<what>.+)$")
_ABLE = re.compile(r"^to be able to (?P<what>.+)$")
_THAT = re.compile(r"^(?:it )?(?:when|if|that) (?P<what>.+)$")
_MADE = re.compile(r"^(?P<what>the .+?) (?P<how>(?:made|said|given|\w{3,}ed)\b.*)$")
_DONE = re.compile(r"^(?P<who>(?!to )(?:\S+ ){1,6}?)to (?P<what>.+)$")


def wished(line: str, clauses: Clauses) -> str | None:
    """The question that a wish gives, None where the line is no wish or can't be turned."""
    if match := _LOOKED_FOR.match(line):
        return clauses.having(impersonal(match["what"]))
    match = _WISH.match(line)
    if match is None:
        return None
    what = impersonal(match["what"])
    if match["not"]:
        return _unwanted(what, clauses)
    if told := _TOLD.match(what):
        return f"Does the {clauses.text_name} let readers {told['verb'].strip()} {told['what']}"
    if seen := _SEEN.match(what):
        return clauses.having(seen["what"])
    if able := _ABLE.match(what):
        return f"Can readers {able['what']}"
    if that := _THAT.match(what):
        return clauses.question(that["what"])
    if done := _DONE.match(what):
        return clauses.question(f"{done['who']}should {done['what']}")
    return clauses.having(what) if line[:1] in "IWw" else None


def _unwanted(what: str, clauses: Clauses) -> str | None:
    if seen := _SEEN.match(what):
        made = _MADE.match(seen["what"])
        kept = subjects.kept(made["what"], f"be {made['how']}", clauses.text_name) if made else None
        return kept or clauses.avoiding(seen["what"])
    done = _DONE.match(what)
    return clauses.question(f"{done['who']}should not {done['what']}") if done else None
