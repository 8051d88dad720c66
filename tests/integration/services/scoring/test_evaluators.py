"""Every method by its name, from plan to scores: it works, or one sentence says what it needs."""

import json

import pytest

from app.domain.project import Dimension, Task, Text
from app.domain.run import RunStatus
from app.errors import InputError, NotReadyError, UnsupportedError, WorkbenchError
from app.neural import loading
from app.services.results.results import results_of
from app.services.runtime.workbench import Workbench
from app.services.scoring.evaluators import EVALUATORS, check_evaluator
from app.services.scoring.forecast import estimate
from app.services.scoring.runs import RunOptions, failures_of, start_run, work_on
from tests.support.fake_llm.behaviour import Answer
from tests.support.fake_llm.server import FakeLlm, Usual
from tests.support.projects import ready_to_score

PUBLIC_NAMES = (
    *("g-eval", "coascore", "llm-score", "llm-score-cot", "check-eval"),
    *("checklist", "rouge-1", "rouge-2", "rouge-l", "bleu", "chrf", "meteor"),
    *("gptscore", "bertscore", "moverscore", "bartscore", "unieval"),
)


@pytest.fixture
def usual() -> Usual:
    return Answer("Score: 4")


def with_references(workbench: Workbench) -> Dimension:
    """Two texts, one of them with references, on a dimension without any checklist."""
    with workbench.database.write() as work:
        project = work.projects.add("Referenced", Task("summary"))
        dimension = work.projects.add_dimension(project.id, Dimension("relevance"))
        found = Text("d1", "the cat sat", "s", references=("a dog", "the cat sat down"))
        work.texts.add_many(project.id, [found, Text("d2", "the cat sat", "s")])
        return dimension


def test_every_name_is_known() -> None:
    assert set(PUBLIC_NAMES) <= set(EVALUATORS)


@pytest.mark.parametrize("name", ["bertscore", "moverscore", "bartscore", "unieval"])
def test_what_can_not_run_here_says_what_it_needs(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loading.importlib.util, "find_spec", lambda _: None)
    with pytest.raises(InputError, match=f"{name}.*extra “neural”"):
        check_evaluator(name)


def test_a_reference_metric_needs_neither_a_checklist_nor_a_judge(workbench: Workbench) -> None:
    dimension = with_references(workbench)
    options = RunOptions((dimension,), "openai:no-key-for-this", evaluator="rouge-l")
    assert estimate(workbench, 1, options).calls == 0
    report = work_on(workbench, start_run(workbench, 1, options))
    assert (report.run.judge, report.run.done, report.run.failed) == ("none", 1, 1)
    assert (report.run.status, report.tally.calls) == (RunStatus.DONE, 0)
    ((_, _, kind, message),) = failures_of(workbench, report.run.id)
    assert (kind, "no reference" in message) == ("unsupported", True)
    (result,) = results_of(workbench, report.run.id)
    # 3 of 3 words and 3 of 4: F = 2 * 1 * 0.75 / 1.75
    assert [row.score for row in result.rows if row.score is not None] == pytest.approx([6 / 7])


def test_bleu_keeps_its_signature_with_the_run(workbench: Workbench) -> None:
    dimension = with_references(workbench)
    run = work_on(workbench, start_run(workbench, 1, RunOptions((dimension,), "rules", evaluator="bleu"))).run
    assert run.params["signature"].startswith("nrefs:var|")


def test_where_no_text_has_references_nothing_is_planned(workbench: Workbench) -> None:
    dimension = ready_to_score(workbench)
    with pytest.raises(NotReadyError, match="No text has a reference"):
        start_run(workbench, 1, RunOptions((dimension,), "rules", evaluator="rouge-1"))


def test_an_option_nobody_has_is_said(workbench: Workbench) -> None:
    dimension = with_references(workbench)
    with pytest.raises(WorkbenchError, match="no option “aspects”"):
        start_run(workbench, 1, RunOptions((dimension,), "rules", evaluator="bleu", settings=(("aspects", "5"),)))


def test_a_score_is_asked_for_once_a_text_and_never_paid_twice(workbench: Workbench, llm: FakeLlm) -> None:
    dimension = ready_to_score(workbench)
    options = RunOptions((dimension,), "llama:judge", evaluator="llm-score")
    assert (estimate(workbench, 1, options).calls, estimate(workbench, 1, options).calls_cached) == (12, 0)
    report = work_on(workbench, start_run(workbench, 1, options))
    assert (report.run.done, report.tally.calls, len(llm.requests)) == (12, 12, 12)
    (result,) = results_of(workbench, report.run.id)
    assert ({row.score for row in result.rows}, result.version) == ({4.0}, None)
    assert estimate(workbench, 1, options).calls_cached == 12


def test_g_eval_writes_its_steps_once_and_keeps_them(workbench: Workbench, llm: FakeLlm) -> None:
    dimension = ready_to_score(workbench, texts=5)
    llm.usual = Answer(lambda schema: json.dumps({"steps": ["Read.", "Rate."]}) if schema else "4")
    settings = (("probabilities", "samples"), ("samples", "2"))
    options = RunOptions((dimension,), "llama:judge", evaluator="g-eval", settings=settings)
    assert estimate(workbench, 1, options).calls == 1 + 5 * 2
    report = work_on(workbench, start_run(workbench, 1, options))
    assert (report.run.done, len(llm.requests)) == (5, 11)
    with workbench.database.read() as work:
        (stage,) = work.stages.of(dimension.id)
        details = work.results.details(report.run.id, dimension.id)
    assert (stage.stage, json.loads(stage.output)) == ("g-eval-steps", {"steps": ["Read.", "Rate."]})
    assert list(details.values()) == [{"probabilities": {"4": 1.0}, "outside": 0.0, "samples": 2, "asked": 2}] * 5
    other = RunOptions((dimension,), "llama:judge", evaluator="g-eval", settings=(("probabilities", "none"),))
    work_on(workbench, start_run(workbench, 1, other))
    assert len(llm.requests) == 11 + 5  # the steps are there already


@pytest.mark.parametrize("judge", ["rules", "openai:gpt-4o", "anthropic:claude-opus-5", "google:gemini-3.8-flash"])
def test_gptscore_is_refused_where_given_texts_can_not_be_rated_before_any_key_is_asked_for(
    workbench: Workbench, judge: str
) -> None:
    dimension = ready_to_score(workbench)
    options = RunOptions((dimension,), judge, evaluator="gptscore")
    for attempt in (start_run, estimate):
        with pytest.raises(UnsupportedError, match=r"log-probability of every token.*echo.*extra “local”"):
            attempt(workbench, 1, options)


def test_gptscore_through_a_completions_endpoint(workbench: Workbench, llm: FakeLlm) -> None:
    dimension = ready_to_score(workbench)
    options = RunOptions((dimension,), "llama:judge", evaluator="gptscore")
    assert (estimate(workbench, 1, options).calls, estimate(workbench, 1, options).calls_cached) == (12, 0)
    report = work_on(workbench, start_run(workbench, 1, options))
    assert (report.run.done, report.run.failed, len(llm.requests)) == (12, 0, 12)
    (result,) = results_of(workbench, report.run.id)
    # "Text number 3." has words of 4, 6 and 2 letters; the fake provider gives -0.1 a letter.
    assert {round(row.score, 6) for row in result.rows if row.score is not None} >= {-0.4}
    assert estimate(workbench, 1, options).calls_cached == 12


@pytest.mark.parametrize("name", ["g-eval", "coascore", "llm-score", "llm-score-cot", "check-eval"])
def test_rules_can_not_judge_these_and_it_is_said_before_the_run(workbench: Workbench, name: str) -> None:
    dimension = ready_to_score(workbench)
    options = RunOptions((dimension,), "rules", evaluator=name)
    for attempt in (start_run, estimate):
        with pytest.raises(UnsupportedError, match=f"{name} needs an LLM as its judge; rules is none"):
            attempt(workbench, 1, options)
    with workbench.database.read() as work:
        assert work.runs.all() == []
