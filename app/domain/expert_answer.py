"""What experts answer: the questions of a checklist, anchors of drift, two sets side by side, and which of two texts is
better."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, Literal

from app.domain.checklist import Checklist
from app.domain.checklist_score import Answer
from app.domain.project import TextPlace

DEFAULT_TEXTS, DEFAULT_MORE_TEXTS = 20, 60
"""Texts that every expert answers on: in the first draw of a version, and in each later one."""
MOST_PAIRS, DEFAULT_PAIRS, DEFAULT_CONTRASTS = 100, 10, 10
"""Pairs that every expert compares, and those of which a model is asked what the better text has."""

AnswerDesign = Literal["chance", "uncertain"]
"""How a wave was drawn: all texts alike, or, in older databases, those on which the judge is less sure with a higher
chance."""


@dataclass(frozen=True, slots=True)
class AnswerWave:
    """Texts drawn at one time; waves are numbered from 1. `tau` is the share (0 to 1) of a text's chance that depends
    on uncertainty."""

    number: int
    design: AnswerDesign
    seed: int
    tau: float
    texts: tuple[int, ...]
    drawn_at: datetime


@dataclass(frozen=True, slots=True)
class WaveRequest:
    """A request to draw a wave of `texts` texts. `anew`: replace the texts drawn already."""

    texts: int
    seed: int = 1
    anew: bool = False


@dataclass(frozen=True, slots=True)
class AnswerDraw:
    """The texts on which experts answer one version of a checklist: those of all waves, one after the other. Every
    expert answers all of them, unless they are shared out.

    `seed` and `drawn_at` are those of the first wave. `stratified`: drawn so that the ratings are distributed as in all
    texts; False where no text was rated and all were drawn at random.
    """

    id: int
    checklist: int
    texts: tuple[int, ...]
    seed: int
    stratified: bool
    drawn_at: datetime
    waves: tuple[AnswerWave, ...]


@dataclass(frozen=True, slots=True)
class ExpertAnswer:
    """The answer of one expert to one question about one text. `answer` is UNANSWERED for a skipped
    question, NOT_APPLICABLE for one that the expert said does not apply, None for a note without an answer.

    `from_version` is the earlier version of the checklist in which the same question was answered; None for this
    version.
    """

    expert: str
    text: int
    question: int
    answer: Answer | None
    note: str = ""
    from_version: int | None = None


@dataclass(frozen=True, slots=True)
class ReusedAnswers:
    """Counts of experts' answers to earlier versions that count again for unchanged questions.

    `answers` of all `given` answers and `questions` of all `asked` questions. `versions`: version -> number of answers,
    newest version first.
    """

    answers: int
    given: int
    questions: int
    asked: int
    versions: Mapping[int, int]

    def __str__(self) -> str:
        """Return one sentence, "" if no answer is from an earlier version."""
        if not self.answers:
            return ""
        versions = ("version " if len(self.versions) == 1 else "versions ") + ", ".join(map(str, self.versions))
        answers = f"{self.answers:,} of {self.given:,} answers"
        questions = f"{self.questions:,} of {self.asked:,} questions"
        return f"{answers}, to {questions}, count again from {versions}: the questions are unchanged."

    def to_json(self) -> dict[str, Any]:
        """Return the counts as JSON. The versions are a list, because JSON keys can't be numbers."""
        versions = [{"version": version, "answers": answers} for version, answers in self.versions.items()]
        return {"answers": self.answers, "of": self.given, "questions": self.questions, "versions": versions}


def reused_answers(checklist: Checklist, answers: Iterable[ExpertAnswer]) -> ReusedAnswers:
    """Count the answers to a checklist that were given to earlier versions of it."""
    given = [one for one in answers if one.answer is not None]
    carried = [one for one in given if one.from_version is not None]
    versions = Counter(one.from_version for one in carried if one.from_version is not None)
    return ReusedAnswers(
        len(carried),
        len(given),
        len({one.question for one in carried}),
        len(checklist.asked),
        dict(sorted(versions.items(), reverse=True)),
    )


@dataclass(frozen=True, slots=True)
class SheetEntry:
    """One act of an expert on their sheet: an answer, a note, or a step to the next (1) or previous (-1) text.

    `number` counts an expert's acts from 1, so that an entry that arrives twice is stored once. A step has question 0.
    """

    number: int
    text: int
    question: int = 0
    answer: Answer | None = None
    note: str | None = None
    step: int = 0


@dataclass(frozen=True, slots=True)
class AnswerSheet:
    """The sheet of one expert: their texts in the order drawn for them, and their answers so far.

    `given`: (text, question) -> answer.
    """

    draw: AnswerDraw
    checklist: Checklist
    expert: str
    texts: tuple[int, ...]
    given: Mapping[tuple[int, int], ExpertAnswer]

    def answered(self, text: int) -> int:
        """Return how many questions have an answer about this text; skipped questions count as answered."""
        pairs = ((text, question.id) for question in self.checklist.asked)
        return sum((one := self.given.get(pair)) is not None and one.answer is not None for pair in pairs)

    def count(self, *kinds: Answer) -> int:
        """Return how many questions, over all texts, have one of these answers."""
        pairs = ((text, question.id) for text in self.texts for question in self.checklist.asked)
        return sum((one := self.given.get(pair)) is not None and one.answer in kinds for pair in pairs)

    @property
    def carried(self) -> ReusedAnswers:
        return reused_answers(self.checklist, self.given.values())

    @property
    def done(self) -> int:
        """Return how many texts have all their answers."""
        return sum(self.answered(text) == len(self.checklist.asked) for text in self.texts)


@dataclass(frozen=True, slots=True)
class AnswerSet:
    """The answers of all experts to one version of a checklist, from which agreement is computed. `texts` is in the
    order of the draw.

    `shares`: text -> the experts it was given to; {} if everybody answers every text.
    """

    checklist: Checklist
    texts: tuple[int, ...]
    experts: tuple[str, ...]
    answers: tuple[ExpertAnswer, ...]
    shares: Mapping[int, frozenset[str]] = field(default_factory=dict)

    @property
    def carried(self) -> ReusedAnswers:
        return reused_answers(self.checklist, self.answers)


FEWEST_MEMBERS, MOST_MEMBERS = 2, 12


@dataclass(frozen=True, slots=True)
class SideBySide:
    """One expert's blind comparison of attributes by people and by LLMs. `people` and `llms` are the wordings this
    expert sees; which of the two is set A is random.

    `answers`: question -> answer text; final once `revealed_at` is set. `outside`: the expert had not thought aloud
    about the dimension when the comparison began.
    """

    id: int
    expert: str
    people_are_a: bool
    people: tuple[str, ...]
    llms: tuple[str, ...]
    answers: Mapping[str, str] = field(default_factory=dict)
    revealed_at: datetime | None = None
    outside: bool = False

    @property
    def revealed(self) -> bool:
        return self.revealed_at is not None

    @property
    def a(self) -> tuple[str, ...]:
        return self.people if self.people_are_a else self.llms

    @property
    def b(self) -> tuple[str, ...]:
        return self.llms if self.people_are_a else self.people


class Winner(StrEnum):
    """A rater's verdict on which of two texts is better."""

    A = "a"
    B = "b"
    TIE = "tie"

    @property
    def swapped(self) -> "Winner":
        """Return the same verdict with the two texts in the other order."""
        return {Winner.A: Winner.B, Winner.B: Winner.A}.get(self, self)


@dataclass(frozen=True, slots=True)
class PairDraw:
    """Pairs of texts, by id, that every expert of a dimension compares."""

    id: int
    pairs: tuple[tuple[int, int], ...]
    drawn_at: datetime


@dataclass(frozen=True, slots=True)
class Preference:
    """The verdict of `rater` on which of two texts of one source is better on a dimension. `attribute`: the id of the
    attribute that `reason` became, None if there was no reason or the attribute was deleted."""

    dimension: str
    rater: str
    a: TextPlace
    b: TextPlace
    winner: Winner
    reason: str = ""
    attribute: int | None = None
    id: int = 0

    @property
    def key(self) -> tuple[int, int]:
        """Return the ids of both texts."""
        return self.a.id, self.b.id


class DriftVerdict(StrEnum):
    UNCHANGED = "no change seen"
    JUDGE_CHANGED = "judge changed"
    TEXTS_CHANGED = "the texts changed"
    TOO_FEW = "not enough anchors"


@dataclass(frozen=True, slots=True)
class AnchorSet:
    """Texts with frozen answers. `answers`: (text, question) -> the decided answer, else the majority of experts, when
    the set was frozen. `digest` identifies the set as it was then."""

    id: int
    dimension: int
    checklist: int
    texts: tuple[int, ...]
    answers: Mapping[tuple[int, int], Answer]
    digest: str
    frozen_by: str
    frozen_at: datetime


@dataclass(frozen=True, slots=True)
class AnchorLook:
    """One run of `judge` on the anchors. `against` is the judge whose reference run it is compared with; a reference
    run itself has no figures."""

    id: int
    run: int
    judge: str
    against: str
    is_reference: bool
    at: datetime
    figures: Mapping[str, Any] = field(default_factory=dict)
    verdict: str = ""
