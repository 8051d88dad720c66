"""Words as the rouge-score package makes them, and Unicode words where that package sees none.

rouge-score knows a-z and 0-9 only: a Greek or Chinese attribute has no words there, so every similarity would be 0.
Such sets are split by Unicode's letters, marks and digits instead, and the result says so.
"""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

Scheme = Literal["rouge-score", "unicode"]

NOT_A_WORD = re.compile(r"[^a-z0-9]+")

# Scripts written without spaces between words: every character counts as a word of its own.
UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f]"
)

FALLBACK_NOTE = (
    "Attributes mostly in letters the rouge-score package does not read: {n} of {all}. All words were therefore split "
    "by Unicode rules (each character on its own in scripts without spaces). These values cannot be compared with "
    "that package's."
)


@dataclass(frozen=True, slots=True)
class TokenizedTexts:
    """Words per text in order; `note` is a sentence for the reader, "" where nothing needs saying."""

    words: tuple[tuple[str, ...], ...]
    scheme: Scheme
    note: str = ""


def rouge_tokens(text: str) -> list[str]:
    """Lower case, everything but a-z and 0-9 is a space; no stemming."""
    return NOT_A_WORD.sub(" ", text.lower()).split()


def unicode_tokens(text: str) -> list[str]:
    """Lower-case runs of letters, marks and digits of any script; equal to rouge_tokens on ASCII texts."""
    tokens: list[str] = []
    open_word = False
    for character in unicodedata.normalize("NFC", text).lower():
        category = unicodedata.category(character)[0]
        if category == "M":
            if open_word:
                tokens[-1] += character
        elif category not in "LN":
            open_word = False
        elif open_word and not UNSPACED.match(character) and not UNSPACED.match(tokens[-1]):
            tokens[-1] += character
        else:
            tokens.append(character)
            open_word = True
    return tokens


def unread_by_rouge(text: str) -> bool:
    """More than half of the text's letters lie outside a-z, so that rouge-score would lose most of it."""
    letters = [character for character in text if character.isalpha()]
    return sum(not character.isascii() for character in letters) > len(letters) / 2


def tokenize(texts: Sequence[str]) -> TokenizedTexts:
    """One scheme for all texts, so that they stay comparable: rouge-score's wherever it reads every text."""
    unread = sum(unread_by_rouge(text) for text in texts)
    if not unread:
        return TokenizedTexts(tuple(tuple(rouge_tokens(text)) for text in texts), "rouge-score")
    note = FALLBACK_NOTE.format(n=unread, all=len(texts))
    return TokenizedTexts(tuple(tuple(unicode_tokens(text)) for text in texts), "unicode", note)
