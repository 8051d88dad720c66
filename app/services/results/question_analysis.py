"""Results question by question: agreement with experts and between repeats, and weights."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from app.domain.checklist import Checklist, Question
from app.domain.checklist_score import Answer, shares_of
from app.domain.expert_answer import ReusedAnswers
from app.domain.improvement import Decision, reference
from app.domain.project import Dimension
from app.domain.roles_and_rights import Right
from app.domain.run import ANSWERS, RunAnswers, ScoredText
from app.errors import NotReadyError
from app.evaluators.checklist import WEIGHTED
from app.meta_evaluation.bootstrap import AgreementDesign
from app.meta_evaluation.evaluation import MetaEvaluation, Origin
from app.meta_evaluation.questions.item_analysis import Counting, ItemAnalysis, QuestionItem, analyse_items
from app.meta_evaluation.questions.question_agreement import (
    FEWEST_TEXTS_FOR_A_VERDICT,
    OUTSIDE,
    ApplicabilityAgreement,
    JudgeConsistency,
    QuestionAgreement,
    applicability_agreement,
    inapplicable_reference,
    judge_stability,
    majority,
    most_say,
    question_agreement,
    reference_of,
)
from app.meta_evaluation.questions.question_weights import QuestionWeights, learn_weights
from app.meta_evaluation.score_matrix import Bools, Floats
from app.providers.credentials import Credentials
from app.services.checklists.answer_draws import answered_probability
from app.services.checklists.expert_answers import answer_cube, expert_answers, inapplicable_cube
from app.services.results.results import Choices, DimensionResult, cached_result, evaluate_scores
from app.services.runtime.workbench import Workbench, use_case
from db.unit_of_work import Database

__all__ = ["FEWEST_TEXTS_FOR_A_VERDICT", "JudgeConsistency", "QuestionAgreement", "QuestionItem"]


Ints = NDArray[np.int64]


def judge_cube(
    given: RunAnswers, texts: Sequence[int] | Ints, questions: Sequence[int], values: Mapping[Answer, float]
) -> Floats:
    """Return (repeats, texts, questions) answers about these texts to these questions (ids); NaN where missing. values:
    number for each answer, NaN if not listed. There is at least one repeat."""
    repeats, numbers = np.asarray(given.repeats), np.array([values.get(answer, np.nan) for answer in ANSWERS])
    cube = np.full((int(repeats.max(initial=0)) + 1, len(texts), len(questions)), np.nan)
    text, known = indices_among(np.asarray(given.texts), np.asarray(texts, dtype=np.int64))
    question, asked = indices_among(np.asarray(given.questions), np.asarray(questions, dtype=np.int64))
    here = known & asked
    cube[repeats[here], text[here], question[here]] = numbers[np.asarray(given.answers)[here]]
    return cube


def judged_texts(given: RunAnswers) -> Ints:
    """Return the texts with an answer, in the order in which they were first judged."""
    found, first = np.unique(np.asarray(given.texts), return_index=True)
    return found[np.argsort(first)]


def indices_among(wanted: Ints, among: Ints) -> tuple[Ints, Bools]:
    """Return the index of each of `wanted` in `among`, whose values are distinct, and whether it is there."""
    if not among.size:
        return np.zeros(wanted.size, dtype=np.int64), np.zeros(wanted.size, dtype=bool)
    order = np.argsort(among, kind="stable")
    place = order[np.minimum(np.searchsorted(among, wanted, sorter=order), among.size - 1)]
    there: Bools = among[place] == wanted
    return place, there


VALUES = {Answer.YES: 1.0, Answer.NO: 0.0, Answer.NOT_APPLICABLE: np.nan, Answer.UNANSWERED: np.nan}
"""Numbers for answers; "does not apply" is missing in figures of yes and no."""
INAPPLICABLE = {Answer.YES: 0.0, Answer.NO: 0.0, Answer.NOT_APPLICABLE: 1.0, Answer.UNANSWERED: np.nan}
"""Numbers for figures of "does not apply" (1) against yes and no (0)."""


@use_case(Right.READ)
def repeat_agreement(workbench: Workbench, run_id: int, dimension_id: int) -> dict[int, JudgeConsistency]:
    """Return question id -> how often repeats gave the same answer; {} if the judge was asked once or not at all."""
    _, questions, answers = repeated_answers(workbench, run_id, dimension_id)
    return dict(zip(questions, judge_stability(answers), strict=True)) if questions else {}


def repeated_answers(workbench: Workbench, run_id: int, dimension_id: int) -> tuple[list[int], list[int], Floats]:
    """Return the texts, the questions, and (repeats, texts, questions) answers; no questions if the judge was asked
    once or not at all."""
    with workbench.database.read() as work:
        repeats = int(work.runs.get(run_id).params.get("repeats", 1))
        given = work.results.answer_columns(run_id, dimension_id) if repeats > 1 else RunAnswers()
    texts, questions = judged_texts(given).tolist(), list(dict.fromkeys(given.questions))
    answers = judge_cube(given, texts, questions, VALUES)
    missing = np.full((max(repeats - len(answers), 0), *answers.shape[1:]), np.nan)
    return texts, questions, np.concatenate([answers, missing])


@dataclass(frozen=True, slots=True)
class Questions:
    """The item analysis of a result; its `items` index `questions`. `texts` were judged and rated."""

    questions: tuple[Question, ...]
    texts: int
    analysis: ItemAnalysis


@dataclass(frozen=True, slots=True, eq=False)
class _Judged:
    questions: tuple[Question, ...]
    answers: Floats
    inapplicable: Bools
    human: Floats
    frame: AgreementDesign
    counting: Counting


def counting_of(questions: Sequence[Question], dimension: Dimension) -> Counting:
    """Return how these questions count, for figures on matrices of answers."""
    caps = [np.nan if each.cap is None else each.cap for each in questions]
    return Counting(
        np.array([each.must_not for each in questions], dtype=bool),
        np.array(shares_of(questions)),
        (np.array(caps, dtype=np.float64) - dimension.low) / (dimension.high - dimension.low),
    )


@use_case(Right.READ)
def questions_of(workbench: Workbench, result: DimensionResult) -> Questions | None:
    """Return the item analysis, cached until answers or ratings change; None if the method asks no questions."""
    return _cached_questions(workbench.database, result.run.id, result.dimension.id, result.choices, result.reading)


@use_case(Right.READ)
def weights_of(workbench: Workbench, result: DimensionResult) -> QuestionWeights:
    """Return the weights learned by nested cross-validation, cached as `questions_of`. Held-out texts are never used.

    Raises NotReadyError if there is too little to learn from.
    """
    return _cached_weights(workbench.database, result.run.id, result.dimension.id, result.choices, result.reading)


@lru_cache(maxsize=32)
def _cached_questions(database: Database, run_id: int, dimension_id: int, choices: Choices, _: int) -> Questions | None:
    found = _judged(database, run_id, dimension_id, choices)
    if not found.questions:
        return None
    rated = int(np.sum(~np.isnan(found.human) & ~np.isnan(found.answers).all(axis=1)))
    return Questions(
        found.questions,
        rated,
        analyse_items(found.answers, found.human, found.frame, found.inapplicable, found.counting),
    )


@lru_cache(maxsize=32)
def _cached_weights(database: Database, run_id: int, dimension_id: int, choices: Choices, _: int) -> QuestionWeights:
    found = _judged(database, run_id, dimension_id, choices)
    if not found.questions or found.frame.group is None:
        raise NotReadyError("This method asks no questions, so there is nothing to weigh.", "Choose a checklist's run.")
    return learn_weights(found.answers, found.human, found.frame.group, found.frame, found.counting)


def _judged(database: Database, run_id: int, dimension_id: int, choices: Choices) -> _Judged:
    """Return (texts, questions) of the texts that the result's figures rest on; repeats count by majority."""
    result = cached_result(Workbench(database, Credentials()), run_id, dimension_id, choices)
    assert result is not None  # the caller has it
    with database.read() as work:
        part = next(part for part in work.runs.parts(run_id) if part.dimension == dimension_id)
        asked = work.checklists.get(part.checklist).asked if part.checklist else []
        given = work.results.answer_columns(run_id, dimension_id) if asked else RunAnswers()
    rows = result.compared
    texts, ids = [row.text for row in rows], [question.id for question in asked]
    cube, outside = (judge_cube(given, texts, ids, values) for values in (VALUES, INAPPLICABLE))
    systems = [row.system_id for row in rows]
    frame = AgreementDesign(
        group=[row.doc_id for row in rows],
        system=systems if any(systems) else None,
        level=choices.level,
        constant=choices.constant,
        resamples=choices.resamples,
        seed=choices.seed,
    )
    human = np.array([row.human for row in rows], dtype=np.float64)
    most, counting = majority(outside), counting_of(asked, result.dimension)
    return _Judged(tuple(asked), np.where(most == 0, majority(cube), np.nan), most == 1, human, frame, counting)


@use_case(Right.READ)
def weighted_agreement(workbench: Workbench, result: DimensionResult) -> MetaEvaluation | None:
    """Return the same figures over the same texts from the weighted scores.

    None if all questions weigh the same, for scores from probabilities, and for a look at a held-out split.
    """
    if result.soft or result.locked or not result.weighted:
        return None
    with workbench.database.read() as work:
        details = work.results.details(result.run.id, result.dimension.id)
    scores = tuple(
        details.get(row.text, {}).get(WEIGHTED) if row.counts(result.choices.include_partial) else None
        for row in result.rows
    )
    if not any(score is not None for score in scores):
        return None
    signature = result.meta.signature
    origin = Origin(f"{signature.checklist} weighted", signature.judge, signature.prompt)
    return _evaluated(result.rows, scores, result.choices, origin)


@lru_cache(maxsize=16)
def _evaluated(
    rows: tuple[ScoredText, ...], scores: tuple[float | None, ...], choices: Choices, origin: Origin
) -> MetaEvaluation:
    """Return the agreement, cached for the same scores and ratings."""
    return evaluate_scores(rows, scores, choices, origin)


@dataclass(frozen=True, slots=True, eq=False)
class ExpertSide:
    """Judge's and experts' answers to the questions that the run asked: 1 yes, 0 no, NaN none. Repeats of the judge
    count as their majority. `judge_inapplicable` and `people_inapplicable`: 1 for "does not apply", 0 for yes and no,
    NaN none.

    `judge` is (texts, questions) over the run's `texts` and those drawn only for experts; `people` is (experts, texts,
    questions). `drawn` marks the texts that experts were asked about; `documents` names each text's source.
    `probability` (texts,) is that of being drawn for experts, NaN for texts not drawn at random, whose answers correct
    nothing; None if all were equal.

    `decided` (texts, questions) holds decisions about texts drawn for experts: 1 yes, 0 no, OUTSIDE for "does not
    apply", NaN elsewhere; None for none. Other texts are left out, since they were decided because raters disagreed and
    represent no others.
    """

    checklist: Checklist
    experts: tuple[str, ...]
    texts: tuple[int, ...]
    documents: tuple[str, ...]
    drawn: Bools
    judged: Bools
    judge: Floats
    people: Floats
    judge_inapplicable: Floats
    people_inapplicable: Floats
    probability: Floats | None = None
    decided: Floats | None = None
    carried: ReusedAnswers | None = None

    @property
    def reference(self) -> Floats:
        """Return (texts, questions): the decided answer, else that of most experts; NaN without a majority, or if it
        doesn't apply."""
        pairs = [
            reference_of(self.people[:, :, place], self.people_inapplicable[:, :, place], self.held[:, place])
            for place in range(self.people.shape[2])
        ]
        return np.stack(pairs, axis=1)

    @property
    def outside(self) -> Bools:
        """Return (texts, questions): whether the question doesn't apply, as decided, else as most experts say."""
        said = [
            inapplicable_reference(self.people_inapplicable[:, :, place], self.held[:, place])
            for place in range(self.people.shape[2])
        ]
        found: Bools = np.stack(said, axis=1) == 1
        return found

    @property
    def decided_texts(self) -> int:
        """Return how many texts have a decision for at least one question."""
        return int((~np.isnan(self.held)).any(axis=1).sum())

    @property
    def held(self) -> Floats:
        """Return `decided`, or NaNs of its shape."""
        return np.full(self.people.shape[1:], np.nan) if self.decided is None else self.decided


def expert_side(workbench: Workbench, result: DimensionResult) -> ExpertSide | None:
    """Return the answers of judge and experts; None if the run asked no questions, or no expert has answered its
    version."""
    with workbench.database.read() as work:
        parts = work.runs.parts(result.run.id)
        checklist = next(part.checklist for part in parts if part.dimension == result.dimension.id)
        decisions = work.decisions.of_checklist(checklist) if checklist else {}
    if not checklist:
        return None
    try:
        found = expert_answers(workbench, checklist)
    except NotReadyError:  # no texts are drawn for experts
        return None
    if not found.experts:
        return None
    with workbench.database.read() as work:
        given = work.results.answer_columns(result.run.id, result.dimension.id)
    documents = {row.text: row.doc_id or f"text {row.text}" for row in result.rows}
    texts = tuple(dict.fromkeys([*found.texts, *documents]))
    asked = [question.id for question in found.checklist.asked]
    judge, inapplicable = (judge_cube(given, texts, asked, values) for values in (VALUES, INAPPLICABLE))
    people = np.full((2, len(found.experts), len(texts), len(asked)), np.nan)
    people[:, :, : len(found.texts)] = answer_cube(found), inapplicable_cube(found)
    return ExpertSide(
        found.checklist,
        found.experts,
        texts,
        tuple(documents.get(text, f"text {text}") for text in texts),
        np.arange(len(texts)) < len(found.texts),
        np.isin(texts, np.asarray(given.texts)),
        most_say(judge, inapplicable),
        people[0],
        majority(inapplicable),
        people[1],
        answered_probability(workbench, found, texts),
        decided_answers(decisions, found.texts, texts, asked) if decisions else None,
        found.carried,
    )


def decided_answers(
    decisions: Mapping[int, Sequence[Decision]], drawn: Sequence[int], texts: Sequence[int], questions: Sequence[int]
) -> Floats:
    """Return (texts, questions) of the standing decisions about drawn texts, as `ExpertSide.decided`."""
    numbers = {Answer.YES: 1.0, Answer.NO: 0.0, Answer.NOT_APPLICABLE: OUTSIDE}
    found, row = np.full((len(texts), len(questions)), np.nan), {text: place for place, text in enumerate(texts)}
    of_experts = set(drawn)
    for place, question in enumerate(questions):
        for text, decision in reference(decisions.get(question, ())).items():
            if text in of_experts and text in row:
                found[row[text], place] = numbers[decision.answer]
    return found


@dataclass(frozen=True, slots=True)
class ExpertSampleAgreement:
    """The agreement on each question over the `texts` drawn for experts; the run has answered `judged` of them.
    `applicability`: for questions that may not apply, the agreement on whether they do. `decided` texts have a decision
    for at least one question."""

    checklist: int
    experts: tuple[str, ...]
    texts: int
    judged: int
    questions: tuple[tuple[Question, QuestionAgreement], ...]
    applicability: tuple[tuple[Question, ApplicabilityAgreement], ...] = ()
    decided: int = 0
    carried: ReusedAnswers | None = None


@use_case(Right.READ)
def asked_of_experts(workbench: Workbench, result: DimensionResult) -> ExpertSampleAgreement | None:
    """Return the agreement; None if the run asked no questions, or no expert has answered its version."""
    side = expert_side(workbench, result)
    if side is None:
        return None
    agreement = question_agreement(
        side.people[:, side.drawn],
        side.judge[side.drawn],
        side.people_inapplicable[:, side.drawn],
        side.held[side.drawn],
        resamples=result.choices.resamples,
        seed=result.choices.seed,
    )
    return ExpertSampleAgreement(
        side.checklist.id,
        side.experts,
        int(side.drawn.sum()),
        int((side.judged & side.drawn).sum()),
        tuple(zip(side.checklist.asked, agreement, strict=True)),
        tuple(
            (question, _applicability(side, place, result))
            for place, question in enumerate(side.checklist.asked)
            if question.may_not_apply
        ),
        side.decided_texts,
        side.carried,
    )


def _applicability(side: ExpertSide, place: int, result: DimensionResult) -> ApplicabilityAgreement:
    return applicability_agreement(
        side.people_inapplicable[:, side.drawn, place],
        side.judge_inapplicable[side.drawn, place],
        place,
        side.held[side.drawn, place],
        resamples=result.choices.resamples,
        seed=result.choices.seed,
    )
