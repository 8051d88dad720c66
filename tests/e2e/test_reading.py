"""Attributes and clusters are read in full, and many changed at once, with few clicks or with keys alone."""

from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from app.domain.attribute import Attribute, AttributeStatus, ContributorKind
from app.domain.project import Dimension, Task
from app.providers.credentials import Credentials
from app.services.attributes.attributes import add_attributes, attributes_of
from app.services.building.build import start_build
from app.services.building.build_state import add_build_component, newest_clusters, place_attributes, view_build
from app.services.data.projects import create_project, dimensions_named
from app.services.runtime.workbench import Workbench
from db.unit_of_work import Database
from tests.e2e.conftest import App
from tests.e2e.screen import button, click, press_key, settled
from tests.e2e.walk import Walk
from tests.support.workers import until

PEOPLE, LLMS = ("Ana", "Björn", "Chidi"), ("one:model", "another:model")
LONG = "Whether each paragraph takes up what the one before left open, says who does what, and leads on. " * 6


@pytest.fixture
def bench(tmp_path: Path) -> Workbench:
    """A project with 137 attributes on its first dimension, made before the app starts; thirty lie in a build's
    clusters, ten in the first."""
    database = Database(f"sqlite:///{tmp_path}/workbench.db")
    workbench = Workbench(database, Credentials())
    create_project(
        workbench, "Essays", Task("essay"), (Dimension("coherence", "How it hangs together."), Dimension("tone"))
    )
    dimension = dimensions_named(workbench, "Essays", "coherence")[0]
    said = [f"{n}. {LONG if n % 20 == 0 else 'The order of the parts is clear.'}" for n in range(1, 138)]
    for place, name in enumerate((*PEOPLE, *LLMS)):
        kind = ContributorKind.HUMAN if name in PEOPLE else ContributorKind.LLM
        add_attributes(workbench, dimension.id, name, kind, said[place::5])
    return workbench


def pool(bench: Workbench) -> list[Attribute]:
    return attributes_of(bench, 1, 1)


def rows(page: Page) -> Locator:
    return page.locator(".attribute-list li")


def box(page: Page, place: int) -> Locator:
    return rows(page).nth(place).get_by_role("checkbox")


def selected(page: Page, count: int) -> Locator:
    return page.get_by_text(f"{count} selected", exact=True)


def told(page: Page, words: str) -> Locator:
    return page.get_by_role("status").get_by_text(words, exact=True)


@pytest.mark.long
@pytest.mark.walk
def test_many_attributes_are_read_excluded_and_merged_with_few_clicks(bench: Workbench, app: App, page: Page) -> None:
    walk = Walk(page, "Read 137 attributes in full", limit=0)
    page.goto(f"{app.url}/attributes?project=Essays&dimension=coherence")
    expect(rows(page)).to_have_count(137)
    settled(page)
    shown = rows(page).locator(".words").all_inner_texts()
    assert sorted(shown) == sorted(a.text.strip() for a in pool(bench))
    cut = (
        "all => all.filter(one => one.scrollWidth > one.clientWidth || one.scrollHeight > one.clientHeight + 2).length"
    )
    assert rows(page).locator(".words").evaluate_all(cut) == 0
    walk.done()

    before = pool(bench)
    walk = Walk(page, "Exclude ten attributes", limit=3)
    walk.click(box(page, 0), shows=selected(page, 1))
    page.keyboard.down("Shift")
    walk.click(box(page, 9), shows=selected(page, 10))
    page.keyboard.up("Shift")
    walk.click(button(page, "Exclude 10 attributes"), shows=told(page, "10 attributes excluded."))
    walk.done()
    assert sum(a.status is AttributeStatus.EXCLUDED for a in pool(bench)) == 10
    click(button(page, "too vague"), hides=button(page, "too vague"))
    until(lambda: {a.reason for a in pool(bench) if a.status is AttributeStatus.EXCLUDED} == {"too vague"}, "no reason")
    press_key(page, "u", shows=told(page, "Undone: excluded 10 attributes."))
    assert pool(bench) == before

    walk = Walk(page, "Merge three attributes", limit=2)
    walk.click(box(page, 0), shows=selected(page, 1))
    for key in "jxj":
        walk.press(key)
    walk.press("x", shows=selected(page, 3))
    keep = page.get_by_role("button", name=f"Keep: {before[1].text}")
    walk.press("m", shows=keep)
    walk.click(keep, shows=told(page, "2 attributes merged into one that stands for them."))
    walk.done()
    assert [a.merged_into for a in pool(bench)[:3]] == [before[1].id, None, before[1].id]


@pytest.mark.long
def test_keys_alone_do_all_and_nothing_while_somebody_writes(bench: Workbench, app: App, page: Page) -> None:
    page.goto(f"{app.url}/attributes?project=Essays&dimension=coherence&status=In+use")
    expect(rows(page)).to_have_count(137)
    settled(page)
    before = pool(bench)
    search = page.get_by_role("textbox", name="Search")
    search.fill("exjum")
    search.fill("")
    for key in "jex":
        page.keyboard.press(key)  # into the field
    assert pool(bench) == before
    search.fill("")
    search.press("Enter")
    search.blur()
    press_key(page, "?", shows=page.get_by_text("select, or not"))
    page.keyboard.press("Escape")
    expect(box(page, 0)).to_be_focused()
    page.keyboard.press("j")
    press_key(page, "x", shows=selected(page, 1))
    press_key(page, "e", shows=told(page, "1 attribute excluded."))
    expect(rows(page)).to_have_count(136)
    expect(box(page, 1)).to_be_focused()  # the one that came after it
    press_key(page, "w", shows=page.get_by_role("textbox", name="New wording of"))
    page.keyboard.type(" And more.")
    page.reload()  # half a wording is still there
    wording = page.get_by_role("textbox", name="New wording of")
    expect(wording).to_have_value(f"{before[2].text} And more.")
    settled(page)
    wording.focus()
    press_key(page, "Control+Enter", shows=told(page, "1 attribute reworded."))
    expect(rows(page).nth(1)).to_contain_text("First said, and kept on record")
    assert pool(bench)[2].text == f"{before[2].text} And more."
    press_key(page, "v", shows=button(page, "Move 1 attribute to tone"))
    press_key(page, "1", shows=told(page, "1 attribute moved to tone."))
    press_key(page, "u", shows=told(page, "Undone: moved 1 attribute."))
    assert len(pool(bench)) == 137


@pytest.fixture
def clustered(bench: Workbench) -> list[int]:
    """Ten in the cluster Order, twenty in Links."""
    build = start_build(bench, dimensions_named(bench, "Essays", "coherence")[0], "rules")
    for name in ("Order", "Links", "Opening"):
        add_build_component(bench, build, name)
    order, links, _ = [component.id for component in view_build(bench, build).build.components]
    ids = [a.id for a in pool(bench)]
    place_attributes(bench, build, ids[:10], order)
    place_attributes(bench, build, ids[10:30], links)
    return ids


@pytest.mark.long
@pytest.mark.walk
def test_ten_attributes_move_to_another_cluster_together(
    bench: Workbench, clustered: list[int], app: App, page: Page
) -> None:
    page.goto(f"{app.url}/how_it_was_made?project=Essays&dimension=coherence&stage=clusters")
    expect(rows(page)).to_have_count(137)
    settled(page)
    walk = Walk(page, "Move ten attributes to another cluster", limit=3)
    walk.click(page.get_by_role("checkbox", name="Select all of Order"), shows=selected(page, 10))
    walk.click(button(page, "Move 10 attributes"), shows=button(page, "Move 10 attributes to Opening"))
    walk.click(button(page, "Move 10 attributes to Opening"), shows=told(page, "10 attributes moved to Opening."))
    walk.done()
    sizes = {component.name: len(members) for component, members in newest_clusters(bench, 1)}
    assert sizes == {"Order": 0, "Links": 20, "Opening": 10}
    press_key(page, "u", shows=told(page, "Undone: moved 10 attributes."))
    assert newest_clusters(bench, 1)[0][1] == tuple(clustered[:10])
