"""A project is deleted once its copy was offered, and the copy holds what it should."""

import re
from pathlib import Path
from zipfile import ZipFile

import pytest
from playwright.sync_api import Browser, expect

from tests.e2e.conftest import App
from tests.e2e.screen import PATIENCE_MS, click, settled


@pytest.mark.long
@pytest.mark.usefixtures("demo")
def test_a_copy_is_taken_along_before_a_project_goes(browser: Browser, app: App, tmp_path: Path) -> None:
    context = app.let_in(browser.new_context(viewport={"width": 1280, "height": 900}, color_scheme="dark"))
    page = context.new_page()
    page.set_default_timeout(PATIENCE_MS)
    app.command("project", "create", "Odd <b>name</b>: a/b")
    page.goto(f"{app.url}/overview?project=Demo&dimension=coherence")
    settled(page)
    dialog = page.get_by_role("dialog")
    click(page.get_by_role("button", name="Delete Demo", exact=True), shows=dialog)
    copy = dialog.get_by_role("button", name="Download a copy first")
    expect(copy).to_have_css("color", "rgb(18, 22, 28)")  # dark on light blue, as outside of dialogs
    with page.expect_download() as started:
        copy.click()
    started.value.save_as(tmp_path / "copy.zip")
    assert started.value.suggested_filename == "Demo-export.zip"
    with ZipFile(tmp_path / "copy.zip") as archive:
        assert {"texts.csv", "checklists/1-coherence/version-1.json"} <= set(archive.namelist())
    click(dialog.get_by_role("button", name="Keep the project"), hides=dialog)
    click(page.get_by_role("button", name="Delete Odd <b>name</b>: a/b", exact=True), shows=dialog)
    click(dialog.get_by_role("button", name="Delete for good"), hides=dialog)
    expect(page.get_by_role("button", name=re.compile("^Delete "))).to_have_text(["Delete Demo"])
    context.close()
