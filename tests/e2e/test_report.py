"""The HTML report in a browser: it looks as it should, and its policy keeps everything else out."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.e2e.conftest import App

PLANTED = """
<script>document.title = "ran"</script><img src="https://example.com/seen"><p style="color: red" id="planted">x</p>
<img src="x" onerror="document.title = 'ran'">
"""


@pytest.mark.long
def test_the_report_is_whole_and_nothing_else_runs_in_it(demo_home: Path, browser: Browser, tmp_path: Path) -> None:
    report = tmp_path / "report.html"
    App(demo_home, 0).command("results", "--project", "Demo", "--output", str(report))
    page, refused = browser.new_page(), []
    page.on("console", lambda message: refused.append(message.text))
    asked: list[str] = []
    page.on("requestfinished", lambda request: asked.append(request.url))
    page.goto(report.as_uri())
    widths = page.locator("img").evaluate_all("images => images.map(image => image.naturalWidth)")
    assert len(widths) == 9, "one of all dimensions, two of each"
    assert min(widths) > 200, "each is drawn"
    assert page.locator(".notice").first.evaluate("e => getComputedStyle(e).backgroundColor") == "rgb(238, 243, 250)"
    assert refused == []

    report.write_text(report.read_text().replace("<h2>Methods</h2>", f"{PLANTED}<h2>Methods</h2>"))
    asked.clear()
    page.goto(report.as_uri())
    assert page.title() == "Demo: agreement with people"
    assert asked == [report.as_uri()]
    assert page.locator("#planted").evaluate("e => getComputedStyle(e).color") != "rgb(255, 0, 0)"
    kept_out = {name for name in ("script-src", "img-src", "style-src") if name in " ".join(refused)}
    assert kept_out == {"script-src", "img-src", "style-src"}
    page.close()
