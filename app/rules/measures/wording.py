"""Measures of word choice, density and tone."""

from app.rules.measures.word_lists import OPINION, SUBORDINATORS
from app.rules.profile import Profile
from app.rules.reading import Reading, of, plural, share

WINDOW = 25


def variety(profile: Profile) -> Reading:
    """Moving-average type-token ratio (Covington and McFall 2010) over 25 words, so that length doesn't matter."""
    found = profile.text.words
    if len(found) <= WINDOW:
        value = share(len(set(found)), len(found))
    else:
        spans = range(len(found) - WINDOW + 1)
        value = sum(len(set(found[i : i + WINDOW])) for i in spans) / (WINDOW * len(spans))
    return Reading(value, f"{value:.0%} of the words in a stretch of {WINDOW} are different".replace("%", " %"))


def long_words(profile: Profile) -> Reading:
    """Share of content words with seven or more letters."""
    content = [word for word in profile.text.words if len(word) > 3]
    long = sum(len(word) >= 7 for word in content)
    return Reading(
        share(long, len(content)),
        f"{of(long, len(content), 'words of four letters or more')} have seven letters or more",
    )


def density(profile: Profile) -> Reading:
    """Share of words that carry content."""
    dense, every = len(profile.text.content), len(profile.text.words)
    return Reading(share(dense, every), f"{of(dense, every, 'words')} carry content")


def substance(profile: Profile) -> Reading:
    """Different content words per sentence."""
    sentences = len(profile.text.sentences)
    different = len(profile.text.stems)
    return Reading(
        share(different, sentences),
        f"{plural(different, 'different content word')} in {plural(sentences, 'sentence')}",
    )


def opinion(profile: Profile) -> Reading:
    """Words of opinion or of the first person, and exclamation marks, per 100 words."""
    found = sum(word in OPINION for word in profile.text.words) + profile.text.raw.count("!")
    value = 100 * share(found, len(profile.text.words))
    return Reading(value, f"{plural(found, 'mark')} of opinion in {plural(len(profile.text.words), 'word')}")


def subordination(profile: Profile) -> Reading:
    """Words that open a subordinate clause, per 100 words."""
    found, every = sum(word in SUBORDINATORS for word in profile.text.words), len(profile.text.words)
    return Reading(100 * share(found, every), f"{plural(found, 'subordinate clause')} in {plural(every, 'word')}")
