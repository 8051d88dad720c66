"""On real answers of four people and an LLM to 22 questions about 58 articles."""

import csv
from collections import defaultdict

import numpy as np

from app.meta_evaluation.questions.failure_modes.rubric_evidence import RubricEvidence
from app.meta_evaluation.questions.failure_modes.xray import failure_modes
from app.meta_evaluation.score_matrix import Floats
from tests.support.real_data import shared_data

NUMBERS = {"yes": 1.0, "no": 0.0}


def test_people_differ_on_ten_questions_and_questions_of_one_theme_are_answered_alike() -> None:
    with shared_data("framing_answers.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    articles = list(dict.fromkeys(row["doc_id"] for row in rows))
    questions = list(dict.fromkeys(row["question"] for row in rows))
    place = {(row["doc_id"], row["question"]): row for row in rows}

    def answers(who: str) -> Floats:
        return np.array([[NUMBERS.get(place[a, q][who], np.nan) for q in questions] for a in articles])

    found = failure_modes(
        RubricEvidence(
            judge=answers("gpt-4o")[None],
            judged=np.ones(len(articles), dtype=bool),
            people=np.stack([answers(f"human_{number}") for number in range(1, 5)]),
            words=np.ones(len(articles)),
            ratings=np.full(len(articles), np.nan),
            documents=articles,
            hints=((),) * len(questions),
            resamples=200,
        )
    )
    by_mode = defaultdict(dict)
    for each in found:
        assert each.question is not None
        by_mode[each.mode][questions[each.question]] = None if each.other is None else questions[each.other]
    assert len(by_mode["subjective"]) == 10
    assert by_mode["redundant"] == {"re6": "re2", "hi2": "hi1", "re4": "re2", "co2": "co1", "co3": "co1", "ec3": "ec1"}
    assert set(by_mode) == {"subjective", "redundant"}
