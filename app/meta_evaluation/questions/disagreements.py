"""Where answers to a question about a text part: those of people, a judge's from people's, a judge's own repeats.

Answers are numbers: 1 yes, 0 no, OUTSIDE for "does not apply", NaN for none. What nobody answered, and what a judge
says that it can't tell, is none, and never parts from anything.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from app.meta_evaluation.score_matrix import Bools, Floats

OUTSIDE = 2.0
"""The question doesn't apply to the text."""
_EACH = (1.0, 0.0, OUTSIDE)


class PartedKind(StrEnum):
    """EXPERTS: not all people who answered said the same. JUDGE: what most repeats of a judge say is not what most
    people say; where either is split there is nothing to differ from. REPEATS: a judge, asked again, said something
    else."""

    EXPERTS = "experts"
    JUDGE = "judge"
    REPEATS = "repeats"


@dataclass(frozen=True, slots=True, eq=False)
class PartedAnswers:
    """`experts` (texts, questions), `judges` and `repeats` (judges, texts, questions) mark the kinds; decisions change
    none of them.

    `weight` (texts, questions), 0 to 1: by how much settling would change the judges' agreement with the reference on
    the question, see `settling_weight`.
    """

    experts: Bools
    judges: Bools
    repeats: Bools
    weight: Floats

    @property
    def anywhere(self) -> Bools:
        """(texts, questions): whether anything parts."""
        found: Bools = self.experts | self.judges.any(axis=0) | self.repeats.any(axis=0)
        return found


def parted_answers(people: Floats, judges: Sequence[Floats], decided: Floats) -> PartedAnswers:
    """`people` is (people, texts, questions), each of `judges` (repeats, texts, questions), and `decided` (texts,
    questions) what was decided already, NaN elsewhere."""
    shape = decided.shape
    own = np.stack([most_given(answers) for answers in judges]) if judges else np.empty((0, *shape))
    most = most_given(people)
    both = ~np.isnan(own) & ~np.isnan(most)
    wavering = [_part(answers) for answers in judges]
    return PartedAnswers(
        _part(people),
        both & (own != most),
        np.stack(wavering) if wavering else np.empty((0, *shape), dtype=bool),
        settling_weight(people, judges, decided),
    )


def most_given(answers: Floats) -> Floats:
    """(texts, questions) of (people or repeats, texts, questions): "does not apply" where most say so; yes or no where
    more say either than that it doesn't apply, and more the one than the other. NaN elsewhere."""
    yes, no, outside = ((answers == each).sum(axis=0) for each in _EACH)
    applies = yes + no > outside
    found = np.where(applies & (yes > no), 1.0, np.where(applies & (no > yes), 0.0, np.nan))
    return np.where(outside > yes + no, OUTSIDE, found)


def settled(most: Floats, decided: Floats) -> Floats:
    """The reference: what was decided, else what most say."""
    return np.where(np.isnan(decided), most, decided)


def settling_weight(people: Floats, judges: Sequence[Floats], decided: Floats) -> Floats:
    """(texts, questions): how far the judges' agreement with the reference on the question would move on average, if
    the text were settled as one of those who answered says, each as likely: a person, or a judge whose repeats share
    its voice.

    Agreement is the share of the texts with both on which a judge's answer is the reference; where no text has both
    yet, the first one moves it by 1. Without judges it is the chance that the reference becomes another, over the texts
    that have one.
    """
    reference = settled(most_given(people), decided)
    chances = _chances(people, judges)
    found = np.zeros(decided.shape)
    if not judges:
        stays = np.stack([chances[place] * (reference == each) for place, each in enumerate(_EACH)]).sum(axis=0)
        known = ~np.isnan(reference)
        texts = known.sum(axis=0) + ~known
        return np.where(chances.sum(axis=0) > 0, (1 - stays) / texts, 0.0)
    for answers in judges:
        own = most_given(answers)
        for chance, each in zip(chances, _EACH, strict=True):
            found += chance * _moved(own, reference, each)
    return found / len(judges)


def _chances(people: Floats, judges: Sequence[Floats]) -> Floats:
    """(answers, texts, questions): the share of those who answered that gave each; 0 where nobody did."""
    voices = np.stack([(people == each).sum(axis=0) for each in _EACH]).astype(np.float64)
    for answers in judges:
        given = np.maximum((~np.isnan(answers)).sum(axis=0), 1)
        voices += np.stack([(answers == each).sum(axis=0) / given for each in _EACH])
    found: Floats = voices / np.maximum(voices.sum(axis=0), 1.0)
    return found


def _moved(own: Floats, reference: Floats, answer: float) -> Floats:
    """(texts, questions): how far one judge's agreement moves where the reference of this one text becomes `answer`."""
    known = ~np.isnan(own)
    counted = known & ~np.isnan(reference)
    right = counted & (own == reference)
    texts, agreed = counted.sum(axis=0), right.sum(axis=0)
    texts_then = texts - counted + known
    agreed_then = agreed - right + (own == answer)
    now = agreed / np.maximum(texts, 1)
    moved = np.where(texts == 0, 1.0, np.abs(agreed_then / np.maximum(texts_then, 1) - now))
    return np.where(known, moved, 0.0)


def _part(answers: Floats) -> Bools:
    """(texts, questions): whether not all answers there are the same."""
    found: Bools = np.stack([(answers == each).any(axis=0) for each in _EACH]).sum(axis=0) > 1
    return found
