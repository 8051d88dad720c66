"""Answers to a checklist of good questions by a steady judge and two experts, to plant faults in."""

from dataclasses import replace
from typing import Any

import numpy as np

from app.meta_evaluation.questions.failure_modes.rubric_evidence import RubricEvidence
from app.meta_evaluation.score_matrix import Floats

EACH = 4  # texts of one document


def good_rubric(seed: int, texts: int = 160, questions: int = 8, resamples: int = 200) -> RubricEvidence:
    """Each text's quality decides a tendency of its own for each question; judge and experts see it with some noise.

    Longer texts are a little better, to people and to the judge alike. The judge slips on 2 of 100 repeats.
    """
    rng = np.random.default_rng(seed)
    document = np.repeat(rng.normal(size=texts // EACH), EACH)
    quality = 0.5 * document + rng.normal(size=texts)
    words = np.exp(5 + 0.3 * quality + rng.normal(scale=0.8, size=texts)).round()
    aspect = quality[:, None] + rng.normal(size=(texts, questions)) + rng.uniform(-0.7, 0.7, size=questions)

    def answers(noise: float) -> Floats:
        return (aspect + rng.normal(scale=noise, size=aspect.shape) > 0).astype(np.float64)

    judge = answers(0.4)
    slips = rng.random((2, *judge.shape)) < 0.02
    return RubricEvidence(
        judge=np.abs(judge - slips),
        judged=np.ones(texts, dtype=bool),
        people=np.stack([answers(0.3), answers(0.3)]),
        words=words,
        ratings=quality + rng.normal(size=texts),
        documents=[f"d{number // EACH}" for number in range(texts)],
        hints=((),) * questions,
        resamples=resamples,
    )


def with_answers(found: RubricEvidence, place: int, said: Floats) -> RubricEvidence:
    """The judge says this to the question, at every repeat."""
    judge = found.judge.copy()
    judge[:, :, place] = said
    return replace(found, judge=judge)


def with_people(found: RubricEvidence, place: int, said: Any) -> RubricEvidence:
    """The experts say this to the question."""
    people = found.people.copy()
    people[:, :, place] = said
    return replace(found, people=people)
