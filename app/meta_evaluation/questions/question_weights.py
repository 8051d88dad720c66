"""Would some questions deserve more weight? Weights learned from ratings, tested only on sources they never saw.

Nested cross-validation: an outer fold holds whole sources back; inside the others the strength of the penalty is
chosen, again by whole sources; the weights learned there score the texts held back. So no text, and no text of the
same source, helps to score itself. Equal weights stand beside, and the interval of the paired difference decides.
"""

from dataclasses import dataclass

import numpy as np
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV, GroupKFold

from app.errors import NotReadyError
from app.meta_evaluation.captions import FEW_TO_DRAW
from app.meta_evaluation.comparison import Difference, compare_scores
from app.meta_evaluation.frame import Frame
from app.meta_evaluation.questions.item_analysis import share_of_yes
from app.meta_evaluation.score_matrix import Column, Floats, Ints

FOLDS = 5
FEWEST_TEXTS = 20
PENALTIES = tuple(np.logspace(-1, 3, 9))
"""Of the squared weights, from next to none to one that lets each question count by its own agreement alone."""


@dataclass(frozen=True, slots=True)
class LearnedWeight:
    """A question's weight, 1 on average over the questions; `low` and `high` are the least and the most over the
    folds, each learned without a fifth of the sources."""

    question: int
    weight: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class QuestionWeights:
    """Learned weights beside equal ones: Spearman of both on texts that the weights never saw.

    `difference` is learned less equal. `folds` of whole `sources`, over `n` texts; `without_rating` others have no
    rating or no answer.
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


def learn_weights(answers: Floats, human: Floats, group: Column, frame: Frame) -> QuestionWeights:
    """`answers` is (texts, questions) with 1 for yes, 0 for no, NaN for unanswered; `human` (texts,), NaN unrated.

    `group` names each text's source. Weights are not negative and come from ridge regression of the rating on the
    answers (scikit-learn). Raises NotReadyError where there are too few texts, sources or questions to learn from.
    """
    kept = ~np.isnan(human) & ~np.isnan(answers).all(axis=1)
    sources = np.unique([str(cell) for cell, keep in zip(group, kept, strict=True) if keep], return_inverse=True)[1]
    _check(int(kept.sum()), int(sources.max(initial=-1)) + 1, answers.shape[1], human[kept])
    given, target = answers[kept], human[kept]
    folds = min(FOLDS, int(sources.max()) + 1)
    held_out, by_fold = np.full(target.size, np.nan), []
    for train, test in GroupKFold(folds).split(given, target, sources):
        weights = _weights(given[train], target[train], sources[train])
        by_fold.append(weights)
        held_out[test] = weighted_share(given[test], weights)
    learned, spread = _weights(given, target, sources), np.array(by_fold)
    by = frame.of(kept)
    compared = compare_scores(
        held_out,
        share_of_yes(given),
        target,
        group=by.group,
        system=by.system,
        level=by.level,
        duplicates="keep",
        constant=by.constant,
        resamples=by.resamples,
        permutations=0,
        seed=by.seed,
    )
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


def weighted_share(answers: Floats, weights: Floats) -> Floats:
    """(texts,) the weight of yes among the weight of all answers given, NaN where none has weight."""
    given = (~np.isnan(answers)) @ weights
    return np.where(given > 0, np.nan_to_num(answers) @ weights / np.where(given > 0, given, 1.0), np.nan)


def _check(texts: int, sources: int, questions: int, human: Floats) -> None:
    if questions < 2:
        raise NotReadyError("A single question has no weight beside others.", "Weights need two questions or more.")
    if texts < FEWEST_TEXTS or sources < 3:
        raise NotReadyError(
            f"{texts} rated and answered texts of {sources} sources are too few to learn weights from.",
            f"At least {FEWEST_TEXTS} texts of 3 sources are needed; hundreds are better.",
        )
    if np.ptp(human) == 0:
        raise NotReadyError("All texts have the same rating, so no weight explains it better.", "Rate more texts.")


def _weights(answers: Floats, human: Floats, sources: Ints) -> Floats:
    """(questions,) 1 on average, with the penalty that predicts whole sources left out best; equal where all are 0."""
    share = np.array([column[~np.isnan(column)].mean() if (~np.isnan(column)).any() else 0.0 for column in answers.T])
    filled = np.where(np.isnan(answers), share, answers)
    folds = min(FOLDS, np.unique(sources).size)
    search = GridSearchCV(
        Ridge(positive=True), {"alpha": PENALTIES}, cv=GroupKFold(folds), scoring="neg_mean_squared_error"
    )
    weights: Floats = search.fit(filled, human, groups=sources).best_estimator_.coef_
    return weights / weights.mean() if weights.sum() > 0 else np.ones(answers.shape[1])
