"""Measures of how sentences hang together."""

from collections import Counter
from itertools import pairwise

from app.rules.profile import Grounding, Profile
from app.rules.reading import Reading, of, plural, share
from app.rules.tokens import word_set

PRONOUNS = word_set("he she it they him her them his hers its their theirs this that these those")
CONNECTIVES = word_set(
    "and but so because although though however therefore thus moreover furthermore meanwhile then after before "
    "while when since until also despite instead finally first second third next later still yet whereas if as "
    "besides consequently nevertheless afterwards eventually additionally similarly overall who which where"
)
CENTRAL_TERMS = 10
_ONE_SENTENCE = "there is only one sentence"


def linked_sentences(profile: Profile) -> Reading:
    """Share of sentences, from the second on, that take up a word of the sentence before or refer back to it."""
    sentences = profile.text.sentences
    pairs = list(pairwise(sentences))
    if not pairs:
        return Reading(1.0, _ONE_SENTENCE, applies=False)
    linked = sum(not a.stems.isdisjoint(b.stems) or _refers_back(b.words) for a, b in pairs)
    return Reading(share(linked, len(pairs)), f"{of(linked, len(pairs), 'sentences')} take up a word of the one before")


def _refers_back(words: tuple[str, ...]) -> bool:
    return any(word in PRONOUNS for word in words[:3])


def connectives(profile: Profile) -> Reading:
    """Connecting words per 100 words."""
    found, every = sum(word in CONNECTIVES for word in profile.text.words), len(profile.text.words)
    return Reading(100 * share(found, every), f"{plural(found, 'connecting word')} in {plural(every, 'word')}")


def unclear_reference(profile: Profile) -> Reading:
    """Pronouns per sentence; one in the first four words of the text, where nothing precedes it, counts threefold."""
    sentences = profile.text.sentences
    pronouns = sum(word in PRONOUNS for word in profile.text.words)
    early = any(word in PRONOUNS for word in profile.text.words[:4])
    value = share(pronouns + 2 * early, len(sentences))
    opening = ", one of them before anything it could refer to" if early else ""
    return Reading(value, f"{plural(pronouns, 'pronoun')} in {plural(len(sentences), 'sentence')}{opening}")


def unity(profile: Profile) -> Reading:
    """Share of sentences that mention at least two of the ten terms the whole is about.

    The whole is the source where there is one, else the text itself.
    """
    sentences = [s for s in profile.text.sentences if s.stems]
    if profile.grounding is Grounding.FULL:
        central = frozenset(list(profile.source.key_terms)[:CENTRAL_TERMS])
    else:
        central = frozenset(term for term, _ in Counter(profile.text.content).most_common(CENTRAL_TERMS))
    on_topic = sum(len(s.stems & central) >= 2 for s in sentences)
    return Reading(
        share(on_topic, len(sentences)),
        f"{of(on_topic, len(sentences), 'sentences')} name two or more of the text's main terms",
    )


def repetition(profile: Profile) -> Reading:
    """Share of three-word sequences that repeat an earlier one of the text."""
    found = profile.text.words
    trigrams = list(zip(found, found[1:], found[2:], strict=False))
    repeated = len(trigrams) - len(set(trigrams))
    said = of(repeated, len(trigrams), "three-word sequences")
    return Reading(share(repeated, len(trigrams)), f"{said} were there before")


def repeated_content(profile: Profile) -> Reading:
    """Share of a sentence's content words that the sentence before has already, at its highest."""
    sentences = [s for s in profile.text.sentences if len(s.stems) > 1]
    pairs = list(pairwise(sentences))
    if not pairs:
        return Reading(0.0, _ONE_SENTENCE, applies=False)
    value = max(share(len(a.stems & b.stems), min(len(a.stems), len(b.stems))) for a, b in pairs)
    return Reading(value, f"up to {value:.0%} of a sentence's content is in the one before".replace("%", " %"))
