"""Measures of a text: flow, form, wording, and how well its source supports it."""

import heapq
import re
from collections import Counter
from collections.abc import Iterable
from itertools import pairwise

from app.domain.question_words import AUXILIARIES, CONTRACTIONS
from app.rules.english import word_set
from app.rules.rule_input import Grounding, Profile, Reading, Sentence, of, plural, share

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
    linked = sum(not a.stems.isdisjoint(b.stems) or any(word in PRONOUNS for word in b.words[:3]) for a, b in pairs)
    return Reading(share(linked, len(pairs)), f"{of(linked, len(pairs), 'sentences')} take up a word of the one before")


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


LEAD_SENTENCES = 3
MOST_PLACES = 100  # of one word in a source, so that long texts take time in proportion to their length
NO_SOURCE = "there is no source to compare with"
TOPIC_ONLY = "the source is only a topic, so nothing can be checked against it"


def _missing(profile: Profile) -> Reading | None:
    """Return a reading that doesn't apply if the source can't support facts; else None."""
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
    """Return how many of these content words don't occur in the source."""
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
    """Return how many of a sentence's neighbouring content words no sentence of the source brings together."""
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
    """Factor by which the text is longer or shorter than three times the root of the source's words.

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


_OTHER_VERBS = word_set(
    "be been am shall hadn't i'm it's "
    "that's he's she's they're we're you're i've says said say tells told goes went go gone comes came come makes "
    "made make takes took take gets got get gives gave give sees saw see knows knew know thinks thought think finds "
    "found find leaves left leave keeps kept keep begins began begin becomes became become holds held hold brings "
    "brought bring wins won win loses lost lose leads led lead meets met meet runs ran run pays paid pay sends sent "
    "send falls fell fall feels felt feel wants want needs need claims claim insists insist shows show believes "
    "believe plays play works work lives live helps help faces face hits hit puts put sets set beats beat includes "
    "include remains remain appears appear seems seem looks look likes like love loves hope hopes agree ask asks "
    "told wrote writes write read reads spoke speaks speak stood stands stand sat sits grew grows grow drew knew "
    "broke shot fought caught taught bought built cut dealt drove ate flew forgot rose struck threw wore understood "
    "use uses try tries start starts turn turns call calls mean means allow allows cause causes"
)
VERBS = AUXILIARIES | CONTRACTIONS | _OTHER_VERBS
DETERMINERS = word_set("a an the his their its our your my every")
NEVER_AFTER_DETERMINER = word_set(
    "is are was were be been has have had may might could would should must and or of to in on at by for with from "
    "the a an he she it they we his their its our your my who which that because"
)
DANGLING = word_set(
    "a an the of to and or but with from by for at as their its our my your than because which who whose may might "
    "be been into between during"
)
OPINION = word_set(
    "i me my mine we our us you your amazing awesome terrible horrible great best worst wonderful beautiful love "
    "hate unfortunately sadly hopefully obviously clearly surely honestly perhaps maybe disgraceful shameful "
    "incredible fantastic stupid lovely boring funny silly nice"
)
SUBORDINATORS = word_set(
    "because although though while when since until if unless whereas whether that which who whom whose where after "
    "before as"
)


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
    """Return whether the sentence looks complete."""
    found = sentence.words
    return (
        len(found) >= 4
        and has_end_mark(sentence.raw)
        and found[-1] not in DANGLING
        and any(word in VERBS or (word.endswith("ed") and len(word) > 4) for word in found)
    )


def has_end_mark(raw: str) -> bool:
    """Return whether it ends with a full stop or the like, before any closing quotation marks and brackets."""
    return raw.rstrip().rstrip(_CLOSING).rstrip().endswith(_TERMINAL)


def slips(profile: Profile) -> Reading:
    """Doubled words, articles without their noun, a/an mixed up, and sentences that break off, per 100 words."""
    count = sum(map(slips_of, profile.text.sentences))
    value = 100 * share(count, len(profile.text.words))
    return Reading(value, f"{plural(count, 'slip')} of form in {plural(len(profile.text.words), 'word')}")


def slips_of(sentence: Sentence) -> int:
    """Return how many of the faults of `slips` one sentence has."""
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
    """Share of sentences that open in lower case or have a lone "i"; a text without any capitals doesn't count."""
    if not profile.text.cased:
        return Reading(0.0, "the text is written without capitals throughout", applies=False)
    sentences = profile.text.sentences
    wrong = sum(lacks_capital(sentence.raw) for sentence in sentences)
    return Reading(share(wrong, len(sentences)), f"{of(wrong, len(sentences), 'sentences')} lack a capital")


def lacks_capital(raw: str) -> bool:
    """Return whether a sentence opens in lower case or has a lone "i"."""
    first = next((letter for letter in raw if letter.isalpha()), "")
    return first.islower() or bool(_LONE_I.search(raw))


def odd_spellings(profile: Profile) -> Reading:
    """Words with a missing apostrophe, three equal letters in a row or digits inside, per 100 words."""
    odd = odd_words(profile.text.words)
    value = 100 * share(odd, len(profile.text.words))
    return Reading(value, f"{plural(odd, 'word')} among {len(profile.text.words)} that may be misspelt")


def odd_words(found: Iterable[str]) -> int:
    """Return how many of the words may be misspelt."""
    return sum(word in _NO_APOSTROPHE or bool(_ODD_SPELLING.search(word)) for word in found)


def is_even(sentence: Sentence) -> bool:
    """Return whether the sentence is neither very short nor very long."""
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
        share(different, sentences), f"{plural(different, 'different content word')} in {plural(sentences, 'sentence')}"
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
