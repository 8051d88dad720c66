"""What a judge says instead of an answer: that something doesn't apply, or that it can't tell.

Read only where it is said plainly. Being unsure ("maybe", "unclear") is neither.
"""

import re

from app.domain.judgment import CANNOT_TELL, Answer
from app.domain.wording.answer_text import answer_part

NOT_APPLICABLE = Answer.NOT_APPLICABLE.value
_LONGEST = 400  # characters of a cell or line; whoever says more says more than that
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
    """CANNOT_TELL or "does not apply" where that is what a cell of an answer begins with; else ""."""
    words = _plain(said) if isinstance(said, str) and len(said) <= _LONGEST else ""
    if _NOT_APPLICABLE.match(words):
        return NOT_APPLICABLE
    return CANNOT_TELL if _CANNOT_TELL.match(words) else ""


def abstention_in_prose(text: str) -> str:
    """The same where a score was asked for in prose: its first line begins so, or its last, perhaps after "Score:".

    A number that is labelled as the score counts more.
    """
    lines = [plain for line in answer_part(text).splitlines() if (plain := _plain(line))]
    if not lines or any(_NUMBER_LABELLED.search(line) for line in lines):
        return ""
    for line in (lines[-1], lines[0]):
        if found := abstention(_LABEL.sub("", line, count=1) if _LABEL.match(line) else line):
            return found
    return ""


def _plain(words: str) -> str:
    """In small letters with usual apostrophes and single spaces, without markup and the full stop at the end."""
    usual = _MARKUP.sub(" ", words.replace("’", "'").lower()).replace("-", " ")
    return " ".join(usual.split()).removesuffix(".")
