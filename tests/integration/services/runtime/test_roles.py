"""People with roles at work: under their own name, on what is theirs, and no further."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from app.domain.attribute import AttributeStatus, ContributorKind
from app.domain.checklist import ChecklistStatus
from app.domain.checklist_score import Answer
from app.domain.expert_answer import SheetEntry
from app.domain.project import Task
from app.domain.roles_and_rights import NOBODY, Membership, Right, Role
from app.errors import ConflictError, NotAllowedError, NotReadyError
from app.services.attributes.attribute_changes import (
    edit_attribute,
    exclude_attributes,
    merge_attributes,
    move_attributes,
    restore_attributes,
    undo_change,
)
from app.services.attributes.attributes import add_attributes, attributes_of
from app.services.attributes.side_by_side import (
    QUESTIONS,
    answer_side_by_side,
    begin_side_by_side,
    can_compare_as_outside_expert,
    reveal,
    side_by_sides_of,
    side_by_sides_seen_by,
)
from app.services.checklists.answer_draws import answerable, draw_of, draw_texts
from app.services.checklists.answer_files import answers_csv, import_answers
from app.services.checklists.assignments import give_dimensions
from app.services.checklists.checklist_files import export_file
from app.services.checklists.checklists import get_checklist, new_draft, versions_of, view_checklist
from app.services.checklists.draft_edits import history_of, remove_question
from app.services.checklists.expert_answers import (
    answer,
    answer_sheet,
    expert_answers,
    own_sheet,
    save_entries,
    unfinished_sheet,
)
from app.services.checklists.question_proposals import comment_on, comments_on, sees_all_comments
from app.services.data.imports import import_file
from app.services.data.project_transfer import import_uploaded_project
from app.services.data.projects import (
    create_from_preset,
    create_project,
    dimensions_named,
    get_project,
    list_projects,
    preset_names,
    project_to_fill,
)
from app.services.data.texts import rated_text, text_page
from app.services.people.audit_log import project_audit_log
from app.services.people.invitations import accept_invitation, invite, members_of, revoke_access
from app.services.runtime.workbench import Workbench, use_case
from app.services.think_aloud.independence import (
    add_own_attribute,
    describe_expert,
    experts_progress,
    mark_done,
    note_sample,
    own_attributes_of,
    remove_own_attribute,
    reorder,
    restore_own_attribute,
    visible_attributes,
)
from app.services.think_aloud.transcripts import accept, decline, proposals_of, propose_attributes, save_transcript
from tests.support.projects import ready_to_score

CHECKLIST, DIMENSION, PROJECT = 1, 1, 1


def as_(bench: Workbench, role: Role, name: str) -> Workbench:
    """Somebody who has signed in and has this role in project 1."""
    with bench.database.write() as work:
        person = work.people.add("invite", name, f"{name} at home")
        work.people.join(person.id, PROJECT, role, name)
        return replace(bench, actor=work.people.actor(person.id))


def test_an_expert_writes_under_their_name_and_sees_the_others_once_done(bench: Workbench) -> None:
    add_own_attribute(bench, DIMENSION, "Ben", "Flow.")
    ana = as_(bench, Role.EXPERT, "Ana")
    mine = add_own_attribute(ana, DIMENSION, "Ana", "Order.")
    with pytest.raises(NotAllowedError, match="another expert's"):
        add_own_attribute(ana, DIMENSION, "Ben", "Nonsense.")
    with pytest.raises(NotAllowedError, match="another expert's"):
        remove_own_attribute(ana, next(a.id for a in attributes_of(bench, PROJECT, DIMENSION) if a.id != mine))
    assert [a.text for a in visible_attributes(ana, PROJECT, DIMENSION, "Ana")[0]] == ["Order."]
    with pytest.raises(NotAllowedError, match="once you are done"):
        attributes_of(ana, PROJECT, DIMENSION)
    mark_done(ana, DIMENSION, "Ana")
    assert {a.text for a in attributes_of(ana, PROJECT, DIMENSION)} == {"Order.", "Flow."}


Act = Callable[[Workbench, int], object]
OWN_ACTS: dict[str, Act] = {
    "edit": lambda bench, id_: edit_attribute(bench, id_, "In other words."),
    "remove": remove_own_attribute,
    "put back": restore_own_attribute,
    "reorder": lambda bench, id_: reorder(bench, [id_]),
    "note a sample": lambda bench, id_: note_sample(bench, id_, 1),
}
FACILITATORS_ACTS: dict[str, Act] = {
    "exclude": lambda bench, id_: exclude_attributes(bench, [id_]),
    "restore": lambda bench, id_: restore_attributes(bench, [id_]),
    "move": lambda bench, id_: move_attributes(bench, [id_], DIMENSION),
    "merge": lambda bench, id_: merge_attributes(bench, id_, [id_ + 1]),
}


@pytest.mark.parametrize("act", OWN_ACTS.values(), ids=OWN_ACTS)
def test_attribute_is_changed_by_its_author_and_facilitators_alone(bench: Workbench, act: Act) -> None:
    theirs = add_own_attribute(bench, DIMENSION, "Ben", "Flow.")
    (llms,) = add_attributes(bench, DIMENSION, "rules", ContributorKind.LLM, ["Length."])
    ana, reader = as_(bench, Role.EXPERT, "Ana"), as_(bench, Role.READER, "Rea")
    namesake = as_(bench, Role.EXPERT, "rules")
    mine = add_own_attribute(ana, DIMENSION, "Ana", "Order.")
    before = attributes_of(bench, PROJECT, DIMENSION)
    for who, what in ((ana, theirs), (ana, llms), (reader, mine), (namesake, llms)):
        with pytest.raises(NotAllowedError):
            act(who, what)
    assert attributes_of(bench, PROJECT, DIMENSION) == before
    act(ana, mine)
    act(as_(bench, Role.FACILITATOR, "Fay"), theirs)


@pytest.mark.parametrize("act", FACILITATORS_ACTS.values(), ids=FACILITATORS_ACTS)
def test_expert_excludes_moves_and_merges_nothing(bench: Workbench, act: Act) -> None:
    ana = as_(bench, Role.EXPERT, "Ana")
    mine = [add_own_attribute(ana, DIMENSION, "Ana", text) for text in ("Order.", "Flow.")]
    with pytest.raises(NotAllowedError):
        act(ana, mine[0])


def test_reorder_with_another_expert_s_attribute_is_refused(bench: Workbench) -> None:
    theirs = add_own_attribute(bench, DIMENSION, "Ben", "Flow.")
    ana = as_(bench, Role.EXPERT, "Ana")
    mine = add_own_attribute(ana, DIMENSION, "Ana", "Order.")
    with pytest.raises(NotAllowedError):
        reorder(ana, [mine, theirs])


def test_expert_speaks_for_nobody_else(bench: Workbench) -> None:
    said = save_transcript(bench, DIMENSION, "Ben", "Sentences should follow from each other.")
    project, (dimension, *_) = get_project(bench, "Ready"), dimensions_named(bench, "Ready", "all")
    (proposal, *_) = propose_attributes(bench, project, dimension, said)
    ana = as_(bench, Role.EXPERT, "Ana")
    acts: list[Callable[[], object]] = [
        lambda: describe_expert(ana, PROJECT, "Ben", "Editor", ""),
        lambda: mark_done(ana, DIMENSION, "Ben"),
        lambda: own_attributes_of(ana, PROJECT, DIMENSION, "Ben"),
        lambda: save_transcript(ana, DIMENSION, "Ben", "Nonsense."),
        lambda: propose_attributes(ana, project, dimension, said),
        lambda: proposals_of(ana, said),
        lambda: accept(ana, proposal.id),
        lambda: decline(ana, proposal.id),
    ]
    for act in acts:
        with pytest.raises(NotAllowedError):
            act()
    describe_expert(ana, PROJECT, "Ana", "Teacher", "")


def test_author_cannot_put_back_what_a_facilitator_excluded(bench: Workbench) -> None:
    ana = as_(bench, Role.EXPERT, "Ana")
    mine = add_own_attribute(ana, DIMENSION, "Ana", "Order.")
    exclude_attributes(as_(bench, Role.FACILITATOR, "Fay"), [mine], "too vague")
    for act in (restore_own_attribute, remove_own_attribute):
        with pytest.raises(ConflictError):
            act(ana, mine)
    (kept,) = own_attributes_of(ana, PROJECT, DIMENSION, "Ana")
    assert (kept.status, kept.reason) == (AttributeStatus.EXCLUDED, "too vague")


def test_attribute_keeps_who_reworded_it_last(bench: Workbench) -> None:
    ana, fay = as_(bench, Role.EXPERT, "Ana"), as_(bench, Role.FACILITATOR, "Fay")
    mine = add_own_attribute(ana, DIMENSION, "Ana", "Order.")

    def wording() -> tuple[str, str, str, bool]:
        (found,) = own_attributes_of(ana, PROJECT, DIMENSION, "Ana")
        return found.text, found.original, found.reworded_by, found.reworded_by_other

    change = edit_attribute(fay, mine, "Good order.", who="Somebody")
    assert wording() == ("Good order.", "Order.", "Fay", True)
    undo_change(fay, change)
    assert wording() == ("Order.", "Order.", "", False)
    edit_attribute(fay, mine, "Good order.")
    edit_attribute(ana, mine, "An order that helps.")
    assert wording() == ("An order that helps.", "Order.", "Ana", False)


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
    with pytest.raises(NotAllowedError, match="the server's owner"):
        inner(ana)


def test_only_the_projects_one_has_a_part_in_are_listed(bench: Workbench) -> None:
    create_project(bench, "Secret", Task("summary", "article"))
    assert [project.name for project in list_projects(as_(bench, Role.READER, "Rea"))] == ["Ready"]
    assert {project.name for project in list_projects(bench)} == {"Secret", "Ready"}


def test_a_part_that_was_taken_away_counts_no_longer_whoever_holds_on_to_it(bench: Workbench) -> None:
    """A screen that redraws a part of itself, or work in the background, has the actor of before."""
    ana = as_(bench, Role.EXPERT, "Ana")
    add_own_attribute(ana, DIMENSION, "Ana", "Order.")
    revoke_access(bench, PROJECT, "Ana")
    with pytest.raises(NotAllowedError, match="isn't open to you"):
        add_own_attribute(ana, DIMENSION, "Ana", "Flow.")


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


def test_an_expert_who_is_thinking_aloud_reads_no_published_question(bench: Workbench) -> None:
    draw_texts(bench, CHECKLIST, 3, seed=1)
    ana = as_(bench, Role.EXPERT, "Ana")
    add_own_attribute(ana, DIMENSION, "Ana", "Order.")
    for closed in (
        lambda: answer_sheet(ana, CHECKLIST, "Ana"),
        lambda: own_sheet(ana, DIMENSION, "Ana"),
        lambda: unfinished_sheet(ana, DIMENSION, "Ana"),
        lambda: answers_csv(ana, CHECKLIST, "Ana"),
    ):
        with pytest.raises(NotAllowedError, match="once you are done thinking aloud"):
            closed()
    mark_done(ana, DIMENSION, "Ana")
    assert answer_sheet(ana, CHECKLIST, "Ana").checklist.asked
    add_own_attribute(ana, DIMENSION, "Ana", "Flow.")
    with pytest.raises(NotAllowedError, match="once you are done thinking aloud"):
        own_sheet(ana, DIMENSION, "Ana")
    assert own_sheet(as_(bench, Role.FACILITATOR, "Fay"), DIMENSION, "Ana") is not None


def test_versions_and_their_draws_are_listed_for_whoever_runs_the_project(bench: Workbench) -> None:
    draw_texts(bench, CHECKLIST, 3, seed=1)
    done, reader = as_(bench, Role.EXPERT, "Ana"), as_(bench, Role.READER, "Rea")
    add_own_attribute(done, DIMENSION, "Ana", "Order.")
    mark_done(done, DIMENSION, "Ana")
    for closed in (done, reader):
        with pytest.raises(NotAllowedError, match="facilitators"):
            answerable(closed, DIMENSION)
        with pytest.raises(NotAllowedError, match="facilitators"):
            draw_of(closed, CHECKLIST)
    assert len(answerable(as_(bench, Role.FACILITATOR, "Fay"), DIMENSION)) == 1


def test_whoever_only_answers_has_a_sheet_and_what_they_write_later_counts_as_written_after(bench: Workbench) -> None:
    draw = draw_texts(bench, CHECKLIST, 3, seed=1)
    ana = as_(bench, Role.EXPERT, "Ana")
    assert own_sheet(ana, DIMENSION, "Ana") is not None
    save_entries(ana, draw, "Ana", [SheetEntry(1, draw.texts[0], 1, Answer.YES)])
    add_own_attribute(ana, DIMENSION, "Ana", "What the questions ask.")
    (told,) = experts_progress(bench, PROJECT)
    assert (told.expert, told.late, told.done) == ("Ana", 1, False)


def test_an_expert_s_sheet_and_table_hold_nobody_else_s_answers(bench: Workbench) -> None:
    draw = draw_texts(bench, CHECKLIST, 3, seed=1)
    answer(bench, draw, "Ben", draw.texts[0], 1, Answer.NO)
    ana = as_(bench, Role.EXPERT, "Ana")
    assert answer_sheet(ana, CHECKLIST, "Ana").given == {}
    assert b"Ben" not in answers_csv(ana, CHECKLIST, "Ana")
    for closed in (lambda: answers_csv(ana, CHECKLIST), lambda: answer_sheet(ana, CHECKLIST, "Ben")):
        with pytest.raises(NotAllowedError, match="another expert's"):
            closed()
    with pytest.raises(NotAllowedError, match="readers and facilitators"):
        expert_answers(ana, CHECKLIST)


def test_no_expert_brings_answers_in_under_another_s_name_nor_learns_them_from_what_is_refused(
    bench: Workbench,
) -> None:
    draw = draw_texts(bench, CHECKLIST, 3, seed=1)
    answer(bench, draw, "Ben", draw.texts[0], 1, Answer.NO)
    ana = as_(bench, Role.EXPERT, "Ana")
    table = answers_csv(bench, CHECKLIST, "Ben").replace(b",no,", b",yes,")
    with pytest.raises(NotAllowedError, match="facilitators"):
        import_answers(ana, CHECKLIST, table, "ben.csv", "Ana", replace=True)
    assert [one.answer for one in expert_answers(bench, CHECKLIST).answers] == [Answer.NO]


def test_others_comparisons_open_with_ones_own(bench: Workbench) -> None:
    add_attributes(bench, DIMENSION, "rules", ContributorKind.LLM, ["Length."])
    ana = as_(bench, Role.EXPERT, "Ana")
    for name, actor in (("Ben", bench), ("Ana", ana)):
        add_own_attribute(actor, DIMENSION, name, f"What {name} looks for.")
        mark_done(actor, DIMENSION, name)
    with bench.database.read() as work:
        dimension = work.projects.dimension_by_id(DIMENSION)
    bens, mine = begin_side_by_side(bench, dimension, "Ben"), begin_side_by_side(ana, dimension, "Ana")
    answer_side_by_side(bench, bens.id, "else", "What only Ben noticed.")
    with pytest.raises(NotAllowedError, match="readers and facilitators"):
        side_by_sides_of(ana, DIMENSION)
    assert side_by_sides_seen_by(ana, DIMENSION, "Ana") == []
    for question in QUESTIONS:
        answer_side_by_side(ana, mine.id, question, "So.")
    reveal(ana, mine.id)
    assert [one.expert for one in side_by_sides_seen_by(ana, DIMENSION, "Ana")] == ["Ben", "Ana"]
    add_own_attribute(ana, DIMENSION, "Ana", "And flow.")
    assert side_by_sides_seen_by(ana, DIMENSION, "Ana") == []
    with pytest.raises(NotAllowedError, match="another expert's"):
        side_by_sides_seen_by(ana, DIMENSION, "Ben")


def test_whoever_was_given_a_dimension_reads_no_set_of_others_before_thinking_aloud(bench: Workbench) -> None:
    add_attributes(bench, DIMENSION, "rules", ContributorKind.LLM, ["Length."])
    add_own_attribute(bench, DIMENSION, "Ben", "Order.")
    ana = as_(bench, Role.EXPERT, "Ana")
    with bench.database.read() as work:
        dimension = work.projects.dimension_by_id(DIMENSION)
    assert can_compare_as_outside_expert(ana, dimension, "Ana")
    give_dimensions(bench, PROJECT, "Ana", [DIMENSION])
    assert not can_compare_as_outside_expert(ana, dimension, "Ana")
    with pytest.raises(NotReadyError, match="not done yet"):
        begin_side_by_side(ana, dimension, "Ana", outside=True)


def test_ratings_are_for_those_who_read_results(bench: Workbench) -> None:
    ana = as_(bench, Role.EXPERT, "Ana")
    for closed in (lambda: text_page(ana, PROJECT), lambda: rated_text(ana, PROJECT, 1)):
        with pytest.raises(NotAllowedError, match="readers and facilitators"):
            closed()
    assert text_page(as_(bench, Role.READER, "Rea"), PROJECT).means


def test_what_others_comment_opens_once_ones_own_texts_are_answered(bench: Workbench) -> None:
    draw = draw_texts(bench, CHECKLIST, 1, seed=1)
    comment_on(bench, 1, "On the first text I said no.", "Ben")
    ana = as_(bench, Role.EXPERT, "Ana")
    add_own_attribute(ana, DIMENSION, "Ana", "Order.")
    mark_done(ana, DIMENSION, "Ana")
    comment_on(ana, 1, "Hard to say.")
    assert [one.text for one in comments_on(ana, CHECKLIST)[1]] == ["Hard to say."]
    taken_out = export_file(ana, view_checklist(ana, DIMENSION), "json").decode()
    assert ("Hard to say." in taken_out, "I said no" in taken_out) == (True, False)
    assert not sees_all_comments(ana, CHECKLIST)
    assert len(comments_on(as_(bench, Role.READER, "Rea"), CHECKLIST)[1]) == len(comments_on(bench, CHECKLIST)[1]) == 2
    for question in (1, 2, 3):
        answer(bench, draw, "Ana", draw.texts[0], question, Answer.YES)
    assert len(comments_on(ana, CHECKLIST)[1]) == 2
    assert sees_all_comments(ana, CHECKLIST)


def test_a_facilitator_begins_a_project_and_runs_it_and_others_do_not(bench: Workbench) -> None:
    fay = as_(bench, Role.FACILITATOR, "Fay")
    link = invite(bench, PROJECT, "Fay", Role.FACILITATOR)
    made = create_project(fay, "Mine", Task("summary", "article"))
    assert fay.actor.person is not None
    with bench.database.read() as work:
        now = replace(bench, actor=work.people.actor(fay.actor.person))
    assert now.actor.memberships[made.id] == Membership(Role.FACILITATOR, "Fay at home")
    assert {one.name for one in list_projects(now)} == {"Ready", "Mine"}
    assert [(entry.who, entry.act) for entry in project_audit_log(now, made.id)] == [("Fay at home", "made a project")]
    with pytest.raises(NotAllowedError, match="revoked"):  # it would open the new project too
        accept_invitation(bench, link.token)
    assert create_from_preset(now, "Second", preset_names()[0]).name == "Second"
    for role in (Role.EXPERT, Role.READER):
        with pytest.raises(NotAllowedError, match="Only facilitators"):
            create_project(as_(bench, role, role.value), "Theirs", Task("summary", "article"))
    revoke_access(bench, PROJECT, "Fay")
    assert create_project(now, "Third", Task("summary", "article")).name == "Third"
    with pytest.raises(NotAllowedError, match="the server's owner"):
        import_uploaded_project(now, b"")


def test_a_facilitator_begins_a_project_by_bringing_texts_in_and_nobody_reaches_anothers_so(
    bench: Workbench, tmp_path: Path
) -> None:
    fay, file = as_(bench, Role.FACILITATOR, "Fay"), tmp_path / "texts.csv"
    file.write_text("text,quality\nOne text.,3\nAnother text.,4\n", encoding="utf-8")
    assert import_file(fay, file, "Brought").texts == 2
    assert fay.actor.person is not None
    with bench.database.read() as work:
        now = replace(bench, actor=work.people.actor(fay.actor.person))
        made = work.projects.get("Brought").id
        work.projects.get("Ready")
    assert now.actor.has(Right.FACILITATE, made)
    assert [(entry.who, entry.act) for entry in project_audit_log(now, made)] == [("Fay at home", "made a project")]
    for role in (Role.EXPERT, Role.READER):
        with pytest.raises(NotAllowedError):
            import_file(as_(bench, role, role.value), file, "Theirs")
    create_project(bench, "Olga's", Task("summary", "article"))
    with pytest.raises(NotAllowedError, match="isn't open to you"):
        import_file(now, file, "Olga's")
    with bench.database.write() as work, pytest.raises(NotAllowedError, match="Somebody else has begun"):
        project_to_fill(work, now.actor, "Olga's", Task())
    with pytest.raises(NotAllowedError):
        import_file(replace(bench, actor=NOBODY), file, "Nobody's")


def test_whoever_runs_the_server_is_no_member_of_what_they_begin(bench: Workbench) -> None:
    with bench.database.write() as work:
        olga = work.people.add("invite", "olga", "Olga", owner=True)
        owner = replace(bench, actor=work.people.actor(olga.id))
    made = create_project(owner, "Hers", Task("summary", "article"))
    assert members_of(owner, made.id) == []
