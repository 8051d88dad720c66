"""From an empty machine to texts, a checklist and correlations, in a browser, without a key."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from pages.components.shell.navigation.screens import SCREENS
from tests.e2e.conftest import App
from tests.e2e.faults import Faults, grave_faults
from tests.e2e.screen import PATIENCE_MS, at, button, choose, click, press_key, reading, screen, settled
from tests.support.made_data import made_data


def test_from_the_demo_to_a_checklist_of_ones_own(page: Page, app: App) -> None:
    """On the way the screens that most people open most are looked at for grave faults."""
    faults: Faults = {}
    page.goto(app.url)
    at(page, "try_demo").get_by_role("button").click()
    expect(at(page, "ready")).to_be_visible(timeout=2 * PATIENCE_MS)
    expect(page.get_by_text("made up")).to_be_visible()
    faults |= grave_faults(page, SCREENS["overview"])

    screen(page, "Results")
    expect(page.get_by_test_id("stTable")).to_contain_text("rules, not an LLM")
    expect(page.get_by_text("n = 56 to 64 texts")).to_be_visible()
    faults |= grave_faults(page, SCREENS["results"])

    screen(page, "Think aloud")
    at(page, "expert_typed").get_by_role("textbox").fill("Nora")
    line = page.get_by_role("textbox", name="What do you look for?")
    click(at(page, "expert_start").get_by_role("button"), shows=line)
    words = "<b>Does each sentence</b> follow from the one before? *always*"
    line.fill(words)
    press_key(page, "Enter", shows=at(page, "own_rows").get_by_text(words))
    page.reload()
    expect(at(page, "own_rows").get_by_text(words)).to_be_visible()
    settled(page)
    faults |= grave_faults(page, SCREENS["think_aloud"])
    click(at(page, "say_done").get_by_role("button"), shows=page.get_by_text("See what others wrote"))
    screen(page, "Attributes")
    expect(page.get_by_text("54 attributes", exact=True)).to_be_visible()

    screen(page, "How it was made")
    click(button(page, "Start a new build"), shows=button(page, "Run all stages"))
    click(button(page, "Run all stages"), shows=page.get_by_text(re.compile(r"Version \d+ is a draft")))
    expect(page.get_by_test_id("stPopoverBody")).to_have_count(0)
    screen(page, "Checklist")
    wording = page.get_by_role("textbox", name="Wording")
    questions = page.locator("[class*='st-key-open_']:not([class*='open_component'])")
    click(questions.get_by_role("button", name="Edit").first, shows=wording)
    wording.fill("Does the summary keep the order of the article?")
    click(button(page, "Save question"), hides=wording)
    expect(reading(page, "Does the summary keep the order of the article?")).to_be_visible()
    page.reload()
    expect(reading(page, "Does the summary keep the order of the article?")).to_be_visible()
    settled(page)
    click(page.get_by_role("button", name=re.compile(r"^Publish version \d+$")), shows=at(page, "publish_now"))
    click(at(page, "publish_now").get_by_role("button"), shows=at(page, "new_draft"))
    faults |= grave_faults(page, SCREENS["checklist"])

    screen(page, "Answer")
    faults |= grave_faults(page, SCREENS["answer"])
    screen(page, "Scores")
    at(page, "start_scoring").get_by_role("button").click()
    expect(page.get_by_text(re.compile(r"Run \d+ is done"))).to_be_visible(timeout=2 * PATIENCE_MS)

    screen(page, "Results")
    expect(at(page, "download_forest_svg")).to_be_visible()
    expect(page.get_by_test_id("stTable")).to_be_visible()
    expect(page.get_by_test_id("stVegaLiteChart").first).to_be_visible()
    assert faults == {}


@pytest.mark.long
def test_a_published_dataset_comes_in_by_the_browser(page: Page, app: App, tmp_path: Path) -> None:
    data = made_data("topical_chat.json")
    page.goto(app.url)
    expect(at(page, "create_project").get_by_role("button")).to_be_visible()
    settled(page)
    choose(at(page, "new_project_preset").get_by_role("combobox"), "blank")
    at(page, "new_project_name").get_by_role("textbox").fill("Dialogues")
    click(at(page, "create_project").get_by_role("button"), shows=page.get_by_role("heading", level=1, name="Texts"))
    at(page, "import_file").locator("input[type=file]").set_input_files(data)
    at(page, "start_import").get_by_role("button", disabled=False).click()
    expect(page.get_by_text(re.compile("360 texts")).first).to_be_visible(timeout=2 * PATIENCE_MS)


@pytest.mark.long
@pytest.mark.usefixtures("demo")
def test_from_overview_one_click_shows_table_and_picture(page: Page, app: App, tmp_path: Path) -> None:
    """Three methods on two dimensions at 1440 x 900, without scrolling."""
    scores = tmp_path / "scores.csv"
    app.command("results", "--project", "Demo", "--output", str(scores))
    header, *rows = scores.read_text(encoding="utf-8").splitlines()
    scores.write_text("\n".join([header, *(row for row in rows if ",coherence," in row)]), encoding="utf-8")
    for name in ("first", "second"):
        about = ("--project", "Demo", "--dimension", "coherence,fluency", "--column", "score", "--name", name)
        app.command("scores", "import", str(scores), *about)
    page.set_viewport_size({"width": 1440, "height": 900})
    page.goto(f"{app.url}/?project=Demo")
    settled(page)
    table = page.get_by_test_id("stTable")
    click(at(page, "door_results").get_by_role("link"), shows=table)
    settled(page)
    for method in ("own: first", "own: second", "checklist · rules, not an LLM"):
        expect(table.get_by_role("row", name=re.compile(f"^{method}"))).to_contain_text(re.compile(r"0\.\d{3} \[.*\]"))
    picture = page.get_by_test_id("stVegaLiteChart")
    for part in (table, picture.get_by_text("human ceiling")):
        expect(part).to_be_in_viewport(ratio=1)
