"""Words, stems and sentences, without any language model.

Words are compared in lower case, so cased texts and lower-cased, tokenised corpora (SummEval, Topical-Chat) meet on
equal terms. Scripts written without spaces count each character as a word. The stop words and suffixes are English;
in other languages every word counts as a content word and stays unstemmed unless it happens to look English.
"""

import re
from functools import lru_cache

from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

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
