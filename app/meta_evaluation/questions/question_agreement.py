"""Agreement on each question: the experts among themselves, and the judge with the experts.

Low agreement among people suggests an ambiguous question. High agreement among people but low agreement with the judge
suggests that the judge fails at it. The verdicts are hints in plain words, never automatic decisions.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

import numpy as np

from app.meta_evaluation.raters.rater_agreement import Agreement, cohen_kappa, fleiss_kappa, krippendorff_alpha
from app.meta_evaluation.score_matrix import Bools, Floats

OUTSIDE = 2.0
"""Code of the answer "does not apply"."""
_EACH = (1.0, 0.0, OUTSIDE)


class DisagreementKind(StrEnum):
    """Kinds of disagreement. EXPERTS: people gave different answers. JUDGE: the majority of a judge's repeats differs
    from the people's majority (not where either is split). REPEATS: a judge's repeats differ."""

    EXPERTS = "experts"
    JUDGE = "judge"
    REPEATS = "repeats"


@dataclass(frozen=True, slots=True, eq=False)
class DisagreeingAnswers:
    """Where answers differ, by kind: `experts` (texts, questions), `judges` and `repeats` (judges, texts, questions).
    Decisions don't change them.

    `weight` (texts, questions), 0 to 1: by how much settling would change the judges' agreement with the reference on
    the question, see `decision_weight`.
    """

    experts: Bools
    judges: Bools
    repeats: Bools
    weight: Floats

    @property
    def anywhere(self) -> Bools:
        """(texts, questions): whether there is a disagreement of any kind."""
        found: Bools = self.experts | self.judges.any(axis=0) | self.repeats.any(axis=0)
        return found


def disagreeing_answers(people: Floats, judges: Sequence[Floats], decided: Floats) -> DisagreeingAnswers:
    """Return the disagreements. `people` is (people, texts, questions), each of `judges` (repeats, texts, questions),
    and `decided` (texts, questions) the answers decided already, NaN elsewhere."""
    shape = decided.shape
    own = np.stack([most_given(answers) for answers in judges]) if judges else np.empty((0, *shape))
    most = most_given(people)
    both = ~np.isnan(own) & ~np.isnan(most)
    wavering = [_part(answers) for answers in judges]
    return DisagreeingAnswers(
        _part(people),
        both & (own != most),
        np.stack(wavering) if wavering else np.empty((0, *shape), dtype=bool),
        decision_weight(people, judges, decided),
    )


def most_given(answers: Floats) -> Floats:
    """Return the (texts, questions) majority of answers (people or repeats, texts, questions): "does not apply" if more
    say so than yes or no together; else the more frequent of yes and no. NaN for ties."""
    yes, no, outside = ((answers == each).sum(axis=0) for each in _EACH)
    applies = yes + no > outside
    found = np.where(applies & (yes > no), 1.0, np.where(applies & (no > yes), 0.0, np.nan))
    return np.where(outside > yes + no, OUTSIDE, found)


def settled(most: Floats, decided: Floats) -> Floats:
    """Return the reference: the decided answer, else the majority."""
    return np.where(np.isnan(decided), most, decided)


def decision_weight(people: Floats, judges: Sequence[Floats], decided: Floats) -> Floats:
    """Return (texts, questions) how far settling a text moves the judges' agreement with the reference, on average over
    the answers given to it: each person has one vote, and so has each judge, shared among its repeats.

    Agreement is the share of texts with both answers on which a judge equals the reference; if no text has both yet,
    the first one moves it by 1. Without judges the weight is the chance that the reference changes, over the number of
    texts that have one.
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
    """Return (answers, texts, questions) the share of votes for each answer; 0 without votes."""
    voices = np.stack([(people == each).sum(axis=0) for each in _EACH]).astype(np.float64)
    for answers in judges:
        given = np.maximum((~np.isnan(answers)).sum(axis=0), 1)
        voices += np.stack([(answers == each).sum(axis=0) / given for each in _EACH])
    found: Floats = voices / np.maximum(voices.sum(axis=0), 1.0)
    return found


def _moved(own: Floats, reference: Floats, answer: float) -> Floats:
    """Return (texts, questions) how far one judge's agreement moves if this one text's reference becomes `answer`."""
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
    """Return (texts, questions) whether the answers differ."""
    found: Bools = np.stack([(answers == each).any(axis=0) for each in _EACH]).sum(axis=0) > 1
    return found


Verdict = Literal["fine", "ambiguous question", "judge fails", "can't be told"]
ENOUGH = 0.6
"""Kappa or alpha from which agreement is commonly called substantial (Landis and Koch 1977)."""
FEWEST_TEXTS_FOR_A_VERDICT = 5
"""Texts below which a question gets no verdict and no flag. Our own choice: one text shows nothing of the kind."""


@dataclass(frozen=True, slots=True)
class QuestionAgreement:
    """Agreement on one yes/no question. `people` is alpha over the experts, who may have skipped texts; `fleiss`, for
    texts that all answered; `judge` Cohen's kappa of the judge with the reference: the decided answer, else the
    experts' majority (ties left out). `decided` counts the texts whose reference is a decision. `too_few` says which
    texts are too few for a verdict, "" if there are enough."""

    question: int
    people: Agreement
    fleiss: Agreement
    judge: Agreement
    verdict: Verdict
    too_few: str = ""
    decided: int = 0


@dataclass(frozen=True, slots=True)
class ApplicabilityAgreement:
    """Agreement on whether a question applies: "does not apply" against yes and no together. `people` is alpha over the
    experts, `judge` Cohen's kappa of the judge with the decided answer, else with the experts' majority. The shares are
    those of "does not apply" among the experts' answers (`people_n`) and the judge's texts (`judge_n`)."""

    question: int
    people: Agreement
    judge: Agreement
    people_share: float | None
    people_n: int
    judge_share: float | None
    judge_n: int


@dataclass(frozen=True, slots=True)
class JudgeConsistency:
    """A judge's consistency: the mean share of repeats that give a text's most frequent answer.

    `alpha` (Krippendorff, nominal) corrects for chance. Over `n` texts answered at least twice; `n_undefined` were not.
    """

    question: int
    same_answer: float | None
    alpha: Agreement
    n: int
    n_undefined: int


def question_agreement(
    experts: Floats,
    judge: Floats,
    inapplicable: Floats | None = None,
    decided: Floats | None = None,
    *,
    resamples: int = 0,
    seed: int = 0,
) -> tuple[QuestionAgreement, ...]:
    """Return the agreement on each question. `experts` is (raters, texts, questions), `judge` (texts, questions): 1
    yes, 0 no, NaN unanswered or not applicable, which is left out. `inapplicable`, shaped as `experts`, is as for
    `most_say`, `decided`, shaped as `judge`, as for `reference_of`; decisions don't change the experts' agreement.

    The intervals of `people` and `judge` resample texts.
    """
    found = []
    applies = np.where(np.isnan(experts), np.nan, 0.0) if inapplicable is None else inapplicable
    for question in range(judge.shape[1]):
        answers = experts[:, :, question]
        people = krippendorff_alpha(answers, "nominal", resamples=resamples, seed=seed)
        held = np.full(len(judge), np.nan) if decided is None else decided[:, question]
        most = reference_of(answers, applies[:, :, question], held)
        with_judge = cohen_kappa(most, judge[:, question], resamples=resamples, seed=seed)
        verdict, too_few = _verdict(people, with_judge)
        rest = int((~np.isnan(held)).sum())
        found.append(QuestionAgreement(question, people, fleiss_kappa(answers), with_judge, verdict, too_few, rest))
    return tuple(found)


def applicability_agreement(
    experts: Floats, judge: Floats, question: int, decided: Floats | None = None, *, resamples: int = 0, seed: int = 0
) -> ApplicabilityAgreement:
    """Return the agreement on whether one question applies. `experts` is (raters, texts) and `judge` (texts,): 1 does
    not apply, 0 yes or no, NaN unanswered. `decided` (texts,) is as for `reference_of`."""

    def share(said: Floats) -> tuple[float | None, int]:
        given = said[~np.isnan(said)]
        return (float(given.mean()) if given.size else None), int(given.size)

    return ApplicabilityAgreement(
        question,
        krippendorff_alpha(experts, "nominal", resamples=resamples, seed=seed),
        cohen_kappa(inapplicable_reference(experts, decided), judge, resamples=resamples, seed=seed),
        *share(experts),
        *share(judge),
    )


def judge_stability(repeats: Floats) -> tuple[JudgeConsistency, ...]:
    """Return each question's consistency over `repeats` (repeats, texts, questions): 1 yes, 0 no, NaN unanswered."""
    found = []
    for question in range(repeats.shape[2]):
        answers = repeats[:, :, question]
        given = (~np.isnan(answers)).sum(axis=0)
        usable = given >= 2
        yes = np.nansum(answers, axis=0)[usable]
        same = float((np.maximum(yes, given[usable] - yes) / given[usable]).mean()) if usable.any() else None
        n = int(usable.sum())
        found.append(JudgeConsistency(question, same, krippendorff_alpha(answers, "nominal"), n, int(usable.size) - n))
    return tuple(found)


def majority(answers: Floats) -> Floats:
    """Return the (texts, ...) majority, 1 or 0, of (raters, texts, ...); NaN where they are split evenly or silent."""
    given = (~np.isnan(answers)).sum(axis=0)
    yes = np.nansum(answers, axis=0)
    return np.where(yes * 2 == given, np.nan, (yes * 2 > given).astype(np.float64))


def most_say(answers: Floats, inapplicable: Floats) -> Floats:
    """Return the (texts, ...) majority, 1 or 0, of (raters, texts, ...); NaN also unless more of them say yes or no
    than "does not apply". `inapplicable` is 1 for "does not apply", 0 for yes and no, NaN unanswered."""
    return np.where(majority(inapplicable) == 0, majority(answers), np.nan)


def reference_of(answers: Floats, inapplicable: Floats, decided: Floats) -> Floats:
    """Return (texts,) the decided answer, 1 or 0, else that of `most_say`. `decided` is 1 yes, 0 no, OUTSIDE for "does
    not apply", which gives NaN, and NaN where nothing was decided."""
    return np.where(decided == OUTSIDE, np.nan, settled(most_say(answers, inapplicable), decided))


def inapplicable_reference(inapplicable: Floats, decided: Floats | None) -> Floats:
    """Return (texts,) 1 if "does not apply" was decided, 0 if yes or no was, else the majority of `inapplicable`."""
    most = majority(inapplicable)
    return most if decided is None else settled(most, np.where(np.isnan(decided), np.nan, decided == OUTSIDE))


def _verdict(people: Agreement, judge: Agreement) -> tuple[Verdict, str]:
    """Return the verdict, and which texts are too few for one."""
    if people.n < FEWEST_TEXTS_FOR_A_VERDICT:
        return "can't be told", _too_few(people.n, "with the answers of two experts")
    if people.value is None:
        return "can't be told", ""
    if people.value < ENOUGH:
        return "ambiguous question", ""
    if judge.n < FEWEST_TEXTS_FOR_A_VERDICT:
        return "can't be told", _too_few(judge.n, "with an answer of the judge beside the experts'")
    if judge.value is None:
        return "can't be told", ""
    return ("fine" if judge.value >= ENOUGH else "judge fails"), ""


def _too_few(n: int, which: str) -> str:
    return f"{n} {'text' if n == 1 else 'texts'} {which}; a verdict needs {FEWEST_TEXTS_FOR_A_VERDICT}."
