"""What a facilitator decided where people or judges part about a question and a text."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from app.domain.judgment import Answer

LONGEST_REASON = 1_000
"""Characters of the line that says why."""
DECIDABLE = (Answer.YES, Answer.NO, Answer.NOT_APPLICABLE)


@dataclass(frozen=True, slots=True)
class Decision:
    """The answer that holds for a question and a text, whatever anybody answered: the reference from then on.

    `question` is the one decided about, in `version`, with the `wording` and `guidance` it had then; the decision is
    about its copies in other versions too. `run` is the run that was looked at. `guided`: the line that became guidance
    of the question, "" for none. `undone_at` is None while it stands.
    """

    id: int
    question: int
    version: int
    text: int
    answer: Answer
    why: str
    who: str
    at: datetime
    wording: str
    guidance: str
    run: int | None = None
    guided: str = ""
    undone_by: str = ""
    undone_at: datetime | None = None

    @property
    def stands(self) -> bool:
        return self.undone_at is None


def reference(decisions: Iterable[Decision]) -> dict[int, Decision]:
    """Text -> the newest decision that stands, of those about one question in all its versions."""
    standing = sorted((one for one in decisions if one.stands), key=lambda one: one.id)
    return {one.text: one for one in standing}


def contradictions(decisions: Iterable[Decision]) -> list[tuple[Decision, ...]]:
    """Decisions that stand about one question and the same text, and say different things; oldest first."""
    by_text: dict[int, list[Decision]] = {}
    for one in sorted(decisions, key=lambda one: one.id):
        if one.stands:
            by_text.setdefault(one.text, []).append(one)
    return [tuple(found) for found in by_text.values() if len({one.answer for one in found}) > 1]
