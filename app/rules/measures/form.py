"""Measures of sentence form. A text is held to its own convention: one without any capital isn't blamed for it, and
spaces before punctuation, as tokenised corpora have them, are no error."""

import re
from collections.abc import Iterable
from itertools import pairwise

from app.rules.measures.word_lists import DANGLING, DETERMINERS, NEVER_AFTER_DETERMINER, VERBS
from app.rules.profile import Profile, Sentence
from app.rules.reading import Reading, of, plural, share
from app.rules.tokens import word_set

_TERMINAL = (".", "!", "?", "…", "。", "！", "？")
_CLOSING = "\"”’')]"
_MARKS = re.compile(r"[,;:]\s*[.,;:!?]|\.\s*,|!{2,}|\?{2,}|^\s*[,;:.]")
_LONE_I = re.compile(r"(?<![\w.'’])i(?![\w.])")
_NO_APOSTROPHE = word_set("dont cant wont didnt doesnt isnt wasnt couldnt wouldnt shouldnt im ive youre theyre thats")
_ODD_SPELLING = re.compile(r"(\w)\1\1|[a-z]\d+[a-z]")


def complete_sentences(profile: Profile) -> Reading:
    """Share of sentences with at least four words, a verb, an end mark, and no dangling last word."""
    sentences = profile.text.sentences
    complete = sum(is_complete(sentence) for sentence in sentences)
    return Reading(share(complete, len(sentences)), f"{of(complete, len(sentences), 'sentences')} look complete")


def is_complete(sentence: Sentence) -> bool:
    """Whether it looks complete."""
    found = sentence.words
    return (
        len(found) >= 4
        and has_end_mark(sentence.raw)
        and found[-1] not in DANGLING
        and any(word in VERBS or (word.endswith("ed") and len(word) > 4) for word in found)
    )


def has_end_mark(raw: str) -> bool:
    """Whether it ends with a full stop or the like, before any closing quotation marks and brackets."""
    return raw.rstrip().rstrip(_CLOSING).rstrip().endswith(_TERMINAL)


def slips(profile: Profile) -> Reading:
    """Doubled words, articles without their noun, a/an mixed up, and sentences that break off, per 100 words."""
    count = sum(map(slips_of, profile.text.sentences))
    value = 100 * share(count, len(profile.text.words))
    return Reading(value, f"{plural(count, 'slip')} of form in {plural(len(profile.text.words), 'word')}")


def slips_of(sentence: Sentence) -> int:
    """How many of them one sentence has."""
    found = sentence.words
    breaks_off = bool(found) and found[-1] in DANGLING
    return sum(_is_slip(a, b) for a, b in pairwise(found)) + breaks_off + (not has_end_mark(sentence.raw))


def _is_slip(a: str, b: str) -> bool:
    if a == b and a.isalpha() and a.isascii() and a not in {"that", "had"}:
        return True
    if a in DETERMINERS and b in NEVER_AFTER_DETERMINER:
        return True
    return (a == "a" and b[0] in "aeio" and not b.startswith(("one", "eu"))) or (
        a == "an" and b[0] in "bcdfgjklmnpqrstvwxyz" and len(b) > 3
    )


def punctuation_slips(profile: Profile) -> Reading:
    """Missing end marks, unpaired brackets or quotation marks, marks in a row; per sentence."""
    sentences = profile.text.sentences
    raw = profile.text.raw
    count = sum(not has_end_mark(s.raw) for s in sentences) + sum(len(_MARKS.findall(s.raw)) for s in sentences)
    count += abs(raw.count("(") - raw.count(")")) + raw.count('"') % 2 + (raw.count("``") != raw.count("''"))
    value = share(count, len(sentences))
    return Reading(value, f"{plural(count, 'slip')} of punctuation in {plural(len(sentences), 'sentence')}")


def missing_capitals(profile: Profile) -> Reading:
    """Share of sentences that open in lower case or have a lone "i"; a text without capitals is left alone."""
    if not profile.text.cased:
        return Reading(0.0, "the text is written without capitals throughout", applies=False)
    sentences = profile.text.sentences
    wrong = sum(lacks_capital(sentence.raw) for sentence in sentences)
    return Reading(share(wrong, len(sentences)), f"{of(wrong, len(sentences), 'sentences')} lack a capital")


def lacks_capital(raw: str) -> bool:
    """Whether a sentence opens in lower case or has a lone "i"."""
    first = next((letter for letter in raw if letter.isalpha()), "")
    return first.islower() or bool(_LONE_I.search(raw))


def odd_spellings(profile: Profile) -> Reading:
    """Words with a missing apostrophe, three equal letters in a row or digits inside, per 100 words."""
    odd = odd_words(profile.text.words)
    value = 100 * share(odd, len(profile.text.words))
    return Reading(value, f"{plural(odd, 'word')} among {len(profile.text.words)} that may be misspelt")


def odd_words(found: Iterable[str]) -> int:
    """How many of the words may be misspelt."""
    return sum(word in _NO_APOSTROPHE or bool(_ODD_SPELLING.search(word)) for word in found)


def is_even(sentence: Sentence) -> bool:
    """Whether it is neither very short nor very long."""
    return 5 <= len(sentence.words) <= 30


def uneven_sentences(profile: Profile) -> Reading:
    """Share of sentences shorter than five or longer than thirty words."""
    sentences = profile.text.sentences
    uneven = sum(not is_even(s) for s in sentences)
    return Reading(
        share(uneven, len(sentences)), f"{of(uneven, len(sentences), 'sentences')} are under 5 or over 30 words"
    )


def reading_difficulty(profile: Profile) -> Reading:
    """LIX (Björnsson 1968): words per sentence + percentage of words longer than six letters."""
    found = profile.text.words
    long = sum(len(word) > 6 for word in found)
    value = share(len(found), len(profile.text.sentences)) + 100 * share(long, len(found))
    return Reading(value, f"reading difficulty is {value:.0f} by the LIX formula (sentence length and long words)")


def tense_shifts(profile: Profile) -> Reading:
    """Share of tense-marked verbs (is/was, has/had, does/did, -ed) in the rarer of present and past."""
    present = sum(word in _PRESENT for word in profile.text.words)
    past = sum(word in _PAST or (word.endswith("ed") and len(word) > 4) for word in profile.text.words)
    if not present + past:
        return Reading(0.0, "no verb shows a tense", applies=False)
    rarer = min(present, past)
    return Reading(
        share(rarer, present + past), f"{of(rarer, present + past, 'verbs')} are in the tense that is used less"
    )


_PRESENT = word_set("is are has have does do says say am goes makes takes gets")
_PAST = word_set("was were had did said went made took got came told became left found")
