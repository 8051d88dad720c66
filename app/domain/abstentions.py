"""Abstentions: the words with which a judge says that it can't tell, or that a question does not apply."""

import re

from app.domain.checklist_score import CANNOT_TELL, Answer
from app.domain.model_thoughts import answer_part

NOT_APPLICABLE = Answer.NOT_APPLICABLE.value
_LONGEST = 400  # characters; a longer cell or line says more than that a question does not apply
_NOT_APPLICABLE = re.compile(
    r"(?:(?:it|this|that)\s)?(?:doesn't|does\snot)\s(?:really\s)?apply|(?:is\s)?(?:not|non)\sapplicable"
    r"|inapplicable|n\s?/\s?a|n\.\s?a\.?|na$"
)
_VERBS = r"(?:tell|told|say|said|determined?|judged?|decided?|assess(?:ed)?|answer(?:ed)?|evaluated?|rated?|know|known)"
_CANNOT_TELL = re.compile(
    r"(?:(?:i|it|this|that)\s)?"
    r"(?:(?:can\s?not|can't|couldn't|could\snot)\s(?:be\s)?|(?:am\s|is\s)?(?:unable|impossible|not\spossible)\sto\s)"
    rf"{_VERBS}\b"
    r"|(?:there\s(?:is|was)\s|there's\s)?(?:not\senough|insufficient|no\ssufficient|too\slittle)\s"
    r"(?:information|context|evidence|material|data)\b|unknown$|undeterminable$"
)
_LABEL = re.compile(
    r"(?:(?:the|my|final|overall|total)\s){0,2}(?:score|rating|grade|mark|answer|evaluation|verdict)s?"
    r"\s{0,3}(?::|=|\bis\b|->|→|-|–)\s{0,3}"
)
_NUMBER_LABELLED = re.compile(rf"{_LABEL.pattern}\d|\d\s{{0,3}}(?:/|out\sof)\s{{0,3}}\d")
_MARKUP = re.compile(r"[*_`\"“”\[\]{}()#]+")


def abstention(said: object) -> str:
    """Return CANNOT_TELL or "does not apply" if an answer begins with such words; else ""."""
    words = _plain(said) if isinstance(said, str) and len(said) <= _LONGEST else ""
    if _NOT_APPLICABLE.match(words):
        return NOT_APPLICABLE
    return CANNOT_TELL if _CANNOT_TELL.match(words) else ""


def abstention_in_prose(text: str) -> str:
    """Return the abstention in a prose reply that should hold a score, "" for none. The first or last line has to begin
    with it, perhaps after "Score:". A number labelled as the score overrides it."""
    lines = [plain for line in answer_part(text).splitlines() if (plain := _plain(line))]
    if not lines or any(_NUMBER_LABELLED.search(line) for line in lines):
        return ""
    for line in (lines[-1], lines[0]):
        if found := abstention(_LABEL.sub("", line, count=1) if _LABEL.match(line) else line):
            return found
    return ""


def _plain(words: str) -> str:
    """Return the words in lower case with plain apostrophes and single spaces, without markup and a final full stop."""
    usual = _MARKUP.sub(" ", words.replace("’", "'").lower()).replace("-", " ")
    return " ".join(usual.split()).removesuffix(".")
