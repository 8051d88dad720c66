"""What is an expert's to do, and how far they are."""

from app.domain.attribute import ContributorKind
from app.domain.checklist_score import Answer
from app.domain.roles_and_rights import Role
from app.services.attributes.attributes import add_attributes
from app.services.attributes.side_by_side import QUESTIONS, answer_side_by_side, begin_side_by_side, reveal
from app.services.checklists.answer_draws import draw_texts
from app.services.checklists.expert_answers import answer
from app.services.checklists.my_work import TaskKind, tasks_of, tasks_of_members
from app.services.data.projects import show_research
from app.services.people.invitations import invite
from app.services.runtime.workbench import Workbench
from app.services.think_aloud.independence import add_own_attribute, mark_done

PROJECT = DIMENSION = CHECKLIST = 1


def told(bench: Workbench) -> list[tuple[TaskKind, int, int | None, bool]]:
    return [(task.kind, task.done, task.all, task.finished) for task in tasks_of(bench, PROJECT, "Ana")]


def test_thinking_aloud_is_theirs_from_the_beginning(bench: Workbench) -> None:
    assert told(bench) == [(TaskKind.THINK_ALOUD, 0, None, False)]
    add_own_attribute(bench, DIMENSION, "Ana", "Order.")
    add_own_attribute(bench, DIMENSION, "Ben", "Flow.")
    assert told(bench) == [(TaskKind.THINK_ALOUD, 1, None, False)]
    mark_done(bench, DIMENSION, "Ana")
    assert told(bench) == [(TaskKind.THINK_ALOUD, 1, None, True)]


def test_answering_is_theirs_once_texts_are_drawn_and_what_is_open_comes_first(bench: Workbench) -> None:
    add_own_attribute(bench, DIMENSION, "Ana", "Order.")
    mark_done(bench, DIMENSION, "Ana")
    draw = draw_texts(bench, CHECKLIST, 2, seed=1)
    assert told(bench) == [(TaskKind.ANSWER, 0, 2, False), (TaskKind.THINK_ALOUD, 1, None, True)]
    for number, text in enumerate(draw.texts, start=1):
        for question in (1, 2, 3):
            answer(bench, draw, "Ana", text, question, Answer.YES)
        assert (TaskKind.ANSWER, number, 2, number == 2) in told(bench)


def test_a_blind_comparison_is_theirs_where_research_is_on_and_they_are_done(bench: Workbench) -> None:
    add_attributes(bench, DIMENSION, "rules", ContributorKind.LLM, ["Length."])
    add_own_attribute(bench, DIMENSION, "Ana", "Order.")
    show_research(bench, PROJECT, True)
    assert TaskKind.SIDE_BY_SIDE not in [kind for kind, *_ in told(bench)]
    mark_done(bench, DIMENSION, "Ana")
    assert told(bench)[0] == (TaskKind.SIDE_BY_SIDE, 0, len(QUESTIONS), False)
    with bench.database.read() as work:
        dimension = work.projects.dimension_by_id(DIMENSION)
    mine = begin_side_by_side(bench, dimension, "Ana")
    for question in QUESTIONS:
        answer_side_by_side(bench, mine.id, question, "So.")
    assert told(bench)[0] == (TaskKind.SIDE_BY_SIDE, len(QUESTIONS), len(QUESTIONS), False)
    reveal(bench, mine.id)
    assert (TaskKind.SIDE_BY_SIDE, len(QUESTIONS), len(QUESTIONS), True) in told(bench)


def test_whoever_runs_the_project_sees_how_far_everybody_is(bench: Workbench) -> None:
    for name, role in (("Ana", Role.EXPERT), ("Rea", Role.READER)):
        invite(bench, PROJECT, name, role)
    add_own_attribute(bench, DIMENSION, "Ana", "Order.")
    mark_done(bench, DIMENSION, "Ana")
    found = tasks_of_members(bench, PROJECT)
    assert [(one.member.name, one.finished, len(one.tasks)) for one in found] == [("Ana", 1, 1), ("Rea", 0, 0)]
