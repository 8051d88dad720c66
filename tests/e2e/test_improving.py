"""From decisions to a better question, to its end: proposed, proven on texts nobody had tried, taken into the draft."""

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

import pytest
from playwright.sync_api import Page, expect

from app.domain.improvement import ImprovementStatus
from app.services.checklists.checklists import get_checklist
from app.services.improvement.improve import attempt_outcome, attempts_at
from tests.e2e.conftest import App
from tests.e2e.screen import at, button, choose, click, reading, settled
from tests.support.fake_llm.server import FakeLlm
from tests.support.improving_models import KIND, improving_models
from tests.support.wording_judges import (
    ASKED,
    WRITER,
    DecidedProject,
    Judging,
    WordingModels,
    decided_project,
    learns_warm,
    misreads_warm,
)

Made = TypeVar("Made")


@pytest.fixture
def judging() -> Judging:
    return misreads_warm


@pytest.fixture
def models(judging: Judging) -> Iterator[FakeLlm]:
    with improving_models(judging) as running:
        yield running


@pytest.fixture
def environment(models: FakeLlm) -> dict[str, str]:
    return {"LLAMA_BASE_URL": models.url}


def in_a_thread(act: Callable[[], Made]) -> Made:
    """The browser's event loop runs in the test's own one."""
    with ThreadPoolExecutor() as threads:
        return threads.submit(act).result()


@pytest.fixture
def decided(tmp_path: Path) -> Iterator[DecidedProject]:
    """There before the server starts; half of its texts are decided."""
    judged = WordingModels(misreads_warm, ())
    made = in_a_thread(lambda: decided_project(tmp_path, judged, texts=160, decided=80))
    yield made
    made.workbench.database.close()


@pytest.mark.long
def test_a_wording_is_proposed_proven_and_taken(decided: DecidedProject, app: App, page: Page) -> None:
    question = decided.question.id
    page.goto(f"{app.url}/checklist?project=Letters&dimension=tone")
    edit = at(page, f"open_{question}").get_by_role("button")
    expect(edit).to_be_visible()
    settled(page)
    section = page.get_by_text("Improve from 80 decisions")
    click(edit, shows=section)
    click(section, shows=page.get_by_text("Errors of the proof half are counted"))
    choose(page.get_by_role("combobox", name="Who proposes"), WRITER)
    propose = at(page, f"improve_ask_{question}").get_by_role("button")
    expect(propose).to_be_enabled()
    click(propose, shows=page.get_by_role("button", name="Take it"))
    expect(reading(page, "Proven better on texts that no proposal had seen").first).to_be_visible()
    click(page.get_by_role("button", name="Take it"), shows=reading(page, "says how to decide"))
    (attempt,) = attempts_at(decided.workbench, decided.draft.id)[question]
    assert (attempt.status, attempt.best) == (ImprovementStatus.ACCEPTED, 1)
    assert get_checklist(decided.workbench, decided.draft.id).asked[ASKED].guidance == KIND


def reads_no_examples(question: str, _guidance: str, text: str) -> bool:
    return misreads_warm(question, "", text)


def open_panel(page: Page, app: App, question: int, decisions: int) -> None:
    page.goto(f"{app.url}/checklist?project=Letters&dimension=tone&question={question}")
    section = page.get_by_text(f"Improve from {decisions} decisions")
    expect(section).to_be_visible()
    settled(page)
    click(section, shows=at(page, f"examples_ask_{question}"))


@pytest.mark.long
@pytest.mark.parametrize(("judging", "standing"), [(learns_warm, "proven better"), (reads_no_examples, "none better")])
def test_written_examples_are_proven_then_kept_or_removed(
    decided: DecidedProject, app: App, page: Page, standing: str
) -> None:
    question = decided.question.id
    page.goto(f"{app.url}/checklist?project=Letters&dimension=tone&question={question}")
    settled(page)
    page.get_by_text("Write examples").click()
    expect(at(page, f"add_examples_{question}")).to_be_visible()
    for answer, text in (
        ("yes", "Letter 500, kind words on a mild day."),
        ("no", "Letter 501, curt words on a hot day."),
    ):
        at(page, f"example_{answer}_{question}").get_by_role("textbox").fill(text)
        page.keyboard.press("Tab")
    settled(page)
    click(at(page, f"add_examples_{question}").get_by_role("button"), shows=at(page, f"remove_examples_{question}"))
    in_a_thread(lambda: decided.decide(slice(80, None)))  # those decided before are used up
    open_panel(page, app, question, 160)
    keep, remove = button(page, "Keep them"), button(page, "Remove them")
    click(at(page, f"examples_prove_{question}").get_by_role("button"), shows=keep)
    picture(page, f"{standing}-proven")
    (attempt,) = in_a_thread(lambda: attempts_at(decided.workbench, decided.draft.id))[question]
    assert attempt_outcome(attempt) == standing
    if standing == "proven better":
        click(keep, hides=keep)
        status, left = ImprovementStatus.ACCEPTED, 2
    else:
        click(remove, hides=remove)
        status, left = ImprovementStatus.REFUSED, 0
    picture(page, f"{standing}-decided")
    (attempt,) = in_a_thread(lambda: attempts_at(decided.workbench, decided.draft.id))[question]
    assert attempt.status is status
    assert len(get_checklist(decided.workbench, decided.draft.id).asked[ASKED].examples) == left


@pytest.mark.long
@pytest.mark.parametrize("judging", [learns_warm])
def test_proposed_examples_are_taken(decided: DecidedProject, app: App, page: Page) -> None:
    question = decided.question.id
    open_panel(page, app, question, 80)
    take = button(page, "Take it")
    click(at(page, f"examples_ask_{question}").get_by_role("button"), shows=take)
    picture(page, "proposed")
    click(take, hides=take)
    picture(page, "taken")
    assert len(get_checklist(decided.workbench, decided.draft.id).asked[ASKED].examples) == 4


def picture(page: Page, name: str) -> None:
    if folder := os.environ.get("EXAMPLES_PICTURES"):
        settled(page)
        page.set_viewport_size({"width": 1440, "height": 2200})
        page.screenshot(path=f"{folder}/{name}.png")
