"""Decisions take the place of what most experts say wherever a judge is compared with them, and nowhere else."""

import numpy as np

from app.domain.checklist_score import Answer
from app.domain.project import Text
from app.services.disagreements.decisions import decide_answer, undo_decision
from app.services.drift.anchors import freeze_anchors
from app.services.results.corrected_shares import corrected_shares
from app.services.results.quality_cost import judge_panel
from app.services.results.question_analysis import asked_of_experts, expert_side
from app.services.results.results import Choices, DimensionResult, cached_result
from app.services.results.rubric_xray import rubric_evidence
from app.services.runtime.workbench import Workbench
from tests.support.disagreements import experts_say, judge_says, parted_project, text_ids

# On the first question experts are split on the first two texts, agree on the others; the judge says no throughout.
ANA, BEN = ["yya", "yyy", "yyy", "nya", "nyy", "nyy"], ["nyy", "nyy", "yyy", "nya", "nyy", "nyy"]
JUDGE = ["nyy", "nyy", "nyy", "nyy", "nyy", "nyn"]


def _result(workbench: Workbench, run: int) -> DimensionResult:
    found = cached_result(workbench, run, 1, Choices("dataset", resamples=50))
    assert found is not None
    return found


def test_the_reference_is_the_decision_else_what_most_say_and_anchors_too(workbench: Workbench) -> None:
    made = parted_project(workbench, texts=6)
    experts_say(workbench, made, {"Ana": ANA, "Ben": BEN})
    run = judge_says(workbench, made, "one", JUDGE)
    texts, (first, _, third) = text_ids(workbench, made), made.asked
    before = expert_side(workbench, _result(workbench, run))
    assert before is not None
    assert before.decided_texts == 0
    row = [before.texts.index(text) for text in texts]
    assert np.array_equal(before.reference[row, 0], [np.nan, np.nan, 1, 0, 0, 0], equal_nan=True)
    assert before.outside[row, 2].tolist() == [False, False, False, True, False, False]
    decide_answer(workbench, made.id, first.id, texts[0], Answer.NO)
    over_all = decide_answer(workbench, made.id, first.id, texts[2], Answer.NO).decision
    decide_answer(workbench, made.id, third.id, texts[0], Answer.NOT_APPLICABLE)
    decide_answer(workbench, made.id, third.id, texts[3], Answer.YES)
    side = expert_side(workbench, _result(workbench, run))
    assert side is not None
    assert np.array_equal(side.reference[row, 0], [0, np.nan, 0, 0, 0, 0], equal_nan=True)
    assert np.array_equal(side.reference[row, 2], [np.nan, 1, 1, 1, 1, 1], equal_nan=True)
    assert side.outside[row, 2].tolist() == [True, False, False, False, False, False]
    assert side.decided_texts == 3
    assert np.array_equal(side.people, before.people, equal_nan=True)
    with workbench.database.read() as work:
        dimension = work.projects.dimension_by_id(1)
    frozen = freeze_anchors(workbench, 1, dimension, "Ana").answers
    assert frozen[texts[0], first.id] is Answer.NO
    assert frozen[texts[2], first.id] is Answer.NO
    assert (texts[1], first.id) not in frozen
    assert (texts[0], third.id) not in frozen, "it does not apply"
    undo_decision(workbench, over_all.id)
    again = expert_side(workbench, _result(workbench, run))
    assert again is not None
    assert again.reference[row[2], 0] == 1


def test_figures_of_judges_move_with_decisions_those_of_experts_do_not(workbench: Workbench) -> None:
    made = parted_project(workbench, texts=6)
    experts_say(workbench, made, {"Ana": ANA, "Ben": BEN})
    runs = [judge_says(workbench, made, judge, JUDGE) for judge in ("llama:one", "llama:two")]
    texts, first = text_ids(workbench, made), made.asked[0]
    result = _result(workbench, runs[1])
    before, shares = asked_of_experts(workbench, result), corrected_shares(workbench, result)
    panel_before = judge_panel(workbench, 1, result)
    for text in texts[:3]:
        decide_answer(workbench, made.id, first.id, text, Answer.NO)
    after, corrected = asked_of_experts(workbench, result), corrected_shares(workbench, result)
    assert before is not None
    assert after is not None
    (_, was), (_, now) = before.questions[0], after.questions[0]
    assert (was.judge.n, now.judge.n) == (4, 6)
    assert (was.people, was.fleiss) == (now.people, now.fleiss)
    assert (before.decided, after.decided, was.decided, now.decided) == (0, 3, 0, 3)
    assert shares is not None
    assert corrected is not None
    before_share, after_share = shares.questions[0].estimate, corrected.questions[0].estimate
    assert before_share is not None
    assert after_share is not None
    assert (before_share.n_human, after_share.n_human) == (4, 6)
    assert (before_share.human_only.value, after_share.human_only.value) == (0.25, 0)
    assert corrected.decided == 3
    assert shares.stand_in == corrected.stand_in, "it rests on the experts' own answers"
    # Judges beside each other, and the rubric's evidence, rest on decisions.
    panel_after = judge_panel(workbench, 1, result)
    assert panel_before is not None
    assert panel_after is not None
    assert panel_after.panel.n == panel_before.panel.n + 2
    assert panel_after.panel.judges[0].accuracy > panel_before.panel.judges[0].accuracy
    side = expert_side(workbench, result)
    assert side is not None
    evidence = rubric_evidence(workbench, result, made)
    assert np.array_equal(evidence.experts_say, side.reference, equal_nan=True)


def test_a_decision_about_a_text_that_was_not_drawn_for_experts_stands_for_no_others(workbench: Workbench) -> None:
    """Somebody parted there, so that such texts say nothing about the rest."""
    made = parted_project(workbench, texts=6)
    experts_say(workbench, made, {"Ana": ANA, "Ben": BEN})
    with workbench.database.write() as work:
        work.texts.add_many(1, [Text("later", "A later letter.")])
    run = judge_says(workbench, made, "one", [*JUDGE, "nyy"], [*JUDGE, "yyy"], [*JUDGE, "nyy"])
    decide_answer(workbench, made.id, made.asked[0].id, text_ids(workbench, made)[6], Answer.YES)
    side = expert_side(workbench, _result(workbench, run))
    assert side is not None
    assert side.decided_texts == 0
