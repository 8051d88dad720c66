"""A screen that can't show anything yet names a place that exists, and leads there."""

import ast
import re
from collections.abc import Callable, Iterator

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
CANDIDATE = re.compile(r"\b(?:on|the|to|Go)\b[\s\"'f(){}]+[A-Z]\w")
"""Finds `NAMED` in a file's source as well, where strings are continued on the next line; parsing takes longer."""


def test_without_a_project_every_screen_leads_to_where_files_come_in(workbench: Workbench, open_screen: Open) -> None:
    for name in ABOUT_A_PROJECT:
        app = open_screen(name)
        assert not app.exception
        assert any("on Texts" in m.value and "demo on Overview" in m.value for m in app.markdown), name
        assert [button.key for button in app.button if str(button.key).startswith("empty_to_")] == ["empty_to_texts"]
    app.button(key="empty_to_texts").click().run()
    assert not app.exception
    assert app.title[0].value == "Texts"
    assert app.get("file_uploader")


def test_in_an_empty_project_the_one_button_leads_to_the_screen_it_names(
    workbench: Workbench, open_screen: Open
) -> None:
    create_project(workbench, "Empty", Task())
    followed = set()
    for name in ABOUT_A_PROJECT:
        app = open_screen(name)
        assert not app.exception
        for way in [button for button in app.button if str(button.key).startswith("empty_to_")]:
            target = TITLES[str(way.key).removeprefix("empty_to_")]
            assert way.label in (f"Go to {target}", target, "Build the checklist", "Add a dimension")
            if way.key not in followed:
                followed.add(way.key)
                way.click().run()
                assert app.title[0].value == target
    assert followed


def test_every_screen_named_in_words_exists() -> None:
    unknown = {
        (name, str(path.relative_to(ROOT)))
        for path in sorted((ROOT / "pages").rglob("*.py"))
        if CANDIDATE.search(source := path.read_text(encoding="utf-8"))
        for words in _words(source)
        for name in NAMED.findall(words)
        if name not in {*TITLES.values(), *TABS}
    }
    assert unknown == set()


def _words(source: str) -> Iterator[str]:
    """What the file may show; what is filled in later stands as a gap."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            yield "".join(str(part.value) if isinstance(part, ast.Constant) else "\0" for part in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value
