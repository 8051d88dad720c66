"""The X-ray of a rubric: what answers and ratings say against each question."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np

from app.construction.question_hints import lint_question
from app.domain.attribute import AttributeStatus
from app.domain.checklist import Checklist, Question
from app.domain.checklist_score import Answer, inconsistent_grades
from app.domain.project import Dimension
from app.domain.roles_and_rights import Right
from app.errors import NotReadyError
from app.evaluators.checklist import INCONSISTENT
from app.meta_evaluation.captions import counted_of
from app.meta_evaluation.questions.failure_modes.rubric_evidence import (
    ENOUGH_TEXTS,
    ModeFinding,
    RubricEvidence,
    WordingHint,
)
from app.meta_evaluation.questions.failure_modes.xray import failure_modes
from app.meta_evaluation.score_matrix import Floats
from app.providers.credentials import Credentials
from app.services.checklists.lineage import lineage_of_checklist
from app.services.results.question_analysis import INAPPLICABLE, VALUES, counting_of, expert_side, judge_cube
from app.services.results.results import Choices, DimensionResult, cached_result, runs_to_show
from app.services.runtime.workbench import Workbench, use_case
from app.services.scoring.runs import get_run
from db.unit_of_work import Database

__all__ = ["ModeFinding"]


def rubric_evidence(workbench: Workbench, result: DimensionResult, checklist: Checklist) -> RubricEvidence:
    """Return the evidence over the run's texts, rated or not, and those drawn only for experts."""
    side = expert_side(workbench, result)
    documents = {row.text: row.doc_id or f"text {row.text}" for row in result.rows}
    if side is not None:
        documents |= dict(zip(side.texts, side.documents, strict=True))
    texts = list(side.texts if side is not None else documents)
    with workbench.database.read() as work:
        given = work.results.answer_columns(result.run.id, result.dimension.id)
        words = {text: len(said.split()) for text, said in work.texts.each_wording(texts)}
        language = work.projects.project_of(result.dimension.id).task.language
    asked = [question.id for question in checklist.asked]
    human = {row.text: row.human for row in result.rows}
    return RubricEvidence(
        judge=judge_cube(given, texts, asked, VALUES),
        inapplicable=judge_cube(given, texts, asked, INAPPLICABLE),
        people_inapplicable=side.people_inapplicable if side is not None else None,
        decided=side.decided if side is not None else None,
        judged=np.isin(texts, np.asarray(given.texts)),
        people=side.people if side is not None else np.empty((0, len(texts), len(checklist.asked))),
        words=np.array([words.get(text, 0) for text in texts], dtype=np.float64),
        ratings=np.array([human.get(text) for text in texts], dtype=np.float64),
        documents=[documents[text] for text in texts],
        hints=tuple(_hints(question, language) for question in checklist.asked),
        against=counting_of(checklist.asked, result.dimension).against,
        resamples=result.choices.resamples,
        seed=result.choices.seed,
        weights=None if side is None or side.probability is None else np.nan_to_num(1 / side.probability),
    )


def _hints(question: Question, language: str) -> tuple[WordingHint, ...]:
    found = lint_question(question.text, language=language, must_not=question.must_not)
    return tuple((hint.code, hint.message) for hint in found)


@dataclass(frozen=True, slots=True)
class UnservedAttribute:
    """An attribute behind no question: its contributor, the step that left it out (`where`), and the recorded
    reason."""

    text: str
    contributor: str
    where: str
    reason: str


@dataclass(frozen=True, slots=True)
class RubricXray:
    """The X-ray. `findings` index `questions`, most urgent first. The judge answered on `texts`, of which `rated` have
    ratings, `repeats` times; at least two experts answered on `answered` texts. `inconsistent`: (contradicting pairs of
    thresholds of a grade in the judge's answers, texts with any); `inconsistent_experts`: the same for experts. None
    without grades."""

    questions: tuple[Question, ...]
    findings: tuple[ModeFinding, ...]
    unserved: tuple[UnservedAttribute, ...]
    texts: int
    rated: int
    repeats: int
    answered: int
    inconsistent: tuple[int, int] | None = None
    inconsistent_experts: tuple[int, int] | None = None

    def of_question(self, place: int) -> list[ModeFinding]:
        return [finding for finding in self.findings if finding.question == place]

    @property
    def flagged(self) -> int:
        """Return how many questions have a badge."""
        return len({finding.question for finding in self.findings if finding.question is not None})

    @property
    def summary(self) -> str:
        """Return how many questions have a finding, and which is most urgent."""
        first = next((finding for finding in self.findings if finding.question is not None), None)
        if first is None or first.question is None:
            return "No question stands out beyond doubt in the answers at hand; remarks are hints."
        of_all = f"{self.flagged} of {counted_of(len(self.questions), 'question')}"
        stand = "stands" if self.flagged == 1 else "stand"
        urgent = f"question {first.question + 1}, {first.badge}"
        return f"{of_all} {stand} out; most urgent: {urgent}. Remarks are hints."

    @property
    def basis(self) -> str:
        """Return the data it rests on, for example "120 texts, 100 of them rated, 30 answered by two experts or more;
        asked once"."""
        times = "asked once" if self.repeats < 2 else f"asked {self.repeats} times"
        return (
            f"{counted_of(self.texts, 'text')}, {self.rated:,} of them rated, {self.answered:,} answered by two "
            f"experts or more; {times}.{self._grades()}"
        )

    def _grades(self) -> str:
        sides = {"the judge's": self.inconsistent, "experts'": self.inconsistent_experts}
        said = [
            f" In {whose} answers {counted_of(found[0], 'pair')} of thresholds of a grade contradict each other, on "
            f"{counted_of(found[1], 'text')}."
            if found[0]
            else f" In {whose} answers thresholds of grades never contradict each other."
            for whose, found in sides.items()
            if found is not None
        ]
        return "".join(said)

    @property
    def further(self) -> list[str]:
        """Return which further data would show more."""
        said = []
        if self.texts < ENOUGH_TEXTS:
            said.append(f"score {ENOUGH_TEXTS} texts or more (the judge answered on {self.texts})")
        if self.answered < ENOUGH_TEXTS:
            said.append(f"have two experts answer on {ENOUGH_TEXTS} texts or more (so far {self.answered})")
        if self.repeats < 2:
            said.append("ask the judge the same again (“Ask how often”, on Scores)")
        if self.rated < ENOUGH_TEXTS and self.answered < ENOUGH_TEXTS:
            said.append(f"have {ENOUGH_TEXTS} texts or more rated (so far {self.rated})")
        return said

    def to_json(self) -> dict[str, Any]:
        findings = [finding.to_json() | {"text": self._text(finding)} for finding in self.findings]
        unserved = [
            {"text": each.text, "contributor": each.contributor, "where": each.where, "reason": each.reason}
            for each in self.unserved
        ]
        return {
            "questions": len(self.questions),
            "flagged": self.flagged,
            "texts": self.texts,
            "rated": self.rated,
            "repeats": self.repeats,
            "answered_by_experts": self.answered,
            "summary": self.summary,
            "findings": findings,
            "unserved": unserved,
            "further": self.further,
            **({"inconsistent_grades": _as_counts(*self.inconsistent)} if self.inconsistent else {}),
            **(
                {"inconsistent_grades_of_experts": _as_counts(*self.inconsistent_experts)}
                if self.inconsistent_experts
                else {}
            ),
        }

    def _text(self, finding: ModeFinding) -> str | None:
        return None if finding.question is None else self.questions[finding.question].text


def experts_inconsistent(questions: Sequence[Question], people: Floats) -> tuple[int, int] | None:
    """Return (contradicting pairs of thresholds of a grade in experts' answers, texts with any); None if nobody
    answered a threshold.

    people: (experts, texts, questions), 1 for yes, 0 for no, NaN for neither. Each expert's answers are checked alone.
    """
    graded = [place for place, question in enumerate(questions) if question.grade]
    if np.isnan(people[:, :, graded]).all():
        return None
    answer = {1.0: Answer.YES, 0.0: Answer.NO}
    counts = np.array(
        [
            sum(
                len(inconsistent_grades(questions, [answer.get(x, Answer.UNANSWERED) for x in given])) for given in text
            )
            for text in people.swapaxes(0, 1)
        ]
    )
    return int(counts.sum()), int((counts > 0).sum())


def _as_counts(pairs: int, texts: int) -> dict[str, int]:
    return {"pairs": pairs, "texts": texts}


@use_case(Right.READ)
def result_with_questions(
    workbench: Workbench, project_id: int, dimension: Dimension, run: int | None, choices: Choices
) -> DimensionResult:
    """Return the result of the run asked for, by default of the one with most texts of the newest checklist version.

    Raises NotFoundError or NotReadyError.
    """
    runs = [get_run(workbench, each) for each in runs_to_show(workbench, project_id, None if run is None else [run])]
    for each in sorted(runs, key=lambda one: one.rank(dimension.name), reverse=True):
        found = cached_result(workbench, each.id, dimension.id, choices)
        if found is not None and found.version is not None:
            return found
    which = "The runs of this project have" if run is None else f"Run {run} has"
    raise NotReadyError(
        f"{which} asked no questions of a checklist about {dimension.name}.",
        "Score with the evaluator checklist first, or name another run.",
    )


@use_case(Right.READ)
def rubric_xray(workbench: Workbench, result: DimensionResult) -> RubricXray | None:
    """Return the X-ray, cached until its data change; None if the method asks no questions."""
    with workbench.database.read() as work:
        parts = work.runs.parts(result.run.id)
        checklist = next(part.checklist for part in parts if part.dimension == result.dimension.id)
        if not checklist:
            return None
        draw = work.expert_answers.draw_of(checklist)
        answers = tuple(work.expert_answers.of(draw.id)) if draw else ()
    unserved, attributes = _unserved(workbench, checklist)
    state = (draw, answers, result.reading)
    asked = (checklist, len(unserved), attributes)
    kept = _cached_xray(workbench.database, result.run.id, result.dimension.id, asked, result.choices, state)
    return replace(kept, unserved=unserved)


@lru_cache(maxsize=32)
def _cached_xray(
    database: Database, run_id: int, dimension_id: int, asked: tuple[int, int, int], choices: Choices, _: object
) -> RubricXray:
    workbench = Workbench(database, Credentials())
    result = cached_result(workbench, run_id, dimension_id, choices)
    assert result is not None  # the caller has it
    checklist_id, unserved, attributes = asked
    with database.read() as work:
        checklist = work.checklists.get(checklist_id)
        details = work.results.details(run_id, dimension_id) if checklist.grades else {}
    counts = [each[INCONSISTENT] for each in details.values() if each.get(INCONSISTENT)]
    found = replace(rubric_evidence(workbench, result, checklist), unserved=unserved, attributes=attributes)
    return RubricXray(
        questions=checklist.asked,
        findings=failure_modes(found),
        unserved=(),
        texts=int(found.judged.sum()),
        rated=int((found.judged & ~np.isnan(found.ratings)).sum()),
        repeats=len(found.judge),
        inconsistent=(sum(counts), len(counts)) if checklist.grades else None,
        inconsistent_experts=experts_inconsistent(checklist.asked, found.people) if checklist.grades else None,
        answered=int(((~np.isnan(found.people)).any(axis=2).sum(axis=0) >= 2).sum()),
    )


def _unserved(workbench: Workbench, checklist_id: int) -> tuple[tuple[UnservedAttribute, ...], int]:
    """Return active attributes behind no question, and the number of active attributes that could be behind one."""
    view = lineage_of_checklist(workbench, checklist_id)
    in_use = {id_: each for id_, each in view.attributes.items() if each.status is AttributeStatus.ACTIVE}
    found = tuple(
        UnservedAttribute(
            in_use[each.attribute].text,
            in_use[each.attribute].contributor,
            each.stage or (f"under {each.component}" if each.component else "came later"),
            each.reason,
        )
        for each in view.lineage.unserved
        if each.attribute in in_use
    )
    return found, len(found) + sum(id_ in in_use for id_ in view.lineage.serving)
