"""A facilitator settles disagreements by key alone: each key is about the pair on the screen; the last is undone."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from app.domain.checklist_score import Answer
from app.providers.credentials import Credentials
from app.services.checklists.expert_answers import expert_answers
from app.services.disagreements.queue import DisagreementQueue, QueueFilter, disagreement_queue
from app.services.runtime.workbench import Workbench
from db.unit_of_work import Database
from tests.e2e.conftest import App
from tests.e2e.screen import IN_ONE_GO, at, click, press_key, reading, settled
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


@pytest.mark.long
def test_disagreements_are_settled_by_key_one_after_the_other(app: App, page: Page, version: int) -> None:
    page.goto(f"{app.url}/disagreements?project=Letters&dimension=tone")
    expect(at(page, "pair_steps")).to_contain_text("1 of 4")
    settled(page)
    first, second, *_ = _queue(app, version).matching(QueueFilter())
    text = {pair.id: f"Dear all, this is letter {pair.key[0].removeprefix('letter-')}." for pair in (first, second)}
    expect(page.get_by_text(text[first.id], exact=True)).to_be_visible()
    press_key(page, "ArrowRight", shows=page.get_by_text(text[second.id], exact=True))
    press_key(page, "ArrowLeft", shows=page.get_by_text(text[first.id], exact=True))
    press_key(page, "y", shows=page.get_by_text(text[second.id], exact=True))
    expect(reading(page, "Decided: Yes.")).to_be_visible()
    press_key(page, "?", shows=page.get_by_test_id("stDataFrame"))
    press_key(page, "?", shows=at(page, "pair_steps"))
    press_key(page, "n", shows=reading(page, "Decided: No."))
    found = _queue(app, version)
    assert [found.pair(each.question.id, each.text).decision.answer for each in (first, second)] == [
        Answer.YES,
        Answer.NO,
    ]
    click(at(page, "undo_decision").get_by_role("button"), shows=page.get_by_text(text[second.id], exact=True))
    assert _queue(app, version).pair(second.question.id, second.text).decision is None


@pytest.mark.long
def test_experts_answer_while_a_facilitator_decides_and_nothing_is_lost(
    app: App, page: Page, browser: Browser, version: int
) -> None:
    """Three experts in browsers of their own, one of them in two windows, and the facilitator in a fourth."""
    names = ("Cleo", "Dora", "Emil")
    sheets = {name: _sheet(app.let_in(browser.new_context()), app, name) for name in names}
    page.goto(f"{app.url}/disagreements?project=Letters&dimension=tone")
    expect(at(page, "pair_steps")).to_contain_text("of 4")
    settled(page)
    said = []
    for place in range(4):
        for name in names if place < 2 else names[:2]:
            expect(at(sheets[name], "answering")).to_contain_text(f"Text {place + 1} of 4")
            settled(sheets[name])
            sheets[name].evaluate(IN_ONE_GO, [*("nny" if name == "Emil" else "yny"), "Enter"])
        shown = page.get_by_test_id("stMain").inner_text()
        assert not [name for name in (*names, "Ana", "Ben") if name in shown]  # nobody is named before it is decided
        said.append(Answer.YES if place % 2 == 0 else Answer.NO)
        word = said[-1].value.capitalize()
        press_key(page, word[0].lower(), shows=reading(page, f"Decided: {word}."))
    expect(at(sheets["Emil"], "answering")).to_contain_text("Text 3 of 4")
    _all_saved(sheets["Emil"])
    second = _sheet(sheets["Emil"].context, app, "Emil")
    expect(at(second, "answering")).to_contain_text("Text 3 of 4")  # it opens where she is
    second.evaluate(IN_ONE_GO, ["n", "n", "y", "Enter"])
    sheets["Emil"].evaluate(IN_ONE_GO, ["n", "n", "y", "Enter"])
    for window in (second, sheets["Emil"]):
        expect(at(window, "answering")).to_contain_text("Text 4 of 4")
    second.evaluate(IN_ONE_GO, ["n", "n", "y"])
    for each in (*sheets.values(), second):
        _all_saved(each)
    database = Database(f"sqlite:///{app.home}/workbench.db")
    workbench = Workbench(database, Credentials())
    found = expert_answers(workbench, version)
    given = {name: [one.answer for one in found.answers if one.expert == name] for name in names}
    decided = [pair.decision.answer for pair in disagreement_queue(workbench, version).pairs if pair.decision]
    database.close()
    assert {name: len(answers) for name, answers in given.items()} == dict.fromkeys(names, 12)
    assert [sum(one is Answer.YES for one in answers) for answers in given.values()] == [8, 8, 4]
    assert sorted(decided) == sorted(said)


def _sheet(context: BrowserContext, app: App, name: str) -> Page:
    sheet = context.new_page()
    sheet.goto(f"{app.url}/answer?project=Letters&dimension=tone&expert={name}")
    expect(at(sheet, "answer_questions").get_by_role("button").nth(2)).to_be_visible()
    settled(sheet)
    return sheet


def _all_saved(sheet: Page) -> None:
    finished = sheet.get_by_text("Everything is saved.")
    expect(
        at(sheet, "answer_current").get_by_role("status").get_by_text("All saved").or_(finished).first
    ).to_be_visible()
