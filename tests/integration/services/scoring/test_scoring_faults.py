"""Hundreds of summaries and a provider that fails in every known way: all are scored, and none wrongly."""

import json
import random
import zlib
from collections import Counter
from collections.abc import Callable
from dataclasses import replace

import pytest

from app.domain.checklist import Checklist, ChecklistStatus, Component, Question, QuestionOrigin
from app.domain.project import Dimension
from app.domain.run import RunStatus
from app.providers.retry import RetryPolicy
from app.services.data.imports import store_corpus
from app.services.results.results import Choices, results_of
from app.services.runtime import models
from app.services.runtime.workbench import Workbench
from app.services.scoring.runs import RunOptions, RunReport, start_run, work_on
from tests.support.corpora import read_corpus
from tests.support.fake_llm.behaviour import Answer, Behaviour, Drop, Fail, Status
from tests.support.fake_llm.server import FakeLlm, Received, Usual
from tests.support.made_data import made_data

QUESTIONS, SUMMARIES = 9, 480
Deciding = Callable[[Received], Behaviour]


def right_answers(received: Received) -> dict[str, str]:
    """Decided by the text and the question alone, so that every run has the same truth."""
    asked = received.body["messages"][1]["content"]
    required = received.body["response_format"]["json_schema"]["schema"]["required"]
    return {key: "yes" if zlib.crc32(f"{key}{asked}".encode()) % 3 else "no" for key in required}


def faultless(received: Received) -> Behaviour:
    return Answer(json.dumps(right_answers(received)))


class Faulty:
    """10 % rate limits (half say when to come back), 5 % server errors, 5 % cut off; and each of the ways in which
    well-formed JSON is wrong. Which one a request meets is drawn for its text and how often it was asked, so that the
    order in which requests arrive decides nothing."""

    def __init__(self, seed: int, wrong_json: float = 0.02) -> None:
        self.seed = seed
        self.asked: Counter[str] = Counter()
        self.wrong_json = wrong_json
        self.met: Counter[str] = Counter()

    def __call__(self, received: Received) -> Behaviour:
        faults: dict[str, tuple[float, Deciding]] = {
            "429": (0.05, lambda _: Fail("rate-limit")),
            "429, come back": (0.05, lambda _: Fail("rate-limit", {"retry-after": "0.01"})),
            "500": (0.05, lambda _: Status(500)),
            "dropped": (0.01, lambda _: Drop()),
            "cut off": (0.025, lambda r: Answer(json.dumps(right_answers(r))[:-40])),
            "cut off at the limit": (0.025, lambda r: Answer(json.dumps(right_answers(r))[:-40], finish="length")),
            "misses answers": (self.wrong_json, lambda r: _wrong(r, without={"q3", "q7"})),
            "counts from 0": (self.wrong_json, _counted_from_0),
            "names unknown ones": (self.wrong_json, lambda r: _wrong(r, q10="yes", q77="no")),
            "repeats one": (self.wrong_json, _repeats_one),
            "says maybe": (self.wrong_json, lambda r: _wrong(r, q2="maybe")),
        }
        text = received.body["messages"][1]["content"]
        self.asked[text] += 1
        drawn = random.Random(f"{self.seed} {self.asked[text]} {text}").random()
        for name, (share, behave) in faults.items():
            drawn -= share
            if drawn < 0:
                self.met[name] += 1
                return behave(received)
        return faultless(received)


def _wrong(received: Received, without: frozenset[str] | set[str] = frozenset(), **changed: str) -> Answer:
    answers = {key: value for key, value in right_answers(received).items() if key not in without}
    return Answer(json.dumps({**answers, **changed}))


def _counted_from_0(received: Received) -> Answer:
    return Answer(json.dumps({f"q{n}": value for n, value in enumerate(right_answers(received).values())}))


def _repeats_one(received: Received) -> Answer:
    answers = right_answers(received)
    other = "no" if answers["q1"] == "yes" else "yes"
    return Answer(f'{{"q1": "{other}", {json.dumps(answers)[1:]}')


@pytest.fixture
def usual() -> Usual:
    return faultless


@pytest.fixture
def workbench(workbench: Workbench, monkeypatch: pytest.MonkeyPatch) -> Workbench:
    monkeypatch.setattr(models, "PATIENCE", RetryPolicy(first=0.005, longest=0.05))
    return workbench


@pytest.fixture
def coherence(workbench: Workbench) -> Dimension:
    """The first summaries of SummEval, in a project with a checklist of nine questions."""
    corpus = read_corpus(made_data("summeval_model_annotations.aligned.paired.jsonl"))
    store_corpus(workbench, replace(corpus, texts=corpus.texts[:SUMMARIES]), "News")
    with workbench.database.write() as work:
        dimension = next(d for d in work.projects.dimensions(1) if d.name == "coherence")
        asked = [
            Question(f"Does part {n} follow from the one before?", "Order", origin=QuestionOrigin.ADDED, position=n)
            for n in range(QUESTIONS)
        ]
        draft = Checklist("coherence", 0, ChecklistStatus.DRAFT, "comb", "", (Component("Order"),), tuple(asked))
        work.checklists.publish(work.checklists.save(dimension.id, draft))
    return dimension


def scored(workbench: Workbench, dimension: Dimension, texts: int = 400, use_cache: bool = True) -> RunReport:
    options = RunOptions((dimension,), "llama:judge", share=texts / SUMMARIES, use_cache=use_cache)
    return work_on(workbench, start_run(workbench, 1, options))


def scores(workbench: Workbench, report: RunReport) -> dict[int, tuple[float | None, float | None]]:
    (result,) = results_of(workbench, report.run.id, Choices(resamples=2))
    return {row.text: (row.score, row.coverage) for row in result.rows}


@pytest.mark.parametrize("texts", [64, pytest.param(400, marks=pytest.mark.long)])
def test_all_are_scored_as_without_faults(workbench: Workbench, coherence: Dimension, llm: FakeLlm, texts: int) -> None:
    truth = scored(workbench, coherence, texts)
    different = {json.dumps(received.body["messages"]) for received in llm.requests}
    assert (truth.run.done, len(llm.requests)) == (texts, len(different))
    assert truth.tally.calls + truth.tally.cached == texts, "two systems may have written the very same summary"
    llm.usual = faulty = Faulty(seed=15)
    report = scored(workbench, coherence, texts, use_cache=False)
    assert (report.run.done, report.run.failed, report.run.status) == (texts, 0, RunStatus.DONE)
    assert scores(workbench, report) == scores(workbench, truth)
    assert len(faulty.met) == 11, "every kind of fault was met"
    assert report.retries >= faulty.met["429"] + faulty.met["429, come back"] + faulty.met["500"]
    # A judge that always counts from 0 scores nothing.
    llm.usual = _counted_from_0
    llm.requests.clear()
    report = scored(workbench, coherence, 6, use_cache=False)
    assert (report.run.done, report.run.failed) == (0, report.run.all)
    assert len(llm.requests) == 3 * report.run.all, "asked again twice, and not a fourth time: it is no chance"


@pytest.mark.long
def test_worse_than_any_provider_is_still_not_wrong(workbench: Workbench, coherence: Dimension, llm: FakeLlm) -> None:
    """Half of all replies are faulty: what can't be scored says so, and what is scored is right or shows its gaps."""
    truth = scores(workbench, scored(workbench, coherence))
    llm.usual = Faulty(seed=2, wrong_json=0.06)
    report = scored(workbench, coherence, use_cache=False)
    found = scores(workbench, report)
    assert report.run.done + report.run.failed == report.run.all
    wrong = [text for text, score in found.items() if score != truth[text] and score[0] is not None and score[1] == 1]
    assert wrong == []
    assert report.run.done > 0.9 * report.run.all
