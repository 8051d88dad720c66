"""Classical item analysis of the judge's yes and no: how much each question of a checklist adds to the score.

Flags say in plain words what looks odd; nothing is ever deleted automatically.
"""

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from app.meta_evaluation.bootstrap import AgreementDesign
from app.meta_evaluation.comparison import compare_scores
from app.meta_evaluation.correlation import single
from app.meta_evaluation.evaluation import evaluate
from app.meta_evaluation.questions.question_agreement import FEWEST_TEXTS_FOR_A_VERDICT
from app.meta_evaluation.score_matrix import Bools, Floats, Level

LOW_DISCRIMINATION = 0.2
"""Below this an item is commonly called poor (Ebel and Frisbie 1991)."""
REDUNDANT = 0.8
MANY_UNANSWERED = 0.1
RARE = 0.05
HARMS = "Without it the checklist agrees better with people: the interval of its effect lies below 0."


@dataclass(frozen=True, slots=True)
class QuestionItem:
    """Item statistics of a question over `n` texts that answered it yes or no; None where undefined. `n_undefined`
    texts left it unanswered, and it doesn't apply to `n_inapplicable`.

    A text earns the question's point with a yes, or with a no if a yes is bad. Its rest score is the share of points
    from the other questions. `yes_share` is the share of yes, `discrimination` the point-biserial correlation of point
    and rest score. `top_less_bottom` is the share that earn the point in the third of texts with the highest rest
    scores, less that in the lowest third. `without` is the checklist's Spearman with people without the question.
    `effect` is Spearman with it less `without`, positive if the question helps, with its 95 % interval from `low` to
    `high`; both use the groups that have a coefficient with and without it.
    """

    question: int
    n: int
    n_undefined: int
    yes_share: float | None
    discrimination: float | None
    top_less_bottom: float | None
    without: float | None
    effect: float | None
    low: float | None
    high: float | None
    flags: tuple[str, ...]
    n_inapplicable: int = 0


@dataclass(frozen=True, slots=True)
class Redundancy:
    """The phi coefficient of two questions over the `n` texts that answered both."""

    first: int
    second: int
    phi: float
    n: int


@dataclass(frozen=True, slots=True)
class ItemAnalysis:
    """All items of a checklist. `redundant` holds the pairs with an absolute phi of at least REDUNDANT, strongest
    first; `pairs_undefined` pairs have no phi because one of the two has only one answer."""

    items: tuple[QuestionItem, ...]
    redundant: tuple[Redundancy, ...]
    pairs_undefined: int
    level: Level
    spearman: float | None
    reason: str = ""
    method: str = "classical item analysis"


@dataclass(frozen=True, slots=True, eq=False)
class Counting:
    """How the questions count: `against` (questions,) marks those to which a yes is bad; `shares` (questions,) are
    their relative weights; `caps` (questions,) the highest score, as a share, of a text that fails the question, NaN
    without a cap."""

    against: Bools
    shares: Floats
    caps: Floats

    @classmethod
    def plain(cls, questions: int) -> "Counting":
        """Return the counting of questions that have equal weights and to which a yes is good."""
        return cls(np.zeros(questions, dtype=bool), np.ones(questions), np.full(questions, np.nan))

    def points(self, answers: Floats) -> Floats:
        """Return (texts, questions) 1 where the answer earns the point, 0 where it doesn't, NaN as in `answers`."""
        return np.where(self.against, 1 - answers, answers)

    def score(self, answers: Floats, without: int | None = None) -> Floats:
        """Return (texts,) the share of points by the checklist's formula, NaN where nothing is answered."""
        kept = np.arange(answers.shape[1]) != (-1 if without is None else without)
        points, shares, caps = self.points(answers)[:, kept], self.shares[kept], self.caps[kept]
        plain = bool((shares == 1).all())
        value = share_of_yes(points) if plain else weighted_share(points, shares)
        if np.isnan(caps).all():
            return value
        most = np.where((points == 0) & ~np.isnan(caps), caps, np.inf).min(axis=1)
        return np.where(np.isnan(value), np.nan, np.minimum(value, most))


def analyse_items(
    answers: Floats,
    human: Floats,
    frame: AgreementDesign | None = None,
    inapplicable: Bools | None = None,
    counting: Counting | None = None,
) -> ItemAnalysis:
    """Analyse each question. `answers` is (texts, questions) with 1 for yes, 0 for no, NaN for unanswered and for "does
    not apply", which `inapplicable` marks; `human` is (texts,). counting: None for equal weights and yes as the good
    answer.

    The effect of dropping is on Spearman at the frame's level between the share of points and the ratings; each
    resample draws the same for the checklist with and without the question.
    """
    by = (frame or AgreementDesign(level="dataset")).each_text
    how = counting or Counting.plain(answers.shape[1])
    whole, points = how.score(answers), how.points(answers)
    found = evaluate(whole, human, by).figures["spearman"]
    pairs, undefined = _phi_pairs(answers)
    redundant = tuple(sorted((p for p in pairs if abs(p.phi) >= REDUNDANT), key=lambda p: -abs(p.phi)))
    items = []
    outside = np.zeros(answers.shape, dtype=bool) if inapplicable is None else inapplicable
    for question in range(answers.shape[1]):
        rest = how.score(answers, without=question)
        effect, beside = _effect(whole, rest, human, by), int(outside[:, question].sum())
        items.append(_item(question, answers[:, question], points[:, question], rest, effect, redundant, beside))
    return ItemAnalysis(tuple(items), redundant, undefined, by.level, found.value, found.reason)


@dataclass(frozen=True, slots=True)
class _Effect:
    without: float | None = None
    difference: float | None = None
    low: float | None = None
    high: float | None = None


def _effect(whole: Floats, rest: Floats, human: Floats, by: AgreementDesign) -> _Effect:
    compared = compare_scores(whole, rest, human, by, permutations=0)
    found = compared.differences["spearman"].figure
    return _Effect(found.b, found.difference, found.low, found.high)


def share_of_yes(answers: Floats) -> Floats:
    """Return (texts,) the share of yes among the answers, NaN where nothing is answered."""
    answered = (~np.isnan(answers)).sum(axis=1)
    return np.where(answered > 0, np.nansum(answers, axis=1) / np.maximum(answered, 1), np.nan)


def weighted_share(answers: Floats, weights: Floats) -> Floats:
    """Return (texts,) the weight of yes among the weights of all answers given, NaN where those sum to 0."""
    given = (~np.isnan(answers)) @ weights
    return np.where(given > 0, np.nan_to_num(answers) @ weights / np.where(given > 0, given, 1.0), np.nan)


def point_biserial(answer: Floats, rest: Floats) -> float | None:
    """Return Pearson's r of a 0/1 variable with the rest score, over texts with both; None if either is constant."""
    both = ~np.isnan(answer) & ~np.isnan(rest)
    if both.sum() < 3:
        return None
    r = float(single(answer[both], rest[both])[2])
    return None if np.isnan(r) else r


def top_less_bottom(answer: Floats, rest: Floats) -> float | None:
    """Return the mean of `answer` (0 or 1) in the top third by rest score less that in the bottom third; None where the
    thirds overlap.

    Thirds are cut by value, so that texts with equal rest scores fall on the same side.
    """
    both = ~np.isnan(answer) & ~np.isnan(rest)
    if both.sum() < 3:
        return None
    yes, score = answer[both], rest[both]
    low, high = np.quantile(score, [1 / 3, 2 / 3], method="inverted_cdf")
    top, bottom = score >= high, score <= low
    if low >= high:
        return None
    return float(yes[top].mean() - yes[bottom].mean())


def _phi_pairs(answers: Floats) -> tuple[list[Redundancy], int]:
    """Return the phi coefficient (Pearson's r of two yes/no answers) of each pair, and how many pairs have none."""
    found, undefined = [], 0
    for i, j in combinations(range(answers.shape[1]), 2):
        both = ~np.isnan(answers[:, i]) & ~np.isnan(answers[:, j])
        phi = float(single(answers[both, i], answers[both, j])[2])
        if np.isnan(phi):
            undefined += 1
        else:
            found.append(Redundancy(i, j, phi, int(both.sum())))
    return found, undefined


def _item(
    question: int,
    answer: Floats,
    point: Floats,
    rest: Floats,
    effect: _Effect,
    redundant: tuple[Redundancy, ...],
    inapplicable: int,
) -> QuestionItem:
    answered = ~np.isnan(answer)
    n, lost = int(answered.sum()), int((~answered).sum()) - inapplicable
    share = float(answer[answered].mean()) if n else None
    discrimination = point_biserial(point, rest)
    twins = [p.second if p.first == question else p.first for p in redundant if question in (p.first, p.second)]
    return QuestionItem(
        question=question,
        n=n,
        n_undefined=lost,
        yes_share=share,
        discrimination=discrimination,
        top_less_bottom=top_less_bottom(point, rest),
        without=effect.without,
        effect=effect.difference,
        low=effect.low,
        high=effect.high,
        flags=(
            *(_flags(n, share, discrimination, lost / answer.size, twins) if answer.size else ()),
            *(() if effect.high is None or effect.high >= 0 else (HARMS,)),
        ),
        n_inapplicable=inapplicable,
    )


def _flags(
    n: int, share: float | None, discrimination: float | None, unanswered: float, twins: list[int]
) -> tuple[str, ...]:
    said = []
    if share is None:
        said.append("Never answered.")
    elif n < FEWEST_TEXTS_FOR_A_VERDICT:
        said.append(
            f"Answered for {n} {'text' if n == 1 else 'texts'}: remarks on answers need {FEWEST_TEXTS_FOR_A_VERDICT}."
        )
    elif share in (0.0, 1.0):
        said.append(f"Always answered {'yes' if share else 'no'}: it tells no two texts apart.")
    elif min(share, 1 - share) < RARE:
        said.append(f"Nearly always answered {'yes' if share > 0.5 else 'no'}: it tells few texts apart.")
    elif discrimination is not None and discrimination < 0:
        said.append("Texts that do well on the other questions earn its point less often: it may ask for the opposite.")
    elif discrimination is not None and discrimination < LOW_DISCRIMINATION:
        said.append("Hardly goes with the other questions: it may measure something else, or be ambiguous.")
    if unanswered >= MANY_UNANSWERED:
        said.append(f"Unanswered for {100 * unanswered:.0f} % of the texts: it may be unclear or not apply.")
    if twins and n >= FEWEST_TEXTS_FOR_A_VERDICT:
        said.append(f"Answered almost like question {', '.join(str(twin + 1) for twin in twins)}: one may be enough.")
    return tuple(said)
