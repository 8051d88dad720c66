"""English words: tokens, stems and inflection."""

import re
from functools import lru_cache

from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

from app.domain import wording
from app.domain.wording import CONTRASTS, TURNS

_UNSPACED = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\u0e00-\u0e7f"
_WORD = re.compile(rf"[{_UNSPACED}]|[^\W_{_UNSPACED}]+(?:[.,](?=\d)\d+)*(?:['’][^\W\d_{_UNSPACED}]+)?")
_SENTENCE_END = re.compile(r"(?<=[.!?…])(?:\s*(?:''|[\"”’')\]])(?=\s|$))?\s+|(?<=[。！？])|\n")
_WHITE_SPACE = re.compile(r"\s+")
_LONGEST_TITLE = 8  # characters that tell whether a sentence ends with one
_ABBREVIATION = re.compile(r"\b(?:mr|mrs|ms|dr|st|jr|sr|prof|gen|col|sgt|lt|vs|no|[a-z])\.$", re.IGNORECASE)
_CLITIC = re.compile(r"(?:['’](?:s|re|ve|ll|d|m)|n['’]t)$")
_SUFFIXES = (
    "isations", "izations", "isation", "ization", "ations", "ation", "ments", "ment", "ically", "ingly", "ously",
    "ness", "ings", "ing", "edly", "ied", "ies", "ed", "ers", "er", "es", "ly", "s", "e", "y",
)  # fmt: skip

# Pieces that tokenised corpora split off ("n't", "'s") and words too light to say what a text is about.
STOP_WORDS: frozenset[str] = frozenset(ENGLISH_STOP_WORDS) | {
    "s", "t", "n't", "nt", "re", "ve", "ll", "d", "m", "said", "says", "say", "don", "didn", "doesn", "just", "did",
    "does", "like", "really", "oh", "yes", "yeah", "ok",
}  # fmt: skip


def word_set(listed: str) -> frozenset[str]:
    """The words of a list written with spaces between them."""
    return frozenset(listed.split())


def words(text: str) -> tuple[str, ...]:
    """The words of a text in lower case, in order; punctuation is left out."""
    return tuple(_WORD.findall(text.lower()))


def sentences(text: str) -> tuple[str, ...]:
    """The sentences of a text; a full stop after a title or an initial does not end one."""
    # A run with a line break in it is one line break, so that the expression looks at each character once.
    lines = _WHITE_SPACE.sub(lambda run: "\n" if "\n" in run[0] else run[0], text.strip())
    found: list[list[str]] = []
    ending = ""  # of the last sentence
    for piece in _SENTENCE_END.split(lines):
        part = piece.strip()
        if not part:
            continue
        if found and (not words(part) or _is_abbreviated(ending)):
            found[-1].append(part)
        else:
            found.append([part])
            ending = ""
        ending = f"{ending} {part[-_LONGEST_TITLE:]}"[-_LONGEST_TITLE:]
    return tuple(" ".join(parts) for parts in found)


def _is_abbreviated(ending: str) -> bool:
    """Whether a sentence with this ending ends with a title or initial; a full stop that stands apart always ends a
    sentence."""
    return not ending.endswith(" .") and bool(_ABBREVIATION.search(ending))


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """A word without its clitic and its commonest English endings; at least four letters stay."""
    base = _CLITIC.sub("", word)
    for suffix in _SUFFIXES:
        if base.endswith(suffix) and len(base) - len(suffix) >= 4:
            return base[: -len(suffix)]
    if len(base) > 3 and base.endswith("s") and not base.endswith("ss"):
        return base[:-1]
    return base


@lru_cache(maxsize=65536)
def content_stem(word: str) -> str:
    """The stem of a content word, "" for a stop word or a stray single letter."""
    base = _CLITIC.sub("", word)
    if base in STOP_WORDS or (len(base) == 1 and base.isascii() and not base.isdigit()):
        return ""
    return stem(base)


def content_stems(text_words: tuple[str, ...]) -> tuple[str, ...]:
    """The stems of the content words, in order."""
    return tuple(found for found in map(content_stem, text_words) if found)


AUXILIARIES = wording.AUXILIARIES | {"am"}
_DOUBLED = word_set("omit infer occur stop get put cut refer run plan skip drop begin set let permit jar swap")

# Verbs that attributes about texts use; they find the predicate of a clause whose subject is not the text itself.
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
    *wording.FAULTS,
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
    r"hardly|barely|scarcely|rarely|seldom|(?<!a )few|fewer|little|less|minimal",
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
    if verb in _DOUBLED or re.fullmatch(r"[^aeiou]{1,2}[aeiou][^aeiouwxy]", verb):
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
