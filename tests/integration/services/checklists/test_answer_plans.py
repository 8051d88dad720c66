"""Further texts for experts: drawn after those they have, with chances on record."""

import numpy as np
import pytest

from app.domain.checklist_score import Answer
from app.domain.expert_answer import WaveRequest
from app.errors import InputError, NotReadyError
from app.services.checklists.answer_draws import draw_planned, draw_texts, drawn_probability, plan_answers
from app.services.checklists.checklists import new_draft
from app.services.checklists.expert_answers import answer, answer_sheet, expert_answers
from app.services.runtime.workbench import Workbench
from tests.support.projects import ready_to_score

CHECKLIST, TEXTS = 1, 40


@pytest.fixture
def bench(workbench: Workbench) -> Workbench:
    ready_to_score(workbench, texts=TEXTS)
    return workbench


def test_planning_stores_nothing_and_drawing_draws_what_was_planned(bench: Workbench) -> None:
    planned = plan_answers(bench, CHECKLIST, WaveRequest(8, seed=4))
    assert (planned.left, planned.drawn, planned.wave, planned.chance) == (TEXTS, 0, 1, 0.2)
    assert planned == plan_answers(bench, CHECKLIST, WaveRequest(8, seed=4))
    drawn = draw_planned(bench, CHECKLIST, WaveRequest(8, seed=4))
    assert set(drawn.texts) == {one.id for one in planned.texts}
    (wave,) = drawn.waves
    assert (wave.number, wave.design, wave.seed, wave.tau) == (1, "chance", 4, 0.0)


def test_more_texts_come_after_those_an_expert_has_and_leave_answers_alone(bench: Workbench) -> None:
    first = draw_texts(bench, CHECKLIST, 5, seed=3)
    before = answer_sheet(bench, CHECKLIST, "Ana").texts
    answer(bench, first, "Ana", before[0], 1, Answer.NO)
    drawn = draw_planned(bench, CHECKLIST, WaveRequest(12, seed=3))
    sheet = answer_sheet(bench, CHECKLIST, "Ana")
    assert sheet.texts[:5] == before
    assert set(sheet.texts[5:]) == set(drawn.waves[1].texts) == set(drawn.texts) - set(first.texts)
    assert len(drawn.waves[1].texts) == 12
    assert sheet.texts[5:] != drawn.waves[1].texts, "in an order of their own"
    assert [one.answer for one in expert_answers(bench, CHECKLIST).answers] == [Answer.NO]
    third = draw_planned(bench, CHECKLIST, WaveRequest(4, seed=3))
    assert answer_sheet(bench, CHECKLIST, "Ana").texts[: len(sheet.texts)] == sheet.texts
    assert len(third.waves[2].texts) == 4


def test_each_texts_probability_is_that_of_all_waves(bench: Workbench) -> None:
    """Databases of older programs have waves in which some texts were likelier than others."""
    first = draw_texts(bench, CHECKLIST, 8, seed=1)
    everything = range(1, TEXTS + 1)
    chances = {text: 0.5 if text <= 10 else 0.125 for text in everything}
    added = [text for text in everything if text not in first.texts][:8]
    with bench.database.write() as work:
        drawn = work.expert_answers.add_wave(first.id, added, chances, design="uncertain", seed=1, tau=0.25)
        found = drawn_probability(work, drawn, everything)
        partly = drawn_probability(work, drawn, everything, [1.0, 0.0])
    # 1 - (1 - .2) (1 - .5) and 1 - (1 - .2) (1 - .125)
    assert found == pytest.approx(np.where(np.arange(TEXTS) < 10, 0.6, 0.3))
    assert partly == pytest.approx(np.full(TEXTS, 8 / 40)), "nobody has answered the second wave"


def test_a_draw_of_an_older_program_counts_as_one_in_which_all_were_alike(bench: Workbench) -> None:
    with bench.database.write() as work:
        draw_id = work.expert_answers.add_draw(CHECKLIST, 3, stratified=True)
        work.expert_answers.add_wave(draw_id, [1, 2, 3, 4], {}, design="chance", seed=3, tau=0.0)
    drawn = draw_planned(bench, CHECKLIST, WaveRequest(4))
    with bench.database.read() as work:
        found = drawn_probability(work, drawn, range(1, TEXTS + 1))
    assert found == pytest.approx(np.full(TEXTS, 8 / 40))


def test_more_than_is_left_and_drafts_are_refused(bench: Workbench) -> None:
    draw_texts(bench, CHECKLIST, 30, seed=1)
    with pytest.raises(InputError, match="1 to 10"):
        plan_answers(bench, CHECKLIST, WaveRequest(11))
    draw_planned(bench, CHECKLIST, WaveRequest(10))
    with pytest.raises(InputError, match="All that can be drawn are drawn"):
        draw_planned(bench, CHECKLIST, WaveRequest(1))
    with pytest.raises(NotReadyError, match="is a draft"):
        plan_answers(bench, new_draft(bench, CHECKLIST).id, WaveRequest(1))
