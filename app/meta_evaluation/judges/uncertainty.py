"""How unsure judges are of a text: from their probabilities of yes, their repeats, and each other's answers."""

import warnings
from dataclasses import dataclass

import numpy as np

from app.meta_evaluation.score_matrix import Floats


@dataclass(frozen=True, slots=True, eq=False)
class JudgeUncertainty:
    """`text` (texts,) is the standard deviation of a judge's answer, over the questions (root of the mean variance);
    texts that no judge answered have the mean of the others. `question` (texts, questions) is the variance
    p(1 - p), NaN where no judge answered. `known`: anything says that one text is less sure than another.
    """

    text: Floats
    question: Floats
    known: bool


def judge_uncertainty(yes: Floats) -> JudgeUncertainty:
    """Of (judges, texts, questions) shares of yes from 0 to 1, NaN where a judge didn't answer.

    A judge's share is its P(yes), or its part of yes among repeats, or its one answer. With p their mean over judges,
    p(1 - p) holds both how unsure each is and how far they are apart.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # all NaN: nobody answered
        p = np.nanmean(yes, axis=0)
        text = np.sqrt(np.nanmean(p * (1 - p), axis=1))
    answered = ~np.isnan(text)
    mean = float(text[answered].mean()) if answered.any() else 0.0
    text = np.where(answered, text, mean)
    return JudgeUncertainty(text, p * (1 - p), bool(np.ptp(text) > 1e-9) if text.size else False)
