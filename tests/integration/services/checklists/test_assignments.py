"""Who does what: dimensions that experts are given, texts shared among them, and what lies idle moved on."""

import itertools
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest

from app.domain.checklist_score import Answer
from app.domain.expert_answer import AnswerDraw, SheetEntry, WaveRequest
from app.domain.project import Dimension, Rating, Task
from app.domain.roles_and_rights import Role
from app.errors import InputError, NotFoundError, NotReadyError
from app.meta_evaluation.questions.question_agreement import question_agreement
from app.services.checklists.answer_draws import draw_of, draw_planned, draw_texts
from app.services.checklists.assignments import (
    give_dimensions,
    given_dimensions,
    is_assigned,
    move_texts,
    overlap_of,
    progress,
    share_texts,
    shared_texts,
)
from app.services.checklists.expert_answers import (
    answer,
    answer_cube,
    answer_sheet,
    expert_answers,
    note,
    own_sheet,
    save_entries,
    unfinished_sheet,
)
from app.services.checklists.my_work import IDLE_DAYS, TaskKind, tasks_of, tasks_of_members
from app.services.data.projects import add_dimension, create_project
from app.services.people.audit_log import project_audit_log
from app.services.people.invitations import invite, revoke_access
from app.services.runtime.workbench import Workbench
from app.services.think_aloud.independence import unfinished_dimensions
from tests.support.answering import answer_all
from tests.support.prepared import Prepared, prepared
from tests.support.projects import ready_to_score, workbench_at

PROJECT = DIMENSION = CHECKLIST = 1
NAMES = ("Ana", "Ben", "Cy", "Di")


def _invited(workbench: Workbench) -> None:
    ready_to_score(workbench, texts=20)
    for name in NAMES:
        invite(workbench, PROJECT, name, Role.EXPERT)


@pytest.fixture(scope="module")
def invited() -> Prepared[None]:
    """Made once; each test has a copy."""
    return prepared(_invited)


@pytest.fixture
def bench(invited: Prepared[None], tmp_path: Path) -> Iterator[Workbench]:
    """Four experts of a project with twenty texts."""
    invited.copy(tmp_path)
    made = workbench_at(tmp_path)
    yield made
    made.database.close()


@pytest.fixture
def draw(bench: Workbench) -> AnswerDraw:
    return draw_texts(bench, CHECKLIST, 10, seed=3)


def theirs(bench: Workbench, name: str) -> set[int]:
    return set(answer_sheet(bench, CHECKLIST, name).texts)


def answered(bench: Workbench, draw: AnswerDraw, name: str, *texts: int) -> None:
    answer_all(bench, draw, name, dict.fromkeys(itertools.product(texts, (1, 2, 3)), Answer.YES))


def test_without_an_assignment_all_have_everything_and_with_one_as_many(bench: Workbench, draw: AnswerDraw) -> None:
    assert all(theirs(bench, name) == set(draw.texts) for name in (*NAMES, "Somebody nobody invited"))
    assert given_dimensions(bench, PROJECT) == {}
    assert overlap_of(bench, CHECKLIST) == 0
    (shared,) = shared_texts(bench, PROJECT)
    assert (shared.texts, shared.overlap, shared.unanswered, shared.short, shared.without) == (10, 0, {}, 0, ())
    whole = answer_sheet(bench, CHECKLIST, "Ana").texts

    share_texts(bench, DIMENSION, 2)
    parts = {name: theirs(bench, name) for name in NAMES}
    assert {len(part) for part in parts.values()} == {5}
    assert set(Counter(text for part in parts.values() for text in part).values()) == {2}
    own = answer_sheet(bench, CHECKLIST, "Ana").texts
    assert own == tuple(text for text in whole if text in own), "one's own order stays"
    assert [(task.kind, task.done, task.all) for task in tasks_of(bench, PROJECT, "Ana")][1] == (TaskKind.ANSWER, 0, 5)
    assert overlap_of(bench, CHECKLIST) == 2
    answered(bench, draw, "Ana", *list(parts["Ana"])[:3])
    (found,) = progress(expert_answers(bench, CHECKLIST))
    assert (found.texts, found.all) == (3, 5)
    answered(bench, draw, "Ana", *parts["Ana"])
    assert unfinished_sheet(bench, DIMENSION, "Ana") is None
    share_texts(bench, DIMENSION, 0)
    assert theirs(bench, "Ana") == set(draw.texts)


def test_what_was_begun_before_the_texts_were_shared_stays(bench: Workbench, draw: AnswerDraw) -> None:
    answered(bench, draw, "Ana", *draw.texts[:7])
    note(bench, draw, "Ben", draw.texts[0], 1, "Hard.")
    share_texts(bench, DIMENSION, 1)
    assert theirs(bench, "Ana") == set(draw.texts[:7])
    assert draw.texts[0] in theirs(bench, "Ben")
    assert len(expert_answers(bench, CHECKLIST).answers) == 7 * 3 + 1


def test_whoever_comes_later_gets_texts_that_nobody_has_begun_on(bench: Workbench, draw: AnswerDraw) -> None:
    share_texts(bench, DIMENSION, 2)
    begun = {name: sorted(theirs(bench, name))[:2] for name in NAMES}
    for name, texts in begun.items():
        answered(bench, draw, name, *texts)
    before = {name: theirs(bench, name) for name in NAMES}
    invite(bench, PROJECT, "Eve", Role.EXPERT)
    assert {name: theirs(bench, name) for name in NAMES} == before
    assert (theirs(bench, "Eve"), shared_texts(bench, PROJECT)[0].without) == (set(), ("Eve",))
    shared = share_texts(bench, DIMENSION, 2)
    assert (shared.without, shared.short) == ((), 0)
    parts = {name: theirs(bench, name) for name in (*NAMES, "Eve")}
    assert {len(part) for part in parts.values()} == {4}
    assert all(set(texts) <= parts[name] for name, texts in begun.items())
    assert all(parts[name] <= before[name] for name in NAMES)


def test_more_experts_than_have_the_dimension_is_a_sentence_and_changes_nothing(
    bench: Workbench, draw: AnswerDraw
) -> None:
    share_texts(bench, DIMENSION, 2)
    other = add_dimension(bench, PROJECT, Dimension("fluency"))
    give_dimensions(bench, PROJECT, "Di", [other.id])
    with pytest.raises(InputError, match=r"can't be answered by 4 experts\. There are 3 to choose from"):
        share_texts(bench, DIMENSION, 4)
    with pytest.raises(InputError, match="-1 experts"):
        share_texts(bench, DIMENSION, -1)
    assert overlap_of(bench, CHECKLIST) == 2


def test_texts_that_are_drawn_later_are_shared_as_well(bench: Workbench) -> None:
    share_texts(bench, DIMENSION, 2)
    draw_texts(bench, CHECKLIST, 4, seed=1)
    draw = draw_texts(bench, CHECKLIST, 10, seed=3)  # in place of those
    parts = {name: theirs(bench, name) for name in NAMES}
    assert {len(part) for part in parts.values()} == {5}
    answered(bench, draw, "Ana", *parts["Ana"])
    draw_planned(bench, CHECKLIST, WaveRequest(8, seed=5))
    again = draw_of(bench, CHECKLIST)
    assert again is not None
    more = {name: theirs(bench, name) for name in NAMES}
    assert all(parts[name] <= more[name] and len(more[name] - parts[name]) == 4 for name in NAMES)
    assert set().union(*more.values()) == set(again.texts)


def test_texts_drawn_when_too_few_experts_are_left_go_to_those_and_that_is_said(bench: Workbench) -> None:
    share_texts(bench, DIMENSION, 4)
    revoke_access(bench, PROJECT, "Di")
    draw_texts(bench, CHECKLIST, 6, seed=1)
    (shared,) = shared_texts(bench, PROJECT)
    assert (shared.overlap, shared.short, shared.unanswered) == (4, 6, {"Ana": 6, "Ben": 6, "Cy": 6})


def test_a_dimension_that_was_not_given_is_nobody_s_work(bench: Workbench, draw: AnswerDraw) -> None:
    fluency = add_dimension(bench, PROJECT, Dimension("fluency"))
    with bench.database.write() as work:
        work.texts.add_ratings([(draw.texts[0], fluency.id, Rating("fluency", "r1", 3.0))])
    assert [one.name for one in unfinished_dimensions(bench, PROJECT, "Ana")] == ["coherence", "fluency"]
    give_dimensions(bench, PROJECT, "Ana", [fluency.id])
    assert [one.name for one in given_dimensions(bench, PROJECT)["Ana"]] == ["fluency"]
    assert [one.name for one in unfinished_dimensions(bench, PROJECT, "Ana")] == ["fluency"]
    assert [(task.kind, task.dimension.name) for task in tasks_of(bench, PROJECT, "Ana")] == [
        (TaskKind.THINK_ALOUD, "fluency")
    ]
    assert not is_assigned(bench, DIMENSION, "Ana")
    assert theirs(bench, "Ana") == set()
    assert unfinished_sheet(bench, DIMENSION, "Ana") is None
    assert len(tasks_of(bench, PROJECT, "Ben")) == 3
    give_dimensions(bench, PROJECT, "Ana", [])
    assert theirs(bench, "Ana") == set(draw.texts)
    # What was answered before a dimension was taken away stays.
    answered(bench, draw, "Ana", draw.texts[0])
    give_dimensions(bench, PROJECT, "Ana", [fluency.id])
    sheet = own_sheet(bench, DIMENSION, "Ana")
    assert sheet is not None
    assert (sheet.texts, sheet.done) == ((draw.texts[0],), 1)


def test_dimensions_go_to_experts_of_the_project_alone(bench: Workbench) -> None:
    invite(bench, PROJECT, "Rea", Role.READER)
    for name in ("Zoe", "Rea"):
        with pytest.raises(NotFoundError, match="is an expert of this project"):
            give_dimensions(bench, PROJECT, name, [DIMENSION])
    other = create_project(bench, "Other", Task(), (Dimension("order"),))
    with bench.database.read() as work:
        (order,) = work.projects.dimensions(other.id)
    with pytest.raises(InputError, match="isn't this project's"):
        give_dimensions(bench, PROJECT, "Ana", [order.id])


def test_unanswered_texts_move_and_every_answer_stays(bench: Workbench) -> None:
    draw = draw_texts(bench, CHECKLIST, 20, seed=3)
    give_dimensions(bench, PROJECT, "Ana", [DIMENSION])
    share_texts(bench, DIMENSION, 1)
    mine, bens = answer_sheet(bench, CHECKLIST, "Ana").texts, theirs(bench, "Ben")
    answered(bench, draw, "Ana", *mine[:2])
    answer(bench, draw, "Ana", mine[2], 1, Answer.NO)
    said = expert_answers(bench, CHECKLIST).answers
    moved = move_texts(bench, DIMENSION, "Ana", "Ben")
    assert (moved.moved, moved.left) == (3, 0)
    assert theirs(bench, "Ben") == bens | set(mine[2:])
    assert answer_sheet(bench, CHECKLIST, "Ana").texts == mine[:3]  # what she has begun is still hers to finish
    assert expert_answers(bench, CHECKLIST).answers == said
    with pytest.raises(InputError, match="“Ana” has no unanswered text of coherence"):
        move_texts(bench, DIMENSION, "Ana", "Cy")
    assert [(one.act, one.about) for one in project_audit_log(bench, PROJECT)][:3] == [
        ("moved unanswered texts", "coherence, Ana, Ben"),
        ("shared texts among experts", "coherence, 1"),
        ("gave dimensions to an expert", "coherence, Ana"),
    ]


def test_what_the_other_has_too_stays_and_is_counted(bench: Workbench, draw: AnswerDraw) -> None:
    share_texts(bench, DIMENSION, 2)
    both = theirs(bench, "Ana") & theirs(bench, "Ben")
    moved = move_texts(bench, DIMENSION, "Ana", "Ben")
    assert (moved.moved, moved.left) == (5 - len(both), len(both))
    assert theirs(bench, "Ana") == both
    assert set(Counter(text for name in NAMES for text in theirs(bench, name)).values()) == {2}
    if both:
        with pytest.raises(InputError, match="“Ben” has all"):
            move_texts(bench, DIMENSION, "Ana", "Ben")


def test_an_answer_is_kept_while_its_text_moves_and_of_who_left_texts_move(bench: Workbench, draw: AnswerDraw) -> None:
    share_texts(bench, DIMENSION, 1)
    opened = answer_sheet(bench, CHECKLIST, "Ana")
    move_texts(bench, DIMENSION, "Ana", "Ben")
    assert save_entries(bench, opened.draw, "Ana", [SheetEntry(1, opened.texts[0], 1, Answer.YES)]) == 0
    assert answer_sheet(bench, CHECKLIST, "Ana").texts == (opened.texts[0],)
    assert opened.texts[0] in theirs(bench, "Ben")
    # Di leaves.
    dis = theirs(bench, "Di")
    revoke_access(bench, PROJECT, "Di")
    (shared,) = shared_texts(bench, PROJECT)
    assert (shared.short, shared.unanswered["Di"], shared.experts) == (len(dis), len(dis), ("Ana", "Ben", "Cy"))
    move_texts(bench, DIMENSION, "Di", "Ana")
    (shared,) = shared_texts(bench, PROJECT)
    assert (shared.short, "Di" in shared.unanswered) == (0, False)
    assert dis <= theirs(bench, "Ana")


def test_what_can_not_be_moved_is_a_sentence(bench: Workbench) -> None:
    with pytest.raises(NotReadyError, match="No texts are drawn yet"):
        move_texts(bench, DIMENSION, "Ana", "Ben")
    draw_texts(bench, CHECKLIST, 8, seed=3)
    with pytest.raises(NotReadyError, match="Everybody answers every text of coherence"):
        move_texts(bench, DIMENSION, "Ana", "Ben")
    share_texts(bench, DIMENSION, 1)
    with pytest.raises(InputError, match="has these texts already"):
        move_texts(bench, DIMENSION, "Ana", "Ana")
    with pytest.raises(NotFoundError, match="Nobody called “Zoe”"):
        move_texts(bench, DIMENSION, "Ana", "Zoe")
    fluency = add_dimension(bench, PROJECT, Dimension("fluency"))
    give_dimensions(bench, PROJECT, "Ben", [fluency.id])
    with pytest.raises(InputError, match="isn't among what “Ben” does"):
        move_texts(bench, DIMENSION, "Ana", "Ben")


def test_whoever_runs_the_project_sees_what_is_whose_and_who_is_idle(bench: Workbench, draw: AnswerDraw) -> None:
    share_texts(bench, DIMENSION, 2)
    give_dimensions(bench, PROJECT, "Ana", [DIMENSION])
    answered(bench, draw, "Ana", *list(theirs(bench, "Ana"))[:2])
    found = {one.member.name: one for one in tasks_of_members(bench, PROJECT)}
    assert [one.name for one in found["Ana"].given] == ["coherence"]
    assert (found["Ana"].texts, found["Ben"].texts, found["Ben"].given) == ((2, 5), (0, 5), ())
    soon, later = (datetime.now(UTC) + timedelta(days=days) for days in (IDLE_DAYS - 1, IDLE_DAYS + 2.5))
    assert (found["Ana"].idle_days(soon), found["Ana"].idle_days(later)) == (None, IDLE_DAYS + 2)


def test_agreement_is_worked_out_from_whoever_answered_each_text(bench: Workbench, draw: AnswerDraw) -> None:
    """Krippendorff's alpha takes two answers a text, whoever's; nobody has answered all texts."""
    share_texts(bench, DIMENSION, 2)
    texts_of = {name: theirs(bench, name) for name in NAMES}
    for name, texts in texts_of.items():
        given: dict[tuple[int, int], Answer] = {}
        for text in texts:
            contrary = name == max(one for one in NAMES if text in texts_of[one])
            given |= dict.fromkeys(itertools.product([text], (1, 2, 3)), Answer.YES if text % 2 else Answer.NO)
            given |= {(text, 2): Answer.NO} if contrary else {}
        answer_all(bench, draw, name, given)
    cube = answer_cube(expert_answers(bench, CHECKLIST))
    assert cube.shape == (4, 10, 3)
    assert int(np.isnan(cube).sum()) == 2 * 10 * 3
    judge = np.array([[float(text % 2)] * 3 for text in draw.texts])
    first, second, _ = question_agreement(cube, judge)
    assert (first.people.value, first.people.n, first.judge.value) == (1.0, 10, 1.0)
    odd = sum(text % 2 for text in draw.texts)
    yes, no = odd, 20 - odd  # of all 20 answers; each odd text has one of each
    assert second.people.value == pytest.approx(1 - (odd / 10) / (2 * yes * no / (20 * 19)))
    assert (second.people.n, second.fleiss.n) == (10, 10)  # two answers of every text, never the same two experts
