"""A facilitator settles disagreements by key alone: each key is about the pair on the screen; the last is undone."""

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from app.domain.judgment import Answer
from app.providers.credentials import Credentials
from app.services.disagreements.queue import DisagreementQueue, QueueFilter, disagreement_queue
from app.services.runtime.workbench import Workbench
from db.unit_of_work import Database
from tests.e2e.conftest import App
from tests.e2e.screen import at, click, press_key, reading, settled
from tests.support.disagreements import experts_say, judge_says, parted_project


@pytest.fixture
def version(tmp_path: Path, app: App) -> int:
    """Two experts are split on the first question of all four texts."""
    database = Database(f"sqlite:///{app.home}/workbench.db")
    workbench = Workbench(database, Credentials())
    made = parted_project(workbench)
    experts_say(workbench, made, {"Ana": ["yyy"] * 4, "Ben": ["nyy"] * 4})
    judge_says(workbench, made, "llama:one", ["nyy"] * 4)
    database.close()
    return made.id


def _queue(app: App, version: int) -> DisagreementQueue:
    database = Database(f"sqlite:///{app.home}/workbench.db")
    found = disagreement_queue(Workbench(database, Credentials()), version)
    database.close()
    return found


def test_disagreements_are_settled_by_key_one_after_the_other(app: App, page: Page, version: int) -> None:
    page.goto(f"{app.url}/disagreements?project=Letters&dimension=tone")
    expect(at(page, "pair_steps")).to_contain_text("1 of 4")
    settled(page)
    first, second, *_ = _queue(app, version).matching(QueueFilter())
    text = {pair.id: f"Dear all, this is letter {pair.key[0].removeprefix('letter-')}." for pair in (first, second)}
    expect(page.get_by_text(text[first.id])).to_be_visible()
    press_key(page, "ArrowRight", shows=page.get_by_text(text[second.id]))
    press_key(page, "ArrowLeft", shows=page.get_by_text(text[first.id]))
    press_key(page, "y", shows=page.get_by_text(text[second.id]))
    expect(reading(page, "Decided: Yes.")).to_be_visible()
    press_key(page, "?", shows=page.get_by_test_id("stDataFrame"))
    press_key(page, "?", shows=at(page, "pair_steps"))
    press_key(page, "n", shows=reading(page, "Decided: No."))
    found = _queue(app, version)
    assert [found.pair(each.question.id, each.text).decision.answer for each in (first, second)] == [
        Answer.YES,
        Answer.NO,
    ]
    click(at(page, "undo_decision").get_by_role("button"), shows=page.get_by_text(text[second.id]))
    assert _queue(app, version).pair(second.question.id, second.text).decision is None
