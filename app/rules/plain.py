"""A consideration as people jot it down, evened out: bullets, capitals, short forms, examples and persons."""

import re

_BULLET = re.compile(r"^\s*(?:[-*•–·]+|\(?\d{1,2}[.)]|\(?[a-z]\))\s+")
_ASIDE = re.compile(r"\s*\([^)]*\)")
_EXAMPLE = re.compile(r",? (?:e\. ?g\.|i\. ?e\.|for example|for instance)[,:]? .*?(?P<mark>[.?!]?)$", re.IGNORECASE)
_ELABORATED = re.compile(r"^(?P<head>(?:\S+ ){1,}?\S+?)(?: [-–—]+ |: )(?P<more>[^-–—:?]+?)[ .!]*(?P<mark>\??)$")
_SHORT_FORMS = (
    (re.compile(r"\bcan't\b", re.IGNORECASE), "cannot"),
    (re.compile(r"\bwon't\b", re.IGNORECASE), "will not"),
    (re.compile(r"n't\b", re.IGNORECASE), " not"),
    (re.compile(r"\b(it|there|that|what|who)'s\b", re.IGNORECASE), r"\1 is"),
    (re.compile(r"\b(I|you|we|they)'ve\b", re.IGNORECASE), r"\1 have"),
    (re.compile(r"\b(you|we|they)'re\b", re.IGNORECASE), r"\1 are"),
    (re.compile(r"\b(I|you|we|they)'d\b", re.IGNORECASE), r"\1 would"),
    (re.compile(r"\bI'm\b", re.IGNORECASE), "I am"),
)
_ASKED_NEGATIVELY = re.compile(r"^(\w+)n't (?=.*\?$)")
_PUPILS = re.compile(r"\b(?:my|our|your) (?:students?|pupils?|writers?|authors?)\b", re.IGNORECASE)
_PERSON = re.compile(
    r"\"[^\"]*\"|“[^”]*”"
    r"|\b(?P<subject>I|i|[Ww]e|[Yy]ou)\b(?P<be> (?:am|was)\b)?"
    r"|\b(?P<object>me|us)\b|\b(?P<owner>[Mm]y|[Oo]ur)\b|\b(?P<yours>[Yy]our)\b"
    r"|\b(?P<self>myself|ourselves|yourself|yourselves)\b"
)


def without_bullet(text: str) -> str:
    """A list item without its bullet or number."""
    return _BULLET.sub("", text.strip())


def plain(sentence: str) -> str:
    """One line in small letters where everything was shouted, without asides and examples, short forms written out."""
    line = " ".join(sentence.replace("’", "'").split())
    if line.isupper() and " " in line:
        line = line.lower()
    line = _EXAMPLE.sub(r"\g<mark>", _ASIDE.sub("", line))
    line = _ASKED_NEGATIVELY.sub(r"\1 ", line)
    for pattern, written in _SHORT_FORMS:
        line = pattern.sub(written, line)
    return line


def elaborated(line: str) -> tuple[str, str]:
    """ "It has an order - cause, then effect." -> ("It has an order", "cause, then effect"); ("...", "") without."""
    match = _ELABORATED.match(line)
    return (match["head"] + match["mark"], match["more"]) if match else (line, "")


def impersonal(line: str) -> str:
    """The line said of readers: "I can follow" -> "readers can follow"; what is quoted stays."""
    named = False

    def said(match: re.Match[str]) -> str:
        nonlocal named
        if match[0][0] in '"“':
            return match[0]
        if match["yours"]:
            return "the"
        before, named = named, True
        if match["subject"]:
            be = {" am": " are", " was": " were"}.get(match["be"] or "", "")
            return ("they" if before else "readers") + be
        if match["object"]:
            return "them" if before else "readers"
        if match["owner"]:
            return "their" if before else "readers'"
        return "themselves"

    return _PERSON.sub(said, _PUPILS.sub("the writer", line))
