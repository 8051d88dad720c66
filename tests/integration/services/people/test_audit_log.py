"""Trail: every act once, with whoever did it, together with what it changed."""

from dataclasses import replace

import pytest

from app.domain.people import AuditEntry
from app.domain.project import Task
from app.domain.roles_and_rights import Actor, Membership, Right, Role
from app.errors import ConflictError, NotAllowedError
from app.services.checklists.checklists import new_draft, publish, view_checklist
from app.services.checklists.draft_edits import remove_question
from app.services.data.projects import create_project, delete_project
from app.services.people.audit_log import audit_log_csv, project_audit_log, server_audit_log
from app.services.people.invitations import accept_invitation, invite, revoke_access
from app.services.people.sign_ins import end_sign_in
from app.services.runtime.workbench import Workbench, use_case

PROJECT = DIMENSION = CHECKLIST = 1


def acts(bench: Workbench) -> list[tuple[str, str, str]]:
    """Oldest first."""
    return [(one.who, one.act, one.about) for one in reversed(project_audit_log(bench, PROJECT))]


def as_facilitator(bench: Workbench) -> Workbench:
    return replace(bench, actor=Actor(None, "Fay", memberships={PROJECT: Membership(Role.FACILITATOR, "Fay")}))


def test_what_is_done_is_said_once_with_whoever_did_it(bench: Workbench) -> None:
    fay = as_facilitator(bench)
    draft = new_draft(fay, CHECKLIST)
    question = draft.questions[0]
    remove_question(fay, question, who="Somebody")
    remove_question(bench, draft.questions[1], who="Olga")
    publish(bench, draft.id, view_checklist(bench, DIMENSION, draft.version).checklist)
    assert acts(bench) == [
        ("Fay", "made a draft", "coherence"),
        ("Fay", "removed a question", f"coherence, {question.text}"),
        ("Olga", "removed a question", f"coherence, {draft.questions[1].text}"),
        ("", "published a version of the checklist", f"coherence, version {draft.version}"),
    ]


def test_what_did_not_happen_is_not_said(bench: Workbench) -> None:
    draft = new_draft(bench, CHECKLIST)
    seen = view_checklist(bench, DIMENSION, draft.version).checklist
    remove_question(bench, draft.questions[0], who="")
    before = acts(bench)
    with pytest.raises(ConflictError):
        publish(bench, draft.id, seen)
    reader = replace(bench, actor=Actor(None, "Rea", memberships={PROJECT: Membership(Role.READER, "Rea")}))
    with pytest.raises(NotAllowedError):
        publish(reader, draft.id)
    assert acts(bench) == before


@use_case(Right.FACILITATE, act="did it in two steps", about="words")
def in_two_steps(workbench: Workbench, project_id: int, words: str) -> None:
    for research in (True, False):
        with workbench.database.write() as work:
            work.projects.set_research(project_id, research)


@use_case(Right.FACILITATE, act="only looked")
def look(workbench: Workbench, project_id: int) -> None:
    with workbench.database.read() as work:
        work.projects.by_id(project_id)


def test_an_act_of_several_steps_and_one_that_changes_nothing_are_one_entry_each(bench: Workbench) -> None:
    in_two_steps(bench, PROJECT, "so")
    look(bench, PROJECT)
    assert acts(bench) == [("", "did it in two steps", "so"), ("", "only looked", "")]


def test_people_come_and_go(bench: Workbench) -> None:
    link = invite(as_facilitator(bench), PROJECT, "Ana", Role.EXPERT)
    _, cookie = accept_invitation(bench, link.token)
    end_sign_in(bench, cookie)
    revoke_access(bench, PROJECT, "Ana")
    assert acts(bench) == [
        ("Fay", "invited somebody", "Ana"),
        ("Ana", "came in by a link", ""),
        ("", "removed a member", "Ana"),
    ]
    assert ("Ana", "signed out") in [(one.who, one.act) for one in server_audit_log(bench)]


def test_what_was_done_to_a_project_outlives_it(bench: Workbench) -> None:
    create_project(bench, "Short", Task("summary", "article"))
    delete_project(bench, "Short")
    assert [(one.act, one.about, one.project) for one in server_audit_log(bench)][:2] == [
        ("deleted the project", "Short", "Short"),
        ("made a project", "Short", "Short"),
    ]
    assert project_audit_log(bench, PROJECT) == []


def test_a_table_gives_a_spreadsheet_no_orders(bench: Workbench) -> None:
    look(bench, PROJECT)
    entry = replace(project_audit_log(bench, PROJECT)[0], who="=1+1", about='a, "b"')
    assert isinstance(entry, AuditEntry)
    lines = audit_log_csv([entry]).decode("utf-8-sig").splitlines()
    assert lines[0] == "at,who,act,about,project"
    assert "'=1+1" in lines[1]
    assert '"a, ""b"""' in lines[1]
