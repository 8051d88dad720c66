"""Deciding: a record of its own that overwrites nobody, can be undone, and is kept from two who decide at once."""

import threading
from dataclasses import replace

import pytest

from app.domain.checklist_score import Answer
from app.domain.roles_and_rights import Actor, Membership, Role
from app.errors import ConflictError, InputError, NotAllowedError, NotFoundError, NotReadyError
from app.services.checklists.checklists import new_draft, publish, versions_of
from app.services.checklists.expert_answers import expert_answers
from app.services.disagreements.decisions import decide_answer, settle_contradiction, undo_decision
from app.services.disagreements.queue import QueueFilter, disagreement_queue
from app.services.runtime.workbench import Workbench
from tests.support.disagreements import experts_say, judge_says, parted_project, text_ids


def test_a_decision_says_who_what_why_and_in_which_version_and_overwrites_nobody(workbench: Workbench) -> None:
    made = parted_project(workbench)
    experts_say(workbench, made, {"Ana": ["yyy"] * 4, "Ben": ["nyy"] * 4})
    run = judge_says(workbench, made, "one", ["nyy"] * 4)
    text, question = text_ids(workbench, made)[0], made.asked[0].id
    before = expert_answers(workbench, made.id).answers
    with workbench.database.read() as work:
        judged = work.results.judgments_by_text(run, 1)
    found = decide_answer(
        workbench, made.id, question, text, Answer.YES, "Cleo", why=" It says\n“Dear all”. ", run_id=run
    )
    one = found.decision
    assert (one.answer, one.who, one.why, one.version, one.run, one.wording) == (
        Answer.YES,
        "Cleo",
        "It says “Dear all”.",
        1,
        run,
        "Does it greet?",
    )
    assert found.draft is None
    undo_decision(workbench, one.id, "Dora")
    assert expert_answers(workbench, made.id).answers == before
    with workbench.database.read() as work:
        assert work.results.judgments_by_text(run, 1) == judged
        (kept,) = work.decisions.of_checklist(made.id)[question]
    assert (kept.stands, kept.undone_by) == (False, "Dora")


def test_the_line_becomes_guidance_in_a_draft_that_is_started_or_in_the_newest_that_holds_it(
    workbench: Workbench,
) -> None:
    made = parted_project(workbench)
    texts, question = text_ids(workbench, made), made.asked[0].id
    first = decide_answer(
        workbench, made.id, question, texts[0], Answer.YES, "Cleo", why="A name is a greeting.", as_guidance=True
    )
    assert (first.draft, first.decision.guided) == (2, "A name is a greeting.")
    second = decide_answer(
        workbench, made.id, question, texts[1], Answer.NO, "Cleo", why="“Hm” is none.", as_guidance=True
    )
    assert second.draft == 2
    draft = next(each for each in versions_of(workbench, 1) if each.version == 2)
    assert draft.asked[0].guidance == "A name is a greeting. “Hm” is none."
    with workbench.database.read() as work:
        history = work.drafts.history(draft.id)
        assert work.checklists.get(made.id).asked[0].guidance == "", "what is published never changes"
    assert {(change.who, change.what) for change in history} == {("Cleo", "made a decision's line guidance")}


def test_whoever_did_not_see_the_other_decision_is_told_and_starts_no_draft(workbench: Workbench) -> None:
    made = parted_project(workbench)
    text, question = text_ids(workbench, made)[0], made.asked[0].id
    first = decide_answer(workbench, made.id, question, text, Answer.NO, "Ana").decision
    with pytest.raises(ConflictError, match="Ana has decided this meanwhile: no"):
        decide_answer(workbench, made.id, question, text, Answer.YES, "Ben", why="Why.", as_guidance=True)
    assert [each.version for each in versions_of(workbench, 1)] == [1]
    again = decide_answer(workbench, made.id, question, text, Answer.YES, "Ben", seen=first.id).decision
    with workbench.database.read() as work:
        assert [(one.id, one.stands) for one in work.decisions.of_checklist(made.id)[question]] == [
            (first.id, False),
            (again.id, True),
        ]


def test_of_two_who_decide_at_once_the_second_is_told(workbench: Workbench) -> None:
    made = parted_project(workbench)
    text, question = text_ids(workbench, made)[0], made.asked[0].id
    both_there, said = threading.Barrier(2), []

    def decide(who: str, given: Answer) -> None:
        both_there.wait()
        try:
            decide_answer(workbench, made.id, question, text, given, who)
            said.append("kept")
        except ConflictError as error:
            said.append(error.message)

    threads = [threading.Thread(target=decide, args=one) for one in (("Ana", Answer.YES), ("Ben", Answer.NO))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert said.count("kept") == 1
    assert [one for one in said if "has decided this meanwhile" in one]


def test_three_experts_answer_while_somebody_decides_and_nothing_is_lost(workbench: Workbench) -> None:
    made = parted_project(workbench)
    experts_say(workbench, made, {"Ana": ["yyy"] * 4, "Ben": ["nyy"] * 4})
    texts, question, all_there, failed = text_ids(workbench, made), made.asked[0].id, threading.Barrier(4), []

    def act(who: str) -> None:
        all_there.wait()
        try:
            if who == "Facilitator":
                for text in texts:
                    decide_answer(workbench, made.id, question, text, Answer.YES, who)
            else:
                experts_say(workbench, made, {who: ["nny"] * 4})
        except Exception as error:
            failed.append(error)

    threads = [threading.Thread(target=act, args=(who,)) for who in ("Ana", "Ben", "Cleo", "Facilitator")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    given = expert_answers(workbench, made.id).answers
    assert len(given) == 3 * 4 * 3
    assert {one.answer for one in given if one.question == question} == {Answer.NO}
    found = disagreement_queue(workbench, made.id)
    assert found.counted("decided") == 4
    assert found.matching(QueueFilter()) == []


def test_what_can_not_be_decided_is_refused(workbench: Workbench) -> None:
    made = parted_project(workbench)
    other = parted_project(workbench, name="Others")
    text, (first, _, open_) = text_ids(workbench, made)[0], [question.id for question in made.asked]
    with pytest.raises(InputError, match="doesn't allow"):
        decide_answer(workbench, made.id, first, text, Answer.NOT_APPLICABLE)
    decide_answer(workbench, made.id, open_, text, Answer.NOT_APPLICABLE)
    with pytest.raises(InputError, match="yes, no or does not apply"):
        decide_answer(workbench, made.id, first, text, Answer.UNANSWERED)
    with pytest.raises(InputError, match="could become guidance"):
        decide_answer(workbench, made.id, first, text, Answer.YES, as_guidance=True)
    with pytest.raises(InputError, match="are the most"):
        decide_answer(workbench, made.id, first, text, Answer.YES, why="x" * 1_001)
    with pytest.raises(NotFoundError, match="not in the project"):
        decide_answer(workbench, made.id, first, text_ids(workbench, other)[0], Answer.YES)
    with pytest.raises(NotFoundError, match="doesn't ask"):
        decide_answer(workbench, made.id, other.asked[0].id, text, Answer.YES)
    with pytest.raises(NotReadyError):
        decide_answer(workbench, new_draft(workbench, made.id).id, first, text, Answer.YES)


def test_readers_look_and_only_facilitators_decide(workbench: Workbench) -> None:
    made = parted_project(workbench)
    text, question = text_ids(workbench, made)[0], made.asked[0].id
    with workbench.database.write() as work:
        people = {role: work.people.add("link", role.value, role.value.title()).id for role in Role}
        for role, person in people.items():
            work.people.join(person, 1, role, role.value.title())
    acting = {
        role: replace(workbench, actor=Actor(person, "", False, {1: Membership(role, role.value.title())}))
        for role, person in people.items()
    }
    assert disagreement_queue(acting[Role.READER], made.id).pairs == ()
    with pytest.raises(NotAllowedError):
        disagreement_queue(acting[Role.EXPERT], made.id)
    for role in (Role.READER, Role.EXPERT):
        with pytest.raises(NotAllowedError):
            decide_answer(acting[role], made.id, question, text, Answer.YES)
    one = decide_answer(acting[Role.FACILITATOR], made.id, question, text, Answer.YES, "Somebody else").decision
    assert one.who == "Facilitator"
    with pytest.raises(NotAllowedError):
        undo_decision(acting[Role.READER], one.id)


def test_decisions_that_contradict_each_other_are_settled_by_keeping_one(workbench: Workbench) -> None:
    made = parted_project(workbench)
    second = publish(workbench, new_draft(workbench, made.id).id)
    text = text_ids(workbench, made)[0]
    early = decide_answer(workbench, made.id, made.asked[0].id, text, Answer.NO, "Ana").decision
    late = decide_answer(workbench, second.id, second.asked[0].id, text, Answer.YES, "Ben", seen=early.id).decision
    (pair,) = disagreement_queue(workbench, second.id).matching(QueueFilter(state="contradicting"))
    assert (pair.contradicting, pair.decision) == ((early, late), late)
    settle_contradiction(workbench, second.id, early.id, "Cleo")
    (pair,) = disagreement_queue(workbench, second.id).matching(QueueFilter(state="decided"))
    assert (pair.contradicting, pair.decision) == ((), early)
    with pytest.raises(ConflictError, match="undone meanwhile"):
        settle_contradiction(workbench, second.id, late.id)
    with pytest.raises(ConflictError, match="Nothing contradicts"):
        settle_contradiction(workbench, second.id, early.id)
