"""Weights of a checklist's questions, learned from people's ratings and tested on sources they weren't learned from."""

from dataclasses import dataclass

import numpy as np
from scipy.optimize import nnls
from sklearn.model_selection import GroupKFold

from app.errors import NotReadyError
from app.meta_evaluation.bootstrap import AgreementDesign
from app.meta_evaluation.captions import FEW_TO_DRAW
from app.meta_evaluation.comparison import Difference, compare_scores
from app.meta_evaluation.questions.item_analysis import Counting, weighted_share
from app.meta_evaluation.score_matrix import Column, Floats, Ints

FOLDS = 5
FEWEST_FOR_WEIGHTS = 20
PENALTIES = tuple(np.logspace(-1, 3, 9))
"""Penalties on the squared weights, from nearly none to one that leaves each question its own agreement alone."""


@dataclass(frozen=True, slots=True)
class LearnedWeight:
    """A question's weight, 1 on average over the questions; `low` and `high` are the smallest and the largest of the
    folds' weights, each learned without a fifth of the sources."""

    question: int
    weight: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class QuestionWeights:
    """Learned weights compared with equal ones: Spearman of both on texts that the weights weren't learned from.

    `difference` is learned less equal. There are `folds` of whole `sources`, over `n` texts; `without_rating` others
    lack a rating or an answer.
    """

    weights: tuple[LearnedWeight, ...]
    difference: Difference
    n: int
    without_rating: int
    sources: int
    folds: int
    signature: str

    @property
    def verdict(self) -> str:
        few = f" But only {self.sources} sources: the true uncertainty is larger." if self.sources < FEW_TO_DRAW else ""
        return self._comparison() + few

    def _comparison(self) -> str:
        found = self.difference
        if found.difference is None or found.low is None or found.high is None:
            return f"Learned and equal weights can't be compared: {found.reason}"
        if found.low > 0:
            return "Learned weights agree with people better than equal ones on sources they never saw."
        if found.high < 0:
            return "Learned weights agree with people less than equal ones: keep equal weights."
        return "Learned weights are not better: the interval of the difference includes 0. Keep equal weights."


def learn_weights(
    answers: Floats, human: Floats, group: Column, frame: AgreementDesign, counting: Counting | None = None
) -> QuestionWeights:
    """Learn weights from answers (texts, questions), 1 yes, 0 no, NaN unanswered, and ratings `human` (texts,), NaN
    unrated.

    counting: as for `analyse_items`; its formula gives the equal weights. `group` names each text's source. Weights are
    not negative and come from ridge regression of the rating on the answers. Raises NotReadyError for too few texts,
    sources or questions.
    """
    kept = ~np.isnan(human) & ~np.isnan(answers).all(axis=1)
    sources = np.unique([str(cell) for cell, keep in zip(group, kept, strict=True) if keep], return_inverse=True)[1]
    _check(int(kept.sum()), int(sources.max(initial=-1)) + 1, answers.shape[1], human[kept])
    how = counting or Counting.plain(answers.shape[1])
    given, target = how.points(answers[kept]), human[kept]
    folds = min(FOLDS, int(sources.max()) + 1)
    held_out, by_fold = np.full(target.size, np.nan), []
    for train, test in GroupKFold(folds).split(given, target, sources):
        weights = _weights(given[train], target[train], sources[train])
        by_fold.append(weights)
        held_out[test] = weighted_share(given[test], weights)
    learned, spread = _weights(given, target, sources), np.array(by_fold)
    compared = compare_scores(held_out, how.score(answers[kept]), target, frame.of(kept), permutations=0)
    return QuestionWeights(
        tuple(
            LearnedWeight(
                question, float(learned[question]), float(spread[:, question].min()), float(spread[:, question].max())
            )
            for question in range(learned.size)
        ),
        compared.differences["spearman"].figure,
        n=target.size,
        without_rating=int((~kept).sum()),
        sources=int(sources.max()) + 1,
        folds=folds,
        signature=str(compared.signature),
    )


def _check(texts: int, sources: int, questions: int, human: Floats) -> None:
    if questions < 2:
        raise NotReadyError("A single question has no weight beside others.", "Weights need two questions or more.")
    if texts < FEWEST_FOR_WEIGHTS or sources < 3:
        raise NotReadyError(
            f"{texts} rated and answered texts of {sources} sources are too few to learn weights from.",
            f"At least {FEWEST_FOR_WEIGHTS} texts of 3 sources are needed; hundreds are better.",
        )
    if np.ptp(human) == 0:
        raise NotReadyError("All texts have the same rating, so no weight explains it better.", "Rate more texts.")


def _weights(answers: Floats, human: Floats, sources: Ints) -> Floats:
    """Return (questions,) weights, 1 on average, with the penalty that best predicts left-out sources; equal if
    all 0."""
    share = np.array([column[~np.isnan(column)].mean() if (~np.isnan(column)).any() else 0.0 for column in answers.T])
    filled = np.where(np.isnan(answers), share, answers)
    errors = np.zeros(len(PENALTIES))
    for train, test in GroupKFold(min(FOLDS, np.unique(sources).size)).split(filled, human, sources):
        known, mean = filled[train], human[train].mean()
        for place, penalty in enumerate(PENALTIES):
            predicted = mean + (filled[test] - known.mean(axis=0)) @ _ridge(known, human[train], penalty)
            errors[place] += np.mean((human[test] - predicted) ** 2)
    weights = _ridge(filled, human, PENALTIES[int(errors.argmin())])
    return weights / weights.mean() if weights.sum() > 0 else np.ones(answers.shape[1])


def _ridge(answers: Floats, human: Floats, penalty: float) -> Floats:
    """Return (questions,) weights, none negative, of ridge regression with an intercept: least squares of the centred
    columns with the penalty as further rows, solved exactly (Lawson and Hanson 1995, chapter 23)."""
    questions = answers.shape[1]
    rows = np.vstack([answers - answers.mean(axis=0), np.sqrt(penalty) * np.eye(questions)])
    weights: Floats = nnls(rows, np.concatenate([human - human.mean(), np.zeros(questions)]))[0]
    return weights
