"""What changed between two versions of a checklist, question by question, and between two wordings, word by word."""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from enum import StrEnum
from typing import Literal

from app.domain.checklist import Checklist, Question, QuestionKind


class DiffKind(StrEnum):
    """A kind of change in a question; the value is the phrase for people."""

    ADDED = "added"
    REWORDED = "reworded"
    GUIDANCE = "with other guidance"
    MAY_NOT_APPLY = "allowed not to apply"
    ALWAYS_APPLIES = "no longer allowed not to apply"
    EXAMPLES = "with other examples"
    WEIGHT = "with another weight"
    COUNTS = "counted otherwise"
    COMPONENT = "put under another component"
    MOVED = "moved"
    SWITCHED_OFF = "switched off"
    SWITCHED_ON = "switched on"
    REMOVED = "removed"


@dataclass(frozen=True, slots=True)
class QuestionChange:
    """All changes of one question; `before` is None for a new question, `after` for a removed one."""

    kinds: tuple[DiffKind, ...]
    before: Question | None
    after: Question | None

    @property
    def question(self) -> Question:
        """Return the question after the change, or before it if it was removed."""
        found = self.after or self.before
        assert found is not None  # one of the two is always there
        return found


@dataclass(frozen=True, slots=True)
class ChecklistDiff:
    """Differences between two versions: sub-questions in the order of the newer version, then removed ones; and
    wordings of new and removed key questions, which no judge is asked."""

    questions: tuple[QuestionChange, ...]
    new_key_questions: tuple[str, ...] = ()
    gone_key_questions: tuple[str, ...] = ()

    @property
    def empty(self) -> bool:
        return not (self.questions or self.new_key_questions or self.gone_key_questions)

    def __str__(self) -> str:
        """Return counts in words: "1 added, 2 reworded"."""
        counts = Counter(kind for change in self.questions for kind in change.kinds)
        said = [f"{counts[kind]} {kind.value}" for kind in DiffKind if counts[kind]]
        keys = max(len(self.new_key_questions), len(self.gone_key_questions))
        said += [f"{keys} key question{'s' if keys > 1 else ''} changed"] if keys else []
        return ", ".join(said) or "nothing is different"


def compare_checklists(before: Checklist, after: Checklist) -> ChecklistDiff:
    """Return the differences. Questions are matched by equal wording, else by equal original wording."""
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
        DiffKind.EXAMPLES: old.examples != new.examples,
        DiffKind.WEIGHT: old.weight != new.weight,
        DiffKind.COUNTS: old.counting != new.counting,
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
    """Return the pairs in the order of `after`, the questions only in `after`, and those only in `before`."""
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
    """Return the smallest set of questions whose moving explains the new order: all outside a longest ordered
    subsequence."""
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


# Words, marks and spaces; in scripts written without spaces every character counts for itself.
_PIECE = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff]|\w+|\s+|[^\w\s]")

LEAST_SHARED = 0.3  # of the longer wording, in characters


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of text in both wordings ("same"), only in the old one ("old"), or only in the new one ("new")."""

    kind: Literal["same", "old", "new"]
    text: str


def word_changes(before: str, after: str) -> tuple[Piece, ...]:
    """Return the stretches in reading order: "same" and "old" together give `before`, "same" and "new" give `after`.

    A space between two changed words counts as changed, so that a new phrase is one stretch. Wordings that share little
    become two stretches, because scattered common words confuse.
    """
    old, new = _PIECE.findall(before), _PIECE.findall(after)
    blocks = SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks()
    shared = sum(len(piece) for block in blocks for piece in old[block.a : block.a + block.size])
    if shared < LEAST_SHARED * max(len(before), len(after)):
        return tuple(_old_and_new(before, after))
    found: list[Piece] = []
    gone, come = "", ""
    for what, old_from, old_to, new_from, new_to in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        was, now = "".join(old[old_from:old_to]), "".join(new[new_from:new_to])
        if what != "equal" or (was.isspace() and (gone or come) and old_to < len(old) and new_to < len(new)):
            gone, come = gone + was, come + now
            continue
        found += [*_old_and_new(gone, come), Piece("same", was)]
        gone, come = "", ""
    return (*found, *_old_and_new(gone, come))


def _old_and_new(gone: str, come: str) -> list[Piece]:
    return ([Piece("old", gone)] if gone else []) + ([Piece("new", come)] if come else [])
