"""Hints on questions that are hard to answer: by their form, their English, or the samples they quote."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from rapidfuzz import fuzz, process
from rapidfuzz.utils import default_process

from app.domain.question_words import (
    AUXILIARIES,
    CONTRACTIONS,
    CONTRASTS,
    DENIALS,
    FAULTS,
    HANDLED,
    OPEN_WORDS,
    QUOTES,
    TURNS,
    VAGUE,
)


@dataclass(frozen=True, slots=True)
class Hint:
    """A hint on a question. `code` is stable and names the check; `span` is the place (start, end) in the question
    without spaces around it, None for the whole question."""

    code: str
    message: str
    span: tuple[int, int] | None = None


_AUXILIARY = rf"(?:{'|'.join(sorted(AUXILIARIES | CONTRACTIONS))}|shouldn't)\b"
_STARTS_CLAUSE = re.compile(rf"(?:^|[,:;–—]\s*){_AUXILIARY}", re.IGNORECASE)
_OPEN_WORD = re.compile(
    rf"^(?:(?:to|in|on|at|for|by|with|from|of)\s+)?({'|'.join(OPEN_WORDS)}|whom|whose)\b", re.IGNORECASE
)
_OPEN_AFTER_LEAD = re.compile(r",\s*(?:to\s+)?(what|which|who|why|how|where)\b[^,]*$", re.IGNORECASE)

_TWO_CLAUSES = re.compile(
    rf"\b(?:and|or)\s+{_AUXILIARY}|\band/or\b|\bas well as\b|\band (?:also|that it)\b"
    r"|\band (?:[\w-]+ ){1,3}(?:is|are|was|were)\b",
    re.IGNORECASE,
)
_TWO_QUALITIES = re.compile(
    r"^(?:is|are|was|were)\b.*?\b(?P<pair>[\w-]+,? and [\w-]+)(?: throughout| overall)?\s*\?$", re.IGNORECASE
)
_PAIR_OF_NOUNS = re.compile(
    r"\b(?:between|in|of|with|for|to|from|by|on|the|its|their)\s+[\w-]+,? and [\w-]+\s*\?$", re.IGNORECASE
)

_FAULT = re.compile(
    rf"\b(?:{'|'.join(FAULTS)}|ambigu\w+|confus\w+|irrelevan\w+|mislead\w*|lacking|disorgani[sz]ed|vague\w*|poor\w*"
    r"|cliches?)\b",
    re.IGNORECASE,
)
_GUARD = re.compile(
    rf"\b(?:{'|'.join((*TURNS, *CONTRASTS))}|prevents?|refrain\w*|correct(?:s|ed)?|resolves?|clear of|absence of|absent"
    r"|excludes?|minimal|minor|few(?:er)?|rare(?:ly)?)\b|n't\b",
    re.IGNORECASE,
)
_HANDLED = re.compile(rf"\b(?:{'|'.join(HANDLED)})\w*\b", re.IGNORECASE)
"""Words before a fault that make a question ask how the fault is handled, so that yes is good."""
_NEGATION = re.compile(
    rf"\b(?:{'|'.join(DENIALS)}|neither|lack(?:s|ing)?|fails?|failing|refrain\w*)\b|n't\b", re.IGNORECASE
)
_RELATIVE = re.compile(
    r"\b(?:that|which|who|whom)\b(?:\s+\w+){0,3}?\s+(?:not|never|\w+n't)\b"
    r"|\bnot (?=(?:present|mentioned|stated|supported|found|given|contained|covered|included|in|from|part)\b)",
    re.IGNORECASE,
)
_NOT_UN = re.compile(
    r"(?:\bnot|\bnever|n't)\s+(?:\w+\s+)?(?:unclear|unnecessary|inconsistent|irrelevant|incorrect|incoherent"
    r"|incomplete|inaccurate|unsupported|unrelated|disorgani[sz]ed|illogical|impossible|unusual)\b",
    re.IGNORECASE,
)
_ABSENCE = re.compile(r"\b(?:not|never)\b|n't\b", re.IGNORECASE)

_VAGUE = re.compile(
    rf"\b(?:{'|'.join(VAGUE)}|nice|reasonabl[ey]|suitabl[ey]|enough|significant(?:ly)?|relatively|somewhat|fairly|very"
    r"|quality|interesting|satisfactor\w+|acceptabl[ey])\b",
    re.IGNORECASE,
)
_ANCHOR = re.compile(
    r"\(|\d|\b(?:so that|such as|that is|for example|for instance|e\.g\.|i\.e\.|meaning|because|at least|at most"
    r"|no more than|as in|compared (?:to|with)|relative to|in the sense)",
    re.IGNORECASE,
)
# What goes on in somebody's head.
_UNSEEN = re.compile(
    r"\b(?:author|writer|student|speaker)(?:s'|'s|s)?\s+(?:\w+ly\s+)?(?:intend\w*|intent\w*|efforts?|beliefs?"
    r"|(?:mean|meant|means|try|tries|tried)\s+to|believes?|believed|thinks?|thought|feels?|felt|cares?|cared|enjoy\w*)\b"
    r"|\b(?:reader|audience|listener)s?\s+(?:\w+ly\s+)?(?:enjoy\w*|likes?|liked|loves?|loved|feels?|felt|cares?)\b",
    re.IGNORECASE,
)


def english_hints(text: str) -> list[Hint]:
    """Return hints on a question's English: it should be answerable yes/no from the text, ask one thing, have yes as
    the good answer, ask for presence, and have no double negation or vague word.

    A question whether the text fits an attribute quoted unchanged is fine, whatever faults and negations that names.
    """
    plain = text.replace("’", "'")
    of_own_words = () if QUOTES in plain else (_yes_is_good, _negation)
    checks: tuple[Callable[[str], Hint | None], ...] = (_yes_no, _one_thing, *of_own_words, _vague, _unseen)
    return [hint for check in checks if (hint := check(plain)) is not None]


def _yes_no(text: str) -> Hint | None:
    open_word = _OPEN_WORD.match(text)
    if _STARTS_CLAUSE.search(text) and (open_word is None or open_word[1].lower() in {"when", "where"}):
        return None
    open_word = open_word or _OPEN_AFTER_LEAD.search(text)
    said = f"“{open_word[1]}” asks for more than yes or no." if open_word else "This can't be answered with yes or no."
    return Hint("not-yes-no", f"{said} Start with “Does”, “Is” or “Are”.", open_word.span(1) if open_word else None)


def _one_thing(text: str) -> Hint | None:
    found = _TWO_CLAUSES.search(text)
    if found is not None:
        return Hint(
            "asks-two-things", "Two things are asked at once: what if only one is true? Split them.", found.span()
        )
    pair = _TWO_QUALITIES.match(text)
    if pair is None or _PAIR_OF_NOUNS.search(text):
        return None
    return Hint(
        "asks-two-things",
        f"“{pair['pair']}” are two qualities: what if only one is true? Split them.",
        pair.span("pair"),
    )


def _yes_is_good(text: str) -> Hint | None:
    fault = _FAULT.search(text)
    if fault is None or _GUARD.search(text) or _HANDLED.search(text[: fault.start()]):
        return None
    return Hint(
        "yes-is-bad",
        f"Yes should be the good answer. Ask whether the text avoids “{fault[0].lower()}”, or say that a yes costs the "
        "point.",
        fault.span(),
    )


def _negation(text: str) -> Hint | None:
    doubled = _NOT_UN.search(text)
    if doubled is not None:
        return Hint("double-negation", "Two negations cancel each other. Say it positively.", doubled.span())
    # "facts that aren't in the source" and "facts not in the source" say which facts; they don't negate the question.
    main_clause = _RELATIVE.sub(lambda found: " " * len(found[0]), text)
    negations = list(_NEGATION.finditer(main_clause))
    if len(negations) > 1:
        span = (negations[0].start(), negations[1].end())
        return Hint("double-negation", "Two negations are hard to answer. Say it positively.", span)
    absence = _ABSENCE.search(main_clause)
    if absence is None:
        return None
    return Hint("asks-for-absence", "Ask whether something good is there, or write “avoids”.", absence.span())


def _vague(text: str) -> Hint | None:
    word = _VAGUE.search(text)
    if word is None or _ANCHOR.search(text):
        return None
    return Hint(
        "vague-word",
        f"“{word[0].lower()}” means something else to everybody. Say by what one sees it, for example with “so that”.",
        word.span(),
    )


def _unseen(text: str) -> Hint | None:
    found = _UNSEEN.search(text)
    if found is None:
        return None
    return Hint(
        "not-in-text", f"“{found[0].lower()}” can't be seen in the text. Ask for what stands there.", found.span()
    )


SHARED_RUN = 6  # so many words in a row hardly agree by chance
_WORD = re.compile(r"\w+(?:-\w+)*")
# "sample 2", "the third sample"; "the first example" may well be one inside any text.
_ONE_SAMPLE = re.compile(
    r"\bsamples?\s+(?:no\.?\s*|number\s+)?(?:\d+|one|two|three|four)\b|\b(?:first|second|third|fourth|last)\s+sample\b",
    re.IGNORECASE,
)
_SENTENCE_START = re.compile(r"(?:^|[.!?:]\s+|[\"“(]\s*)$")


def sample_hints(text: str, samples: Sequence[str], language: str = "English") -> list[Hint]:
    """Return at most one hint: a sample that is mentioned, or a name, number or longer wording that a sample also
    contains.

    Names are words with a capital inside a sentence that no sample has in lower case. Other languages capitalise by
    other rules, so there only numbers and wordings count.
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
    """Return what samples contain, cached: one set of samples is compared with many questions."""
    return _Content(samples)


def _is_name(text: str, word: re.Match[str]) -> bool:
    return len(word[0]) > 1 and word[0][0].isupper() and not _SENTENCE_START.search(text[: word.start()])


def _is_number(word: str) -> bool:
    """Return whether a word is a number of more than one digit; single digits are too common to come from a sample."""
    return word.isdigit() and len(word) > 1


MAX_WORDS = 30
MAX_CHARACTERS = 220  # for languages that don't put spaces between words
PATTERN_LIMIT = 1000  # characters
NEAR_DUPLICATE = 0.85
QUESTION_MARKS = ("?", "？", "؟", "՞", "⸮")


def lint_question(
    text: str,
    others: Sequence[str] = (),
    samples: Sequence[str] = (),
    language: str = "English",
    must_not: bool = False,
) -> list[Hint]:
    """Return all hints about one question. must_not: a yes to it is bad, as its author wants it.

    others: the checklist's other questions. samples: the texts read while thinking aloud, and their sources; what a
    question takes from them doesn't hold for other texts.
    """
    question = text.strip()
    if not question:
        return [Hint("empty", "The question is empty.")]
    hints = [*_form_hints(question), *_length_hints(question)]
    # The patterns are made for questions; on a pasted page they would be slow and say nothing.
    if len(question) <= PATTERN_LIMIT and language.strip().casefold().startswith("english"):
        hints += [hint for hint in english_hints(question) if not (must_not and hint.code == "yes-is-bad")]
    return [*hints, *duplicate_hints(question, others), *sample_hints(question, samples, language)]


def similarity(a: str, b: str) -> float:
    """Return the similarity of two questions' wordings, 0 to 1, regardless of word order, case and punctuation."""
    return fuzz.token_sort_ratio(a, b, processor=default_process) / 100


def duplicate_hints(text: str, others: Sequence[str]) -> list[Hint]:
    """Return at most one hint: the most similar other question, if it is similar enough."""
    found = process.extractOne(
        text, others, scorer=fuzz.token_sort_ratio, processor=default_process, score_cutoff=100 * NEAR_DUPLICATE
    )
    if found is None:
        return []
    other, percent, _ = found
    return [Hint("near-duplicate", f"{percent:.0f} % alike: “{other}” Merge the two, or make the difference clear.")]


def _form_hints(text: str) -> list[Hint]:
    if not text.endswith(QUESTION_MARKS):
        return [Hint("not-a-question", "End with a question mark: the judge answers questions.")]
    marks = [match for match in re.finditer("[" + "".join(QUESTION_MARKS) + "]", text) if match.end() < len(text)]
    if not marks:
        return []
    return [Hint("asks-two-things", "There are several questions in one. Split them.", marks[0].span())]


def _length_hints(text: str) -> list[Hint]:
    words = len(text.split())
    if words > MAX_WORDS:
        return [Hint("too-long", f"{words} words; up to {MAX_WORDS} are easy to answer.")]
    if len(text) > MAX_CHARACTERS:
        return [Hint("too-long", f"{len(text)} characters; up to {MAX_CHARACTERS} are easy to answer.")]
    return []
