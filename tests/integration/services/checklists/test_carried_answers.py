"""Experts' answers to unchanged questions count for a new version of the checklist."""

import csv
import io
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from app.domain.checklist import Checklist
from app.domain.checklist_score import Answer
from app.domain.expert_answer import AnswerDraw, SheetEntry
from app.domain.roles_and_rights import Role
from app.errors import ConflictError, NotAllowedError, NotReadyError
from app.services.checklists.answer_draws import answerable, draw_of, draw_same_texts, draw_texts
from app.services.checklists.answer_files import answers_csv
from app.services.checklists.assignments import overlap_of, progress, share_texts
from app.services.checklists.checklists import new_draft, publish
from app.services.checklists.draft_edits import QuestionWording, edit_question
from app.services.checklists.expert_answers import answer_sheet, expert_answers, note, own_sheet, save_entries
from app.services.disagreements.queue import disagreement_queue, sides_of_pair
from app.services.results.question_analysis import asked_of_experts
from app.services.results.results import Choices, cached_results
from app.services.runtime.workbench import Workbench
from tests.support.disagreements import experts_say, judge_says, parted_project, text_ids
from tests.support.prepared import Prepared, prepared
from tests.support.projects import workbench_at

DIMENSION = 1
As = Callable[[str, Role], Workbench]


@pytest.fixture
def acting(workbench: Workbench) -> As:
    """The workbench as a member of project 1 with this name and role opens it."""

    def acting(name: str, role: Role) -> Workbench:
        with workbench.database.write() as work:
            person = work.people.add("link", name, name)
            work.people.join(person.id, 1, role, name)
            return replace(workbench, actor=work.people.actor(person.id))

    return acting


@pytest.fixture(scope="module")
def parted() -> Prepared[Checklist]:
    """Made once; each test has a copy."""
    return prepared(parted_project)


@pytest.fixture
def workbench(parted: Prepared[Checklist], tmp_path: Path) -> Iterator[Workbench]:
    parted.copy(tmp_path)
    made = workbench_at(tmp_path)
    yield made
    made.database.close()


@pytest.fixture
def first(parted: Prepared[Checklist]) -> Checklist:
    return parted.made


def reworded(workbench: Workbench, checklist: Checklist, **places: str) -> Checklist:
    """A published version in which the questions q0, q1 and q2 have these texts instead."""
    draft = new_draft(workbench, checklist.id)
    for place, text in places.items():
        seen = draft.asked[int(place[1:])]
        edit_question(workbench, seen, replace(QuestionWording.of(seen), text=text))
    return publish(workbench, draft.id)


def sent(bench: Workbench, draw: AnswerDraw, expert: str, text: int, questions: Sequence[int], said: Answer) -> None:
    save_entries(bench, draw, expert, [SheetEntry(n, text, q, said) for n, q in enumerate(questions, start=1)])


def test_publishing_one_reworded_question_keeps_answers_to_the_others(first, workbench, acting) -> None:
    experts = {name: acting(name, Role.EXPERT) for name in ("Ana", "Ben")}
    for name, bench in experts.items():
        sheet = own_sheet(bench, DIMENSION, name)
        for text in sheet.texts:
            sent(bench, sheet.draw, name, text, [q.id for q in sheet.checklist.asked], Answer.YES)
    second = reworded(acting("Fay", Role.FACILITATOR), first, q1="Is it friendly?")

    sheet = own_sheet(experts["Ana"], DIMENSION, "Ana")
    assert (sheet.checklist.id, set(sheet.texts)) == (second.id, set(text_ids(workbench, first)))
    assert [sheet.answered(text) for text in sheet.texts] == [2] * 4
    assert {one.question for one in sheet.given.values()} == {second.asked[0].id, second.asked[2].id}
    found = expert_answers(acting("Rea", Role.READER), second.id)
    assert found.experts == ("Ana", "Ben")
    assert (found.carried.answers, found.carried.given, dict(found.carried.versions)) == (16, 16, {1: 16})
    assert (found.carried.questions, found.carried.asked) == (2, 3)
    assert [(one.answers, one.carried, one.texts) for one in progress(found)] == [(8, 8, 0)] * 2
    # An answer given late to the old version counts too.
    text = sheet.texts[0]
    sent(experts["Ana"], draw_of(workbench, first.id), "Ana", text, [first.asked[2].id], Answer.NO)
    late = own_sheet(experts["Ana"], DIMENSION, "Ana")
    assert late.given[text, second.asked[2].id].answer is Answer.NO
    assert len(expert_answers(workbench, second.id).answers) == 16


def test_a_question_told_otherwise_keeps_no_answers(first, workbench) -> None:
    experts_say(workbench, first, {"Ana": ["yyy"] * 4})
    draft = new_draft(workbench, first.id)
    for place, changed in ((0, {"guidance": "Look at the first line."}), (1, {"may_not_apply": True})):
        edit_question(workbench, draft.asked[place], replace(QuestionWording.of(draft.asked[place]), **changed))
    second = publish(workbench, draft.id)
    answered = {one.question for one in expert_answers(workbench, second.id).answers}
    assert answered == {second.asked[2].id}
    # A version without unchanged questions begins anew.
    third = reworded(workbench, first, q0="Hello?", q1="Friendly?", q2="Goodbye?")
    assert draw_of(workbench, third.id) is None
    with pytest.raises(NotReadyError):
        draw_same_texts(workbench, third.id)


def test_answers_count_over_several_versions_and_the_newest_wins(first, workbench, acting) -> None:
    text = text_ids(workbench, first)[0]
    experts_say(workbench, first, {"Ana": ["yyy"] * 4})
    second = reworded(workbench, first, q0="Does it say hello?", q1="Is it friendly?")
    ana = acting("Ana", Role.EXPERT)
    sent(ana, draw_of(workbench, second.id), "Ana", text, [second.asked[1].id, second.asked[2].id], Answer.NO)
    third = reworded(workbench, second, q0="Does it greet?")
    given = answer_sheet(ana, third.id, "Ana").given
    said = [(given[text, q.id].answer, given[text, q.id].from_version) for q in third.asked]
    assert said == [(Answer.YES, 1), (Answer.NO, 2), (Answer.NO, 2)]
    assert dict(expert_answers(workbench, third.id).carried.versions) == {2: 2, 1: 7}


def test_changing_a_carried_answer_changes_this_version_only(first, workbench, acting) -> None:
    ana, text = acting("Ana", Role.EXPERT), text_ids(workbench, first)[0]
    draw = experts_say(workbench, first, {"Ana": ["yyy"] * 4})
    note(workbench, draw, "Ana", text, first.asked[0].id, "Only just.")
    second = reworded(workbench, first, q1="Is it friendly?")
    question = second.asked[0].id
    own = draw_of(workbench, second.id)
    sent(ana, own, "Ana", text, [question], Answer.NO)
    one = answer_sheet(ana, second.id, "Ana").given[text, question]
    assert (one.answer, one.note, one.from_version) == (Answer.NO, "Only just.", None)
    save_entries(ana, own, "Ana", [SheetEntry(1, text, second.asked[2].id, note="At the end.")])
    noted = answer_sheet(ana, second.id, "Ana").given[text, second.asked[2].id]
    assert (noted.answer, noted.note) == (Answer.YES, "At the end.")
    assert answer_sheet(ana, first.id, "Ana").given[text, first.asked[0].id].answer is Answer.YES


def test_whose_the_texts_are_stays_and_redrawing_is_open_until_new_answers(first, workbench, acting) -> None:
    for name in ("Ana", "Ben"):
        acting(name, Role.EXPERT)
    share_texts(workbench, DIMENSION, 1)
    before = {name: set(answer_sheet(workbench, first.id, name).texts) for name in ("Ana", "Ben")}
    text = next(iter(before["Ana"]))
    sent(workbench, draw_of(workbench, first.id), "Ana", text, [first.asked[0].id], Answer.YES)
    second = reworded(workbench, first, q1="Is it friendly?")
    assert {name: set(answer_sheet(workbench, second.id, name).texts) for name in before} == before
    assert overlap_of(workbench, second.id) == 1
    again = draw_texts(workbench, second.id, 4, seed=7)
    assert expert_answers(workbench, second.id).carried.answers == 1
    sent(workbench, again, "Ana", text, [second.asked[1].id], Answer.YES)
    with pytest.raises(ConflictError):
        draw_texts(workbench, second.id, 4, seed=8)


def test_draw_same_texts_takes_over_where_no_texts_are_drawn(first, workbench, acting) -> None:
    second = reworded(workbench, first, q1="Is it friendly?")
    assert draw_of(workbench, second.id) is None  # nobody had answered
    experts_say(workbench, first, {"Ana": ["yyy"] * 4})
    with pytest.raises(NotAllowedError):
        draw_same_texts(acting("Ana", Role.EXPERT), second.id)
    draw = draw_same_texts(acting("Fay", Role.FACILITATOR), second.id)
    assert draw.texts == draw_of(workbench, first.id).texts
    assert expert_answers(workbench, second.id).carried.answers == 8
    with pytest.raises(ConflictError):
        draw_same_texts(workbench, second.id)
    assert [draw.checklist for _, draw in answerable(workbench, DIMENSION) if draw] == [second.id, first.id]


def test_figures_and_disagreements_of_a_version_rest_on_carried_answers(first, workbench, acting) -> None:
    experts_say(workbench, first, {"Ana": ["yyy", "nny", "yyn", "nnn"], "Ben": ["yny", "nny", "yyn", "nnn"]})
    run = judge_says(workbench, first, "judge", ["yyy", "nny", "yyy", "nny"], signature="s")
    reader, choices = acting("Rea", Role.READER), Choices("dataset", resamples=20)
    old = asked_of_experts(reader, cached_results(reader, [run], choices)[0])
    second = reworded(workbench, first, q1="Is it friendly?")
    run = judge_says(workbench, second, "judge", ["yyy", "nny", "yyy", "nny"], signature="s")
    new = asked_of_experts(reader, cached_results(reader, [run], choices)[0])
    assert (old.checklist, new.checklist) == (first.id, second.id)
    for place in (0, 2):
        assert new.questions[place][1].people == old.questions[place][1].people
        assert new.questions[place][1].judge == old.questions[place][1].judge
    assert new.questions[1][1].people.n == 0
    assert (new.carried.answers, old.carried.answers) == (16, 0)
    queue = disagreement_queue(reader, second.id)
    assert (queue.answered, queue.carried.answers) == (2, 16)
    sides = sides_of_pair(reader, second.id, second.asked[2].id, text_ids(workbench, first)[2])
    assert [one.from_version for one in sides.people] == [1, 1]


def test_the_exported_answers_name_the_version_they_are_from(first, workbench, acting) -> None:
    experts_say(workbench, first, {"Ana": ["yyy"] * 4})
    second = reworded(workbench, first, q1="Is it friendly?")
    experts_say(workbench, second, {"Ana": ["-n-"] * 4})
    facilitator = acting("Fay", Role.FACILITATOR)
    for expert in ("", "Ana"):
        rows = csv.DictReader(io.StringIO(answers_csv(facilitator, second.id, expert).decode("utf-8-sig")))
        assert {(row["number"], row["from_version"]) for row in rows} == {("1", "1"), ("2", ""), ("3", "1")}
