"""Score, beyond the usual: several judges, how they are asked, what it costs while it runs and afterwards."""

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Event
from typing import Any

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from app.domain.model_call import BatchStatus, RecordedCall
from app.domain.roles_and_rights import Role
from app.domain.run import RunStatus
from app.evaluators.checklist import JudgeOptions
from app.providers.batches.openai import OpenAIBatches
from app.services.data.projects import dimensions_named
from app.services.results.method_grid import result_words
from app.services.results.result_files import verdicts_of
from app.services.results.results import cached_results
from app.services.runtime.batch_rounds import AGAIN, AT_ONCE, LIVE
from app.services.runtime.workbench import Workbench, open_workbench
from app.services.scoring.runs import RunOptions, get_run, list_runs, start_run, work_on
from app.services.scoring.scoring_jobs import batches_of_run, is_scoring, job_key
from app.settings import settings
from pages.components.shell import current
from tests.support.background import PATIENCE, ended
from tests.support.fake_llm.behaviour import Answer, Fail, Held, Tokens, all_yes
from tests.support.fake_llm.server import FakeLlm
from tests.support.modern_vendors import ModernVendors, modern_vendors
from tests.support.projects import ready_to_score

Open = Callable[[str], AppTest]
OPENAI, MINI, LLAMA = "openai:gpt-4o", "openai:gpt-5.4-mini", "llama:judge"


@pytest.fixture
def llm(monkeypatch: pytest.MonkeyPatch, home: Path) -> Iterator[FakeLlm]:
    with FakeLlm(usual=Answer(all_yes, tokens=Tokens(1000, 400, 50))) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", f"{server.url}/v1")
        monkeypatch.setenv("OPENAI_API_KEY", "none-of-yours")
        monkeypatch.setenv("LLAMA_BASE_URL", f"{server.url}/v1")
        settings.cache_clear()
        yield server


@pytest.fixture
def ready(llm: FakeLlm) -> Workbench:
    """Twelve texts; both judges have judged before, so that they can be chosen (AppTest can't type)."""
    workbench = open_workbench()
    ready_to_score(workbench)
    with workbench.database.write() as work:
        for judge in (OPENAI, LLAMA):
            work.runs.create(1, "checklist", judge, {}, [])
    return workbench


def shown(app: AppTest) -> str:
    assert not app.exception
    elements = [*app.markdown, *app.caption, *app.error, *app.warning, *app.success, *app.info]
    return "\n".join(str(element.value) for element in elements).replace("\\", "")


def table(app: AppTest, column: str) -> pd.DataFrame:
    """The one that has this column."""
    return next(frame.value for frame in app.dataframe if column in frame.value)


def verdict_said(workbench: Workbench, run_id: int, label: str) -> str:
    (result,) = cached_results(workbench, [run_id])
    return verdicts_of(workbench, [result])[0].about(label).replace("\\", "")


def finish(workbench: Workbench, project_id: int = 1) -> None:
    limit = time.monotonic() + PATIENCE
    while is_scoring(workbench, project_id):
        assert time.monotonic() < limit, "the run does not end"
        time.sleep(0.05)


def choose(app: AppTest, *judges: str) -> AppTest:
    return app.multiselect(key="score_judge").set_value(list(judges)).run()


def test_judges_get_a_run_each_and_one_that_fails_keeps_none_waiting(
    ready: Workbench, llm: FakeLlm, open_screen: Open
) -> None:
    answer = llm.usual
    llm.usual = lambda received: Fail("quota") if received.body["model"] == "gpt-4o" else answer
    app = choose(open_screen("scores"), "rules", OPENAI, LLAMA)
    assert "12 scores by each of 3 judges" in shown(app)
    assert "Together: 24 new calls, cost about $0.01, and what llama:judge costs" in shown(app)
    app.button(key="start_scoring").click().run()
    finish(ready)
    runs = {run.judge: run for run in list_runs(ready, 1) if run.all}
    done = [runs["rules"], runs[LLAMA]]
    assert runs.keys() == {"rules", OPENAI, LLAMA}
    assert runs[OPENAI].status is RunStatus.FAILED
    assert {(run.status, run.done) for run in done} == {(RunStatus.DONE, 12)}
    said = shown(app.run())
    assert all(f"Run {run.id} is done: 12 of 12 scored." in said for run in done)
    results = [one for run in done for one in cached_results(ready, [run.id])]
    assert all(verdict_said(ready, one.run.id, result_words(one, results)) in said for one in results)


def test_a_missing_key_or_a_budget_without_a_price_can_not_start(ready: Workbench, open_screen: Open) -> None:
    with ready.database.write() as work:
        work.runs.create(1, "checklist", "anthropic:claude-haiku-4-5", {}, [])
    app = choose(open_screen("scores"), OPENAI, "anthropic:claude-haiku-4-5")
    assert "ANTHROPIC_API_KEY" in shown(app)
    assert "start_scoring" not in [button.key for button in app.button]
    assert not [frame for frame in app.dataframe if "Cost" in frame.value], "nothing was paid yet"

    app = choose(app, LLAMA)
    assert "unknown price" in shown(app)
    assert "$0" not in shown(app)
    assert "start_scoring" in [button.key for button in app.button]
    app.number_input(key="score_budget").set_value(2.0).run()
    assert "a budget can't be kept" in shown(app)
    assert "start_scoring" not in [button.key for button in app.button]


def test_what_the_server_still_gives_is_said_and_that_of_whom(
    ready: Workbench, open_screen: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ready.database.write() as work:
        fay = work.people.add("invite", "fay", "Fay")
        work.people.join(fay.id, 1, Role.FACILITATOR, "Fay")
        work.calls.add([RecordedCall("d", OPENAI, "p@1", "p", cost_usd=0.25, project=1)])
        actor = work.people.actor(fay.id)
    monkeypatch.setattr(current, "person_at_browser", lambda *_: actor)
    monkeypatch.setenv("INTERACTEVAL_PROJECT_BUDGET", "1")
    monkeypatch.setenv("INTERACTEVAL_PERSON_BUDGET", "0.9")
    settings.cache_clear()
    app = choose(open_screen("scores"), OPENAI)
    assert "What the server gives this project a month: $0.75 of it is left." in shown(app)
    assert "This may cost more than that" not in shown(app)
    monkeypatch.setenv("INTERACTEVAL_PERSON_BUDGET", "0.002")
    settings.cache_clear()
    app.run()
    assert "What the server gives Fay a month: under $0.01 of it is left." in shown(app)
    assert "This may cost more than that" in shown(app)
    assert "of it is left" not in shown(choose(app, "rules"))
    monkeypatch.setenv("INTERACTEVAL_PERSON_BUDGET", "0")
    settings.cache_clear()
    assert "Fay has used up the $0.00" in shown(choose(app, OPENAI))


def started(app: AppTest, workbench: Workbench) -> dict[str, dict[str, Any]]:
    """What is kept with the newest run of each judge once the runs started here have ended."""
    before = {run.id for run in list_runs(workbench, 1)}
    app.button(key="start_scoring").click().run()
    finish(workbench)
    return {run.judge: dict(run.params) for run in list_runs(workbench, 1) if run.id not in before}


def test_how_judges_are_asked_is_offered_forecast_and_kept_with_the_run(
    ready: Workbench, llm: FakeLlm, open_screen: Open
) -> None:
    with ready.database.write() as work:
        work.runs.create(1, "checklist", MINI, {}, [])
    llm.usual = Fail("quota")  # what is kept is known without the answers
    app = choose(open_screen("scores"), "rules")
    assert "score_effort" not in [box.key for box in app.selectbox], "the rules don't think"
    asked_of_llms = [app.toggle(key=f"option_checklist_{name}") for name in ("soft", "reasons")]
    assert all(widget.disabled for widget in (*asked_of_llms, app.number_input(key="option_checklist_repeats")))

    # The slower tier, for the judge whose vendor sells it.
    app = choose(app, LLAMA)
    assert not app.toggle(key="option_checklist_soft").disabled
    assert "score_tier" not in [group.key for group in app.button_group]
    app = choose(app, LLAMA, MINI)
    app.selectbox(key="score_effort").set_value("low")
    app.number_input(key="score_max_output_tokens").set_value(9000)
    app.number_input(key="score_timeout").set_value(90.0)
    app.button_group(key="score_tier").set_value("flex").run()
    assert "llama:judge is asked at the standard price" in shown(app)
    assert "at the price of the slower tier" in shown(app)
    kept = started(app, ready)
    assert {judge: params.get("tier", "") for judge, params in kept.items()} == {MINI: "flex", LLAMA: ""}
    for params in kept.values():
        assert [params[name] for name in ("effort", "max_output_tokens", "timeout")] == ["low", 9000, 90]
    asked = {request.body["model"]: request.body.get("service_tier") for request in llm.requests}
    assert asked == {"gpt-5.4-mini": "flex", "judge": None}

    # A batch, and what is asked of each text.
    app = choose(open_screen("scores"), MINI, "rules")
    assert "As a batch: " in shown(app)
    assert "score_batch_rest" not in [group.key for group in app.button_group]
    app.toggle(key="option_checklist_reasons").set_value(True)
    app.toggle(key="option_checklist_per_question").set_value(True)
    app.toggle(key="score_cache").set_value(False)
    app.number_input(key="option_checklist_repeats").set_value(2)
    app.number_input(key="score_budget").set_value(1.5)
    app.button_group(key="score_tier").set_value("batch").run()
    assert "72 calls" in shown(app)  # 12 texts, 3 questions, 2 repeats
    assert "at the price of a batch, answered within a day." in shown(app)
    assert "At once: " in shown(app)
    assert "As a batch: " not in shown(app)
    app.button_group(key="score_batch_rest").set_value(LIVE).run()
    kept = started(app, ready)
    noted = ("asked_as", "answers_from", "prompt_versions")
    assert {name: value for name, value in kept[MINI].items() if name not in noted} == {
        "sample": 1.0, "seed": 1, "budget": 1.5, "use_cache": False, "batch": LIVE,
        "reasons": True, "repeats": 2, "soft": False, "per_question": True, "locked": False, "reuse": False,
    }  # fmt: skip
    assert (kept["rules"]["repeats"], kept["rules"]["reasons"]) == (1, False)


def test_progress_shows_cost_cache_and_failures_by_kind(ready: Workbench, llm: FakeLlm, open_screen: Open) -> None:
    dimension = dimensions_named(ready, "Ready", "coherence")
    work_on(ready, start_run(ready, 1, RunOptions(tuple(dimension), OPENAI, share=0.5)))
    llm.script(Answer(finish="refused"))
    looked = Event()
    llm.usual = Held(looked, Answer(all_yes, tokens=Tokens(1000, 400, 50)))
    app = choose(open_screen("scores"), OPENAI)
    assert "6 cost nothing: answered before, in a run or by “Try it”, or the same as another." in shown(app)
    app.button(key="start_scoring").click().run()
    limit = time.monotonic() + PATIENCE
    while "refused" not in (said := shown(app)) and time.monotonic() < limit:
        time.sleep(0.2)
        app.run()
    looked.set()
    assert "6 answered from earlier calls" in said
    assert "cost so far: " in said
    assert "1 × [refused](" in said
    finish(ready)


def test_what_it_cost_is_listed_by_run_and_model(ready: Workbench, open_screen: Open) -> None:
    dimension = tuple(dimensions_named(ready, "Ready", "coherence"))
    for judge in (OPENAI, LLAMA, "rules"):
        work_on(ready, start_run(ready, 1, RunOptions(dimension, judge)))
    app = open_screen("scores")
    assert table(app, "Cost")[
        ["Model", "Calls", "Input", "of it from cache", "Output", "Cost"]
    ].to_numpy().tolist() == [
        [OPENAI, 12, 12_000, 4_800, 600, "$0.03"],
        [LLAMA, 12, 12_000, 4_800, 600, "unknown"],
    ]
    assert any("at least $0.03; not all is known of llama:judge" in box.label.replace("\\", "") for box in app.expander)


def test_a_budget_that_was_reached_is_raised_where_the_run_is_resumed(
    ready: Workbench, llm: FakeLlm, open_screen: Open
) -> None:
    dimension = tuple(dimensions_named(ready, "Ready", "coherence"))
    run_id = start_run(ready, 1, RunOptions(dimension, OPENAI, budget=0.01))
    work_on(ready, run_id, concurrency=1)
    stopped = get_run(ready, run_id)
    assert (stopped.status, 0 < stopped.done < 12) == (RunStatus.FAILED, True)
    app = open_screen("scores")
    assert "The run's budget is reached" in shown(app)
    app.number_input(key=f"raise_budget_{run_id}").set_value(5.0)
    app.button(key=f"resume_{run_id}").click().run()
    finish(ready)
    assert (get_run(ready, run_id).done, len(llm.requests)) == (12, 12)


def test_results_offer_the_probabilities_and_the_agreement_over_repeats(ready: Workbench, open_screen: Open) -> None:
    dimension = tuple(dimensions_named(ready, "Ready", "coherence"))
    work_on(ready, start_run(ready, 1, RunOptions(dimension, LLAMA, asking=JudgeOptions(repeats=3))))
    app = open_screen("results")
    assert not app.exception
    assert "score_from" not in [group.key for group in app.button_group]
    view = next(group for group in app.button_group if group.key == "view")
    app = view.set_value("Questions").run()
    assert table(app, "Same answer")["Same answer"].tolist() == [100.0] * 3
    assert "gave its most frequent answer 100%" in shown(app)
    assert "answered alike can't be told for 3 of 3 pairs" in shown(app)


@pytest.fixture(scope="module")
def vendors() -> Iterator[ModernVendors]:
    with modern_vendors() as running:
        yield running


@pytest.fixture
def left_there(
    vendors: ModernVendors, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, home: Path
) -> int:
    """A run whose program ended while its batch was at the provider."""

    async def ends(*_: object) -> None:
        raise KeyboardInterrupt

    options = f"batch=0.2,bexpire=5,mark={request.node.name}"
    monkeypatch.setenv("OPENAI_BASE_URL", vendors.address("openai", options))
    monkeypatch.setenv("OPENAI_API_KEY", "sk-local")
    settings.cache_clear()
    workbench = open_workbench()
    run = start_run(workbench, 1, RunOptions((ready_to_score(workbench),), OPENAI, batch=AGAIN))
    with monkeypatch.context() as until_ended, pytest.raises(KeyboardInterrupt):
        until_ended.setattr(OpenAIBatches, "look", ends)
        work_on(workbench, run)
    return run


def test_the_batch_of_an_ended_program_is_cancelled_at_the_provider(left_there: int, open_screen: Open) -> None:
    app, workbench = open_screen("scores"), open_workbench()
    said = shown(app)
    assert "At the provider since " in said
    assert ", 0 of 11 back when it was last asked." in said
    app = ended(app.button(key=f"cancel_batch_{left_there}").click().run(), job_key(1))
    assert "of 11 requests were answered, and are kept." in shown(app)
    assert get_run(workbench, left_there).status is RunStatus.STOPPED
    assert f"cancel_batch_{left_there}" not in {button.key for button in app.button}


def test_who_resumes_may_have_the_rest_asked_at_once(left_there: int, open_screen: Open) -> None:
    app, workbench = open_screen("scores"), open_workbench()
    app.toggle(key=f"rest_at_once_{left_there}").set_value(True)
    app = ended(app.button(key=f"resume_{left_there}").click().run(), job_key(1))
    assert get_run(workbench, left_there).done == 12
    assert [batch.status for batch in batches_of_run(workbench, left_there)] == [BatchStatus.COLLECTED]
    assert get_run(workbench, left_there).params["batch"] == AT_ONCE
