"""Ways of asking on one draw: what is asked, counted at a real server, and what is never asked twice."""

import pytest

from app.domain.checklist_score import Answer
from app.domain.project import Dimension, Text
from app.domain.run import AskingWay
from app.errors import BudgetError, InputError
from app.services.checklists.answer_draws import draw_texts
from app.services.checklists.expert_answers import answer
from app.services.data.held_out_split import lock
from app.services.data.projects import overview
from app.services.results.results import default_runs, trials_of
from app.services.runtime.spending import Spending
from app.services.runtime.workbench import Workbench
from app.services.scoring.asking_runs import (
    AskingOptions,
    asking_draw,
    asking_forecast,
    asking_runs,
    begin_asking,
    start_asking,
    work_on_asking,
)
from app.services.scoring.runs import RunOptions, get_run, list_runs, start_run, work_on
from app.services.scoring.scoring_jobs import job_key
from tests.support.asking_judges import judge_of, leaning, steady
from tests.support.background import wait_for
from tests.support.fake_llm.behaviour import Fail
from tests.support.fake_llm.server import FakeLlm, Usual
from tests.support.projects import ready_to_score

JUDGE = "llama:judge"
TEXTS, QUESTIONS = 24, 4


@pytest.fixture
def usual() -> Usual:
    return judge_of(leaning)


@pytest.fixture
def dimension(workbench: Workbench) -> Dimension:
    return ready_to_score(workbench, TEXTS, QUESTIONS)


def done(workbench: Workbench, options: AskingOptions) -> list[int]:
    runs = [run.id for run in start_asking(workbench, 1, options).values()]
    work_on_asking(workbench, runs, options.budget)
    return runs


def texts_of(workbench: Workbench, dimension: Dimension, run: int) -> frozenset[int]:
    with workbench.database.read() as work:
        return work.runs.texts_of(run, dimension.id)


def test_three_runs_ask_about_the_same_texts_as_forecast_and_only_once(
    workbench: Workbench, llm: FakeLlm, dimension: Dimension
) -> None:
    options = AskingOptions(dimension, JUDGE, texts=4)
    ahead = asking_forecast(workbench, 1, options)
    assert {way.value: each.calls for way, each in ahead.items()} == {"together": 4, "alone": 16, "reversed": 4}
    assert not llm.requests
    assert not list_runs(workbench, 1)
    runs = done(workbench, options)
    assert len(llm.requests) == 24
    assert len({texts_of(workbench, dimension, run) for run in runs}) == 1
    assert [get_run(workbench, run).asking_way for run in runs] == list(AskingWay)
    assert [get_run(workbench, run).params.get("reversed_order", False) for run in runs] == [False, False, True]

    assert done(workbench, options) == runs
    assert len(llm.requests) == 24, "nothing is paid twice"
    assert all(each.calls == each.calls_cached for each in asking_forecast(workbench, 1, options).values())
    others = start_asking(workbench, 1, AskingOptions(dimension, JUDGE, texts=4, seed=2))
    assert not {run.id for run in others.values()} & set(runs)


def test_it_goes_on_with_what_is_missing(workbench: Workbench, llm: FakeLlm, dimension: Dimension) -> None:
    options = AskingOptions(dimension, JUDGE, texts=4)
    usual = llm.usual
    llm.usual = lambda received: Fail("quota") if len(llm.requests) > 10 else usual(received)  # type: ignore[operator]
    runs = done(workbench, options)
    assert get_run(workbench, runs[0]).done == 4
    assert get_run(workbench, runs[1]).done < 4
    assert get_run(workbench, runs[2]).done == 0
    llm.usual = usual
    llm.requests.clear()
    assert done(workbench, options) == runs
    assert all(get_run(workbench, run).done == 4 for run in runs)
    assert 4 * QUESTIONS + 4 - 10 <= len(llm.requests) <= 4 * QUESTIONS + 4


def test_the_runs_pay_no_question_of_a_run_again_and_are_never_the_newest(
    workbench: Workbench, llm: FakeLlm, dimension: Dimension
) -> None:
    own = start_run(workbench, 1, RunOptions((dimension,), JUDGE))
    work_on(workbench, own)
    llm.requests.clear()
    done(workbench, AskingOptions(dimension, JUDGE, texts=4, seed=1))
    assert len(llm.requests) == 4 * QUESTIONS + 4
    done(workbench, AskingOptions(dimension, JUDGE, texts=2, seed=2))
    assert [run.id for run in default_runs(list_runs(workbench, 1))] == [own]
    assert [each.run.id for each in overview(workbench, 1).dimensions if each.run] == [own]
    assert trials_of(workbench, 1, dimension) == []


def test_a_budget_is_for_the_three_together(workbench: Workbench, dimension: Dimension) -> None:
    options = AskingOptions(dimension, JUDGE, texts=8, budget=1.0)
    with pytest.raises(InputError, match="price"):
        start_asking(workbench, 1, options)
    runs = [run.id for run in start_asking(workbench, 1, AskingOptions(dimension, "rules", texts=2)).values()]
    work_on_asking(workbench, runs, 0.5)
    assert [get_run(workbench, run).params["budget"] for run in runs] == [0.5] * 3


def test_nothing_is_asked_once_the_budget_is_used_up(
    workbench: Workbench, llm: FakeLlm, dimension: Dimension, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = [run.id for run in start_asking(workbench, 1, AskingOptions(dimension, JUDGE, texts=8)).values()]
    spent = Spending("judging", JUDGE, at_least_usd=0.3)
    monkeypatch.setattr("app.services.scoring.asking_runs.run_spending", lambda *_: spent)
    with pytest.raises(BudgetError, match="three runs is used up"):
        work_on_asking(workbench, runs, 0.5)
    assert not llm.requests


def test_samples_and_locked_texts_are_never_drawn(workbench: Workbench, dimension: Dimension) -> None:
    with workbench.database.write() as work:
        checklist = work.checklists.versions(dimension.id)[0]
        sample = next(iter(work.texts.ids_by_key(1).values()))
        work.think_aloud.set_samples(dimension.id, [(sample, 3.0, "auto")])
    lock(workbench, 1, 0.34, 1, "Ana")
    with workbench.database.read() as work:
        open_ = {text.id for text in work.texts.all(1)}
    wanted = set(asking_draw(workbench, 1, dimension, checklist, 500, 1))
    assert wanted < open_
    assert sample not in wanted
    assert len(open_) < TEXTS


def test_texts_that_experts_answered_come_first(workbench: Workbench, dimension: Dimension) -> None:
    with workbench.database.read() as work:
        checklist = work.checklists.versions(dimension.id)[0]
    drawn = draw_texts(workbench, checklist.id, 5, 3)
    for text in drawn.texts[:3]:
        answer(workbench, drawn, "Ana", text, checklist.asked[0].id, Answer.YES)
    wanted = asking_draw(workbench, 1, dimension, checklist, 10, 1)
    assert len(wanted) == len(set(wanted)) == 10
    assert set(drawn.texts[:3]) <= set(wanted)
    assert asking_draw(workbench, 1, dimension, checklist, 10, 1) == wanted
    assert len(asking_draw(workbench, 1, dimension, checklist, 500, 1)) == TEXTS
    with pytest.raises(InputError, match="0 texts"):
        asking_draw(workbench, 1, dimension, checklist, 0, 1)


def test_documents_are_drawn_with_several_systems_each(workbench: Workbench, dimension: Dimension) -> None:
    with workbench.database.read() as work:
        checklist = work.checklists.versions(dimension.id)[0]
        wanted = asking_draw(workbench, 1, dimension, checklist, 12, 1)
        documents = [text.doc_id for text in work.texts.many(wanted).values()]
    assert sorted(documents.count(name) for name in set(documents)) == [4, 4, 4]


def test_without_ratings_chance_draws(workbench: Workbench, dimension: Dimension) -> None:
    with workbench.database.write() as work:
        other = work.projects.add_dimension(1, Dimension("warmth"))
        work.texts.add_many(1, [Text("d90", "Unrated.")])
        checklist = work.checklists.versions(dimension.id)[0]
    assert len(asking_draw(workbench, 1, other, checklist, 7, 1)) == 7


def test_in_the_background_all_three_are_scored(workbench: Workbench, llm: FakeLlm, dimension: Dimension) -> None:
    llm.usual = judge_of(steady)
    options = AskingOptions(dimension, JUDGE, texts=2)
    begin_asking(workbench, 1, options)
    wait_for(job_key(1), workbench)
    assert [run.done for run in asking_runs(workbench, 1, options).values()] == [2, 2, 2]
