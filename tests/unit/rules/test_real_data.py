"""The rules on SummEval: they tell texts apart, and their shares of yes rise with the experts' ratings."""

import json
from statistics import fmean

import pytest
from scipy.stats import spearmanr

from app.rules.catalogue import RULES
from app.rules.judge import RuleJudge
from tests.support.real_data import shared_data

SOURCES = 40
DIMENSIONS = {
    "coherence": (
        "Do the sentences follow a logical order?",
        "Is each sentence connected to the one before it?",
        "Is it a unified whole?",
    ),
    "consistency": (
        "Is everything supported by the article?",
        "Are facts represented accurately?",
        "Are names and numbers right?",
    ),
    "fluency": ("Is the grammar correct?", "Are all sentences complete?", "Are the sentences clear?"),
    "relevance": ("Are the main points covered?", "Is the central message conveyed?", "Are minor details avoided?"),
}


@pytest.fixture(scope="module")
def rows() -> list[dict]:
    lines = shared_data("summeval_model_annotations.aligned.paired.jsonl").read_text(encoding="utf-8").splitlines()
    every = [json.loads(line) for line in lines]
    kept = sorted({row["id"] for row in every})[:SOURCES]
    return [row for row in every if row["id"] in kept]


def yes_shares(rows: list[dict], dimension: str) -> list[float]:
    judge = RuleJudge()
    shared = {
        "task": {"text_name": "summary", "source_name": "article", "description": "", "language": "English"},
        "dimension": {"name": dimension, "rubric": "", "low": 1, "high": 5},
        "questions": [{"key": f"q{n}", "question": q} for n, q in enumerate(DIMENSIONS[dimension] * 2)],
    }
    answers = [judge.answer(shared | {"item": {"source": row["text"], "text": row["decoded"]}}).answers for row in rows]
    return [fmean(value == "yes" for value in given.values()) for given in answers]


@pytest.mark.parametrize("dimension", DIMENSIONS)
def test_shares_of_yes_rise_with_ratings(rows: list[dict], dimension: str) -> None:
    shares = yes_shares(rows, dimension)
    ratings = [fmean(rater[dimension] for rater in row["expert_annotations"]) for row in rows]
    assert len(set(shares)) >= 5
    assert spearmanr(shares, ratings).statistic > 0.1


def test_limits_spread_over_real_texts(rows: list[dict]) -> None:
    judge = RuleJudge()
    profiles = [judge.profile(row["decoded"], row["text"]) for row in rows]
    alike = []
    for rule in RULES:
        readings = [rule.measure(profile) for profile in profiles]
        shares = [fmean(rule.passes(reading, limit) for reading in readings) for limit in rule.limits]
        if shares[0] - shares[-1] < 0.05:
            alike.append(rule.id)
    # SummEval's texts are lower-cased and neutral news prose, so capitals, tone and odd spellings vary little there.
    assert set(alike) <= {"capitals", "tone", "spelling", "details", "punctuation"}
