"""Measures that compare a text with its source.

With only a topic (an essay's prompt) or nothing to compare with, invention can't be measured: these measures then
say so or turn to the topic's words.
"""

import heapq
from collections.abc import Iterable
from itertools import pairwise

from app.rules.profile import Grounding, Profile, Sentence
from app.rules.reading import Reading, of, plural, share

LEAD_SENTENCES = 3
MOST_PLACES = 100  # of one word in a source, so that long texts take time in proportion to their length
NO_SOURCE = "there is no source to compare with"
TOPIC_ONLY = "the source is only a topic, so nothing can be checked against it"


def _missing(profile: Profile) -> Reading | None:
    """A reading that doesn't apply, where the source can't support facts."""
    if profile.grounding is Grounding.FULL:
        return None
    return Reading(0.0, NO_SOURCE if profile.grounding is Grounding.NONE else TOPIC_ONLY, applies=False)


def novelty(profile: Profile) -> Reading:
    """Share of content words that don't occur in the source."""
    if missing := _missing(profile):
        return missing
    new = new_words(profile, profile.text.content)
    every = len(profile.text.content)
    return Reading(share(new, every), f"{of(new, every, 'content words')} are not in the source")


def new_words(profile: Profile, content: Iterable[str]) -> int:
    """How many of these content words don't occur in the source."""
    return sum(found not in profile.source.vocabulary for found in content)


def broken_pairs(profile: Profile) -> Reading:
    """Share of neighbouring content words that no sentence of the source brings together: facts joined anew."""
    if missing := _missing(profile):
        return missing
    pairs = sum(len(list(pairwise(s.content))) for s in profile.text.sentences)
    broken = sum(broken_pairs_of(profile, s) for s in profile.text.sentences)
    finding = f"{of(broken, pairs, 'neighbouring word pairs')} are joined in no sentence of the source"
    return Reading(share(broken, pairs), finding)


def broken_pairs_of(profile: Profile, sentence: Sentence) -> int:
    """How many of them one sentence has."""
    return sum(not profile.source.joins(a, b) for a, b in pairwise(sentence.content))


def invented_details(profile: Profile) -> Reading:
    """Share of figures and capitalised names that the source doesn't have."""
    if missing := _missing(profile):
        return missing
    new = new_details(profile)
    every = len(profile.text.figures) + len(profile.text.names)
    if not every:
        return Reading(0.0, "there are no figures or names that could be wrong", applies=False)
    return Reading(share(len(new), every), f"{of(len(new), every, 'figures and names')} are not in the source")


def new_details(profile: Profile) -> list[str]:
    """Figures, and names in lower case, that the source doesn't have."""
    known_figures, known = set(profile.source.figures), profile.source.vocabulary
    figures = [f for f in profile.text.figures if f not in known_figures]
    return figures + [n for n in profile.text.names if n not in known and n.removesuffix("'s") not in known]


def key_term_coverage(profile: Profile) -> Reading:
    """Weight of the source's key terms that the text takes up, over what a text of so many words could take up.

    Key terms weigh by their frequency; dividing by the best possible keeps a short reply comparable with a summary.
    """
    terms = profile.source.key_terms
    if not terms:
        return Reading(0.0, NO_SOURCE, applies=False)
    taken = [term for term in terms if term in profile.text.stems]
    possible = sum(heapq.nlargest(max(len(profile.text.stems), 1), terms.values()))
    value = sum(terms[term] for term in taken) / possible
    what = "topic" if profile.grounding is Grounding.TOPIC else "source"
    weighed = f"weighed by how often they occur, {value:.0%} of what a text of this length can take up".replace(
        "%", " %"
    )
    return Reading(value, f"{len(taken)} of the {what}'s {plural(len(terms), 'key term')} are taken up, {weighed}")


def lead_coverage(profile: Profile) -> Reading:
    """Share of the content words of the source's first sentences that the text takes up."""
    lead = lead_stems(profile)
    if not lead:
        return Reading(0.0, NO_SOURCE, applies=False)
    taken = len(lead & profile.text.stems)
    return Reading(
        share(taken, len(lead)), f"{of(taken, len(lead), 'content words')} of the source's opening are taken up"
    )


def lead_stems(profile: Profile) -> frozenset[str]:
    """The content words of the source's first sentences."""
    return frozenset(found for s in profile.source.sentences[:LEAD_SENTENCES] for found in s.stems)


def focus(profile: Profile) -> Reading:
    """Share of the text's content words that are among the source's key terms."""
    if missing := _missing(profile):
        return missing
    central = sum(found in profile.source.key_terms for found in profile.text.content)
    every = len(profile.text.content)
    return Reading(share(central, every), f"{of(central, every, 'content words')} are key terms of the source")


def order_agreement(profile: Profile) -> Reading:
    """Share of neighbouring sentences that come in the order in which the source tells their content."""
    if missing := _missing(profile):
        return missing
    places = [place for s in profile.text.sentences if (place := _place(profile, s.stems)) is not None]
    pairs = list(pairwise(places))
    if not pairs:
        return Reading(1.0, "there are no two sentences to order", applies=False)
    kept = sum(a <= b for a, b in pairs)
    return Reading(
        share(kept, len(pairs)), f"{of(kept, len(pairs), 'steps from sentence to sentence')} follow the source"
    )


def opening(profile: Profile) -> Reading:
    """Share of the first sentence's content words that belong to the source's opening."""
    if missing := _missing(profile):
        return missing
    first = profile.text.sentences[0].stems if profile.text.sentences else frozenset()
    lead = lead_stems(profile)
    if not lead or not first:
        return Reading(0.0, "there is no first sentence to compare", applies=False)
    shared = len(first & lead)
    return Reading(
        share(shared, len(first)),
        f"{of(shared, len(first), 'content words')} of the first sentence open the source too",
    )


def reply_overlap(profile: Profile) -> Reading:
    """Number of content words shared with the source's last line: the turn that a reply answers."""
    last = last_turn(profile)
    if not last:
        return Reading(0.0, NO_SOURCE, applies=False)
    shared = len(last & profile.text.stems)
    return Reading(float(shared), f"{plural(shared, 'content word')} of the last turn are taken up")


def last_turn(profile: Profile) -> frozenset[str]:
    """The content words of the source's last lines."""
    lines = [s for s in profile.source.sentences if s.content]
    return frozenset().union(*(s.stems for s in lines[-3:]))


def length_fold(profile: Profile) -> Reading:
    """How many times longer or shorter the text is than three times the root of the source's words.

    The root grows slowly: 400 words of source ask for about 60, 100 for 30. Essays on a topic are asked for 100.
    """
    count = max(len(profile.text.words), 1)
    full = profile.grounding is Grounding.FULL
    fair = 3 * len(profile.source.words) ** 0.5 if full else 100.0
    fold = max(count / fair, fair / count) if full else max(fair / count, 1.0)
    return Reading(fold, f"{plural(count, 'word')} where about {fair:.0f} would be usual")


def _place(profile: Profile, stems: frozenset[str]) -> int | None:
    """The source sentence that shares most with these stems; the earliest among equals, None without any."""
    votes: dict[int, int] = {}
    for found in stems:
        for index in profile.source.positions.get(found, ())[:MOST_PLACES]:
            votes[index] = votes.get(index, 0) + 1
    return min(votes, key=lambda index: (-votes[index], index)) if votes else None
