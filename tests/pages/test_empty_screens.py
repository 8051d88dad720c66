"""A screen that can't show anything yet names a place that exists, and leads there."""

import ast
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from app.domain.project import Task
from app.services.data.projects import create_project
from app.services.runtime.workbench import Workbench
from pages.components.shell.navigation.screens import SCREENS
from tests.support.repository import ROOT

Open = Callable[[str], AppTest]
TITLES = {name: screen.title for name, screen in SCREENS.items()}
TABS = {"Overview"}  # of Results, named on Results itself
ABOUT_A_PROJECT = sorted(TITLES.keys() - {"overview", "texts", "settings"})
NAMED = re.compile(r"\b(?:on|on the|Go to) ([A-Z]\w+(?: (?:aloud|LLMs|by side))?)\b")


@pytest.mark.parametrize("name", ABOUT_A_PROJECT)
def test_without_a_project_every_screen_leads_to_where_files_come_in(
    workbench: Workbench, open_screen: Open, name: str
) -> None:
    app = open_screen(name)
    assert any("on Texts" in m.value and "demo on Overview" in m.value for m in app.markdown)
    app.button(key="empty_to_texts").click().run()
    assert not app.exception
    assert app.title[0].value == "Texts"
    assert app.get("file_uploader")


@pytest.mark.parametrize("name", ABOUT_A_PROJECT)
def test_in_an_empty_project_the_one_button_leads_to_the_screen_it_names(
    workbench: Workbench, open_screen: Open, name: str
) -> None:
    create_project(workbench, "Empty", Task())
    app = open_screen(name)
    assert not app.exception
    for way in [button for button in app.button if str(button.key).startswith("empty_to_")]:
        target = TITLES[str(way.key).removeprefix("empty_to_")]
        assert way.label in (f"Go to {target}", target, "Build the checklist", "Add a dimension")
        way.click().run()
        assert app.title[0].value == target


def test_every_screen_named_in_words_exists() -> None:
    unknown = {
        (name, str(path.relative_to(ROOT)))
        for path in sorted((ROOT / "pages").rglob("*.py"))
        for words in _words(path)
        for name in NAMED.findall(words)
        if name not in {*TITLES.values(), *TABS}
    }
    assert unknown == set()


def _words(path: Path) -> Iterator[str]:
    """What the file may show; what is filled in later stands as a gap."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            yield "".join(str(part.value) if isinstance(part, ast.Constant) else "\0" for part in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value
