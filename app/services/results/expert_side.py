"""What the judge of a run and the experts answered to the same questions, text by text."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from app.domain.checklist import Checklist
from app.domain.expert_answer import CarriedAnswers
from app.domain.improvement import Decision, reference
from app.domain.judgment import Answer
from app.errors import NotReadyError
from app.meta_evaluation.questions.disagreements import OUTSIDE
from app.meta_evaluation.questions.question_agreement import inapplicable_reference, majority, most_say, reference_of
from app.meta_evaluation.score_matrix import Bools, Floats
from app.services.checklists.expert_answers import answer_cube, answered_probability, expert_answers, inapplicable_cube
from app.services.results.judge_cube import judge_cube
from app.services.results.repeat_agreement import INAPPLICABLE, VALUES
from app.services.results.results import DimensionResult
from app.services.runtime.workbench import Workbench


@dataclass(frozen=True, slots=True, eq=False)
class ExpertSide:
    """Answers to the questions that the run asked: 1 yes, 0 no, NaN none. Repeats of the judge count as their majority.
    `judge_inapplicable` and `people_inapplicable` say of the same whether it doesn't apply: 1, 0 for yes and no, NaN.

    `judge` is (texts, questions) over the run's `texts` and those drawn for experts alone; `people` is (experts,
    texts, questions). `drawn` marks the texts that experts were asked about; `documents` names each text's source.
    `probability` (texts,) is that with which each text was drawn for experts, NaN for those never drawn by chance,
    whose answers then correct nothing; None where all were drawn alike.

    `decided` (texts, questions) is what facilitators decided about texts drawn for experts: 1 yes, 0 no, OUTSIDE for
    "does not apply", NaN elsewhere; None for nothing. Texts that nobody drew are decided because somebody parted there:
    what is measured on them would stand for no others.
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
    carried: CarriedAnswers | None = None

    @property
    def reference(self) -> Floats:
        """(texts, questions): what was decided, else what most experts say; NaN where they are split or silent, or it
        doesn't apply."""
        pairs = [
            reference_of(self.people[:, :, place], self.people_inapplicable[:, :, place], self.held[:, place])
            for place in range(self.people.shape[2])
        ]
        return np.stack(pairs, axis=1)

    @property
    def outside(self) -> Bools:
        """(texts, questions): whether it doesn't apply, as was decided, else as most experts say."""
        said = [
            inapplicable_reference(self.people_inapplicable[:, :, place], self.held[:, place])
            for place in range(self.people.shape[2])
        ]
        found: Bools = np.stack(said, axis=1) == 1
        return found

    @property
    def decided_texts(self) -> int:
        """How many texts rest on a decision for at least one question."""
        return int((~np.isnan(self.held)).any(axis=1).sum())

    @property
    def held(self) -> Floats:
        """`decided`, of its shape also where nothing is."""
        return np.full(self.people.shape[1:], np.nan) if self.decided is None else self.decided


def expert_side(workbench: Workbench, result: DimensionResult) -> ExpertSide | None:
    """None where the run asked no questions, or no expert has answered the version it asked."""
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
    """(texts, questions) of the decisions that hold about drawn texts, as `ExpertSide.decided`."""
    numbers = {Answer.YES: 1.0, Answer.NO: 0.0, Answer.NOT_APPLICABLE: OUTSIDE}
    found, row = np.full((len(texts), len(questions)), np.nan), {text: place for place, text in enumerate(texts)}
    of_experts = set(drawn)
    for place, question in enumerate(questions):
        for text, decision in reference(decisions.get(question, ())).items():
            if text in of_experts and text in row:
                found[row[text], place] = numbers[decision.answer]
    return found
