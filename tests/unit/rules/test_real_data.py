"""The rules on SummEval: they tell texts apart, and their shares of yes rise with the experts' ratings."""

import asyncio
import json
from statistics import fmean

import pytest
from scipy.stats import spearmanr

from app.domain.checklist import Question
from app.domain.project import Dimension, Task, Text
from app.evaluators.checklist import JudgeOptions, judge_request
from app.prompting import available_prompts, load_prompt
from app.rules import RulesModel
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


@pytest.mark.parametrize("name", ["judge-checklist", "judge-checklist-open", "judge-checklist-evidence"])
def test_agreement_is_the_same_whichever_version_of_the_prompt_asks(
    rows: list[dict], model: RulesModel, name: str
) -> None:
    """Shorter wordings lose nothing that an answer rests on."""
    some, task = rows[::6], Task("summary", "article")
    dimension = Dimension("coherence", "Sentences build on each other.", 1, 5)
    asked = [Question(text, "Order", id=number) for number, text in enumerate(DIMENSIONS["coherence"], start=1)]
    options = JudgeOptions(evidence=name.endswith("evidence"), cannot_tell=name.endswith("open"))

    def agreement(version: int) -> tuple[list[str], float]:
        template = load_prompt(name, version)
        items = [Text(row["id"], row["decoded"], row["model_id"], source=row["text"]) for row in some]
        requests = [judge_request(template, task, dimension, asked, item, options) for item in items]
        replies = [asyncio.run(model.complete(request)).text for request in requests]
        shares = [reply.count('"yes"') for reply in replies]
        ratings = [fmean(rater["coherence"] for rater in row["expert_annotations"]) for row in some]
        return replies, spearmanr(shares, ratings).statistic

    before, *later = map(agreement, available_prompts()[name])
    assert later
    assert set(before[0]) != {before[0][0]}
    assert [each == before for each in later] == [True] * len(later)


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
