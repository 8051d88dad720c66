"""Passages that decide what a rule answers: the sentence of the text that weighs most for yes, or for no.

Rules that count over the whole text have none, and where none of its sentences weighs anything there is none either.
"""

from collections.abc import Callable, Mapping
from itertools import pairwise

from app.rules.measures.form import is_complete, is_even, lacks_capital, odd_words, slips_of
from app.rules.measures.grounding import broken_pairs_of, last_turn, lead_stems, new_details, new_words
from app.rules.measures.word_lists import OPINION
from app.rules.profile import Profile, Sentence, details_of

Weight = Callable[[Sentence], float]


def deciding_passage(rule: str, profile: Profile, good: bool) -> str:
    """The sentence as written, the first among equals; "" where no single one decides. `rule` is its id."""
    weight_in = (FOR_YES if good else FOR_NO).get(rule)
    if weight_in is None:
        return ""
    weight = weight_in(profile)
    weights = [weight(sentence) for sentence in profile.text.sentences]
    most = max(weights, default=0.0)
    return profile.text.sentences[weights.index(most)].raw if most > 0 else ""


def _added(profile: Profile) -> Weight:
    return lambda sentence: new_words(profile, sentence.content)


def _joined_anew(profile: Profile) -> Weight:
    return lambda sentence: broken_pairs_of(profile, sentence)


def _wrong_details(profile: Profile) -> Weight:
    new = set(new_details(profile))
    return lambda sentence: len(new & details_of(sentence.raw))


def _first(profile: Profile) -> Weight:
    return lambda sentence: sentence is profile.text.sentences[0]


def _restated(profile: Profile) -> Weight:
    """The share of a sentence's content words that the one before has already."""
    several = [sentence for sentence in profile.text.sentences if len(sentence.stems) > 1]
    shares = {id(b): len(a.stems & b.stems) / min(len(a.stems), len(b.stems)) for a, b in pairwise(several)}
    return lambda sentence: shares.get(id(sentence), 0.0)


def _opinion(_: Profile) -> Weight:
    return lambda sentence: sum(word in OPINION for word in sentence.words) + sentence.raw.count("!")


def _key_terms(profile: Profile) -> Weight:
    return lambda sentence: sum(profile.source.key_terms.get(stem, 0.0) for stem in sentence.stems)


def _of_the_lead(profile: Profile) -> Weight:
    lead = lead_stems(profile)
    return lambda sentence: len(lead & sentence.stems)


def _of_the_last_turn(profile: Profile) -> Weight:
    last = last_turn(profile)
    return lambda sentence: len(last & sentence.stems)


FOR_NO: Mapping[str, Callable[[Profile], Weight]] = {
    "support": _added,
    "relations": _joined_anew,
    "details": _wrong_details,
    "opening": _first,
    "restatement": _restated,
    "complete": lambda _: lambda sentence: not is_complete(sentence),
    "grammar": lambda _: slips_of,
    "capitals": lambda _: lambda sentence: lacks_capital(sentence.raw),
    "spelling": lambda _: lambda sentence: odd_words(sentence.words),
    "sentence-length": lambda _: lambda sentence: not is_even(sentence),
    "tone": _opinion,
}
FOR_YES: Mapping[str, Callable[[Profile], Weight]] = {
    "key-terms": _key_terms,
    "lead": _of_the_lead,
    "opening": _first,
    "reply": _of_the_last_turn,
}
