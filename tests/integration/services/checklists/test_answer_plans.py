"""Further texts for experts: planned by what judges said, drawn after those they have, with chances on record."""

import numpy as np
import pytest

from app.domain.expert_answer import WishedWave
from app.domain.judgment import Answer, Evaluation, Judgment
from app.domain.run import Outcome, RunDimension
from app.errors import InputError, NotReadyError
from app.services.checklists.answer_plans import draw_planned, plan_answers
from app.services.checklists.answer_waves import drawn_probability
from app.services.checklists.checklists import new_draft
from app.services.checklists.expert_answers import answer, answer_sheet, draw_texts, expert_answers
from app.services.runtime.workbench import Workbench
from tests.support.projects import ready_to_score

CHECKLIST, TEXTS = 1, 40


@pytest.fixture
def bench(workbench: Workbench) -> Workbench:
    ready_to_score(workbench, texts=TEXTS)
    return workbench


def judged(bench: Workbench, judge: str, *shares: float | None, repeats: int = 1) -> None:
    """A run in which the judge answers question 1 about text n as the n-th share says, and yes to all others.

    0 and 1 are answers, others P(yes); with repeats as many of them are yes as the share says.
    """
    with bench.database.write() as work:
        texts = tuple(range(1, len(shares) + 1))
        run = work.runs.create(1, "checklist", judge, {}, [RunDimension(1, CHECKLIST, texts=texts)])
        outcomes = []
        for planned, share in zip(work.runs.open_scores(run), shares, strict=True):
            if share is None:
                continue
            said = [
                Judgment(
                    1,
                    Answer.YES if (share >= 0.5 if repeats == 1 else n < share * repeats) else Answer.NO,
                    repeat=n,
                    p_yes=share if repeats == 1 and 0 < share < 1 else None,
                )
                for n in range(repeats)
            ]
            outcomes.append(Outcome(planned, Evaluation(3.0, 1.0, (*said, Judgment(2, Answer.YES)))))
        work.runs.save(outcomes)


def test_with_nothing_that_tells_doubts_chance_draws_and_says_so(bench: Workbench) -> None:
    judged(bench, "one", *[1.0, 0.0] * 20)
    found = plan_answers(bench, CHECKLIST, WishedWave(8, "uncertain", seed=2))
    assert (found.design, found.tau, found.left, found.drawn, found.wave) == ("chance", 0, TEXTS, 0, 1)
    assert "chance alone draws" in found.reason
    assert {one.chance for one in found.texts} == {0.2}
    assert not any(one.why for one in found.texts)
    assert plan_answers(bench, CHECKLIST, WishedWave(8, "chance")).reason == ""


def test_texts_on_which_judges_differ_are_likelier_and_say_why(bench: Workbench) -> None:
    judged(bench, "one", *[1.0] * TEXTS)
    judged(bench, "two", *[0.0] * 10, *[1.0] * 30)
    found = plan_answers(bench, CHECKLIST, WishedWave(TEXTS // 2, "uncertain"))
    assert (found.design, found.judges) == ("uncertain", ("two", "one"))
    chances = {one.text.id: one.chance for one in found.texts}
    # a quarter goes by doubts, which ten of forty share; the rest is equal
    assert {round(chance, 6) for text, chance in chances.items() if text <= 10} == {round(0.5 * (0.75 + 0.25 * 4), 6)}
    assert {round(chance, 6) for text, chance in chances.items() if text > 10} == {0.375}
    assert found.texts[0].why == "question 1: judges split 1 to 1"
    assert found.texts[-1].why == ""
    assert [one.text.id <= 10 for one in found.texts] == sorted((t <= 10 for t in chances), reverse=True)


@pytest.mark.parametrize(
    ("share", "repeats", "why"),
    [(0.5, 1, "yes is 50 % likely to the judge"), (2 / 3, 3, "the judge said yes in 2 of 3 repeats")],
)
def test_one_judge_is_unsure_by_its_probabilities_or_its_repeats(
    bench: Workbench, share: float, repeats: int, why: str
) -> None:
    judged(bench, "one", share, *[1.0] * 39, repeats=repeats)
    found = plan_answers(bench, CHECKLIST, WishedWave(TEXTS, "uncertain"))
    assert found.texts[0].why == f"question 1: {why}"
    assert {one.why for one in found.texts[1:]} == {""}


def test_what_a_judge_said_last_counts_and_texts_without_answers_are_as_unsure_as_the_others(bench: Workbench) -> None:
    judged(bench, "one", *[0.5] * TEXTS)
    judged(bench, "one", 0.5, 0.5, *[1.0] * 18)
    judged(bench, "one", None, 1.0)
    found = {one.text.id: one for one in plan_answers(bench, CHECKLIST, WishedWave(TEXTS, "uncertain")).texts}
    assert (found[1].why, found[2].why) == ("question 1: yes is 50 % likely to the judge", "")
    assert found[3].why == ""
    assert found[21].why == "question 1: yes is 50 % likely to the judge"


def test_planning_stores_nothing_and_drawing_draws_what_was_planned(bench: Workbench) -> None:
    judged(bench, "one", *[0.5, 0.9, 1.0, 1.0] * 10)
    planned = plan_answers(bench, CHECKLIST, WishedWave(7, "uncertain", seed=4))
    assert planned == plan_answers(bench, CHECKLIST, WishedWave(7, "uncertain", seed=4))
    drawn = draw_planned(bench, CHECKLIST, WishedWave(7, "uncertain", seed=4))
    assert set(drawn.texts) == {one.text.id for one in planned.texts}
    (wave,) = drawn.waves
    assert (wave.number, wave.design, wave.seed, wave.tau) == (1, "uncertain", 4, 0.25)


def test_more_texts_come_after_those_an_expert_has_and_leave_answers_alone(bench: Workbench) -> None:
    judged(bench, "one", *[0.5, 0.9, 1.0, 1.0] * 10)
    first = draw_texts(bench, CHECKLIST, 5, seed=3)
    before = answer_sheet(bench, CHECKLIST, "Ana").texts
    answer(bench, first, "Ana", before[0], 1, Answer.NO)
    drawn = draw_planned(bench, CHECKLIST, WishedWave(12, "uncertain", seed=3))
    sheet = answer_sheet(bench, CHECKLIST, "Ana")
    assert sheet.texts[:5] == before
    assert set(sheet.texts[5:]) == set(drawn.waves[1].texts) == set(drawn.texts) - set(first.texts)
    assert len(drawn.waves[1].texts) in (11, 12, 13)
    assert sheet.texts[5:] != drawn.waves[1].texts, "in an order of their own"
    assert [one.answer for one in expert_answers(bench, CHECKLIST).answers] == [Answer.NO]
    third = draw_planned(bench, CHECKLIST, WishedWave(4, "chance", seed=3))
    assert answer_sheet(bench, CHECKLIST, "Ana").texts[: len(sheet.texts)] == sheet.texts
    assert len(third.waves[2].texts) == 4


def test_each_texts_probability_is_that_of_all_waves(bench: Workbench) -> None:
    judged(bench, "one", *[0.5] * 10, *[1.0] * 30)
    draw_texts(bench, CHECKLIST, 8, seed=1)
    drawn = draw_planned(bench, CHECKLIST, WishedWave(8, "uncertain", seed=1))
    everything = range(1, TEXTS + 1)
    with bench.database.read() as work:
        found = drawn_probability(work, drawn, everything)
        partly = drawn_probability(work, drawn, everything, [1.0, 0.0])
    # 16 of 40 wanted: a quarter of them by doubts that ten share, three quarters alike
    assert found == pytest.approx(np.where(np.arange(TEXTS) < 10, 16 / 40 * 1.75, 16 / 40 * 0.75))
    assert partly == pytest.approx(np.full(TEXTS, 8 / 40)), "nobody has answered the second wave"


def test_a_draw_of_an_older_program_counts_as_one_in_which_all_were_alike(bench: Workbench) -> None:
    with bench.database.write() as work:
        draw_id = work.expert_answers.add_draw(CHECKLIST, 3, stratified=True)
        work.expert_answers.add_wave(draw_id, [1, 2, 3, 4], {}, design="chance", seed=3, tau=0.0)
    judged(bench, "one", *[0.5] * 10, *[1.0] * 30)
    drawn = draw_planned(bench, CHECKLIST, WishedWave(4, "uncertain"))
    with bench.database.read() as work:
        found = drawn_probability(work, drawn, range(1, TEXTS + 1))
    assert found == pytest.approx(np.where(np.arange(TEXTS) < 10, 8 / 40 * 1.75, 8 / 40 * 0.75))


def test_more_than_is_left_and_drafts_are_refused(bench: Workbench) -> None:
    draw_texts(bench, CHECKLIST, 30, seed=1)
    with pytest.raises(InputError, match="1 to 10"):
        plan_answers(bench, CHECKLIST, WishedWave(11))
    draw_planned(bench, CHECKLIST, WishedWave(10))
    with pytest.raises(InputError, match="All that can be drawn are drawn"):
        draw_planned(bench, CHECKLIST, WishedWave(1))
    with pytest.raises(NotReadyError, match="is a draft"):
        plan_answers(bench, new_draft(bench, CHECKLIST).id, WishedWave(1))
