"""The queue of disagreements among experts and judges, and the answers to each pair of question and text."""

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from string import ascii_uppercase
from typing import Any, Literal

import numpy as np

from app.domain.checklist import Checklist, ChecklistStatus, Question
from app.domain.checklist_score import Answer, Judgment
from app.domain.expert_answer import ExpertAnswer, ReusedAnswers, reused_answers
from app.domain.improvement import Decision, contradictions, reference
from app.domain.project import Text
from app.domain.roles_and_rights import Right
from app.domain.run import RunSummary
from app.errors import NotFoundError
from app.meta_evaluation.questions.question_agreement import (
    OUTSIDE,
    DisagreeingAnswers,
    DisagreementKind,
    disagreeing_answers,
)
from app.meta_evaluation.score_matrix import Floats
from app.services.checklists.answer_draws import published
from app.services.results.question_analysis import Ints, indices_among, judge_cube, judged_texts
from app.services.runtime.workbench import Workbench, use_case
from db.unit_of_work import Database, UnitOfWork

__all__ = ["DisagreementKind"]


NUMBERS = {Answer.YES: 1.0, Answer.NO: 0.0, Answer.NOT_APPLICABLE: OUTSIDE}
"""As in `app/meta_evaluation/questions/question_agreement.py`; what isn't named is no answer."""


@dataclass(frozen=True, slots=True, eq=False)
class VersionAnswers:
    """All answers to one version. `texts` (texts,): ids of texts that experts or judges were asked about, ascending,
    without held-out ones. `people` is (experts, texts, questions); each of `judges` is (repeats, texts, questions) for
    the run at the same place in `runs`. `decisions`: question -> decisions about it in all its versions, with undone
    ones."""

    checklist: Checklist
    texts: Ints
    experts: tuple[str, ...]
    people: Floats
    carried: ReusedAnswers
    runs: tuple[RunSummary, ...]
    judges: tuple[Floats, ...]
    decisions: Mapping[int, Sequence[Decision]]

    def row(self, text: int) -> int | None:
        """Return the index of a text in `texts`, None if it isn't there."""
        return _row(self.texts, text)


def version_answers(workbench: Workbench, checklist_id: int) -> VersionAnswers:
    """Return the answers to a version by all experts and by one run of each judge, and the decisions.

    That run is the one with most texts, as on Results, without runs on the held-out split and those of studies, of
    comparisons of ways of asking and of looks at anchors. Answers are cached until they change.

    Raises NotReadyError for a draft.
    """
    with workbench.database.read() as work:
        checklist = published(work, checklist_id)
        dimension_id = work.checklists.dimension_of(checklist_id)
        project_id = work.projects.project_of(dimension_id).id
        there = np.asarray(work.texts.ids(project_id))
        runs = default_runs_of(work, project_id, checklist_id)
        draw = work.expert_answers.draw_of(checklist_id)
        state = work.expert_answers.state(draw.id) if draw else ()
        decisions = work.decisions.of_checklist(checklist_id)
    given = cached_answers(workbench.database, draw.id, state) if draw else ()
    asked = tuple(question.id for question in checklist.asked)
    open_texts = sha256(there.tobytes()).digest()
    judged = [
        _cached_judge(workbench.database, run.id, dimension_id, asked, (run.status, run.done, run.failed, open_texts))
        for run in runs
    ]
    decided = {one.text for each in decisions.values() for one in each if one.stands}
    of_people = np.array([*(draw.texts if draw else ()), *decided], dtype=np.int64)
    texts = there[np.isin(there, np.concatenate([of_people, *(of for of, _ in judged)]))]
    experts = tuple(dict.fromkeys(one.expert for one in given))
    return VersionAnswers(
        checklist,
        texts,
        experts,
        _people(given, experts, texts, asked),
        reused_answers(checklist, given),
        tuple(runs),
        tuple(_aligned(cube, of, texts) for of, cube in judged),
        decisions,
    )


def default_runs_of(work: UnitOfWork, project_id: int, checklist_id: int) -> list[RunSummary]:
    """Return the run with most texts of each judge that asked this version, newest first."""
    asked, found = work.runs.with_checklist(checklist_id), dict[str, RunSummary]()
    for run in work.runs.all(project_id):
        if run.id in asked and run.done and not run.locked and not run.apart:
            found[run.judge] = max(found.get(run.judge, run), run, key=lambda each: each.rank())
    return sorted(found.values(), key=lambda run: -run.id)


@lru_cache(maxsize=16)
def cached_answers(database: Database, draw_id: int, _: tuple[object, ...]) -> tuple[ExpertAnswer, ...]:
    """Return the answers of all experts, cached until they change."""
    with database.read() as work:
        return tuple(work.expert_answers.of(draw_id))


@lru_cache(maxsize=64)
def _cached_judge(
    database: Database, run_id: int, dimension_id: int, asked: tuple[int, ...], _: tuple[object, ...]
) -> tuple[Ints, Floats]:
    """Return the texts with an answer, and the (repeats, texts, questions) answers about them."""
    with database.read() as work:
        given = work.results.answer_columns(run_id, dimension_id)
    texts = judged_texts(given)
    return texts, judge_cube(given, texts, asked, NUMBERS)


def _aligned(cube: Floats, of: Ints, texts: Ints) -> Floats:
    """Return the cube `cube` on `texts`, with NaN for texts that aren't in `of`."""
    found = np.full((cube.shape[0], len(texts), cube.shape[2]), np.nan)
    place, there = indices_among(of, texts)
    found[:, place[there]] = cube[:, there]
    return found


def _people(given: Sequence[ExpertAnswer], experts: Sequence[str], texts: Ints, asked: Sequence[int]) -> Floats:
    cube = np.full((len(experts), len(texts), len(asked)), np.nan)
    who = {name: number for number, name in enumerate(experts)}
    place = {question: number for number, question in enumerate(asked)}
    for one in given:
        row = _row(texts, one.text)
        if row is not None and one.question in place and one.answer in NUMBERS:
            cube[who[one.expert], row, place[one.question]] = NUMBERS[one.answer]
    return cube


def _row(texts: Ints, text: int) -> int | None:
    row = int(np.searchsorted(texts, text))
    return row if row < texts.size and texts[row] == text else None


Key = tuple[str, str, str]
QueueState = Literal["open", "decided", "contradicting"]


@dataclass(frozen=True, slots=True)
class QueuedPair:
    """One question about one text. `judges` differ from most experts, `wavering` judges from themselves; `people`
    counts experts' answers. `kinds` is empty for a decision without a disagreement.

    `decision` is the one that holds; `contradicting` are standing decisions with different answers, oldest first.
    """

    text: int
    key: Key
    question: Question
    number: int
    kinds: frozenset[DisagreementKind]
    judges: tuple[str, ...]
    wavering: tuple[str, ...]
    people: Mapping[Answer, int]
    weight: float
    decision: Decision | None
    contradicting: tuple[Decision, ...]

    @property
    def id(self) -> str:
        """Return the id used in commands and addresses."""
        return f"{self.question.id}-{self.text}"

    @property
    def state(self) -> QueueState:
        if self.contradicting:
            return "contradicting"
        return "open" if self.decision is None else "decided"

    def to_json(self) -> list[dict[str, Any]]:
        """Return one entry for each kind of disagreement; for judges one for each judge."""
        document, system, item = self.key
        about = {
            "id": self.id,
            "question": self.number,
            "question_text": self.question.text,
            "component": self.question.component,
            "doc_id": document,
            "system_id": system,
            "item_id": item,
        }
        rest = {
            "people": {
                "yes": self.people.get(Answer.YES, 0),
                "no": self.people.get(Answer.NO, 0),
                "na": self.people.get(Answer.NOT_APPLICABLE, 0),
            },
            "weight": self.weight,
            "decided": self.decision.answer.value if self.decision else None,
            "contradicting": len(self.contradicting),
        }
        whose: list[tuple[str | None, str | None]] = []
        if DisagreementKind.EXPERTS in self.kinds:
            whose.append((DisagreementKind.EXPERTS.value, None))
        whose.extend((DisagreementKind.JUDGE.value, judge) for judge in self.judges)
        whose.extend((DisagreementKind.REPEATS.value, judge) for judge in self.wavering)
        return [{**about, "kind": kind, "judge": judge, **rest} for kind, judge in whose or [(None, None)]]


@dataclass(frozen=True, slots=True)
class QueueFilter:
    """The filter of pairs to show; None and "" don't filter. `question` is its number; `judge` differs from experts or
    from itself."""

    kind: DisagreementKind | None = None
    question: int | None = None
    judge: str = ""
    component: str = ""
    state: QueueState = "open"

    def takes(self, pair: QueuedPair) -> bool:
        return (
            pair.state == self.state
            and (self.kind is None or self.kind in pair.kinds)
            and (self.question is None or self.question == pair.number)
            and (not self.judge or self.judge in self._judges(pair))
            and (not self.component or self.component == pair.question.component)
        )

    def _judges(self, pair: QueuedPair) -> Sequence[str]:
        if self.kind is DisagreementKind.JUDGE:
            return pair.judges
        return pair.wavering if self.kind is DisagreementKind.REPEATS else (*pair.judges, *pair.wavering)


@dataclass(frozen=True, slots=True)
class DisagreementQueue:
    """The queue of one version. `pairs` include decided ones; open ones come first, in the order to settle them.

    `answered` counts the experts who answered; `runs` has one run of each judge.
    """

    checklist: Checklist
    answered: int
    runs: tuple[RunSummary, ...]
    pairs: tuple[QueuedPair, ...]
    carried: ReusedAnswers

    @property
    def judges(self) -> tuple[str, ...]:
        return tuple(run.judge for run in self.runs)

    def counted(self, state: QueueState) -> int:
        return sum(pair.state == state for pair in self.pairs)

    def matching(self, wanted: QueueFilter) -> list[QueuedPair]:
        return [pair for pair in self.pairs if wanted.takes(pair)]

    def pair(self, question_id: int, text_id: int) -> QueuedPair:
        """Return the pair. Raises NotFoundError if there is neither a disagreement nor a decision."""
        for pair in self.pairs:
            if (pair.question.id, pair.text) == (question_id, text_id):
                return pair
        raise NotFoundError(
            f"There is no disagreement {question_id}-{text_id} in version {self.checklist.version}.",
            "`interacteval disagreements list` shows them.",
        )


@use_case(Right.READ)
def decidable_versions(workbench: Workbench, dimension_id: int) -> list[Checklist]:
    """Return the published versions, newest first, those with answers of experts or judges before those without."""
    with workbench.database.read() as work:
        published = [c for c in work.checklists.versions(dimension_id) if c.status is ChecklistStatus.PUBLISHED]
        runs = {run.id for run in work.runs.all(work.projects.project_of(dimension_id).id)}
        answered = set()
        for checklist in published:
            draw = work.expert_answers.draw_of(checklist.id)
            if work.runs.with_checklist(checklist.id) & runs or (draw and work.expert_answers.state(draw.id)[0]):
                answered.add(checklist.id)
    return sorted(published, key=lambda checklist: (checklist.id not in answered, -checklist.version))


@use_case(Right.READ)
def disagreement_queue(workbench: Workbench, checklist_id: int) -> DisagreementQueue:
    """Return the texts and questions of a published version on which experts, judges or repeats of a judge disagree,
    and those that were decided; open ones first. `version_answers` says which answers count. Raises NotReadyError for a
    draft."""
    found = version_answers(workbench, checklist_id)
    decided = _decided(found)
    parted = disagreeing_answers(found.people, found.judges, decided)
    places = np.argwhere(parted.anywhere | ~np.isnan(decided))
    with workbench.database.read() as work:
        keys = work.texts.keys_of(np.unique(found.texts[places[:, 0]]).tolist())
    pairs = _pairs(found, parted, keys, places)
    return DisagreementQueue(
        found.checklist, len(found.experts), found.runs, tuple(sorted(pairs, key=_order)), found.carried
    )


def _order(pair: QueuedPair) -> tuple[bool, float, int, int]:
    return pair.state == "decided", -pair.weight, pair.number, pair.text


def _decided(found: VersionAnswers) -> Floats:
    """Return (texts, questions) the decisions that hold, NaN elsewhere."""
    cube = np.full((len(found.texts), len(found.checklist.asked)), np.nan)
    for place, question in enumerate(found.checklist.asked):
        for text, decision in reference(found.decisions.get(question.id, ())).items():
            row = found.row(text)
            if row is not None:
                cube[row, place] = NUMBERS[decision.answer]
    return cube


def _pairs(
    found: VersionAnswers, parted: DisagreeingAnswers, keys: Mapping[int, Key], places: Iterable[Any]
) -> list[QueuedPair]:
    """Return the queued pairs at these places. keys: text -> doc_id, system_id and item_id."""
    asked = found.checklist.asked
    judges = [run.judge for run in found.runs]
    holds = {question.id: reference(found.decisions.get(question.id, ())) for question in asked}
    against = {question.id: _contradicting(found.decisions.get(question.id, ())) for question in asked}
    counts = {answer: (found.people == value).sum(axis=0) for answer, value in NUMBERS.items()}
    pairs = []
    for row, place in places:
        question, text = asked[place], int(found.texts[row])
        apart = tuple(name for name, here in zip(judges, parted.judges[:, row, place], strict=True) if here)
        wavering = tuple(name for name, here in zip(judges, parted.repeats[:, row, place], strict=True) if here)
        kinds = {
            DisagreementKind.EXPERTS: bool(parted.experts[row, place]),
            DisagreementKind.JUDGE: bool(apart),
            DisagreementKind.REPEATS: bool(wavering),
        }
        pairs.append(
            QueuedPair(
                text,
                keys[text],
                question,
                int(place) + 1,
                frozenset(kind for kind, here in kinds.items() if here),
                apart,
                wavering,
                {answer: int(count[row, place]) for answer, count in counts.items()},
                float(parted.weight[row, place]),
                holds[question.id].get(text),
                against[question.id].get(text, ()),
            )
        )
    return pairs


def _contradicting(decisions: Iterable[Decision]) -> dict[int, tuple[Decision, ...]]:
    return {found[0].text: found for found in contradictions(decisions)}


@dataclass(frozen=True, slots=True)
class ExpertPairAnswer:
    """One expert's answer. `who` is "Expert A" and so on until a decision, then the name. UNANSWERED is a skipped
    question, None only a note. `from_version`: the earlier version in which it was given, None for this one."""

    who: str
    answer: Answer | None
    note: str
    from_version: int | None = None


@dataclass(frozen=True, slots=True)
class JudgePairAnswers:
    """A judge's answers to one pair; `judgments` in the order of the repeats."""

    judge: str
    run: int
    judgments: tuple[Judgment, ...]


@dataclass(frozen=True, slots=True)
class PairAnswers:
    """All answers to one pair. `decisions` about it in all versions of the question, newest first, with undone ones."""

    text: Text
    question: Question
    people: tuple[ExpertPairAnswer, ...]
    judges: tuple[JudgePairAnswers, ...]
    decisions: tuple[Decision, ...]


@use_case(Right.READ)
def sides_of_pair(workbench: Workbench, checklist_id: int, question_id: int, text_id: int) -> PairAnswers:
    """Return all answers to a pair. Raises NotFoundError for a question that the version doesn't ask, or a missing or
    held-out text."""
    with workbench.database.read() as work:
        checklist = published(work, checklist_id)
        question = next((each for each in checklist.asked if each.id == question_id), None)
        if question is None:
            raise NotFoundError(f"Version {checklist.version} doesn't ask this question.", "Go back to the list.")
        dimension_id = work.checklists.dimension_of(checklist_id)
        project_id = work.projects.project_of(dimension_id).id
        text = work.texts.in_project(project_id, text_id)
        runs = default_runs_of(work, project_id, checklist_id)
        judged = [(run, work.results.judgments(run.id, dimension_id, text_id)) for run in runs]
        draw = work.expert_answers.draw_of(checklist_id)
        state = work.expert_answers.state(draw.id) if draw else ()
        about = work.decisions.of_checklist(checklist_id).get(question_id, [])
    decisions = [one for one in about if one.text == text_id]
    given = cached_answers(workbench.database, draw.id, state) if draw else ()
    return PairAnswers(
        text,
        question,
        _answers_of_people(given, (text_id, question_id), checklist_id, named=any(one.stands for one in decisions)),
        tuple(
            JudgePairAnswers(run.judge, run.id, said)
            for run, judgments in judged
            if (said := tuple(one for one in judgments if one.question == question_id))
        ),
        tuple(reversed(decisions)),
    )


def _answers_of_people(
    given: tuple[ExpertAnswer, ...], pair: tuple[int, int], checklist_id: int, named: bool
) -> tuple[ExpertPairAnswer, ...]:
    """Return experts' answers. Letters are in a random order, fixed for the version, that hides who came first."""
    names = sorted({one.expert for one in given})
    random.Random(checklist_id).shuffle(names)  # noqa: S311 - an order, no secret
    letters = {name: f"Expert {_letter(number)}" for number, name in enumerate(names)}
    said = [one for one in given if (one.text, one.question) == pair and (one.answer is not None or one.note)]
    ordered = sorted(said, key=lambda one: one.expert if named else letters[one.expert])
    return tuple(
        ExpertPairAnswer(one.expert if named else letters[one.expert], one.answer, one.note, one.from_version)
        for one in ordered
    )


def _letter(number: int) -> str:
    """Return A, B, ... Z, AA, AB for 0, 1, ..., like spreadsheet columns."""
    before, last = divmod(number, len(ascii_uppercase))
    return (_letter(before - 1) if before else "") + ascii_uppercase[last]
