"""Benchmark of looks at a judge: how often an unchanged one is accused, and how many anchors find one that changed.

Made-up judges: each answer to an anchor is what the judge settled on, or with the share `noise` the other one, anew
each time. One that changed has settled on the other answer in a tenth of the cases.
"""

from typing import Any

import numpy as np

from app.meta_evaluation.judges.drift import LIMIT, REPEATS, Codes, RepeatedAnchorAnswers, capital, look_p
from app.meta_evaluation.score_matrix import Bools, Floats

SIMULATIONS, LOOKS, SEED, AT_ONCE = 1000, 200, 7, 100
ANCHORS, QUESTIONS = 6, 5
NOISES = {"none": 0.0, "little": 0.02, "much": 0.2}
FLIPPED = 0.1
CALM, AFTER, LATE_ANCHORS, LATE_QUESTIONS = 150, 20, 15, 10
CHECKLISTS = (1, 5, 10, 20, 30)
SEARCHED = (*range(3, 20), *range(20, 61, 2), *range(65, 201, 5))
POWERS = (0.8, 0.9)


def run() -> dict[str, Any]:
    """False alarms by the judge's own noise; anchors that find a tenth of flips by noise and number of questions."""
    return {
        "simulations": SIMULATIONS,
        "looks": LOOKS,
        "anchors": ANCHORS,
        "questions": QUESTIONS,
        "false alarms": {name: false_alarms(noise) for name, noise in NOISES.items()},
        "flipped": FLIPPED,
        "anchors found at the first look": {
            f"{questions} questions": {
                name: _needed(questions, noise) for name, noise in NOISES.items() if name != "much"
            }
            for questions in CHECKLISTS
        },
        f"looks until half are found after {CALM} calm ones, {LATE_ANCHORS} anchors": late_finds(),
    }


def false_alarms(noise: float, simulations: int = SIMULATIONS, looks: int = LOOKS) -> float:
    """The share of unchanged judges that some look accuses."""
    rng = np.random.default_rng(SEED)
    accused = 0
    for start in range(0, simulations, AT_ONCE):
        answers = judges(rng, min(AT_ONCE, simulations - start), ANCHORS, QUESTIONS, noise, looks)
        accused += int(_accused(answers).sum())
    return accused / simulations


def found_at_first_look(anchors: int, questions: int, noise: float, simulations: int = SIMULATIONS) -> float:
    """The share of judges with a tenth of their answers flipped that the first look finds."""
    rng = np.random.default_rng(SEED)
    return float(_accused(judges(rng, simulations, anchors, questions, noise, 1, changed_at=0)).mean())


def late_finds(simulations: int = SIMULATIONS // 10) -> dict[str, float]:
    """By noise: how many looks after a change it is found in half of the judges, calm ones having gone before."""
    rng = np.random.default_rng(SEED)
    found = {}
    for name, noise in NOISES.items():
        answers = judges(rng, simulations, LATE_ANCHORS, LATE_QUESTIONS, noise, CALM + AFTER, changed_at=CALM)
        grown = _capital(answers)[:, CALM:] >= LIMIT
        looks = np.where(grown.any(axis=1), grown.argmax(axis=1) + 1, np.inf)
        found[name] = float(np.median(looks))
    return found


def judges(
    rng: np.random.Generator,
    simulations: int,
    anchors: int,
    questions: int,
    noise: float,
    looks: int,
    changed_at: int | None = None,
) -> Codes:
    """(simulations, anchors, answerings, questions) of 0 and 1; `changed_at`: the looks before the change."""
    settled = rng.integers(0, 2, (simulations, anchors, 1, questions), dtype=np.int8)
    answers = np.repeat(settled, REPEATS + looks, axis=2)
    if changed_at is not None:
        answers[:, :, REPEATS + changed_at :] ^= rng.random(settled.shape) < FLIPPED
    answers ^= rng.random(answers.shape) < noise
    return answers


def _needed(questions: int, noise: float) -> str:
    """The fewest anchors for each power, searched from few to many."""
    needed: dict[str, int] = {}
    for anchors in SEARCHED:
        power = found_at_first_look(anchors, questions, noise)
        needed |= {f"{wanted:.0%}": anchors for wanted in POWERS if power >= wanted and f"{wanted:.0%}" not in needed}
        if len(needed) == len(POWERS):
            break
    return ", ".join(f"{anchors} in {power}" for power, anchors in needed.items())


def _accused(answers: Codes) -> Bools:
    accused: Bools = np.asarray((_capital(answers) >= LIMIT).any(axis=-1))
    return accused


def _capital(answers: Codes) -> Floats:
    return capital(look_ps(answers))


def look_ps(answers: Codes) -> Floats:
    """(..., looks) of each answering after the first REPEATS."""
    present = np.ones(answers.shape[:-1], dtype=np.bool_)
    looks = range(REPEATS + 1, answers.shape[-2] + 1)
    return np.stack(
        [look_p(RepeatedAnchorAnswers(answers[..., :end, :], present[..., :end])) for end in looks], axis=-1
    )
