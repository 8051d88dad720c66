"""Lint of words from the samples: a question or consideration names their content instead of a general point."""

import re
from collections.abc import Sequence
from functools import lru_cache

from app.construction.hint import Hint

SHARED_RUN = 6  # so many words in a row hardly agree by chance
_WORD = re.compile(r"\w+(?:-\w+)*")
# "sample 2", "the third sample"; "the first example" may well be one inside any text.
_ONE_SAMPLE = re.compile(
    r"\bsamples?\s+(?:no\.?\s*|number\s+)?(?:\d+|one|two|three|four)\b|\b(?:first|second|third|fourth|last)\s+sample\b",
    re.IGNORECASE,
)
_SENTENCE_START = re.compile(r"(?:^|[.!?:]\s+|[\"“(]\s*)$")


def sample_hints(text: str, samples: Sequence[str], language: str = "English") -> list[Hint]:
    """At most one hint: a sample that is spoken of, a name, a number or a longer wording that also stands in a sample.

    Names are told by their capital inside a sentence and by never standing in small letters in the samples. Other
    languages capitalise by other rules, so there only numbers and wordings count.
    """
    if not samples:
        return []
    if spoken_of := _ONE_SAMPLE.search(text):
        message = f"“{spoken_of[0]}” is one text alone. Ask what holds for any text."
        return [Hint("names-sample", message, spoken_of.span())]
    content = _content(tuple(samples))
    names_count = language.strip().casefold().startswith("english")
    words = list(_WORD.finditer(text))
    for word in words:
        named = names_count and _is_name(text, word) and word[0].lower() not in content.words
        if (named or _is_number(word[0])) and word[0] in content.words:
            return [Hint("names-sample", f"“{word[0]}” comes from a sample. Ask what holds for any text.", word.span())]
    folded = [word[0].casefold() for word in words]
    for start in range(len(words) - SHARED_RUN + 1):
        if tuple(folded[start : start + SHARED_RUN]) in content.runs:
            span = (words[start].start(), words[start + SHARED_RUN - 1].end())
            return [Hint("names-sample", "These words stand in a sample. Ask what holds for any text.", span)]
    return []


class _Content:
    def __init__(self, samples: tuple[str, ...]) -> None:
        self.words: set[str] = set()
        self.runs: set[tuple[str, ...]] = set()
        for sample in samples:
            words = _WORD.findall(sample)
            self.words.update(words)
            folded = [word.casefold() for word in words]
            self.runs.update(tuple(folded[i : i + SHARED_RUN]) for i in range(len(folded) - SHARED_RUN + 1))


@lru_cache(maxsize=16)
def _content(samples: tuple[str, ...]) -> _Content:
    """One set of samples is compared with many questions."""
    return _Content(samples)


def _is_name(text: str, word: re.Match[str]) -> bool:
    return len(word[0]) > 1 and word[0][0].isupper() and not _SENTENCE_START.search(text[: word.start()])


def _is_number(word: str) -> bool:
    """Single digits are too common to come from a sample."""
    return word.isdigit() and len(word) > 1
