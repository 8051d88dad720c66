"""Difference between two versions of a checklist, as its owners would say it."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from app.domain.checklist import Checklist, Question, QuestionKind


class DiffKind(StrEnum):
    """The value is how it is said of a question."""

    ADDED = "added"
    REWORDED = "reworded"
    GUIDANCE = "with other guidance"
    MAY_NOT_APPLY = "allowed not to apply"
    ALWAYS_APPLIES = "no longer allowed not to apply"
    WEIGHT = "with another weight"
    COMPONENT = "put under another component"
    MOVED = "moved"
    SWITCHED_OFF = "switched off"
    SWITCHED_ON = "switched on"
    REMOVED = "removed"


@dataclass(frozen=True, slots=True)
class QuestionChange:
    """One question and everything that is different about it; `before` is None where it is new, `after` where it is
    gone."""

    kinds: tuple[DiffKind, ...]
    before: Question | None
    after: Question | None

    @property
    def question(self) -> Question:
        """As it is now, or was last."""
        found = self.after or self.before
        assert found is not None  # one of the two is always there
        return found


@dataclass(frozen=True, slots=True)
class ChecklistDiff:
    """Sub-questions in the order of the newer version, then what is gone; key questions that are new or gone, as they
    are worded. The judge is asked the sub-questions only."""

    questions: tuple[QuestionChange, ...]
    new_key_questions: tuple[str, ...] = ()
    gone_key_questions: tuple[str, ...] = ()

    @property
    def empty(self) -> bool:
        return not (self.questions or self.new_key_questions or self.gone_key_questions)

    def __str__(self) -> str:
        """In numbers: "1 added, 2 reworded"."""
        counts = Counter(kind for change in self.questions for kind in change.kinds)
        said = [f"{counts[kind]} {kind.value}" for kind in DiffKind if counts[kind]]
        keys = max(len(self.new_key_questions), len(self.gone_key_questions))
        said += [f"{keys} key question{'s' if keys > 1 else ''} changed"] if keys else []
        return ", ".join(said) or "nothing is different"


def compare_checklists(before: Checklist, after: Checklist) -> ChecklistDiff:
    """Questions are the same if their wording is; else if they started from the same wording."""
    old, new = _of(before, QuestionKind.SUB), _of(after, QuestionKind.SUB)
    pairs, added, removed = _matched(old, new)
    moved = _moved(pairs, old)
    by_id = {change.question.id: change for change in (_changed(a, b, b.id in moved) for a, b in pairs) if change.kinds}
    by_id |= {question.id: QuestionChange((DiffKind.ADDED,), None, question) for question in added}
    keys_before, keys_after = ([q.text for q in _of(c, QuestionKind.KEY)] for c in (before, after))
    return ChecklistDiff(
        questions=(
            *(by_id[question.id] for question in new if question.id in by_id),
            *(QuestionChange((DiffKind.REMOVED,), question, None) for question in removed),
        ),
        new_key_questions=tuple(text for text in keys_after if text not in keys_before),
        gone_key_questions=tuple(text for text in keys_before if text not in keys_after),
    )


def _changed(old: Question, new: Question, moved: bool) -> QuestionChange:
    found = {
        DiffKind.REWORDED: old.text != new.text,
        DiffKind.GUIDANCE: old.guidance != new.guidance,
        DiffKind.MAY_NOT_APPLY: new.may_not_apply and not old.may_not_apply,
        DiffKind.ALWAYS_APPLIES: old.may_not_apply and not new.may_not_apply,
        DiffKind.WEIGHT: old.weight != new.weight,
        DiffKind.COMPONENT: old.component != new.component,
        DiffKind.MOVED: moved,
        DiffKind.SWITCHED_OFF: old.enabled and not new.enabled,
        DiffKind.SWITCHED_ON: new.enabled and not old.enabled,
    }
    return QuestionChange(tuple(kind for kind, so in found.items() if so), old, new)


def _of(checklist: Checklist, kind: QuestionKind) -> list[Question]:
    return [q for q in checklist.questions if q.kind is kind]


def _matched(
    before: list[Question], after: list[Question]
) -> tuple[list[tuple[Question, Question]], list[Question], list[Question]]:
    """The pairs in the order of `after`, what is only in `after`, what is only in `before`."""
    partner: dict[int, Question] = {}
    left = list(before)
    by_wording: tuple[Callable[[Question], Hashable], ...] = (
        lambda question: (question.component, question.text),
        lambda question: question.text,
        lambda question: (question.component, question.original),
        lambda question: question.original,
    )
    for same in by_wording:
        for new in after:
            old = next((q for q in left if same(q) == same(new)), None) if new.id not in partner else None
            if old is not None:
                partner[new.id] = old
                left.remove(old)
    pairs = [(partner[new.id], new) for new in after if new.id in partner]
    return pairs, [new for new in after if new.id not in partner], left


def _moved(pairs: Sequence[tuple[Question, Question]], before: Sequence[Question]) -> set[int]:
    """The fewest questions whose moving explains the new order: all but a longest run that kept its order."""
    place = {question.id: number for number, question in enumerate(before)}
    ends: list[int] = []  # ends[n]: the smallest last place of a rising run of n + 1 questions
    length: list[int] = []
    for old, _ in pairs:
        at = bisect_left(ends, place[old.id])
        ends[at : at + 1] = [place[old.id]]
        length.append(at + 1)
    wanted, last, kept = max(length, default=0), len(before), set[int]()
    for (old, new), reached in zip(reversed(pairs), reversed(length), strict=True):
        if reached == wanted and place[old.id] < last:
            wanted, last = wanted - 1, place[old.id]
            kept.add(new.id)
    return {new.id for _, new in pairs if new.id not in kept}
