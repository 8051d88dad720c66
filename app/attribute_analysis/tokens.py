"""Words of attributes: tokens, stop words by language, counts, and keywords that several experts share."""

import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from itertools import groupby, pairwise
from typing import Literal

import numpy as np
import yaml
from numpy.typing import NDArray
from scipy import sparse
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS, CountVectorizer, TfidfTransformer

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
    """Words of each text, in order; `note` is a sentence for the reader, or ""."""

    words: tuple[tuple[str, ...], ...]
    scheme: Scheme
    note: str = ""


def rouge_tokens(text: str) -> list[str]:
    """Return lower-case words; everything but a-z and 0-9 separates them; no stemming."""
    return NOT_A_WORD.sub(" ", text.lower()).split()


def unicode_tokens(text: str) -> list[str]:
    """Return lower-case runs of letters, marks and digits of any script; equal to rouge_tokens on ASCII texts."""
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


def lost_by_rouge(text: str) -> bool:
    """Return whether rouge-score would lose most of the text: more than half of its letters are outside a-z."""
    letters = [character for character in text if character.isalpha()]
    return sum(not character.isascii() for character in letters) > len(letters) / 2


def tokenize(texts: Sequence[str]) -> TokenizedTexts:
    """Return the texts' words, by one scheme for comparability: rouge-score's unless it can't read some text."""
    unread = sum(lost_by_rouge(text) for text in texts)
    if not unread:
        return TokenizedTexts(tuple(tuple(rouge_tokens(text)) for text in texts), "rouge-score")
    note = FALLBACK_NOTE.format(n=unread, all=len(texts))
    return TokenizedTexts(tuple(tuple(unicode_tokens(text)) for text in texts), "unicode", note)


ENGLISH = "English"
# Of a set, the share of texts in a language from which on it counts as one of the set's languages.
LEAST_SHARE = 0.1


def _words(of: str) -> dict[str, frozenset[str]]:
    """Return words by language from one part of stop_words.yaml."""
    return {language: frozenset(listed.split()) for language, listed in _LISTED[of].items()}


_LISTED: dict[str, dict[str, str]] = yaml.safe_load(
    files(__package__).joinpath("stop_words.yaml").read_text(encoding="utf-8")
)
STOP_WORDS = _words("stop_words")
STOP_WORDS[ENGLISH] |= frozenset(ENGLISH_STOP_WORDS)
INSTRUCTIONS = _words("instructions")
"""Verbs that tell a reader what to do with a text. They are no topics."""
# Where no task says what the texts are: what attributes call them.
KINDS_OF_TEXT = _words("kinds_of_text")["all"]


@dataclass(frozen=True, slots=True)
class DroppedWords:
    """The words left out of a set's topics, and the languages found: language -> texts, the most frequent first."""

    words: frozenset[str]
    languages: dict[str, int]

    @property
    def note(self) -> str:
        """A sentence if the set mixes languages, else ""."""
        if len(self.languages) < 2:
            return ""
        found = ", ".join(f"{language} ({count})" for language, count in self.languages.items())
        return (
            f"The attributes are in several languages: {found}. Topics group words, so they can follow the languages "
            "instead of what is said."
        )


def language_of(text: str) -> str:
    """Return the language with most of its stop words in the text; "" if there is none, or a tie."""
    words = Counter(unicode_tokens(text))
    hits = {language: sum(words[word] for word in listed) for language, listed in STOP_WORDS.items()}
    first, second = sorted(hits.values(), reverse=True)[:2]
    return max(hits, key=lambda language: hits[language]) if first > second else ""


def left_out(texts: Sequence[str], names: Iterable[str] = ()) -> DroppedWords:
    """Return the words to leave out. names: the dimension's and the task's texts'; without any, usual kinds of text."""
    counts = Counter(filter(None, map(language_of, texts)))
    enough = max(2, LEAST_SHARE * counts.total())
    found = {language: count for language, count in counts.most_common() if count >= enough}
    languages = found or dict(counts.most_common(1))
    words: set[str] = {token for name in names for token in unicode_tokens(name)} or set(KINDS_OF_TEXT)
    for language in languages or (ENGLISH,):
        words |= STOP_WORDS[language] | INSTRUCTIONS[language]
    return DroppedWords(frozenset(words), languages)


SIMPLE_WORD = re.compile(r"\b\w\w+\b")


@dataclass(frozen=True, slots=True)
class WordCounts:
    """Word counts (texts, words), rows as the texts were given; vocabulary sorted; sparse rows have sorted indices."""

    counts: sparse.csr_array
    vocabulary: tuple[str, ...]

    @property
    def with_words(self) -> NDArray[np.intp]:
        """Return the positions of the texts that have at least one word."""
        return np.flatnonzero(np.diff(self.counts.indptr))

    @property
    def different_texts(self) -> int:
        """Return the number of texts with different counts of words."""
        rows = np.split(np.arange(len(self.counts.data)), self.counts.indptr[1:-1])
        return len({(self.counts.indices[row].tobytes(), self.counts.data[row].tobytes()) for row in rows})

    def rows(self, positions: NDArray[np.intp]) -> "WordCounts":
        """Return the counts of these texts alone, with only the words they use."""
        picked = self.counts[positions]
        used = np.flatnonzero(np.asarray(picked.sum(axis=0)).ravel())
        return WordCounts(_sorted(picked[:, used]), tuple(self.vocabulary[i] for i in used))

    def in_several_texts(self) -> "WordCounts":
        """Return the counts of words that occur in two texts or more; of all words if there is none."""
        texts_with = np.bincount(self.counts.indices, minlength=len(self.vocabulary))
        kept = np.flatnonzero(texts_with >= 2)
        if not len(kept):
            return self
        return WordCounts(_sorted(self.counts[:, kept]), tuple(self.vocabulary[i] for i in kept))

    def shuffled(self, rng: np.random.Generator) -> "WordCounts":
        """Return counts with the words dealt to texts at random, as many words a text and uses of a word as before."""
        coordinates = self.counts.tocoo()
        times = coordinates.data.astype(np.intp)
        texts, words = np.repeat(coordinates.row, times), np.repeat(coordinates.col, times)
        dealt = sparse.coo_array((np.ones(len(words)), (texts, rng.permutation(words))), shape=self.counts.shape)
        return WordCounts(_sorted(sparse.csr_array(dealt)), self.vocabulary)

    def tf_idf(self) -> sparse.csr_array:
        """Return counts times smoothed inverse document frequency, rows of length 1 (scikit-learn's definition)."""
        return sparse.csr_array(TfidfTransformer().fit_transform(self.counts))


def content_words(text: str, left_out: Collection[str] = ENGLISH_STOP_WORDS) -> list[str]:
    """Return the words of one text in order, without stop words."""
    lowered = text.lower()
    found = SIMPLE_WORD.findall(lowered) if text.isascii() else _words_of_any_script(text)
    return [word for word in found if word not in left_out]


def count_words(texts: Sequence[str], left_out: Collection[str] = ENGLISH_STOP_WORDS) -> WordCounts:
    """Return counts of content words; without any word the matrix has no columns."""
    words = [content_words(text, left_out) for text in texts]
    if not any(words):
        return WordCounts(sparse.csr_array((len(texts), 0), dtype=np.float64), ())
    vectorizer = CountVectorizer(analyzer=list, dtype=np.float64)
    counts = _sorted(sparse.csr_array(vectorizer.fit_transform(words)))
    return WordCounts(counts, tuple(vectorizer.get_feature_names_out().tolist()))


def _words_of_any_script(text: str) -> list[str]:
    words: list[str] = []
    for unspaced, run in groupby(unicode_tokens(text), key=lambda token: bool(UNSPACED.match(token))):
        tokens = list(run)
        words.extend(_neighbours(tokens) if unspaced else [token for token in tokens if len(token) > 1])
    return words


def _neighbours(characters: Sequence[str]) -> list[str]:
    """Return pairs of adjacent characters; a single character is a word of its own."""
    return [a + b for a, b in pairwise(characters)] or list(characters)


def _sorted(matrix: sparse.csr_array) -> sparse.csr_array:
    matrix.sort_indices()
    return matrix


FEWEST_EXPERTS = 3
SHORTEST = 3
# Words of the questions and of the setting say nothing about what an expert noticed.
_SETTING = frozenset({"set", "sets", "dimension", "attributes", "attribute"})


@dataclass(frozen=True, slots=True)
class SharedKeyword:
    """A word that several experts used. `answers` are (expert, answer), each answer with the word once, in order."""

    word: str
    experts: tuple[str, ...]
    answers: tuple[tuple[str, str], ...]


def shared_keywords(answers: Mapping[str, list[str]], at_least: int = FEWEST_EXPERTS) -> list[SharedKeyword]:
    """Return words in the answers of `at_least` experts (expert -> answers), most shared first, then alphabetically."""
    found: dict[str, list[tuple[str, str]]] = {}
    for expert, texts in answers.items():
        for text in texts:
            for word in sorted(_keywords(text)):
                found.setdefault(word, []).append((expert, text))
    keywords = [
        SharedKeyword(word, tuple(dict.fromkeys(expert for expert, _ in uses)), tuple(uses))
        for word, uses in found.items()
    ]
    shared = [keyword for keyword in keywords if len(keyword.experts) >= at_least]
    return sorted(shared, key=lambda keyword: (-len(keyword.experts), keyword.word))


def _keywords(text: str) -> set[str]:
    words = {word for word in unicode_tokens(text) if len(word) >= SHORTEST or UNSPACED.match(word)}
    return {_singular(word) for word in words - ENGLISH_STOP_WORDS - _SETTING if not word.isdigit()}


def _singular(word: str) -> str:
    plural = word.isascii() and word.endswith("s") and not word.endswith(("ss", "us", "is")) and len(word) > SHORTEST
    return word[:-1] if plural else word
