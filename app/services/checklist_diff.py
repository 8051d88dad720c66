"""What a version of a checklist changed against another, as its owners would say it."""

from collections.abc import Callable, Hashable
from dataclasses import dataclass

from app.domain.checklist import Checklist, Question, QuestionKind


@dataclass(frozen=True, slots=True)
class ChecklistDiff:
    """Sub-questions only: they are what a judge is asked. `reworded` holds (before, after)."""

    added: tuple[Question, ...]
    reworded: tuple[tuple[Question, Question], ...]
    switched_off: tuple[Question, ...]
    switched_on: tuple[Question, ...]
    removed: tuple[Question, ...]

    @property
    def empty(self) -> bool:
        return not (self.added or self.reworded or self.switched_off or self.switched_on or self.removed)


def compare_checklists(before: Checklist, after: Checklist) -> ChecklistDiff:
    """Questions are the same if their wording is; else if they started from the same wording."""
    pairs, added, removed = _matched(_sub_questions(before), _sub_questions(after))
    return ChecklistDiff(
        added=tuple(added),
        reworded=tuple((old, new) for old, new in pairs if old.text != new.text),
        switched_off=tuple(new for old, new in pairs if old.enabled and not new.enabled),
        switched_on=tuple(new for old, new in pairs if new.enabled and not old.enabled),
        removed=tuple(removed),
    )


def _sub_questions(checklist: Checklist) -> list[Question]:
    return [q for q in checklist.questions if q.kind is QuestionKind.SUB]


def _matched(
    before: list[Question], after: list[Question]
) -> tuple[list[tuple[Question, Question]], list[Question], list[Question]]:
    """The pairs in the order of `after`, what is only in `after`, what is only in `before`."""
    partner: dict[int, Question] = {}
    left = list(before)
    by_wording: tuple[Callable[[Question], Hashable], ...] = (
        lambda question: (question.component, question.text),
        lambda question: (question.component, question.original),
    )
    for same in by_wording:
        for new in after:
            old = next((q for q in left if same(q) == same(new)), None) if new.id not in partner else None
            if old is not None:
                partner[new.id] = old
                left.remove(old)
    pairs = [(partner[new.id], new) for new in after if new.id in partner]
    return pairs, [new for new in after if new.id not in partner], left
