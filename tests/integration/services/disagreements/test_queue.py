"""The queue: who parts about which question of which text, what comes first, and what is in none."""

import pytest

from app.domain.checklist_score import Answer
from app.errors import NotFoundError, NotReadyError
from app.meta_evaluation.questions.question_agreement import DisagreementKind
from app.services.checklists.checklists import new_draft, publish
from app.services.checklists.draft_edits import QuestionWording, edit_question
from app.services.disagreements.decisions import decide_answer, undo_decision
from app.services.disagreements.queue import (
    QueuedPair,
    QueueFilter,
    decidable_versions,
    disagreement_queue,
    sides_of_pair,
)
from app.services.runtime.workbench import Workbench
from tests.support.disagreements import experts_say, judge_says, parted_project, text_ids


def _listed(pairs: list[QueuedPair]) -> dict[tuple[str, int], set[str]]:
    return {(pair.key[0], pair.number): {kind.value for kind in pair.kinds} for pair in pairs}


def test_it_holds_every_pair_where_somebody_parts_and_no_other(workbench: Workbench) -> None:
    made = parted_project(workbench)
    experts_say(workbench, made, {"Ana": ["yyy", "yya", "ny?", "yy-"], "Ben": ["yny", "yyy", "nyy", "yy-"]})
    judge_says(workbench, made, "one", ["yyy", "nyy", "nyy", "yyn"], ["yyy", "nyy", "nyn", "yyn"])
    judge_says(workbench, made, "two", ["yyy", "yyn", "?yy", "yyn"])
    found = disagreement_queue(workbench, made.id)
    assert (found.answered, found.judges) == (2, ("two", "one"))
    assert _listed(found.matching(QueueFilter())) == {
        ("letter-0", 2): {"experts"},
        ("letter-1", 1): {"judge"},
        ("letter-1", 3): {"experts"},
        ("letter-2", 3): {"repeats"},
    }
    by_place = {(pair.key[0], pair.number): pair for pair in found.pairs}
    assert by_place["letter-1", 1].judges == ("one",)
    assert by_place["letter-2", 3].wavering == ("one",)
    assert by_place["letter-1", 3].people == {Answer.YES: 1, Answer.NO: 0, Answer.NOT_APPLICABLE: 1}
    weights = [pair.weight for pair in found.pairs]
    assert weights == sorted(weights, reverse=True)


def test_filters_leave_out_what_was_not_asked_for(workbench: Workbench) -> None:
    made = parted_project(workbench)
    experts_say(workbench, made, {"Ana": ["yyy", "yyy", "yyy", "yyy"], "Ben": ["nyy", "yyy", "yyy", "yyy"]})
    judge_says(workbench, made, "one", ["yyy", "nyy", "yny", "yyy"])
    judge_says(workbench, made, "two", ["yyy", "nyy", "yyy", "yyy"], ["yyy", "nyy", "yyy", "yyn"])
    found = disagreement_queue(workbench, made.id)

    def places(wanted: QueueFilter) -> set[tuple[str, int]]:
        return set(_listed(found.matching(wanted)))

    assert places(QueueFilter(kind=DisagreementKind.EXPERTS)) == {("letter-0", 1)}
    assert places(QueueFilter(kind=DisagreementKind.JUDGE)) == {("letter-1", 1), ("letter-2", 2)}
    assert places(QueueFilter(kind=DisagreementKind.JUDGE, judge="two")) == {("letter-1", 1)}
    assert places(QueueFilter(judge="two")) == {("letter-1", 1), ("letter-3", 3)}
    assert places(QueueFilter(question=1)) == {("letter-0", 1), ("letter-1", 1)}
    assert places(QueueFilter(component="Form")) == {("letter-2", 2), ("letter-3", 3)}


def test_what_was_decided_leaves_it_and_comes_back_when_that_is_undone(workbench: Workbench) -> None:
    made = parted_project(workbench)
    experts_say(workbench, made, {"Ana": ["yyy"] * 4, "Ben": ["nyy"] * 4})
    text, question = text_ids(workbench, made)[0], made.asked[0].id
    decided = decide_answer(workbench, made.id, question, text, Answer.NO, "Cleo").decision
    found = disagreement_queue(workbench, made.id)
    assert len(found.matching(QueueFilter())) == 3
    (pair,) = found.matching(QueueFilter(state="decided"))
    assert (pair.text, pair.decision, pair.kinds) == (text, decided, {DisagreementKind.EXPERTS})
    undo_decision(workbench, decided.id, "Cleo")
    assert len(disagreement_queue(workbench, made.id).matching(QueueFilter())) == 4


def test_runs_made_for_something_else_and_earlier_ones_are_left_out(workbench: Workbench) -> None:
    made = parted_project(workbench)
    experts_say(workbench, made, {"Ana": ["yyy"] * 4})
    # Answers that come in and are undone count at once.
    assert disagreement_queue(workbench, made.id).pairs == ()
    experts_say(workbench, made, {"Ben": ["nyy", "---", "---", "---"]})
    assert len(disagreement_queue(workbench, made.id).pairs) == 1
    experts_say(workbench, made, {"Ben": ["yyy", "---", "---", "---"]})
    assert disagreement_queue(workbench, made.id).pairs == ()
    judge_says(workbench, made, "one", ["nnn"] * 4)
    newest = judge_says(workbench, made, "one", ["yyy", "yyy", "yyy", "yyn"])
    judge_says(workbench, made, "two", ["nnn"] * 4, study="comb")
    judge_says(workbench, made, "two", ["nnn"] * 4, asking_way="alone")
    judge_says(workbench, made, "two", ["nnn"] * 4, anchors=1)
    judge_says(workbench, made, "two", ["nnn"] * 4, locked=True)
    found = disagreement_queue(workbench, made.id)
    assert [run.id for run in found.runs] == [newest]
    assert set(_listed(list(found.pairs))) == {("letter-3", 3)}


def test_locked_texts_are_in_no_queue_and_can_not_be_looked_at(workbench: Workbench) -> None:
    made = parted_project(workbench, texts=6)
    experts_say(workbench, made, {"Ana": ["yyy"] * 6, "Ben": ["nyy"] * 6})
    before = {pair.text for pair in disagreement_queue(workbench, made.id).pairs}
    with workbench.database.write() as work:
        work.held_out_splits.lock(1, ["letter-2", "letter-5"], 0.2, 1, "Ana")
    after = {pair.text for pair in disagreement_queue(workbench, made.id).pairs}
    with workbench.database.read() as work:
        locked = {text.id for text in work.held_out_texts.all(1)}
    assert locked
    assert after == before - locked
    with pytest.raises(NotFoundError):
        sides_of_pair(workbench, made.id, made.asked[0].id, min(locked))
    with pytest.raises(NotFoundError):
        decide_answer(workbench, made.id, made.asked[0].id, min(locked), Answer.YES)


def test_names_stay_hidden_until_something_is_decided(workbench: Workbench) -> None:
    made = parted_project(workbench)
    experts_say(workbench, made, {"Ana": ["yyy"] * 4, "Ben": ["nyy"] * 4, "Cleo": ["?yy"] * 4})
    judge_says(workbench, made, "one", ["nyy"] * 4, ["yyy"] * 4)
    text, question = text_ids(workbench, made)[0], made.asked[0].id
    hidden = sides_of_pair(workbench, made.id, question, text)
    assert [one.who for one in hidden.people] == ["Expert A", "Expert B", "Expert C"]
    assert [(one.judge, [said.answer for said in one.judgments]) for one in hidden.judges] == [
        ("one", [Answer.NO, Answer.YES])
    ]
    made_up = decide_answer(workbench, made.id, question, text, Answer.NO, "Dora").decision
    told = sides_of_pair(workbench, made.id, question, text)
    assert [(one.who, one.answer) for one in told.people] == [
        ("Ana", Answer.YES),
        ("Ben", Answer.NO),
        ("Cleo", Answer.UNANSWERED),
    ]
    assert told.decisions == (made_up,)
    undo_decision(workbench, made_up.id)
    assert sides_of_pair(workbench, made.id, question, text).people == hidden.people


def test_a_draft_has_no_queue_and_versions_with_answers_come_first(workbench: Workbench) -> None:
    made = parted_project(workbench)
    experts_say(workbench, made, {"Ana": ["yyy"] * 4})
    draft = new_draft(workbench, made.id)
    with pytest.raises(NotReadyError):
        disagreement_queue(workbench, draft.id)
    for question in draft.asked:
        edit_question(workbench, question, QuestionWording(f"{question.text} Really?", question.component))
    second = publish(workbench, draft.id)
    with workbench.database.read() as work:
        dimension_id = work.checklists.dimension_of(made.id)
    assert [each.id for each in decidable_versions(workbench, dimension_id)] == [made.id, second.id]
