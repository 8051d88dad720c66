"""Progress of experts on their answer sheets: how far each is, and nothing of what they answered."""

from collections import Counter
from dataclasses import dataclass

from app.domain.expert_answer import AnswerSet
from app.domain.judgment import Answer


@dataclass(frozen=True, slots=True)
class SheetProgress:
    """How far one expert is. `texts` of `all` that are theirs have all their answers; `skipped`, `notes` and
    `does_not_apply` count questions about texts; `carried` of the answers were given in earlier versions."""

    expert: str
    texts: int
    all: int
    answers: int
    skipped: int
    notes: int
    does_not_apply: int = 0
    carried: int = 0


def progress(found: AnswerSet) -> list[SheetProgress]:
    """How far each expert is, in the order they began; nothing of what they answered."""
    asked = len(found.checklist.asked)
    sheets = []
    for expert in found.experts:
        own = [one for one in found.answers if one.expert == expert]
        given = [one for one in own if one.answer is not None]
        done = Counter(one.text for one in given)
        begun = {one.text for one in own if one.answer is not None or one.note}
        shared = {text for text in found.texts if not found.shares or expert in found.shares.get(text, ())}
        sheets.append(
            SheetProgress(
                expert,
                texts=sum(count == asked for count in done.values()),
                all=len(begun | shared),
                answers=len(given),
                skipped=sum(one.answer is Answer.UNANSWERED for one in given),
                notes=sum(bool(one.note) for one in own),
                does_not_apply=sum(one.answer is Answer.NOT_APPLICABLE for one in given),
                carried=sum(one.from_version is not None for one in given),
            )
        )
    return sheets
