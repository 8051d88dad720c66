"""People with roles at work: under their own name, on what is theirs, and no further."""

from dataclasses import replace

import pytest

from app.domain.attribute import ContributorKind
from app.domain.checklist import ChecklistStatus
from app.domain.people.actor import Right, Role
from app.domain.task import Task
from app.errors import NotAllowedError, NotReadyError
from app.services.attributes.attributes import attributes_of
from app.services.checklists.checklists import get_checklist, new_draft, versions_of, view_checklist
from app.services.checklists.draft_edits import remove_question
from app.services.checklists.draft_history import history_of
from app.services.data.projects import create_project, list_projects
from app.services.people.invitations import revoke_access
from app.services.runtime.use_case import use_case
from app.services.runtime.workbench import Workbench
from app.services.think_aloud.independence import add_consideration, mark_done, remove_consideration, visible_attributes
from tests.support.projects import ready_to_score

CHECKLIST, DIMENSION, PROJECT = 1, 1, 1


def as_(bench: Workbench, role: Role, name: str) -> Workbench:
    """Somebody who has signed in and has this role in project 1."""
    with bench.database.write() as work:
        person = work.people.add("invite", name, f"{name} at home")
        work.people.join(person.id, PROJECT, role, name)
        return replace(bench, actor=work.people.actor(person.id))


def test_an_expert_writes_under_their_name_and_sees_the_others_once_done(bench: Workbench) -> None:
    add_consideration(bench, DIMENSION, "Ben", "Flow.")
    ana = as_(bench, Role.EXPERT, "Ana")
    mine = add_consideration(ana, DIMENSION, "Ana", "Order.")
    with pytest.raises(NotAllowedError, match="another expert's"):
        add_consideration(ana, DIMENSION, "Ben", "Nonsense.")
    with pytest.raises(NotAllowedError, match="another expert's"):
        remove_consideration(ana, next(a.id for a in attributes_of(bench, PROJECT, DIMENSION) if a.id != mine))
    assert [a.text for a in visible_attributes(ana, PROJECT, DIMENSION, "Ana")[0]] == ["Order."]
    with pytest.raises(NotAllowedError, match="once you are done"):
        attributes_of(ana, PROJECT, DIMENSION)
    mark_done(ana, DIMENSION, "Ana")
    assert {a.text for a in attributes_of(ana, PROJECT, DIMENSION)} == {"Order.", "Flow."}


def test_whoever_has_signed_in_signs_what_they_change(bench: Workbench) -> None:
    fay = as_(bench, Role.FACILITATOR, "Fay")
    draft = new_draft(fay, CHECKLIST)
    remove_question(fay, draft.questions[0], who="The editor in chief")
    assert [change.who for change in history_of(fay, draft.id)][-1] == "Fay"


@use_case(Right.SERVE)
def inner(workbench: Workbench) -> str:
    return workbench.actor.name


@use_case(Right.ENTER)
def outer(workbench: Workbench) -> str:
    return inner(workbench)


def test_a_use_case_vouches_for_those_it_calls_and_for_no_others(bench: Workbench) -> None:
    ana = as_(bench, Role.EXPERT, "Ana")
    assert outer(ana) == "Ana at home"
    with pytest.raises(NotAllowedError, match="whoever runs the server"):
        inner(ana)


def test_only_the_projects_one_has_a_part_in_are_listed(bench: Workbench) -> None:
    create_project(bench, "Secret", Task("summary", "article"))
    assert [project.name for project in list_projects(as_(bench, Role.READER, "Rea"))] == ["Ready"]
    assert {project.name for project in list_projects(bench)} == {"Secret", "Ready"}


def test_a_part_that_was_taken_away_counts_no_longer_whoever_holds_on_to_it(bench: Workbench) -> None:
    """A screen that redraws a part of itself, or work in the background, has the actor of before."""
    ana = as_(bench, Role.EXPERT, "Ana")
    add_consideration(ana, DIMENSION, "Ana", "Order.")
    revoke_access(bench, PROJECT, "Ana")
    with pytest.raises(NotAllowedError, match="isn't open to you"):
        add_consideration(ana, DIMENSION, "Ana", "Flow.")


def test_readers_see_no_drafts(bench: Workbench) -> None:
    rea = as_(bench, Role.READER, "Rea")
    draft = new_draft(bench, CHECKLIST)
    assert {version.status for version in versions_of(rea, DIMENSION)} == {ChecklistStatus.PUBLISHED}
    assert view_checklist(rea, DIMENSION).checklist.id == CHECKLIST
    with pytest.raises(NotReadyError, match=r"no checklist version 2\. It has: 1\."):
        view_checklist(rea, DIMENSION, draft.version)
    with pytest.raises(NotAllowedError, match="This is a draft"):
        get_checklist(rea, draft.id)
    assert view_checklist(bench, DIMENSION).checklist.id == draft.id


def test_an_llm_of_the_same_name_is_not_the_expert(workbench: Workbench) -> None:
    ready_to_score(workbench)
    with workbench.database.write() as work:
        llm = work.think_aloud.contributor(PROJECT, "Ana", ContributorKind.LLM)
        work.independence.set_done(DIMENSION, llm.id, True)
    with pytest.raises(NotAllowedError):
        attributes_of(as_(workbench, Role.EXPERT, "Ana"), PROJECT, DIMENSION)
