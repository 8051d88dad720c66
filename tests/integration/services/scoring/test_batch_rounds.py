"""Runs in batches: everything scored, at half the price, and nothing paid twice wherever the program ends."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from app.domain.model_call import BatchStatus
from app.domain.project import Dimension
from app.domain.run import RunStatus
from app.errors import InputError, WrongKeyError
from app.providers.batches import anthropic, google, openai
from app.providers.batches.batch import BatchLimits
from app.services.runtime import batch_rounds
from app.services.runtime.batch_rounds import AGAIN, AT_ONCE, LIVE
from app.services.runtime.spending import run_spending
from app.services.runtime.workbench import Workbench
from app.services.scoring.runs import RunOptions, get_run, start_run, stop_run, work_on
from app.services.scoring.scoring_jobs import ask_rest, cancel_batches
from db.unit_of_work import Database
from tests.support.modern_vendors import ModernVendors
from tests.support.prepared import Prepared, prepared
from tests.support.projects import ready_to_score

JUDGES = ("openai:gpt-4o", "anthropic:claude-haiku-4-5", "google:gemini-2.5-flash")
CLASSES = {
    "openai": openai.OpenAIBatches,
    "anthropic": anthropic.AnthropicBatches,
    "google": google.GoogleBatches,
}
TEXTS = 8


class Killed(BaseException):
    """The program ends here, in the middle."""


@pytest.fixture(scope="module")
def ready() -> Prepared[Dimension]:
    return prepared(lambda workbench: ready_to_score(workbench, TEXTS))


@pytest.fixture
def database(ready: Prepared[Dimension], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Database]:
    """One with eight texts."""
    ready.copy(tmp_path)
    monkeypatch.setattr(batch_rounds, "FIRST_LOOK", 0.05)
    made = Database(f"sqlite:///{tmp_path}/workbench.db")
    yield made
    made.close()


@dataclass
class Planned:
    workbench: Workbench
    run: int
    vendors: ModernVendors
    options: str
    dimension: Dimension

    def batched(self) -> int:
        return int(self.vendors.state(self.options).get("batched", 0))

    def statuses(self) -> list[BatchStatus]:
        with self.workbench.database.read() as work:
            return [each.status for each in work.provider_batches.of_run(self.run)]

    def cancels(self) -> int:
        """How often a batch was cancelled at the provider."""
        return sum("cancel" in path.rpartition("/")[2] for path in self.vendors.paths(self.options))

    def live(self) -> int:
        """Questions asked one by one."""
        return sum("messages" in body or "contents" in body for body in self.vendors.bodies(self.options) if body)


@pytest.fixture(params=[JUDGES[0], *(pytest.param(judge, marks=pytest.mark.long) for judge in JUDGES[1:])])
def judge(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def planned(database: Database, vendors: ModernVendors, options: str, judge: str, **chosen: Any) -> Planned:
    options = f"{options},mark={judge.replace(':', '-')}"
    workbench = Workbench(database, vendors.credentials(options))
    with database.read() as work:
        dimension = work.projects.dimension_by_id(1)
    wish = RunOptions((dimension,), judge, **({"batch": AGAIN} | chosen))
    return Planned(workbench, start_run(workbench, 1, wish), vendors, options, dimension)


def test_all_but_the_first_text_is_answered_in_one_batch_at_half_the_price(
    database: Database, vendors: ModernVendors, judge: str
) -> None:
    batched = planned(database, vendors, "batch=0.1", judge)
    report = work_on(batched.workbench, batched.run)
    assert (report.run.status, report.run.done) == (RunStatus.DONE, TEXTS)
    assert (batched.live(), batched.batched()) == (1, TEXTS - 1)
    live = RunOptions((batched.dimension,), judge, use_cache=False)
    other = work_on(batched.workbench, start_run(batched.workbench, 1, live))
    paid, usual = report.tally.cost_usd, other.tally.cost_usd
    assert paid is not None
    assert usual is not None
    assert paid == pytest.approx(usual * (1 + (TEXTS - 1) / 2) / TEXTS, rel=0.05)


def test_what_expires_or_fails_goes_into_the_next_batch(database: Database, vendors: ModernVendors, judge: str) -> None:
    found = planned(database, vendors, "batch=0.1,bexpire=3,berror=5", judge)
    report = work_on(found.workbench, found.run)
    assert (report.run.status, report.run.done) == (RunStatus.DONE, TEXTS)
    assert (found.live(), found.batched()) == (1, TEXTS - 1)
    with database.read() as work:  # of seven two expire and one fails, of these three one expires
        assert [each.requests for each in work.provider_batches.of_run(found.run)] == [TEXTS - 1, 3, 1]


def test_what_a_batch_does_not_answer_is_asked_at_once_where_that_is_wished(
    database: Database, vendors: ModernVendors, judge: str
) -> None:
    found = planned(database, vendors, "batch=0.1,bexpire=3,rest=1", judge, batch=LIVE)
    report = work_on(found.workbench, found.run)
    assert (report.run.status, report.run.done) == (RunStatus.DONE, TEXTS)
    assert (found.live(), found.batched()) == (3, TEXTS - 3)


def test_the_rest_is_asked_at_once_where_that_is_wished_later(
    database: Database, vendors: ModernVendors, judge: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run that was to hand in again what expired; its program ended while the batch was out."""

    async def ends(*_: Any) -> Any:
        raise Killed

    found = planned(database, vendors, "batch=0.1,bexpire=3,later=1", judge)
    with monkeypatch.context() as until_killed, pytest.raises(Killed):
        until_killed.setattr(CLASSES[judge.partition(":")[0]], "look", ends)
        work_on(found.workbench, found.run)
    ask_rest(found.workbench, found.run, AT_ONCE)
    report = work_on(found.workbench, found.run)
    assert (report.run.status, report.run.done) == (RunStatus.DONE, TEXTS)
    assert (found.live(), found.batched()) == (3, TEXTS - 3)
    assert found.statuses() == [BatchStatus.COLLECTED]


def test_what_is_too_much_for_one_batch_goes_in_several_and_a_program_that_ends_between_them_pays_nothing_twice(
    database: Database, vendors: ModernVendors, judge: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    handing_in = CLASSES[judge.partition(":")[0]]
    monkeypatch.setattr(handing_in, "limits", BatchLimits(3, 200_000_000))
    found = planned(database, vendors, "batch=0.1,split=1", judge)
    submit, handed_in = handing_in.submit, []

    async def ends_at_the_second(self: Any, written: list[Any], token: str) -> str:
        if len(handed_in) == 1:
            raise Killed
        handed_in.append(len(written))
        return str(await submit(self, written, token))

    with monkeypatch.context() as until_killed, pytest.raises(Killed):
        until_killed.setattr(handing_in, "submit", ends_at_the_second)
        work_on(found.workbench, found.run)
    assert found.statuses() == [BatchStatus.OUT, BatchStatus.INTENDED]
    report = work_on(found.workbench, found.run)
    assert (report.run.status, report.run.done) == (RunStatus.DONE, TEXTS)
    assert (found.live(), found.batched()) == (1, TEXTS - 1)
    with database.read() as work:
        there = [each.requests for each in work.provider_batches.of_run(found.run) if each.handle]
    assert there == [3, 3, 1]


def test_only_a_run_in_batches_has_a_rest(database: Database, vendors: ModernVendors) -> None:
    found = planned(database, vendors, "plain", JUDGES[0], batch="")
    with pytest.raises(InputError, match="asked at once anyway"):
        ask_rest(found.workbench, found.run, AT_ONCE)


POINTS = ("before it is handed in", "before its handle is known", "while it is waited for", "while it is collected")


def test_wherever_the_program_ends_nothing_is_paid_twice(
    database: Database, vendors: ModernVendors, judge: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It ends at one point after another, and is resumed each time."""
    prefix = judge.partition(":")[0]
    found = planned(database, vendors, "batch=0.1,points=1", judge)
    for point in POINTS:
        if point == POINTS[1] and prefix != "openai":
            continue  # the server here lists OpenAI's batches only
        with monkeypatch.context() as until_killed:
            _end_at(until_killed, CLASSES[prefix], point)
            with pytest.raises(Killed):
                work_on(found.workbench, found.run)
    report = work_on(found.workbench, found.run)
    assert (report.run.status, report.run.done) == (RunStatus.DONE, TEXTS)
    assert (found.live(), found.batched()) == (1, TEXTS - 1)


def _end_at(patch: pytest.MonkeyPatch, batches: Any, point: str) -> None:
    submit, lines = batches.submit, batches.lines

    async def ends(*_: Any) -> Any:
        raise Killed

    async def ends_after(self: Any, written: list[Any], token: str) -> str:
        await submit(self, written, token)
        raise Killed

    async def ends_within(self: Any, handle: str, requests: Any) -> Any:
        count = 0
        async for line in lines(self, handle, requests):
            yield line
            count += 1
            if count == 5:
                raise Killed

    match POINTS.index(point):
        case 0:
            patch.setattr(batches, "submit", ends)
        case 1:
            patch.setattr(batches, "submit", ends_after)
        case 2:
            patch.setattr(batches, "look", ends)
        case _:
            patch.setattr(batches, "lines", ends_within)
            patch.setattr(batch_rounds, "KEPT_TOGETHER", 2)


def test_a_stopped_run_is_cancelled_at_the_provider(
    database: Database, vendors: ModernVendors, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batch_rounds, "CANCELLING", 0.0)
    found = planned(database, vendors, "batch=600,stop=1", "openai:gpt-4o")
    look = openai.OpenAIBatches.look

    async def stops(self: Any, handle: str) -> Any:
        stop_run(found.workbench, found.run)
        return await look(self, handle)

    monkeypatch.setattr(openai.OpenAIBatches, "look", stops)
    assert work_on(found.workbench, found.run).run.status is RunStatus.STOPPED
    assert found.statuses() == [BatchStatus.CANCELLED]
    assert found.cancels() == 1


def left_at_the_provider(found: Planned, judge: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as until_killed:
        _end_at(until_killed, CLASSES[judge.partition(":")[0]], POINTS[2])
        with pytest.raises(Killed):
            work_on(found.workbench, found.run)


def test_a_run_whose_program_ended_is_cancelled_at_the_provider(
    database: Database, vendors: ModernVendors, judge: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batch_rounds, "CANCELLING", 0.0)
    found = planned(database, vendors, "batch=600,cancel=1", judge)
    left_at_the_provider(found, judge, monkeypatch)
    at_once = judge.startswith("google")  # there a batch has ended as soon as it is cancelled
    cancelled = cancel_batches(found.workbench, found.run)
    assert (cancelled.requests, cancelled.answered) == (TEXTS - 1, 0)
    assert cancelled.ending == (0 if at_once else TEXTS - 1)
    assert (f"still ending {TEXTS - 1} of them" in str(cancelled)) is not at_once
    assert found.statuses() == [BatchStatus.COLLECTED if at_once else BatchStatus.CANCELLED]
    assert get_run(found.workbench, found.run).resumable
    cancel_batches(found.workbench, found.run)
    assert found.cancels() == 1


def test_what_a_cancelled_batch_answered_is_kept_and_not_asked_again(
    database: Database, vendors: ModernVendors, judge: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether it is cancelled before it ends there, or too late for that."""
    found = planned(database, vendors, "batch=0.5,kept=1", judge)
    left_at_the_provider(found, judge, monkeypatch)
    cancelled = cancel_batches(found.workbench, found.run)
    assert (cancelled.requests, cancelled.answered, cancelled.ending) == (TEXTS - 1, found.batched(), 0)
    assert run_spending(found.workbench, found.run).calls == 1 + found.batched()
    assert get_run(found.workbench, found.run).done == 1
    assert found.statuses() == [BatchStatus.COLLECTED]
    report = work_on(found.workbench, found.run)
    assert (report.run.status, report.run.done) == (RunStatus.DONE, TEXTS)
    assert found.live() + found.batched() == TEXTS


def test_what_was_cancelled_and_not_collected_yet_is_collected_by_whoever_goes_on(
    database: Database, vendors: ModernVendors, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = planned(database, vendors, "batch=0.2,later=1", "openai:gpt-4o")
    left_at_the_provider(found, "openai:gpt-4o", monkeypatch)
    locked_out = Workbench(database, vendors.credentials(found.options, "bad"))
    with pytest.raises(WrongKeyError):
        cancel_batches(locked_out, found.run)
    assert found.statuses() == [BatchStatus.OUT]  # what can't be cancelled stays as it was
    assert get_run(found.workbench, found.run).resumable
    with database.write() as work:
        work.provider_batches.note(1, BatchStatus.CANCELLED)
    report = work_on(found.workbench, found.run)
    assert (report.run.status, report.run.done) == (RunStatus.DONE, TEXTS)
    assert found.live() + found.batched() == TEXTS


def test_a_batch_that_never_reached_the_provider_needs_no_cancelling(
    database: Database, vendors: ModernVendors, judge: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = planned(database, vendors, "batch=1,never=1", judge)
    with monkeypatch.context() as until_killed:
        _end_at(until_killed, CLASSES[judge.partition(":")[0]], POINTS[0])
        with pytest.raises(Killed):
            work_on(found.workbench, found.run)
    assert str(cancel_batches(found.workbench, found.run)) == "Nothing of it had reached the provider."
    assert found.batched() == 0


def test_a_batch_that_is_refused_ends_the_run_with_its_reason(database: Database, vendors: ModernVendors) -> None:
    found = planned(database, vendors, "batch=0.1,bfail", "openai:gpt-4o")
    report = work_on(found.workbench, found.run)
    assert report.run.status is RunStatus.FAILED
    assert "not parseable as valid JSON" in report.run.message


def test_a_budget_too_small_for_the_batch_sends_none(database: Database, vendors: ModernVendors) -> None:
    found = planned(database, vendors, "batch=0.1,budget=1", "openai:gpt-4o", budget=0.003)
    report = work_on(found.workbench, found.run)
    assert report.run.status is RunStatus.FAILED
    assert "budget is reached" in report.run.message
    assert (found.live(), found.batched()) == (1, 0)


def test_methods_of_several_stages_take_several_batches(database: Database, vendors: ModernVendors) -> None:
    found = planned(database, vendors, "batch=0.1,stages=1", "openai:gpt-4o", evaluator="g-eval")
    report = work_on(found.workbench, found.run)
    assert (report.run.status, report.run.done) == (RunStatus.DONE, TEXTS)
    assert found.batched() >= TEXTS - 1
    assert run_spending(found.workbench, found.run).calls == found.live() + found.batched()


@pytest.mark.parametrize("judge", ["llama:qwen3.6:8b", "rules"])
def test_only_those_who_sell_batches_are_asked_in_them(database: Database, vendors: ModernVendors, judge: str) -> None:
    workbench = Workbench(database, vendors.credentials())
    with database.read() as work:
        dimension = work.projects.dimension_by_id(1)
    with pytest.raises(InputError, match="takes no batches"):
        start_run(workbench, 1, RunOptions((dimension,), judge, batch=AGAIN))
