"""Scores: one call or one each, compared from the screen and taken over for the next run."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from app.services.runtime.workbench import Workbench, open_workbench
from app.services.scoring.runs import list_runs
from app.services.scoring.scoring_jobs import job_key
from app.settings import settings
from tests.support.asking_judges import judge_of, leaning
from tests.support.background import ended
from tests.support.fake_llm.server import FakeLlm
from tests.support.projects import ready_to_score

Open = Callable[[str], AppTest]
JUDGE = "llama:judge"


@pytest.fixture
def llm(monkeypatch: pytest.MonkeyPatch, home: Path) -> Iterator[FakeLlm]:
    with FakeLlm(usual=judge_of(leaning)) as server:
        monkeypatch.setenv("LLAMA_BASE_URL", f"{server.url}/v1")
        settings.cache_clear()
        yield server


@pytest.fixture
def ready(llm: FakeLlm) -> Workbench:
    """48 texts; the judge has judged before, so that it can be chosen (AppTest can't type)."""
    workbench = open_workbench()
    ready_to_score(workbench, texts=48, questions=4)
    with workbench.database.write() as work:
        work.runs.create(1, "checklist", JUDGE, {}, [])
    return workbench


def shown(app: AppTest) -> str:
    assert not app.exception
    return "\n".join(str(element.value) for element in [*app.markdown, *app.caption, *app.info]).replace("\\", "")


def opened(app: AppTest, judge: str = JUDGE) -> AppTest:
    """With one judge and the section unfolded."""
    app.multiselect(key="score_judge").set_value([judge])
    app.session_state["asking_ways"] = True
    return app.run()


@pytest.mark.long
def test_it_is_compared_from_the_screen_and_the_result_stands_there(
    ready: Workbench, llm: FakeLlm, open_screen: Open
) -> None:
    app = opened(open_screen("scores"))
    assert "Version 1 hasn't been compared with this judge yet." in shown(app)
    assert "Three runs, 240 new calls, unknown price." in shown(app)
    assert not llm.requests
    app.button(key="asking_ways_start").click().run()
    app = ended(app, job_key(1))
    assert len(llm.requests) == 240
    assert [run.asking_way is not None for run in list_runs(ready, 1)] == [True, True, True, False]
    said = shown(app)
    assert "with people (Spearman over all texts, one call less one each: " in said
    assert "Where a question stands matters" in said
    assert "Compared on so many texts already" in said
    ways = next(frame.value for frame in app.dataframe if "Asked" in frame.value)
    assert list(ways["Calls"]) == [1000, 4000, 1000]
    runs = next(frame.value for frame in app.dataframe if "Draw" in frame.value)
    assert runs["Method"].iloc[0] == "checklist, compared: one call, last question first"
    assert runs["Draw"].iloc[0] == "40 texts, seed 1"


def test_for_the_rules_there_is_nothing_to_compare(ready: Workbench, open_screen: Open) -> None:
    app = opened(open_screen("scores"), "rules")
    assert "The rules answer each question by itself." in shown(app)
    assert "asking_ways_start" not in [button.key for button in app.button]


@pytest.mark.long
def test_the_advised_way_is_taken_over_for_the_next_run(
    ready: Workbench, open_screen: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = opened(open_screen("scores"))
    app.button(key="asking_ways_start").click().run()
    app = ended(app, job_key(1))
    app.toggle(key="option_checklist_reversed_order").set_value(True).run()
    monkeypatch.setattr("app.meta_evaluation.judges.asking_ways.FEWEST_UNITS", 2)
    monkeypatch.setattr("app.meta_evaluation.judges.asking_ways.MARGIN", 2.0)
    app.toggle(key="option_checklist_per_question").set_value(True).run()
    app.button(key="asking_ways_use").click().run()
    assert not app.toggle(key="option_checklist_per_question").value
    assert not app.toggle(key="option_checklist_reversed_order").value
    assert "The next run is set to ask so." in shown(app)
