"""Answers to questions about a text by the rules that match them, with evidence; and attributes from rules."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, pairwise
from math import fsum
from types import MappingProxyType
from typing import Any

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer

from app.rules.catalogue import BY_ID, RULES, THEMES, GoodDirection, Rule
from app.rules.english import content_stems, sentences, words
from app.rules.measures import (
    OPINION,
    broken_pairs_of,
    is_complete,
    is_even,
    lacks_capital,
    last_turn,
    lead_stems,
    new_details,
    new_words,
    odd_words,
    slips_of,
)
from app.rules.phrasing import asks_for_a_fault
from app.rules.rule_input import (
    Context,
    Passage,
    Profile,
    Reading,
    Sentence,
    Source,
    context_of,
    details_of,
    grounding_of,
    passage,
    source_of,
)

LEAST_LIKENESS = 0.12
DEFAULT_RULE = "sentence-length"
_SOURCE_WORDS = re.compile(
    r"\b(?:original|source)? ?(?:news )?(?:article|document|source text|source document|source material)s?\b"
)

# "... that disrupt the flow", "... to enhance readability": what a point is good for, not what it is about.
_PURPOSE = re.compile(
    r"\s(?:that|which|to|could|might|may)\s(?:\w+\s)?(?:disrupt|hinder|enhanc|aid|help|make it)\w*\b[^.?]*"
)


@lru_cache(maxsize=8192)
def affinities(text: str, context: Context) -> Mapping[str, float]:
    """Return keyword weight per rule id, hits in the first sentence counted twice; rules without a hit are left out."""
    spoken = _neutral(text, context)
    first = next(iter(sentences(spoken)), "")
    found: dict[str, float] = {}
    for rule in RULES:
        weight = sum(
            weight * (1 + bool(pattern.search(first))) for pattern, weight in rule.patterns if pattern.search(spoken)
        )
        if weight:
            found[rule.id] = weight
    return MappingProxyType(found)


@lru_cache(maxsize=8192)
def best_rule(text: str, context: Context) -> Rule:
    """Return the rule that fits best; ties go to the rule listed first."""
    if found := named_rule(text, context):
        return found
    if found := _similar_rule(_neutral(text, context)):
        return found
    if found := named_rule(f"{context.dimension}. {context.rubric}", context):
        return found
    return BY_ID[DEFAULT_RULE]


def named_rule(text: str, context: Context) -> Rule | None:
    """Return the rule whose keywords weigh most in a text, None without any."""
    found = affinities(text, context)
    return BY_ID[max(found, key=lambda rule: found[rule])] if found else None


def _neutral(text: str, context: Context) -> str:
    """Return the text in lower case, without its kind's name, and with every name of the source as "source"."""
    lowered = " ".join(text.lower().replace("’", "'").split())
    lowered = re.sub(rf"\b(?:the )?{re.escape(context.text_name.lower())}(?:'s)?\b", " ", lowered)
    lowered = re.sub(rf"\b{re.escape(context.source_name.lower())}\b", "source", lowered)
    return " ".join(_PURPOSE.sub("", _SOURCE_WORDS.sub(" source ", lowered)).split())


def _analyse(text: str) -> list[str]:
    return list(content_stems(words(text)))


@lru_cache(maxsize=1)
def _descriptions() -> tuple[TfidfVectorizer, np.ndarray]:
    vectorizer = TfidfVectorizer(analyzer=_analyse, sublinear_tf=True)
    texts = [" ".join((rule.description, *rule.questions, *rule.attributes)) for rule in RULES]
    blank = [text.replace("{text}", "").replace("{source}", "source") for text in texts]
    return vectorizer, vectorizer.fit_transform(blank).toarray()


def _similar_rule(spoken: str) -> Rule | None:
    vectorizer, rows = _descriptions()
    likeness = rows @ vectorizer.transform([spoken]).toarray()[0]
    best = int(np.argmax(likeness))
    return RULES[best] if likeness[best] >= LEAST_LIKENESS else None


Weight = Callable[[Sentence], float]


def deciding_passage(rule: str, profile: Profile, good: bool) -> str:
    """Return the sentence that decides, as written, the first of equals; "" if no single one does. `rule` is its id."""
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
    """Return the share of a sentence's content words that the previous one has too."""
    several = [sentence for sentence in profile.text.sentences if len(sentence.stems) > 1]
    shares = {id(b): len(a.stems & b.stems) / min(len(a.stems), len(b.stems)) for a, b in pairwise(several)}
    return lambda sentence: shares.get(id(sentence), 0.0)


def _opinion(_: Profile) -> Weight:
    return lambda sentence: sum(word in OPINION for word in sentence.words) + sentence.raw.count("!")


def _key_terms(profile: Profile) -> Weight:
    return lambda sentence: sum(profile.source.key_terms.get(stem, 0) for stem in sentence.stems)


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


TEXTS_KEPT = 512
SOURCES_KEPT = 128


@dataclass(frozen=True, slots=True)
class QuestionRule:
    """A question's key with the rule and the limit that answer it; `fits` is False if no rule is about it. `fault`:
    whether it asks for a fault, so that a passed rule means no."""

    key: str
    rule: Rule
    limit: float
    fits: bool = True
    fault: bool = False


@dataclass(frozen=True, slots=True)
class RuleAnswers:
    """Answers and reasons by question key; `decided` are the rules that applied, and whether they passed."""

    answers: dict[str, str]
    reasons: dict[str, str]
    profile: Profile
    decided: Mapping[str, tuple[Rule, bool]]

    def with_quotes(self, reasons: bool) -> dict[str, dict[str, str]]:
        """Return each answer with the sentence that decides it, "" for none, and its reason if requested."""
        quotes = {key: deciding_passage(rule.id, self.profile, good) for key, (rule, good) in self.decided.items()}
        return {
            key: {"quote": quotes.get(key, ""), **({"reason": self.reasons[key]} if reasons else {}), "answer": answer}
            for key, answer in self.answers.items()
        }


class RuleJudge:
    """Answers checklists. Parsed texts and sources are cached (bounded, least recently used go)."""

    def __init__(self) -> None:
        self._passage = lru_cache(maxsize=TEXTS_KEPT)(passage)
        self._source = lru_cache(maxsize=SOURCES_KEPT)(source_of)
        self._plan = lru_cache(maxsize=64)(plan)

    def profile(self, text: str, source: str) -> Profile:
        """Return a text beside its source, ready to be measured."""
        cut: Passage = self._passage(text)
        beside: Source = self._source(source)
        return Profile(cut, beside, grounding_of(cut, beside))

    def answer(self, variables: Mapping[str, Any]) -> RuleAnswers:
        """Answer each question "yes" or "no", or "does not apply" if the question allows that and its rule doesn't
        apply to the text."""
        questions = tuple((question["key"], question["question"]) for question in variables["questions"])
        item = variables["item"]
        may_not = {question["key"] for question in variables["questions"] if question.get("may_not_apply")}
        context = context_of(variables)
        profile = self.profile(item["text"], item["source"] or "")
        answers: dict[str, str] = {}
        reasons: dict[str, str] = {}
        decided: dict[str, tuple[Rule, bool]] = {}
        readings: dict[str, Reading] = {}
        for asked in self._plan(questions, context):
            rule = asked.rule
            if rule.id not in readings:
                readings[rule.id] = rule.measure(profile)
            reading = readings[rule.id]
            good = bool(profile.text.words) and rule.passes(reading, asked.limit)
            yes = bool(profile.text.words) and good is not asked.fault
            open_ = asked.key in may_not and asked.fits and bool(profile.text.words) and not reading.applies
            answers[asked.key] = "does not apply" if open_ else "yes" if yes else "no"
            reason = rule.reason(reading, asked.limit) if profile.text.words else "The text is empty."
            if not asked.fits:
                reason = f"No rule fits this question; the nearest was used. {reason}"
            reasons[asked.key] = reason.replace("the source", f"the {context.source_name}")
            if reading.applies and not open_:
                decided[asked.key] = rule, good
        return RuleAnswers(answers, reasons, profile, decided)


def plan(questions: Sequence[tuple[str, str]], context: Context) -> tuple[QuestionRule, ...]:
    """Return the rule and the limit for each (key, question), in order."""
    rules = [best_rule(question, context) for _, question in questions]
    totals, seen = Counter(rule.id for rule in rules), Counter[str]()
    asked: list[QuestionRule] = []
    for (key, question), rule in zip(questions, rules, strict=True):
        strictness = (seen[rule.id] + 0.5) / totals[rule.id]
        seen[rule.id] += 1
        fits, fault = named_rule(question, context) is not None, asks_for_a_fault(question, context)
        asked.append(QuestionRule(key, rule, rule.limit(strictness), fits, fault))
    return tuple(asked)


MOST_RULES = 6
LEAST, MOST = 8, 14
SAMPLES_WEIGHT, FAMILY_WEIGHT = 0.25, 0.6
LEAST_FAMILY = 0.3


def attributes(variables: Mapping[str, Any], judge: RuleJudge) -> dict[str, Any]:
    """Return 8 to 14 attributes, the best-founded rules' first phrasings before their second ones."""
    context = context_of(variables)
    chosen = _on_topic(rank(context, variables["samples"], judge), context)[:MOST_RULES]
    phrases = [rule.attributes[turn] for turn in range(3) for rule in chosen if turn < len(rule.attributes)]
    count = max(LEAST, min(MOST, 2 * len(chosen) + 1))
    return {
        "considerations": [
            {"index": number, "consideration": context.fill(phrase)}
            for number, phrase in enumerate(phrases[:count], start=1)
        ]
    }


def rank(context: Context, samples: Sequence[Mapping[str, Any]], judge: RuleJudge) -> list[Rule]:
    """Return rules by how well the dimension's name and rubric and the samples support them.

    Rules that apply to no sample are left out (such as comparison with a missing source).
    """
    profiles = [judge.profile(sample["text"], sample["source"] or "") for sample in samples]
    scores = [sample["score"] for sample in samples]
    readings = {rule.id: [rule.measure(profile) for profile in profiles] for rule in RULES}
    rubric = _rubric_weights(context)
    families = _family_shares(rubric)
    ranked = [
        (
            rubric.get(rule.id, 0.0)
            + FAMILY_WEIGHT * families.get(_family(rule), 0.0)
            + SAMPLES_WEIGHT * _agreement(rule, readings[rule.id], scores),
            rule,
        )
        for rule in RULES
        if not samples or any(reading.applies for reading in readings[rule.id])
    ]
    return [rule for _, rule in sorted(ranked, key=lambda pair: -pair[0])]


def _on_topic(ranked: Sequence[Rule], context: Context) -> list[Rule]:
    """Return the rules of families that the rubric mentions, and the next best only if these are too few."""
    shares = _family_shares(_rubric_weights(context))
    chosen = [rule for rule in ranked if shares.get(_family(rule), 0.0) >= LEAST_FAMILY]
    for rule in ranked:
        if sum(len(own.attributes) for own in chosen) >= LEAST:
            break
        if rule not in chosen:
            chosen.append(rule)
    return chosen


def family_shares(context: Context) -> dict[str, float]:
    """Return each family's share of the keywords in name and rubric; the shares add up to 1, {} without keywords."""
    return _family_shares(_rubric_weights(context))


def _family_shares(rubric: Mapping[str, float]) -> dict[str, float]:
    shares: dict[str, float] = defaultdict(float)
    total = fsum(rubric.values())
    for rule_id, weight in rubric.items():
        shares[_family(BY_ID[rule_id])] += weight / total
    return shares


def _rubric_weights(context: Context) -> dict[str, float]:
    """Return each rule's weight in the dimension's name and its rubric, at most 1 for each of the two."""
    weights: dict[str, float] = {}
    for text in (context.dimension, context.rubric):
        found = affinities(text, context)
        for rule_id, weight in found.items():
            weights[rule_id] = weights.get(rule_id, 0.0) + weight / max(found.values())
    return weights


def _family(rule: Rule) -> str:
    return THEMES[rule.theme].family


def _agreement(rule: Rule, readings: Sequence[Reading], scores: Sequence[float | None]) -> float:
    """Return Kendall's tau-a between the measured value, turned so that more is better, and the score of the samples
    that have one; -1 to 1."""
    turn = 1 if rule.better is GoodDirection.MORE else -1
    rated = [(turn * r.value, float(s)) for r, s in zip(readings, scores, strict=True) if s is not None]
    pairs = list(combinations(rated, 2))
    if not pairs:
        return 0.0
    return sum(_sign(a[0] - b[0]) * _sign(a[1] - b[1]) for a, b in pairs) / len(pairs)


def _sign(number: float) -> int:
    return (number > 0) - (number < 0)
