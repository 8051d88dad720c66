"""Queue of disagreements: each question about a text where somebody parts, those first that would move figures most."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from app.domain.checklist import Checklist, ChecklistStatus, Question
from app.domain.expert_answer import CarriedAnswers
from app.domain.judgment import Answer
from app.domain.people.actor import Right
from app.domain.questions.decision import Decision, contradictions, reference
from app.domain.run import RunSummary
from app.errors import NotFoundError
from app.meta_evaluation.questions.disagreements import PartedAnswers, PartedKind, parted_answers
from app.meta_evaluation.score_matrix import Floats
from app.services.disagreements.version_answers import NUMBERS, VersionAnswers, version_answers
from app.services.runtime.use_case import use_case
from app.services.runtime.workbench import Workbench

__all__ = ["DisagreementQueue", "PartedKind", "QueueFilter", "QueuedPair", "decidable_versions", "disagreement_queue"]

Key = tuple[str, str, str]
QueueState = Literal["open", "decided", "contradicting"]


@dataclass(frozen=True, slots=True)
class QueuedPair:
    """One question about one text. `judges` part from most experts, `wavering` said something else when asked again;
    `people` counts what experts said. `kinds` may be none where something was decided that nobody parts about here.

    `decision` is the one that holds; `contradicting` are those that stand and say different things, oldest first.
    """

    text: int
    key: Key
    question: Question
    number: int
    kinds: frozenset[PartedKind]
    judges: tuple[str, ...]
    wavering: tuple[str, ...]
    people: Mapping[Answer, int]
    weight: float
    decision: Decision | None
    contradicting: tuple[Decision, ...]

    @property
    def id(self) -> str:
        """What commands and addresses call it."""
        return f"{self.question.id}-{self.text}"

    @property
    def state(self) -> QueueState:
        if self.contradicting:
            return "contradicting"
        return "open" if self.decision is None else "decided"

    def to_json(self) -> list[dict[str, Any]]:
        """One entry a kind; for judges one each."""
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
        if PartedKind.EXPERTS in self.kinds:
            whose.append((PartedKind.EXPERTS.value, None))
        whose.extend((PartedKind.JUDGE.value, judge) for judge in self.judges)
        whose.extend((PartedKind.REPEATS.value, judge) for judge in self.wavering)
        return [{**about, "kind": kind, "judge": judge, **rest} for kind, judge in whose or [(None, None)]]


@dataclass(frozen=True, slots=True)
class QueueFilter:
    """None and "" leave nothing out. `question` is its number; `judge` parts from experts or from itself."""

    kind: PartedKind | None = None
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
        if self.kind is PartedKind.JUDGE:
            return pair.judges
        return pair.wavering if self.kind is PartedKind.REPEATS else (*pair.judges, *pair.wavering)


@dataclass(frozen=True, slots=True)
class DisagreementQueue:
    """Of one version. `pairs` hold what is decided, too; the open ones come first in the order to settle them.

    `answered` counts the experts who answered; `runs` are the newest of each judge.
    """

    checklist: Checklist
    answered: int
    runs: tuple[RunSummary, ...]
    pairs: tuple[QueuedPair, ...]
    carried: CarriedAnswers

    @property
    def judges(self) -> tuple[str, ...]:
        return tuple(run.judge for run in self.runs)

    def counted(self, state: QueueState) -> int:
        return sum(pair.state == state for pair in self.pairs)

    def matching(self, wanted: QueueFilter) -> list[QueuedPair]:
        return [pair for pair in self.pairs if wanted.takes(pair)]

    def pair(self, question_id: int, text_id: int) -> QueuedPair:
        """Raises NotFoundError where nobody parts about it and nothing was decided."""
        for pair in self.pairs:
            if (pair.question.id, pair.text) == (question_id, text_id):
                return pair
        raise NotFoundError(
            f"There is no disagreement {question_id}-{text_id} in version {self.checklist.version}.",
            "`interacteval disagreements list` shows them.",
        )


@use_case(Right.READ)
def decidable_versions(workbench: Workbench, dimension_id: int) -> list[Checklist]:
    """The published versions, newest first, those that experts or a judge answered before those that nobody did."""
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
    """Of a published version, over the answers of all experts and of the newest run of each judge, and all that was
    decided about its questions in whatever version. Raises NotReadyError for a draft."""
    found = version_answers(workbench, checklist_id)
    decided = _decided(found)
    parted = parted_answers(found.people, found.judges, decided)
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
    """(texts, questions): the decisions that hold, NaN elsewhere."""
    cube = np.full((len(found.texts), len(found.checklist.asked)), np.nan)
    for place, question in enumerate(found.checklist.asked):
        for text, decision in reference(found.decisions.get(question.id, ())).items():
            row = found.row(text)
            if row is not None:
                cube[row, place] = NUMBERS[decision.answer]
    return cube


def _pairs(
    found: VersionAnswers, parted: PartedAnswers, keys: Mapping[int, Key], places: Iterable[Any]
) -> list[QueuedPair]:
    """keys: doc_id, system_id and item_id of the texts at these places."""
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
            PartedKind.EXPERTS: bool(parted.experts[row, place]),
            PartedKind.JUDGE: bool(apart),
            PartedKind.REPEATS: bool(wavering),
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
