"""From real attributes to a published checklist: an edit at each stage, and only what is stale is rebuilt."""

import json
import re
from collections import Counter
from pathlib import Path

from playwright.sync_api import Locator, Page, expect

from tests.e2e.conftest import App
from tests.support.fake_llm.checklist_builder import build_answer, stage_of
from tests.support.fake_llm.server import FakeLlm
from tests.support.real_data import shared_data
from tests.support.small_project import OPTIONS, small_csv

PLACE = ("--project", "News", "--dimension", "coherence")
BY_HAND = "Does each paragraph begin with its point?"


def _at(page: Page, key: str) -> Locator:
    return page.locator(f".st-key-{key}")


def _settled(page: Page) -> None:
    expect(page.get_by_test_id("stStatusWidget")).to_have_count(0)
    expect(page.locator("[data-stale='true']")).to_have_count(0)


def _press(page: Page, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).first.click()
    _settled(page)


def _stage(page: Page, name: str) -> None:
    _at(page, f"step_{name.lower().replace(' ', '-')}").get_by_role("button").click()
    expect(page.get_by_role("heading", level=3, name=name, exact=True)).to_be_visible()
    _settled(page)


def _made(page: Page, stage: str) -> None:
    """The stage's heading stands over what it made."""
    expect(page.get_by_role("heading", level=3, name=stage, exact=True)).to_be_visible()
    expect(page.get_by_text(re.compile("last asked: "))).to_be_visible()
    _settled(page)


def _open_first(page: Page, item: str) -> None:
    page.locator(f"[class*='st-key-open_1_{item}_']").get_by_role("button").first.click()
    _settled(page)


def _reword_first(page: Page, wording: str) -> None:
    _open_first(page, "question")
    page.get_by_role("textbox", name="Wording").fill(wording)
    _press(page, "Save wording")
    expect(page.get_by_text(wording).first).to_be_visible()


def _prepare(app: App, llm: FakeLlm, folder: Path) -> None:
    app.stop()
    app.environment = {"LLAMA_BASE_URL": f"{llm.url}/v1"}
    app.start()
    app.command("import", str(small_csv(folder / "small.csv")), "--project", "News", *OPTIONS)
    for kind in ("llm", "human"):
        file = shared_data(f"interacteval_attributes_coherence_{kind}.txt")
        app.command("attributes", "add", str(file), *PLACE, "--contributor", f"the {kind}", "--kind", kind)


def _through_the_stages(page: Page) -> None:
    """Each stage is made, then changed by hand."""
    model = _at(page, "build_model").get_by_role("combobox")
    model.fill("llama:builder")
    model.press("Enter")
    _press(page, "Go step by step")
    _press(page, "Make the components")
    _made(page, "Components")
    _open_first(page, "component")
    _at(page, "component_description_1_1").get_by_role("textbox").fill("What comes when, and why.")
    _press(page, "Save component")
    _press(page, "Make the clusters")
    _made(page, "Clusters")
    page.get_by_test_id("stDataFrame").first.locator(".dvn-scroller").click(position={"x": 16, "y": 52})
    page.get_by_role("textbox", name="Leave it out because").fill("says what another says")
    _press(page, "Leave out")
    expect(page.get_by_text("Left out: says what another says")).to_be_visible()
    _press(page, "Make the key questions")
    _made(page, "Key questions")
    _reword_first(page, "Can the order be followed?")
    _press(page, "Make the sub-questions")
    _made(page, "Sub-questions")
    _reword_first(page, "Does every event stand in its place?")
    page.get_by_text("Add a question").click()
    _at(page, "new_question_sub-questions").get_by_role("textbox").fill(BY_HAND)
    _press(page, "Add question")
    _press(page, "Make the validation")
    _made(page, "Validation")
    _press(page, "Refuse")
    _press(page, "Accept all")


def test_a_checklist_is_built_stage_by_stage_from_real_attributes(page: Page, app: App, tmp_path: Path) -> None:
    with FakeLlm(usual=build_answer) as llm:
        _prepare(app, llm, tmp_path)
        page.goto(f"{app.url}/build?project=News&dimension=coherence")
        _through_the_stages(page)
        assert Counter(map(stage_of, llm.requests)) == dict.fromkeys(
            ("components", "clusters", "key-questions", "sub-questions", "validation"), 1
        )

        llm.requests.clear()
        page.reload()
        _stage(page, "Key questions")
        page.locator("[class*='st-key-open_1_question_']").get_by_role("button").nth(1).click()
        page.get_by_role("textbox", name="Wording").fill("Do the parts hang together?")
        _press(page, "Save wording")
        _press(page, "Rebuild only what is stale")
        expect(_at(page, "make_checklist")).to_be_visible()
        assert [stage_of(request) for request in llm.requests] == ["sub-questions"]

        _press(page, "Make the checklist")
        page.get_by_role("button", name="Open version 1").click()
        expect(page.get_by_role("heading", level=1, name="Checklist")).to_be_visible()
        expect(page.get_by_text("Does every event stand in its place?").first).to_be_visible()
        expect(page.get_by_text(BY_HAND).first).to_be_visible()
        _at(page, "publish").get_by_role("button").click()
        expect(_at(page, "new_draft")).to_be_visible()

        page.goto(f"{app.url}/build?project=News&dimension=coherence")
        _press(page, "Start a new build")
        model = _at(page, "build_model").get_by_role("combobox")
        model.fill("rules")
        model.press("Enter")
        _press(page, "Run all stages")
        expect(page.get_by_text(re.compile("Version 2 is a draft"))).to_be_visible()
    for version in ("1", "2"):
        lineage = json.loads(app.command("lineage", *PLACE, "--version", version, "--json"))
        questions = [question for branch in lineage["components"] for question in branch["questions"]]
        assert questions
        assert all(question["attributes"] or question["origin"] == "added" for question in questions)
