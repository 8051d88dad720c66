"""What is known about a checklist's questions: the judge's answers, people's, lengths, ratings, hints on wording."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from app.meta_evaluation.choices import RESAMPLES
from app.meta_evaluation.questions.disagreements import OUTSIDE, settled
from app.meta_evaluation.questions.item_analysis import share_of_yes
from app.meta_evaluation.questions.question_agreement import majority, most_say
from app.meta_evaluation.score_matrix import Bools, Column, Floats

WordingHint = tuple[str, str]
"""The code of a check of wording, and what it said."""


@dataclass(frozen=True, eq=False)  # no slots: what is derived is kept
class RubricEvidence:
    """Answers are 1 yes, 0 no, NaN none.

    `judge` is (repeats, texts, questions); `judged` (texts,) marks the texts that the judge was asked about, so that
    what it left unanswered there is told from what it never saw. `people` is (experts, texts, questions), with no
    expert where nobody answered. `inapplicable` and `people_inapplicable`, shaped as `judge` and `people`, are as for
    `most_say`, None where every question always applies. `decided` (texts, questions) is as for `reference_of`, None
    where nothing was decided. `words` (texts,) counts each text's words, `ratings` (texts,)
    is the mean rating of the dimension, NaN where there is none.
    `documents` names each text's source: intervals draw whole sources. `weights` (texts,) make up for texts drawn for
    experts with unequal chances, 0 where nobody knows the chance; None where all were drawn alike. `hints`: by
    question, what the checks of wording said. `unserved` of the `attributes` stand behind no question.
    """

    judge: Floats
    judged: Bools
    people: Floats
    words: Floats
    ratings: Floats
    documents: Column
    hints: tuple[tuple[WordingHint, ...], ...]
    unserved: int = 0
    attributes: int = 0
    weights: Floats | None = None
    inapplicable: Floats | None = None
    people_inapplicable: Floats | None = None
    decided: Floats | None = None
    resamples: int = RESAMPLES
    seed: int = 0

    @property
    def questions(self) -> int:
        return int(self.judge.shape[2])

    @cached_property
    def answers(self) -> Floats:
        """(texts, questions): what most repeats say, NaN where they are split evenly."""
        return _most(self.judge, self.inapplicable)

    @cached_property
    def experts_say(self) -> Floats:
        """(texts, questions): what was decided, else what most experts say, NaN where they are split evenly or
        silent, or it doesn't apply."""
        most = _most(self.people, self.people_inapplicable)
        if self.decided is None:
            return most
        return np.where(self.decided == OUTSIDE, np.nan, settled(most, self.decided))

    @property
    def weight(self) -> Floats:
        """(texts,): how much experts' answers about each text count in shares."""
        return np.ones(self.words.size) if self.weights is None else self.weights

    def rest_without(self, *places: int) -> Floats:
        """(texts,): the share of yes to the other questions, NaN where none of them is answered."""
        return share_of_yes(np.delete(self.answers, places, axis=1))


def _most(answers: Floats, inapplicable: Floats | None) -> Floats:
    places = range(answers.shape[2])
    if inapplicable is None:
        return np.stack([majority(answers[:, :, place]) for place in places], axis=1)
    return np.stack([most_say(answers[:, :, place], inapplicable[:, :, place]) for place in places], axis=1)
