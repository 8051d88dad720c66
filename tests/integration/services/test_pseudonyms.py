"""Pseudonyms: nothing that is kept tells who it was, and nothing of what they did is lost."""

import re
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import Text, cast, select
from sqlmodel import SQLModel

from app.domain.attribute import ContributorKind
from app.domain.checklist_score import Answer as Given
from app.domain.condition import Family, StudyCondition
from app.domain.project import Project
from app.domain.roles_and_rights import Actor, Membership, Role
from app.errors import ConflictError, NotFoundError
from app.services.attributes.attribute_changes import exclude_attributes
from app.services.attributes.attributes import add_attributes
from app.services.building.build import start_build
from app.services.checklists.answer_draws import answerable, draw_texts
from app.services.checklists.assignments import give_dimensions
from app.services.checklists.checklists import new_draft, publish
from app.services.checklists.draft_edits import remove_question
from app.services.checklists.expert_answers import answer, answer_sheet
from app.services.checklists.question_proposals import comment_on
from app.services.conditions.study import StudyOptions, last_study, plan_study
from app.services.conditions.study_worker import run_study
from app.services.data.held_out_split import lock
from app.services.drift.anchors import freeze_anchors
from app.services.people.audit_log import project_audit_log, server_audit_log
from app.services.people.invitations import accept_invitation, invite, revoke_access
from app.services.people.sign_ins import actor_of_cookie, end_sign_in
from app.services.pseudonyms import people_named, proposed_pseudonym, remaining_mentions, replace_name
from app.services.runtime.workbench import Workbench
from app.services.scoring.runs import list_runs
from app.services.think_aloud.independence import mark_done, own_attributes_of
from tests.support.projects import small_checklist, workbench_at
from tests.support.study_project import ferry_project

NAME, NEW = "Zuzana Quill", "Expert 1"


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Project]:
    """A database and its project, made once; each test has a copy."""
    folder = tmp_path_factory.mktemp("named")
    workbench = workbench_at(folder)
    project = named_everywhere(workbench)
    workbench.database.close()
    return folder / "workbench.db", project


@pytest.fixture
def project(prepared: tuple[Path, Project]) -> Project:
    return prepared[1]


@pytest.fixture
def workbench(prepared: tuple[Path, Project], tmp_path: Path) -> Iterator[Workbench]:
    shutil.copy(prepared[0], tmp_path)
    made = workbench_at(tmp_path)
    yield made
    made.database.close()


def named_everywhere(workbench: Workbench) -> Project:
    """A project in which Zuzana Quill has done all that one can do under a name."""
    made = ferry_project(workbench)
    fay = facilitator(workbench, made)
    cookie = accept_invitation(workbench, invite(fay, made.id, NAME, Role.EXPERT, who="Fay").token)[1]
    zuzana = replace(workbench, actor=actor_of_cookie(workbench, cookie))
    with workbench.database.read() as work:
        (dimension,) = work.projects.dimensions(made.id)
    add_attributes(workbench, dimension.id, NAME, ContributorKind.HUMAN, ["It says what follows from it."])
    give_dimensions(fay, made.id, NAME, [dimension.id])
    mark_done(zuzana, dimension.id, NAME)
    with workbench.database.read() as work:
        bens = [one.id for one in work.think_aloud.attributes(made.id, dimension.id) if one.contributor == "Ben"]
    exclude_attributes(workbench, bens, "one condition fewer")
    families = (Family.SH, Family.WITHOUT)
    run_study(workbench, made, StudyOptions((dimension,), "rules", "rules", families=families, draw=(2, 3)))
    start_build(workbench, dimension, "rules", f'only:Ana,"{NAME}"', who=NAME)
    with workbench.database.write() as work:
        checklist = small_checklist(work, dimension.id)
    draw = draw_texts(fay, checklist.id, 4, 1)
    for text in draw.texts:
        for question in checklist.asked:
            answer(zuzana, draw, NAME, text, question.id, Given.YES)
    freeze_anchors(workbench, made.id, dimension, NAME)
    draft = new_draft(zuzana, checklist.id)
    remove_question(zuzana, draft.questions[0])
    comment_on(zuzana, draft.questions[1].id, "Too narrow.")
    publish(fay, draft.id)
    lock(workbench, made.id, 0.3, 1, NAME)
    end_sign_in(workbench, cookie)
    return made


def facilitator(bench: Workbench, project: Project) -> Workbench:
    return replace(bench, actor=Actor(None, "Fay", memberships={project.id: Membership(Role.FACILITATOR, "Fay")}))


def held(bench: Workbench, name: str) -> list[str]:
    """Every table and column of the database in which the name stands, as words of their own."""
    return sorted(set(_held(bench, re.compile(rf"\b{name}\b"))))


def _held(bench: Workbench, name: re.Pattern[str]) -> Iterator[str]:
    with bench.database.read() as work:
        for table in SQLModel.metadata.sorted_tables:
            rows = work._session.connection().execute(select(*(cast(column, Text) for column in table.c)))
            for column, found in zip(table.c, zip(*rows, strict=True), strict=False):  # none where there is no row
                if any(name.search(value) for value in found if value):
                    yield f"{table.name}.{column.name}"


def test_after_a_pseudonym_no_row_holds_the_name_and_all_they_did_is_there(
    workbench: Workbench, project: Project
) -> None:
    fay = facilitator(workbench, project)
    with workbench.database.read() as work:
        (dimension,) = work.projects.dimensions(project.id)
        before = work.think_aloud.attributes(project.id, dimension.id)
        checklists = len(work.checklists.versions(dimension.id))
    acts = [(one.act, one.at) for one in project_audit_log(fay, project.id)]
    options = last_study(workbench, project)
    assert options is not None
    built = {cell.build for cell in plan_study(workbench, project, options).cells}
    assert None not in built
    assert len(held(workbench, NAME)) > 10, "the test has to look at more than a few places"

    done = replace_name(fay, project.id, NAME, NEW)
    assert held(workbench, NAME) == []
    assert (done.mentions, remaining_mentions(done)) == ({}, [])

    # What they did is the pseudonym's.
    assert [one.text for one in own_attributes_of(workbench, project.id, dimension.id, NEW)] == [
        "It says what follows from it."
    ]
    with workbench.database.read() as work:
        after = work.think_aloud.attributes(project.id, dimension.id)
        assert len(work.checklists.versions(dimension.id)) == checklists
    assert {one.id: one.text for one in after} == {one.id: one.text for one in before}
    drawn = next(version.id for version, draw in answerable(workbench, dimension.id) if draw is not None)
    assert answer_sheet(workbench, drawn, NEW).done == 4
    entries = project_audit_log(fay, project.id)
    assert [(one.act, one.at) for one in entries[1:]] == acts, "nothing is added to or taken from what was done"
    assert (entries[0].who, entries[0].about) == ("Fay", NEW)
    assert {one.who for one in entries} >= {"Fay", NEW}
    assert {"without:Expert 1", "sh:Expert 1"} <= {run.study for run in list_runs(workbench, project.id)}

    # The study knows what it built.
    options = last_study(workbench, project)
    assert options is not None
    plan = plan_study(workbench, project, options)
    assert {cell.build for cell in plan.cells} == built
    assert plan.to_build == []
    assert StudyCondition(Family.WITHOUT, NEW) in plan.conditions


def test_whoever_has_no_part_any_more_is_forgotten_and_others_still_come_in(
    workbench: Workbench, project: Project
) -> None:
    fay = facilitator(workbench, project)
    cookie = accept_invitation(workbench, invite(fay, project.id, "Ben", Role.EXPERT).token)[1]
    replace_name(fay, project.id, "Ben", "Expert 2")
    assert actor_of_cookie(workbench, cookie).name_in(project.id) == "Expert 2"
    revoke_access(fay, project.id, NAME)
    replace_name(fay, project.id, NAME, NEW)
    with workbench.database.read() as work:
        assert work.names.bearers(project.id, NEW) == []
    assert ("signed out", NEW) in {(one.act, one.who) for one in server_audit_log(workbench)}


def test_a_name_in_another_project_and_in_others_words_stays_and_is_said(
    workbench: Workbench, project: Project
) -> None:
    with workbench.database.write() as work:
        (dimension,) = work.projects.dimensions(project.id)
        other = work.projects.add("Other", project.task)
        person = work.names.bearers(project.id, NAME)[0]
        work.people.join(person, other.id, Role.READER, NAME)
    add_attributes(workbench, dimension.id, "Ben", ContributorKind.HUMAN, [f"{NAME} is right.", "Quillwort grows."])
    done = replace_name(facilitator(workbench, project), project.id, NAME, NEW)
    assert held(workbench, NAME) == [
        *("attribute.original_text", "attribute.text", "membership.name", "person.name", "trail.who")
    ]
    assert done.mentions == {"attributes": 1}
    assert sorted(remaining_mentions(done)) == [
        "Among other words, as somebody wrote it, the name still stands in: 1 attributes.",
        "They have a part in another project too, where their name stays.",
    ]


def test_only_a_name_that_is_there_gives_way_and_only_to_one_that_is_free(
    workbench: Workbench, project: Project
) -> None:
    fay = facilitator(workbench, project)
    assert {NAME, "Ana", "Ben", "Fay"} <= set(people_named(fay, project.id))
    assert "model-a" not in people_named(fay, project.id)
    assert proposed_pseudonym(fay, project.id) == "Expert 1"
    before = held(workbench, NAME)
    for taken in ("ana", "model-a", "r"):
        with pytest.raises(ConflictError):
            replace_name(fay, project.id, NAME, taken)
    with pytest.raises(NotFoundError):
        replace_name(fay, project.id, "Nobody", NEW)
    assert held(workbench, NAME) == before

    # A facilitator's own act is the pseudonym's too.
    with workbench.database.write() as work:
        person = work.people.add("invite", "fay", "Fay Orr")
        work.people.join(person.id, project.id, Role.FACILITATOR, "Fay Orr")
    with workbench.database.read() as work:
        fay = replace(workbench, actor=work.people.actor(person.id))
    replace_name(fay, project.id, "Fay Orr", "Expert 9")
    assert held(workbench, "Fay Orr") == []
    assert project_audit_log(workbench, project.id)[0].who == "Expert 9"
