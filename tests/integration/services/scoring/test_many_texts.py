"""Runs of many texts: what is planned isn't read, what is scored is read in parts, a forecast counts some for all."""

from collections.abc import Iterable
from pathlib import Path

import pytest

from app.domain.project import Text
from app.services.results.results import results_of
from app.services.runtime.workbench import Workbench
from app.services.scoring import forecast, run_writer
from app.services.scoring.run_writer import TextCache
from app.services.scoring.runs import RunOptions, start_run, work_on
from app.services.think_aloud.samples import ensure_samples
from db.repositories.texts import Texts
from tests.support.projects import ready_to_score, workbench_at


@pytest.fixture
def workbench(tmp_path: Path) -> Workbench:
    return workbench_at(tmp_path)


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many texts were read at once, each time."""
    sizes: list[int] = []
    many = Texts.many

    def counting(self: Texts, text_ids: Iterable[int]) -> dict[int, Text]:
        found = many(self, text_ids)
        sizes.append(len(found))
        return found

    def all_of_them(_: Texts, __: int) -> list[Text]:
        raise AssertionError("all texts are read")

    monkeypatch.setattr(Texts, "many", counting)
    monkeypatch.setattr(Texts, "all", all_of_them)
    return sizes


def test_samples_and_plan_read_no_text_and_a_run_reads_parts(
    workbench: Workbench, read: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_writer, "READ_TOGETHER", 10)
    monkeypatch.setattr(run_writer, "HELD", 20)
    dimension = ready_to_score(workbench, texts=120)
    assert len(ensure_samples(workbench, dimension.id)) == 4
    run = start_run(workbench, 1, RunOptions((dimension,), "rules"))
    assert not read
    report = work_on(workbench, run)
    assert report.run.done == report.run.all > 100
    assert max(read) <= 10
    assert all(row.score is not None for row in results_of(workbench, run)[0].rows)


def test_a_shelf_holds_no_more_than_it_may(workbench: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_writer, "READ_TOGETHER", 10)
    monkeypatch.setattr(run_writer, "HELD", 15)
    ready_to_score(workbench, texts=60)
    with workbench.database.read() as work:
        ids = [place.id for place in work.every_text.places(1)]
    shelf = TextCache(workbench.database)
    shelf.expect(ids)
    assert [shelf[each].text for each in ids] == [f"Text number {n}." for n in range(60)]
    assert len(shelf._held) <= 15
    assert shelf[ids[0]].id == ids[0]
    with pytest.raises(KeyError):
        shelf[10_000]


@pytest.mark.long
def test_of_very_many_texts_some_are_counted_for_all(workbench: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
    options = RunOptions((ready_to_score(workbench, texts=120),), "openai:gpt-4o")
    exact = forecast.estimate(workbench, 1, options)
    assert not exact.sampled
    monkeypatch.setattr(forecast, "SAMPLED_FROM", 100)
    monkeypatch.setattr(forecast, "SAMPLED", 20)
    found = forecast.estimate(workbench, 1, options)
    assert found.sampled == 20
    assert found.calls == exact.calls == 120
    assert found.input_tokens == pytest.approx(exact.input_tokens, rel=0.05)
    assert found.cost_usd == pytest.approx(exact.cost_usd, rel=0.05)
    assert "counted on 20 of the texts" in str(found)
