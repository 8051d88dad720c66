"""A question's agreement from version to version on the same decided texts; and what an attempt would cost."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from app.domain.checklist_score import Answer
from app.errors import NotReadyError
from app.services.checklists.checklists import new_draft, publish
from app.services.improvement.improve import accept_improvement, forecast_improvement, improve
from app.services.improvement.question_timeline import question_timeline
from app.services.scoring.runs import RunOptions, start_run, work_on
from tests.support.wording_judges import (
    ASKED,
    JUDGE,
    WRITER,
    DecidedProject,
    WordingModels,
    decided_project,
    guided,
    misreads_warm,
)


@pytest.fixture
def there(tmp_path: Path) -> Iterator[DecidedProject]:
    models = WordingModels(misreads_warm, [guided("Warm means kind to the reader.")])
    made = decided_project(tmp_path, models, texts=64)
    yield made
    made.workbench.database.close()


def test_each_version_is_judged_on_the_same_texts(there: DecidedProject) -> None:
    attempt = improve(there.workbench, there.question.id, WRITER)
    accept_improvement(there.workbench, there.question.id, attempt.id, "Ben")
    publish(there.workbench, there.draft.id)
    with there.workbench.database.read() as work:
        some = tuple(text.id for text in work.texts.all(1)[:40])
    run = start_run(there.workbench, 1, RunOptions((there.dimension,), JUDGE, texts=some))
    work_on(there.workbench, run)
    draft = new_draft(there.workbench, there.draft.id)
    question = draft.asked[ASKED]
    with there.workbench.database.write() as work:
        undone = work.decisions.of_checklist(draft.id)[question.id][0]
        work.decisions.undo(undone.id, "Ana")
        work.decisions.add(question.id, undone.text, Answer.YES, "Ana")
    found = question_timeline(there.workbench, question.id)
    assert found is not None
    first, second, third = found.versions
    assert (found.judge, [each.version for each in found.versions]) == (JUDGE, [1, 2, 3])
    assert [each.reworded for each in found.versions] == [False, True, False]
    assert [each.run for each in found.versions] == [there.run, run, None]
    assert [each.decisions for each in found.versions] == [0, 63, 1]
    assert first.errors is not None
    assert second.errors is not None
    assert found.texts == first.errors.n == second.errors.n == 40
    assert first.errors.false_yes + first.errors.false_no > 10
    assert second.errors.right >= 39
    assert third.errors is None
    assert second.question.guidance == "Warm means kind to the reader."


def test_nothing_decided_has_no_timeline(there: DecidedProject) -> None:
    assert question_timeline(there.workbench, there.draft.asked[0].id) is None


def test_a_forecast_counts_all_that_may_be_asked_and_asks_nothing(there: DecidedProject) -> None:
    found = forecast_improvement(there.workbench, there.question.id, WRITER)
    assert (found.development, found.proof, found.provable) == (32, 32, True)
    assert found.calls == 5 * 32 + 32 + 1
    assert found.input_tokens > 192 * 100
    assert there.models.requests == []
    assert found.cost_usd is None, "what one's own server takes isn't known"
    with pytest.raises(NotReadyError):
        forecast_improvement(there.workbench, there.draft.asked[0].id, WRITER)


def test_a_forecast_costs_what_both_models_charge(tmp_path: Path) -> None:
    models = WordingModels(misreads_warm, [], "openai:gpt-4o")
    there = decided_project(tmp_path, models, texts=20)
    found = forecast_improvement(there.workbench, there.question.id, "openai:gpt-4o-mini")
    assert not found.provable
    assert found.calls == 5 * found.development + 1
    assert found.cost_usd is not None
    assert found.cost_usd == pytest.approx(found.input_tokens * 2.5e-6, rel=0.2)
    there.workbench.database.close()
