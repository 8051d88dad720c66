"""Rooms in which experts decide together on a question."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum

from app.domain.checklist_score import Answer, answer_said


class RoomStage(StrEnum):
    """The stages of a room: a blind vote, discussion of its result, a second blind vote, the decision, the end."""

    VOTE = "vote"
    DISCUSS = "discuss"
    VOTE_AGAIN = "vote again"
    DECIDE = "decide"
    CLOSED = "closed"

    @property
    def round(self) -> int | None:
        """Return the number of the voting round, 1 or 2; None if nobody votes in this stage."""
        return {RoomStage.VOTE: 1, RoomStage.VOTE_AGAIN: 2}.get(self)

    @property
    def next(self) -> "RoomStage":
        stages = list(RoomStage)
        return stages[min(stages.index(self) + 1, len(stages) - 1)]


MOST_ROOM_TEXTS = 10
LONGEST_LINE = 200
"""Characters of a member's line in the discussion, so that the audit log can hold the whole line."""


@dataclass(frozen=True, slots=True)
class RoomVote:
    expert: str
    text: int
    round: int
    answer: Answer


@dataclass(frozen=True, slots=True)
class Room:
    """A room in which experts decide one question about `texts` together. `lines`: member -> what they said, "" for
    nothing yet. `revealed`: number of rounds whose votes were revealed. `agreed`: the line that became guidance in the
    version `draft`.

    `votes` holds all votes as the database has them; `seen_by` keeps only those that one expert may read.
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
        """Return the members sorted by name, so that the order doesn't tell who came first."""
        return tuple(sorted(self.lines, key=str.casefold))

    @property
    def open(self) -> bool:
        return self.stage is not RoomStage.CLOSED

    def can_join(self, expert: str) -> bool:
        """Return whether the expert is a member or may still join."""
        return expert in self.lines or self.stage is RoomStage.VOTE

    def said(self, round_: int) -> dict[tuple[str, int], Answer]:
        """Return (member, text) -> vote in this round."""
        return {(one.expert, one.text): one.answer for one in self.votes if one.round == round_}

    def majorities(self) -> dict[int, Answer]:
        """Return text id -> the answer of more than half of the second votes, UNANSWERED without such a majority."""
        said = self.said(2)
        return {text: answer_said([one for (_, of), one in said.items() if of == text]) for text in self.texts}

    def whole(self) -> tuple[str, ...]:
        """Return the members who have voted on every text in the current round."""
        return tuple(name for name in self.members if self.voted.get(name, 0) == len(self.texts))

    def seen_by(self, expert: str) -> "Room":
        """Return the room with only revealed votes and this expert's own. `voted`: member -> number of texts voted
        on."""
        now = [one for one in self.votes if one.round == self.stage.round]
        open_to = tuple(one for one in self.votes if one.round <= self.revealed or one.expert == expert)
        return replace(self, votes=open_to, voted=dict(Counter(one.expert for one in now)))
