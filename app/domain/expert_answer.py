"""What experts answer: a checklist's questions on a text, which of two texts is better, and votes in a room."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from typing import Any, Literal

from app.domain.checklist import Checklist
from app.domain.judgment import Answer
from app.domain.project import TextPlace

AnswerDesign = Literal["chance", "uncertain"]
"""How a wave was drawn: all texts alike, or, in older databases, those on which the judge is less sure with a higher
chance."""


@dataclass(frozen=True, slots=True)
class AnswerWave:
    """Texts drawn at one time, numbered from 1. `tau` is the part of their chances that went by uncertainty."""

    number: int
    design: AnswerDesign
    seed: int
    tau: float
    texts: tuple[int, ...]
    drawn_at: datetime


@dataclass(frozen=True, slots=True)
class WishedWave:
    """A wave to draw: how many `texts`. `anew`: in place of the texts drawn already."""

    texts: int
    seed: int = 1
    anew: bool = False


@dataclass(frozen=True, slots=True)
class AnswerDraw:
    """The texts that experts answer one version of a checklist on: those of all waves, one after the other. Every
    expert answers all of them, unless they are shared.

    `seed` and `drawn_at` are those of the first wave. `stratified`: drawn so that the texts are rated like the whole;
    otherwise nothing was rated and chance alone drew.
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
    """One expert on one question about one text. `answer` is UNANSWERED where the expert skipped the question,
    NOT_APPLICABLE where it allows that and the expert said so, None where there is only a note so far.

    `from_version` is the earlier version of the checklist in which it was given to the same question; None where it was
    given in this version.
    """

    expert: str
    text: int
    question: int
    answer: Answer | None
    note: str = ""
    from_version: int | None = None


@dataclass(frozen=True, slots=True)
class CarriedAnswers:
    """Experts' answers to earlier versions that count for unchanged questions.

    `answers` of all `given` ones, to `questions` of the `asked` ones. `versions`: number -> answers given in it, newest
    first.
    """

    answers: int
    given: int
    questions: int
    asked: int
    versions: Mapping[int, int]

    def __str__(self) -> str:
        """One sentence, "" where no answer is from an earlier version."""
        if not self.answers:
            return ""
        versions = ("version " if len(self.versions) == 1 else "versions ") + ", ".join(map(str, self.versions))
        answers = f"{self.answers:,} of {self.given:,} answers"
        questions = f"{self.questions:,} of {self.asked:,} questions"
        return f"{answers}, to {questions}, count again from {versions}: the questions are unchanged."

    def to_json(self) -> dict[str, Any]:
        """JSON has no numbers as names, so versions are a list."""
        versions = [{"version": version, "answers": answers} for version, answers in self.versions.items()]
        return {"answers": self.answers, "of": self.given, "questions": self.questions, "versions": versions}


def carried_answers(checklist: Checklist, answers: Iterable[ExpertAnswer]) -> CarriedAnswers:
    """Count those of the answers to a checklist that were given to earlier versions of it."""
    given = [one for one in answers if one.answer is not None]
    carried = [one for one in given if one.from_version is not None]
    versions = Counter(one.from_version for one in carried if one.from_version is not None)
    return CarriedAnswers(
        len(carried),
        len(given),
        len({one.question for one in carried}),
        len(checklist.asked),
        dict(sorted(versions.items(), reverse=True)),
    )


@dataclass(frozen=True, slots=True)
class SheetEntry:
    """One thing an expert did on their sheet: gave an answer, wrote a note, or went on (1) or back (-1) from a text.

    `number` counts from 1 in the order they did it, so that what arrives twice is kept once. A step has no question, 0.
    """

    number: int
    text: int
    question: int = 0
    answer: Answer | None = None
    note: str | None = None
    step: int = 0


@dataclass(frozen=True, slots=True)
class AnswerSheet:
    """One expert's own part: the texts that are theirs, in the order drawn for them, and what they have answered.

    `given`: (text, question) -> answer.
    """

    draw: AnswerDraw
    checklist: Checklist
    expert: str
    texts: tuple[int, ...]
    given: Mapping[tuple[int, int], ExpertAnswer]

    def answered(self, text: int) -> int:
        """How many questions have an answer about this text; skipped ones are answered."""
        pairs = ((text, question.id) for question in self.checklist.asked)
        return sum((one := self.given.get(pair)) is not None and one.answer is not None for pair in pairs)

    def count(self, *kinds: Answer) -> int:
        """How many questions, over all texts, have one of these answers."""
        pairs = ((text, question.id) for text in self.texts for question in self.checklist.asked)
        return sum((one := self.given.get(pair)) is not None and one.answer in kinds for pair in pairs)

    @property
    def carried(self) -> CarriedAnswers:
        return carried_answers(self.checklist, self.given.values())

    @property
    def done(self) -> int:
        """How many texts have all their answers."""
        return sum(self.answered(text) == len(self.checklist.asked) for text in self.texts)


@dataclass(frozen=True, slots=True)
class AnswerSet:
    """Everybody's answers to one version of a checklist, for agreement. `texts` is the draw, in its own order.

    `shares`: text -> whom it was given to; {} where everybody answers every text.
    """

    checklist: Checklist
    texts: tuple[int, ...]
    experts: tuple[str, ...]
    answers: tuple[ExpertAnswer, ...]
    shares: Mapping[int, frozenset[str]] = field(default_factory=dict)

    @property
    def carried(self) -> CarriedAnswers:
        return carried_answers(self.checklist, self.answers)


class DriftVerdict(StrEnum):
    STEADY = "no change seen"
    JUDGE_CHANGED = "judge changed"
    TEXTS_CHANGED = "the texts changed"
    TOO_FEW = "not enough anchors"


@dataclass(frozen=True, slots=True)
class AnchorSet:
    """`answers`: (text, question) -> what was decided, else most experts said, when it was frozen. `digest` as it was
    then."""

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
    """One asking of `judge` about the anchors. `against` is the judge whose reference it is compared with; a reference
    itself has no figures."""

    id: int
    run: int
    judge: str
    against: str
    is_reference: bool
    at: datetime
    figures: Mapping[str, Any] = field(default_factory=dict)
    verdict: str = ""


@dataclass(frozen=True, slots=True)
class SideBySide:
    """`people` and `llms` are the wordings as this expert sees them; which of them is set A was drawn.

    `answers`: question -> text. Nothing changes any more once it is `revealed`. `outside`: the expert had not thought
    aloud about the dimension when the comparison began.
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
    """Which of two texts somebody found better."""

    A = "a"
    B = "b"
    TIE = "tie"

    @property
    def swapped(self) -> "Winner":
        """The same of the two texts the other way round."""
        return {Winner.A: Winner.B, Winner.B: Winner.A}.get(self, self)


@dataclass(frozen=True, slots=True)
class PairDraw:
    """Pairs of texts, by id, that every expert of a dimension compares."""

    id: int
    pairs: tuple[tuple[int, int], ...]
    drawn_at: datetime


@dataclass(frozen=True, slots=True)
class Preference:
    """What `rater` said of two texts of one source on a dimension. `attribute`: the id of what `reason` became, None
    where nothing was said or it was deleted since."""

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
        """The ids of both texts."""
        return self.a.id, self.b.id


class RoomStage(StrEnum):
    """Where a room to decide together is: a blind vote, its result with a line by each member, a second blind vote, its
    result, the end."""

    VOTE = "vote"
    DISCUSS = "discuss"
    VOTE_AGAIN = "vote again"
    DECIDE = "decide"
    CLOSED = "closed"

    @property
    def round(self) -> int | None:
        """1 or 2 while people vote, None otherwise."""
        return {RoomStage.VOTE: 1, RoomStage.VOTE_AGAIN: 2}.get(self)

    @property
    def next(self) -> "RoomStage":
        stages = list(RoomStage)
        return stages[min(stages.index(self) + 1, len(stages) - 1)]


FEWEST_MEMBERS, MOST_MEMBERS = 2, 12
MOST_ROOM_TEXTS = 10
LONGEST_LINE = 200
"""Characters of what a member says in the discussion: the audit log holds the whole line."""


@dataclass(frozen=True, slots=True)
class RoomVote:
    expert: str
    text: int
    round: int
    answer: Answer


@dataclass(frozen=True, slots=True)
class Room:
    """A room in which experts decide one question about `texts` together. `lines`: member -> what they said, "" for
    nothing yet. `revealed`: the rounds whose votes were revealed. `agreed`: the line that became guidance, in the draft
    of this version.

    `votes` are everybody's as the database has them; `seen_by` leaves those alone that somebody may read.
    """

    id: int
    question: int
    texts: tuple[int, ...]
    stage: RoomStage
    opened_by: str
    opened_at: datetime
    lines: Mapping[str, str] = field(default_factory=dict)
    votes: tuple[RoomVote, ...] = ()
    revealed: int = 0
    agreed: str = ""
    draft: int | None = None
    closed_by: str = ""
    closed_at: datetime | None = None
    voted: Mapping[str, int] = field(default_factory=dict)

    @property
    def members(self) -> tuple[str, ...]:
        """By name, which says nothing about who came first."""
        return tuple(sorted(self.lines, key=str.casefold))

    @property
    def open(self) -> bool:
        return self.stage is not RoomStage.CLOSED

    def has_way_in(self, expert: str) -> bool:
        """Whether they are in it, or may still join."""
        return expert in self.lines or self.stage is RoomStage.VOTE

    def said(self, round_: int) -> dict[tuple[str, int], Answer]:
        """(member, text) -> the vote of this round."""
        return {(one.expert, one.text): one.answer for one in self.votes if one.round == round_}

    def whole(self) -> tuple[str, ...]:
        """The members who have voted on every text in the round that goes on."""
        return tuple(name for name in self.members if self.voted.get(name, 0) == len(self.texts))

    def seen_by(self, expert: str) -> "Room":
        """With the votes that were revealed and this expert's own; `voted` says how many texts each has voted on."""
        now = [one for one in self.votes if one.round == self.stage.round]
        open_to = tuple(one for one in self.votes if one.round <= self.revealed or one.expert == expert)
        return replace(self, votes=open_to, voted=dict(Counter(one.expert for one in now)))
