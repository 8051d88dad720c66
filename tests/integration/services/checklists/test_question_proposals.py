"""Proposals of models wait in the database until a person decides; accepted, they can be taken back."""

import json

import pytest

from app.domain.checklist import Action, Checklist, Proposal, ProposalStatus, QuestionOrigin
from app.errors import ConflictError, NotFoundError, UnsupportedError
from app.services.checklists.checklists import get_checklist, new_draft, versions_of
from app.services.checklists.draft_edits import QuestionWording, edit_question, history_of, remove_question, undo
from app.services.checklists.question_proposals import (
    accept_proposal,
    most_alike,
    open_proposals,
    propose,
    propose_applicability,
    propose_validation,
    refuse,
)
from app.services.runtime.workbench import Workbench
from tests.support.fake_llm.behaviour import Answer as Reply
from tests.support.fake_llm.server import FakeLlm
from tests.support.projects import ready_to_score

MODEL = "llama:editor"


def proposals_of(workbench: Workbench, draft: Checklist) -> list[Proposal]:
    with workbench.database.read() as work:
        return work.proposals.of(draft.id)


@pytest.fixture
def draft(workbench: Workbench) -> Checklist:
    """“Is part 0 in its place?” to “Is part 3 in its place?”"""
    dimension = ready_to_score(workbench, texts=4, questions=4)
    return new_draft(workbench, versions_of(workbench, dimension.id)[0].id)


def answers(*questions: str, reason: str = "clearer") -> Reply:
    return Reply(json.dumps({"questions": list(questions), "reason": reason}))


def texts(workbench: Workbench, draft: Checklist) -> list[str]:
    return [question.text for question in get_checklist(workbench, draft.id).asked]


def proposed(workbench: Workbench, draft: Checklist) -> Proposal:
    (found,) = open_proposals(workbench, draft.id)
    return found


def test_a_proposal_changes_nothing_until_it_is_accepted_and_can_be_taken_back(
    workbench: Workbench, llm: FakeLlm, draft: Checklist
) -> None:
    llm.script(answers("Is every part in its place?"))
    first = draft.asked[0]
    propose(workbench, draft.id, Action.REPHRASE, [first.id], MODEL)
    waiting = proposed(workbench, draft)
    assert (waiting.before, waiting.after, waiting.model) == ((first.text,), ("Is every part in its place?",), MODEL)
    assert get_checklist(workbench, draft.id) == draft
    accept_proposal(workbench, waiting.id, "Ana")
    assert texts(workbench, draft)[0] == "Is every part in its place?"
    assert open_proposals(workbench, draft.id) == []
    change = history_of(workbench, draft.id)[0]
    assert (change.who, change.what) == ("Ana", "took a model's wording")
    undo(workbench, draft.id, change.id, "Ana")
    assert get_checklist(workbench, draft.id) == draft


def test_split_questions_stay_in_their_place_and_merged_ones_become_one(
    workbench: Workbench, llm: FakeLlm, draft: Checklist
) -> None:
    llm.script(answers("Is A there?", "Is B there?", "Is C there?"))
    second = draft.asked[1]
    propose(workbench, draft.id, Action.SPLIT, [second.id], MODEL)
    accept_proposal(workbench, proposed(workbench, draft).id)
    before = [question.text for question in draft.asked]
    assert texts(workbench, draft) == [before[0], "Is A there?", "Is B there?", "Is C there?", *before[2:]]
    parts = get_checklist(workbench, draft.id).asked[1:4]
    assert {(p.component, p.attributes, p.weight, p.origin) for p in parts} == {
        ("Order", second.attributes, 1.0, QuestionOrigin.ADDED)
    }
    undo(workbench, draft.id, history_of(workbench, draft.id)[0].id)
    assert get_checklist(workbench, draft.id) == draft
    # Merged questions become one.
    llm.script(answers("Is each part in its place?"))
    first, second, *others = draft.asked
    propose(workbench, draft.id, Action.MERGE, [second.id, first.id], MODEL)
    accept_proposal(workbench, proposed(workbench, draft).id)
    assert texts(workbench, draft) == ["Is each part in its place?", *(q.text for q in others)]
    undo(workbench, draft.id, history_of(workbench, draft.id)[0].id)
    assert get_checklist(workbench, draft.id) == draft


def test_the_validators_changes_are_decided_one_by_one(workbench: Workbench, llm: FakeLlm, draft: Checklist) -> None:
    kept, reworded, merged, _ = (question.text for question in draft.asked)
    review = {
        "questions": [
            {"sources": [1], "question": kept, "reason": ""},
            {"sources": [2, 3], "question": "Are both parts in their place?", "reason": "alike"},
        ],
        "dropped": [{"question": 4, "reason": "irrelevant"}],
    }
    llm.script(Reply(json.dumps(review)))
    assert propose_validation(workbench, draft.id, MODEL) == 2
    merge, drop = open_proposals(workbench, draft.id)
    assert (merge.before, drop.after, drop.reason) == ((reworded, merged), (), "irrelevant")
    refuse(workbench, merge.id, "Ana")
    accept_proposal(workbench, drop.id, "Ana")
    assert texts(workbench, draft) == [kept, reworded, merged]
    assert [(p.status, p.decided_by) for p in proposals_of(workbench, draft)] == [
        (ProposalStatus.REFUSED, "Ana"),
        (ProposalStatus.ACCEPTED, "Ana"),
    ]
    with pytest.raises(ConflictError, match="accepted by Ana already"):
        refuse(workbench, drop.id)


def test_a_newer_review_replaces_what_was_not_decided(workbench: Workbench, llm: FakeLlm, draft: Checklist) -> None:
    review = json.dumps({"questions": [], "dropped": [{"question": 4, "reason": "irrelevant"}]})
    llm.script(Reply(review), Reply(json.dumps({"questions": [], "dropped": []})))
    assert propose_validation(workbench, draft.id, MODEL) == 1
    edit_question(workbench, draft.asked[0], QuestionWording("Is it new?", "Order"))
    assert propose_validation(workbench, draft.id, MODEL) == 0
    assert open_proposals(workbench, draft.id) == []


def test_what_was_changed_since_is_not_written_over(workbench: Workbench, llm: FakeLlm, draft: Checklist) -> None:
    llm.script(answers("Is it fine?"), answers("Is it well?"))
    first, second, *_ = draft.asked
    propose(workbench, draft.id, Action.SIMPLER, [first.id], MODEL)
    edit_question(workbench, first, QuestionWording("Is it mine?", "Order"), "Ben")
    with pytest.raises(ConflictError, match="changed since"):
        accept_proposal(workbench, proposed(workbench, draft).id)
    refuse(workbench, proposed(workbench, draft).id)
    propose(workbench, draft.id, Action.SIMPLER, [second.id], MODEL)
    remove_question(workbench, second)
    with pytest.raises(ConflictError, match="changed since"):
        accept_proposal(workbench, proposed(workbench, draft).id)
    with pytest.raises(NotFoundError):
        propose(workbench, draft.id, Action.SIMPLER, [second.id], MODEL)


def test_the_answer_is_on_record_with_its_prompt(workbench: Workbench, llm: FakeLlm, draft: Checklist) -> None:
    llm.script(answers("Is it fine?"))
    propose(workbench, draft.id, Action.SIMPLER, [draft.asked[0].id], MODEL)
    with workbench.database.read() as work:
        record = work.stages.of(work.checklists.dimension_of(draft.id))[-1]
    assert (record.stage, record.prompt, record.model) == ("question-simpler", "question-simpler@2", MODEL)
    assert json.loads(record.output)["questions"] == ["Is it fine?"]


def test_what_the_rules_can_not_do_proposes_nothing(workbench: Workbench, draft: Checklist) -> None:
    with pytest.raises(UnsupportedError, match="built-in rules"):
        propose(workbench, draft.id, Action.SPLIT, [draft.asked[0].id], "rules")
    assert proposals_of(workbench, draft) == []


def test_the_most_alike_questions_come_first(draft: Checklist) -> None:
    assert draft.asked[0] not in most_alike(draft, draft.asked[0])
    assert len(most_alike(draft, draft.asked[0])) == 3


def test_a_model_says_which_questions_may_not_apply_and_a_person_allows_it(
    workbench: Workbench, llm: FakeLlm, draft: Checklist
) -> None:
    reason = "A text without parts has none to place."
    llm.script(Reply(json.dumps({"questions": [{"question": 2, "reason": reason}]})))
    assert propose_applicability(workbench, draft.id, MODEL) == 1
    waiting = proposed(workbench, draft)
    assert (waiting.action, waiting.sources, waiting.reason) == (Action.APPLICABILITY, (draft.asked[1].id,), reason)
    assert not any(question.may_not_apply for question in get_checklist(workbench, draft.id).asked)
    accept_proposal(workbench, waiting.id, "Ana")
    accepted = get_checklist(workbench, draft.id).asked
    assert [(q.may_not_apply, q.not_apply_reason) for q in accepted[:2]] == [(False, ""), (True, reason)]
    assert accepted[1].text == draft.asked[1].text
    llm.script(Reply(json.dumps({"questions": []})))
    assert propose_applicability(workbench, draft.id, MODEL) == 0
    assert reason not in json.dumps(llm.requests[-1].body)
    (change,) = history_of(workbench, draft.id)
    undo(workbench, draft.id, change.id, "Ana")
    assert get_checklist(workbench, draft.id).asked == draft.asked


def test_what_is_reworded_split_or_merged_may_still_not_apply(
    workbench: Workbench, llm: FakeLlm, draft: Checklist
) -> None:
    first = draft.asked[0]
    edit_question(workbench, first, QuestionWording(first.text, first.component, may_not_apply=True))
    llm.script(answers("Is it here?", "Is it there?"))
    propose(workbench, draft.id, Action.SPLIT, [first.id], MODEL)
    accept_proposal(workbench, proposed(workbench, draft).id)
    assert [q.may_not_apply for q in get_checklist(workbench, draft.id).asked][:3] == [True, True, False]
