"""The assessor: considerations from a rubric and from sample texts with their scores.

The rubric's words name rules. The samples speak for a rule when its measured value rises (or falls, where less is
better) with the score: Kendall's tau-a between value and score over the samples. Rules are ranked by both, the rubric
first; samples that nobody rated speak for none. Rules of families that the rubric hardly speaks of are left to other
dimensions. Each chosen rule gives its considerations, which are general and never quote a sample.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

from app.rules.catalogue import BY_ID, RULES, THEMES
from app.rules.judge import RuleJudge
from app.rules.matching import affinities
from app.rules.reading import Reading
from app.rules.request import Context, context_of
from app.rules.rule import Better, Rule

MOST_RULES = 6
LEAST, MOST = 8, 14
SAMPLES_WEIGHT, FAMILY_WEIGHT = 0.25, 0.6
LEAST_FAMILY = 0.3


def considerations(variables: Mapping[str, Any], judge: RuleJudge) -> dict[str, Any]:
    """8 to 14 considerations, the best-founded rules' first phrasings before their second ones."""
    context = context_of(variables)
    chosen = _on_topic(rank(context, variables["samples"], judge), context)[:MOST_RULES]
    phrases = [rule.considerations[turn] for turn in range(3) for rule in chosen if turn < len(rule.considerations)]
    count = max(LEAST, min(MOST, 2 * len(chosen) + 1))
    return {
        "considerations": [
            {"index": number, "consideration": context.fill(phrase)}
            for number, phrase in enumerate(phrases[:count], start=1)
        ]
    }


def rank(context: Context, samples: Sequence[Mapping[str, Any]], judge: RuleJudge) -> list[Rule]:
    """Rules by how well the dimension's name and rubric and the samples speak for them.

    Rules that find nothing to look at in any sample are left out (comparison with a source that isn't there).
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
    """The rules of families that the rubric speaks of, and the next best only where these have too little to say."""
    shares = _family_shares(_rubric_weights(context))
    chosen = [rule for rule in ranked if shares.get(_family(rule), 0.0) >= LEAST_FAMILY]
    for rule in ranked:
        if sum(len(own.considerations) for own in chosen) >= LEAST:
            break
        if rule not in chosen:
            chosen.append(rule)
    return chosen


def family_shares(context: Context) -> dict[str, float]:
    """How much of what name and rubric say falls to each family; the shares add up to 1, none where no rule knows."""
    return _family_shares(_rubric_weights(context))


def _family_shares(rubric: Mapping[str, float]) -> dict[str, float]:
    shares: dict[str, float] = defaultdict(float)
    for rule_id, weight in rubric.items():
        shares[_family(BY_ID[rule_id])] += weight / sum(rubric.values())
    return shares


def _rubric_weights(context: Context) -> dict[str, float]:
    """What the dimension's name and its rubric say for each rule, 1 at most for each of the two."""
    weights: dict[str, float] = {}
    for text in (context.dimension, context.rubric):
        found = affinities(text, context)
        for rule_id, weight in found.items():
            weights[rule_id] = weights.get(rule_id, 0.0) + weight / max(found.values())
    return weights


def _family(rule: Rule) -> str:
    return THEMES[rule.theme].family


def _agreement(rule: Rule, readings: Sequence[Reading], scores: Sequence[float | None]) -> float:
    """Kendall's tau-a between the measured value, turned so that more is better, and the score of the samples that
    have one; -1 to 1."""
    turn = 1 if rule.better is Better.MORE else -1
    rated = [(turn * r.value, float(s)) for r, s in zip(readings, scores, strict=True) if s is not None]
    pairs = list(combinations(rated, 2))
    if not pairs:
        return 0.0
    return sum(_sign(a[0] - b[0]) * _sign(a[1] - b[1]) for a, b in pairs) / len(pairs)


def _sign(number: float) -> int:
    return (number > 0) - (number < 0)
