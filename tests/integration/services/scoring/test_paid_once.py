"""What was answered is never asked again: a text that is tried again asks for what is missing, and nothing else."""

import json
import threading
from collections import Counter
from collections.abc import Mapping
from typing import Any

import pytest

from app.domain.model_call import CallIntent
from app.domain.run import RunStatus
from app.evaluators.checklist import JudgeOptions
from app.services.data.projects import delete_project
from app.services.runtime.workbench import Workbench
from app.services.scoring.forecast import estimate
from app.services.scoring.runs import RunOptions, get_run, start_run, work_on
from tests.support.fake_llm.behaviour import Answer, Behaviour, Fail, all_yes
from tests.support.fake_llm.server import FakeLlm, Received, Usual
from tests.support.projects import ready_to_score

JUDGE = "llama:judge"
SAMPLED = (("probabilities", "samples"), ("samples", "5"), ("steps", "no"))


def yes_or_four(schema: Mapping[str, Any] | None) -> str:
    return all_yes(schema) if schema else "4"


@pytest.fixture
def usual() -> Usual:
    return Answer(yes_or_four)


def whole(received: Received) -> str:
    return json.dumps(received.body["messages"])


class OnceForEach:
    """Another behaviour for one request about each text, the first or the n-th, however many come at once."""

    def __init__(self, behaviour: Behaviour, which: int = 1) -> None:
        self.behaviour = behaviour
        self.which = which
        self.met = Counter[str]()
        self._lock = threading.Lock()

    def __call__(self, received: Received) -> Behaviour:
        text = received.body["messages"][1]["content"]
        with self._lock:
            self.met[text] += 1
            meant = self.met[text] == self.which
        return self.behaviour if meant else Answer(yes_or_four)


USELESS = (Answer(finish="refused"), Fail("bad-request"), Answer("I would rather not."))


@pytest.mark.parametrize("use_cache", [True, False])
def test_one_question_that_failed_is_asked_again_alone(workbench: Workbench, llm: FakeLlm, use_cache: bool) -> None:
    """About each of three texts in another way."""

    def useless_once_a_text(received: Received) -> Behaviour:
        asked = whole(received)
        if "Is part 2 in its place?" not in asked:
            return Answer(yes_or_four)
        return next(behaviour for n, behaviour in enumerate(USELESS) if f"Text number {n}." in asked)

    dimension = ready_to_score(workbench, texts=3, questions=4)
    llm.usual = useless_once_a_text
    options = RunOptions((dimension,), JUDGE, asking=JudgeOptions(per_question=True), use_cache=use_cache)
    run_id = start_run(workbench, 1, options)
    assert work_on(workbench, run_id).run.failed == 3
    llm.usual = Answer(yes_or_four)
    llm.requests.clear()
    again = work_on(workbench, run_id)
    assert (again.run.done, len(llm.requests), again.tally.calls) == (3, 3, 3)


def test_a_sample_that_failed_is_drawn_again_alone(workbench: Workbench, llm: FakeLlm) -> None:
    dimension = ready_to_score(workbench, texts=4)
    llm.usual = OnceForEach(Fail("bad-request"), which=2)  # the first goes alone
    run_id = start_run(workbench, 1, RunOptions((dimension,), JUDGE, evaluator="g-eval", settings=SAMPLED))
    assert work_on(workbench, run_id).run.failed == 4
    llm.requests.clear()
    again = work_on(workbench, run_id)
    assert (again.run.done, len(llm.requests)) == (4, 4)


def test_a_stage_that_failed_is_asked_again_without_those_before(workbench: Workbench, llm: FakeLlm) -> None:
    def by_stage(received: Received) -> Behaviour:
        if "response_format" not in received.body:
            return Fail("bad-request")  # the last of three stages, which gives the score in prose
        properties = received.body["response_format"]["json_schema"]["schema"]["properties"]
        if "aspects" in properties:
            return Answer(json.dumps({"aspects": [{"name": f"A{n}", "description": "d"} for n in range(5)]}))
        return Answer(json.dumps(dict.fromkeys(properties, 3)))

    dimension = ready_to_score(workbench, texts=4)
    llm.usual = by_stage
    run_id = start_run(
        workbench, 1, RunOptions((dimension,), JUDGE, evaluator="coascore", settings=(("aspects", "5"),))
    )
    assert work_on(workbench, run_id).run.failed == 4
    assert len(llm.requests) == 1 + 4 + 4
    llm.usual = Answer("4")
    llm.requests.clear()
    assert (work_on(workbench, run_id).run.done, len(llm.requests)) == (4, 4)


def test_the_way_to_a_usable_answer_is_not_paid_again(workbench: Workbench, llm: FakeLlm) -> None:
    """Useless at first, right when asked again: another run of the same finds both."""
    dimension = ready_to_score(workbench, texts=4)
    llm.usual = OnceForEach(Answer("Well."))
    first = work_on(workbench, start_run(workbench, 1, RunOptions((dimension,), JUDGE)))
    assert first.run.failed == 0
    paid = len(llm.requests)
    again = work_on(workbench, start_run(workbench, 1, RunOptions((dimension,), JUDGE)))
    assert (again.tally.calls, again.run.done, len(llm.requests)) == (0, 4, paid)


@pytest.mark.parametrize("evaluator", ["checklist", "llm-score"])
def test_the_estimate_without_the_cache_counts_nothing_as_answered(
    workbench: Workbench, llm: FakeLlm, evaluator: str
) -> None:
    dimension = ready_to_score(workbench, texts=4)
    work_on(workbench, start_run(workbench, 1, RunOptions((dimension,), JUDGE, evaluator=evaluator)))
    cached = estimate(workbench, 1, RunOptions((dimension,), JUDGE, evaluator=evaluator))
    assert (cached.calls, cached.calls_cached, cached.input_tokens) == (4, 4, 0)
    options = RunOptions((dimension,), JUDGE, evaluator=evaluator, use_cache=False)
    anew = estimate(workbench, 1, options)
    assert (anew.calls, anew.calls_cached) == (4, 0)
    assert anew.input_tokens > 0
    llm.requests.clear()
    report = work_on(workbench, start_run(workbench, 1, options))
    assert (report.tally.calls, len(llm.requests)) == (4, 4)


def replies(workbench: Workbench) -> Counter[int | None]:
    with workbench.database.read() as work:
        from sqlalchemy import text as sql  # noqa: PLC0415

        rows = work.calls._session.execute(sql("SELECT project_id FROM model_call"))
        return Counter(row[0] for row in rows)


def test_a_project_that_is_deleted_takes_its_replies_with_it(workbench: Workbench) -> None:
    dimension = ready_to_score(workbench, texts=4)
    work_on(workbench, start_run(workbench, 1, RunOptions((dimension,), JUDGE)))
    assert replies(workbench) == {1: 4}
    delete_project(workbench, "Ready")
    assert replies(workbench) == {}


def test_replies_that_another_project_rests_on_stay_until_that_goes_too(workbench: Workbench, llm: FakeLlm) -> None:
    dimension = ready_to_score(workbench, texts=4)
    work_on(workbench, start_run(workbench, 1, RunOptions((dimension,), JUDGE)))
    with workbench.database.write() as work:
        from sqlalchemy import text as sql  # noqa: PLC0415

        work.projects._session.execute(sql("UPDATE project SET name = 'First'"))
    same = ready_to_score_again(workbench)
    run = work_on(workbench, start_run(workbench, 2, RunOptions((same,), JUDGE)))
    assert (run.tally.calls, run.tally.cached, len(llm.requests)) == (0, 4, 4)
    delete_project(workbench, "First")
    assert replies(workbench) == {None: 4}
    once_more = work_on(workbench, start_run(workbench, 2, RunOptions((same,), JUDGE)))
    assert (once_more.run.status, once_more.tally.calls) == (RunStatus.DONE, 0)
    delete_project(workbench, "Ready")
    assert replies(workbench) == {}


def ready_to_score_again(workbench: Workbench) -> Any:
    """The same texts and questions in another project."""
    return ready_to_score(workbench, texts=4)


def test_request_left_without_reply_is_counted_and_keeps_its_key(workbench: Workbench, llm: FakeLlm) -> None:
    """As a process that was killed leaves it: the same key is sent again, so that a vendor that can pays back nothing
    twice."""
    dimension = ready_to_score(workbench, texts=4)
    llm.usual = Answer(yes_or_four)
    first = work_on(workbench, start_run(workbench, 1, RunOptions((dimension,), JUDGE)))
    with workbench.database.read() as work:
        digest = work.calls.of_run(first.run.id)[0].digest
    run_id = start_run(workbench, 1, RunOptions((dimension,), JUDGE, use_cache=False))
    with workbench.database.write() as work:
        work.calls.intend([CallIntent("the-key", digest, run_id)])
    llm.requests.clear()
    assert work_on(workbench, run_id).run.maybe_paid_twice == 1
    sent = [received.headers["idempotency-key"] for received in llm.requests]
    assert (len(set(sent)), "the-key" in sent) == (4, True)
    with workbench.database.write() as work:
        assert (work.calls.intents_left(run_id), work.calls.count_intents_left(run_id)) == ({}, 0)
    assert get_run(workbench, first.run.id).maybe_paid_twice == 0
    with workbench.database.write() as work:  # another process that worked on the run ended, too
        work.calls.intend([CallIntent("another-key", digest, run_id)])
        assert work.calls.count_intents_left(run_id) == 1
    assert get_run(workbench, run_id).maybe_paid_twice == 2


def test_request_refused_at_first_is_sent_with_another_key(workbench: Workbench, llm: FakeLlm) -> None:
    dimension = ready_to_score(workbench, texts=1)
    llm.script(Fail("rate-limit", {"retry-after-ms": "1"}))
    work_on(workbench, start_run(workbench, 1, RunOptions((dimension,), JUDGE)))
    assert len({received.headers["idempotency-key"] for received in llm.requests}) == len(llm.requests) == 2
