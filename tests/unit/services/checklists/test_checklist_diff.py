"""What is different between two versions, against differences made on purpose."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.checklist import Checklist, ChecklistStatus, Question, QuestionKind
from app.domain.version_changes import DiffKind, compare_checklists


def question(text: str, **fields: object) -> Question:
    return replace(Question(text, "c", original=text), **fields)  # type: ignore[arg-type]


def checklist(*questions: Question) -> Checklist:
    numbered = tuple(replace(q, id=number) for number, q in enumerate(questions, start=1))
    return Checklist("tone", 1, ChecklistStatus.DRAFT, "comb", "rules", questions=numbered)


A, B, C, D = (question(f"{letter}?") for letter in "ABCD")


def test_every_kind_of_change_is_named() -> None:
    after = checklist(
        replace(A, text="Better A?", weight=2.0),
        replace(B, guidance="One is enough.", enabled=False),
        question("New?"),
        replace(D, component="other"),
    )
    found = compare_checklists(checklist(A, B, C, D), after)
    assert [(change.kinds, change.question.text) for change in found.questions] == [
        ((DiffKind.REWORDED, DiffKind.WEIGHT), "Better A?"),
        ((DiffKind.GUIDANCE, DiffKind.SWITCHED_OFF), "B?"),
        ((DiffKind.ADDED,), "New?"),
        ((DiffKind.COMPONENT,), "D?"),
        ((DiffKind.REMOVED,), "C?"),
    ]
    assert str(found) == (
        "1 added, 1 reworded, 1 with other guidance, 1 with another weight, 1 put under another component, "
        "1 switched off, 1 removed"
    )


@pytest.mark.parametrize(
    ("order", "moved"),
    [((A, B, C, D), []), ((B, C, D, A), ["A?"]), ((D, A, B, C), ["D?"]), ((A, C, B, D), ["C?"]), ((D, C, B, A), "ABC")],
)
def test_only_what_moved_is_said_to_have_moved(order: tuple[Question, ...], moved: list[str]) -> None:
    found = compare_checklists(checklist(A, B, C, D), checklist(*order))
    assert {kind for change in found.questions for kind in change.kinds} <= {DiffKind.MOVED}
    if isinstance(moved, list):
        assert [change.question.text for change in found.questions] == moved
    else:
        assert len(found.questions) == len(moved)


@given(st.permutations(range(7)))
def test_the_fewest_questions_are_said_to_have_moved(order: list[int]) -> None:
    """Against trying every set of questions that could have stayed."""
    made = [question(f"Q{n}?") for n in range(7)]
    found = compare_checklists(checklist(*made), checklist(*(made[n] for n in order)))
    longest = max(
        sum(1 for _ in kept)
        for mask in range(1 << 7)
        if (kept := [n for at, n in enumerate(order) if mask >> at & 1]) == sorted(kept)
    )
    assert len(found.questions) == 7 - longest


def test_key_questions_are_compared_by_their_words() -> None:
    key = question("Is it well made?", kind=QuestionKind.KEY)
    found = compare_checklists(checklist(key, A), checklist(replace(key, text="Is it made well?"), A))
    assert (found.questions, found.gone_key_questions, found.new_key_questions) == (
        (),
        ("Is it well made?",),
        ("Is it made well?",),
    )
    assert str(found) == "1 key question changed"


def test_a_checklist_does_not_differ_from_itself() -> None:
    found = compare_checklists(checklist(A, B), checklist(A, B))
    assert (found.empty, str(found)) == (True, "nothing is different")
