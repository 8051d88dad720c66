"""People bring their own texts: from a file to a first checklist, without a key and without a manual."""

import re
from pathlib import Path

import openpyxl
import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import App
from tests.e2e.screen import PATIENCE_MS, at, button, click, reading, settled
from tests.e2e.walk import Walk
from tests.support.small_project import SENTENCES, small_csv


def _choose_file(page: Page, file: Path) -> None:
    at(page, "import_file").locator("input[type=file]").set_input_files(file)
    expect(at(page, "feasibility")).to_be_visible()
    settled(page)


def _to_first_checklist(walk: Walk, page: Page, points: list[str]) -> None:
    """From the imported texts: say what to look for, then let the rules build."""
    way_on = at(page, "way_on").get_by_role("button")
    walk.click(way_on, shows=at(page, "expert_typed"))
    at(page, "expert_typed").get_by_role("textbox").fill("Nora")
    line = page.get_by_role("textbox", name="What do you look for?")
    walk.click(at(page, "expert_start").get_by_role("button"), shows=line)
    for point in points:
        line.fill(point)
        walk.press("Enter", shows=at(page, "own_rows").get_by_text(point, exact=True))
    walk.click(at(page, "say_done").get_by_role("button"), shows=page.get_by_text(re.compile("See what others")))
    to_build = at(page, "empty_to_how_it_was_made").get_by_role("button")
    walk.click(at(page, "door_checklist").get_by_role("link"), shows=to_build)
    walk.click(to_build, shows=button(page, "Run all stages"))
    walk.click(button(page, "Run all stages"), shows=page.get_by_text(re.compile("Version 1 is a draft")))
    walk.click(at(page, "room_checklist").get_by_role("link"), shows=button(page, "Publish version 1"))


POINTS = [
    "Check whether each sentence is connected to the one before it.",
    "The main point is said at the beginning.",
    "Every pronoun has a clear referent.",
]


@pytest.mark.long
@pytest.mark.walk
def test_from_ones_own_csv_to_a_first_checklist(page: Page, app: App, tmp_path: Path) -> None:
    file = small_csv(tmp_path / "crossings.csv")
    page.goto(f"{app.url}/texts")
    expect(at(page, "import_file")).to_be_visible()
    settled(page)
    walk = Walk(page, "Own CSV to first checklist", limit=15)
    _choose_file(page, file)
    arrived = page.get_by_text(re.compile("18 texts and 54 ratings came in"))
    walk.click(at(page, "start_import").get_by_role("button"), shows=arrived)
    expect(at(page, "report_next")).to_be_in_viewport()
    _to_first_checklist(walk, page, POINTS)
    walk.done()


@pytest.mark.long
@pytest.mark.walk
def test_a_teacher_brings_thirty_essays_in_a_workbook(page: Page, app: App, tmp_path: Path) -> None:
    file = tmp_path / "class 9b.xlsx"
    _class(file)
    page.goto(f"{app.url}/texts")
    expect(at(page, "import_file")).to_be_visible()
    settled(page)
    walk = Walk(page, "30 essays in Excel to first checklist and its printed rubric", limit=15)
    _choose_file(page, file)
    for question, column in (
        ("Which column holds the essay?", "Essay"),
        ("Which says who wrote it?", "Student"),
        ("Which says what belongs together?", "Assignment"),
    ):
        field = page.get_by_role("combobox", name=re.compile(re.escape(question)))
        expect(field).to_have_value(column)
    expect(at(page, "feasibility")).to_contain_text("26 of 30 essays stay for scoring")
    expect(page.get_by_label("Name of the new project")).to_have_value("class 9b")
    arrived = page.get_by_text(re.compile("30 texts and 60 ratings came in.*class 9b.xlsx"))
    walk.click(at(page, "start_import").get_by_role("button"), shows=arrived)
    _to_first_checklist(walk, page, POINTS)
    with page.expect_download(timeout=2 * PATIENCE_MS) as download:
        walk.clicks += 1
        at(page, "paper_html").get_by_role("button").click()
    printed = download.value.path().read_text(encoding="utf-8")
    assert "Cohesion: checklist, version 1" in printed
    assert "From what these said to look for: Nora" in printed
    walk.done()

    walk = Walk(page, "From a draft to published, scored and its verdict", limit=4)
    way_on = at(page, "way_on").get_by_role("button")
    walk.click(button(page, "Publish version 1"), shows=at(page, "publish_now"))
    walk.click(at(page, "publish_now").get_by_role("button"), shows=at(page, "new_draft"))
    walk.click(way_on, shows=at(page, "start_scoring"))
    walk.click(at(page, "start_scoring").get_by_role("button"), shows=at(page, "outcome"))
    expect(at(page, "outcome")).to_contain_text("Cohesion: ")
    walk.done()
    click(way_on, shows=page.get_by_role("heading", level=1, name="Results"))


def _class(path: Path) -> None:
    """Thirty essays on three assignments, with two ratings each."""
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.append(["Student", "Assignment", "Essay", "Cohesion", "Grammar"])
    for number in range(30):
        kept = SENTENCES[: 1 + number % 4]
        sheet.append(
            [
                f"S{number + 1}",
                f"A{1 + number % 3}",
                f"{' '.join(kept)} Essay {number}.",
                1 + number % 5,
                3 + number % 2,
            ]
        )
    book.save(path)


@pytest.mark.long
@pytest.mark.usefixtures("demo")
def test_a_comment_and_the_way_back_stay_in_sight(page: Page, app: App) -> None:
    """Undo is beside the last question, too, and a comment is there after a refresh."""
    app.command("checklist", "restore", "--version", "1", "--project", "Demo", "--dimension", "coherence")
    page.goto(f"{app.url}/checklist?project=Demo&dimension=coherence&editor=Ana")
    expect(button(page, "Publish version 2")).to_be_visible()
    settled(page)
    opens = page.locator("[class*='st-key-open_']:not([class*='open_component'])").get_by_role("button", name="Edit")
    opens.last.click()
    field = page.get_by_placeholder("What should others know about this question?")
    expect(field).to_be_visible()
    settled(page)
    field.fill("Too strict?")
    button(page, "Comment").click()
    expect(reading(page, "Too strict?")).to_be_visible()
    expect(button(page, "Publish version 2")).to_be_in_viewport()
    page.reload()
    expect(reading(page, "Too strict?")).to_be_visible()
