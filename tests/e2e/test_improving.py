"""From decisions to a better question, to its end: proposed, proven on texts nobody had tried, taken into the draft."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from app.domain.improvement import ImprovementStatus
from app.services.checklists.checklists import get_checklist
from app.services.improvement.improve import attempts_at
from tests.e2e.conftest import App
from tests.e2e.screen import at, choose, click, reading, settled
from tests.support.fake_llm.server import FakeLlm
from tests.support.improving_models import KIND, improving_models
from tests.support.wording_judges import (
    ASKED,
    WRITER,
    DecidedProject,
    WordingModels,
    decided_project,
    misreads_warm,
    wording_bench,
)


@pytest.fixture
def models() -> Iterator[FakeLlm]:
    with improving_models() as running:
        yield running


@pytest.fixture
def environment(models: FakeLlm) -> dict[str, str]:
    return {"LLAMA_BASE_URL": models.url}


@pytest.fixture
def decided(tmp_path: Path) -> Iterator[DecidedProject]:
    """There before the server starts; scored in a thread, since the browser's event loop runs in this one."""
    judged = WordingModels(misreads_warm, ())
    with ThreadPoolExecutor() as threads:
        made = threads.submit(decided_project, wording_bench(tmp_path, judged), judged).result()
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
