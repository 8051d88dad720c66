"""Files are named after what they hold, and say what they are for."""

import ast
import re
from pathlib import Path

import pytest

from pages.components.shell.navigation.screens import SCREENS
from tests.support.repository import PACKAGES, ROOT, name_of, nodes, project_files, python_files

NAMES_THAT_SAY_NOTHING = {"util", "utils", "helper", "helpers", "common", "manager", "managers", "misc"}


def _is_screen(path: Path) -> bool:
    return path.parent == ROOT / "pages" and path.name != "__init__.py"


def test_there_are_files_to_check() -> None:
    assert len(python_files(*PACKAGES)) > 50


def test_a_page_has_the_name_of_its_screen() -> None:
    files = {path.stem for path in python_files("pages") if _is_screen(path)}
    assert files == {screen.title.lower().replace(" ", "_") for screen in SCREENS.values()} == set(SCREENS)


def test_no_name_says_nothing() -> None:
    parts = {path: {part.partition(".")[0] for part in path.relative_to(ROOT).parts} for path in project_files()}
    nameless = [name_of(path) for path, found in parts.items() if found & NAMES_THAT_SAY_NOTHING]
    assert nameless == [], "name the concept the file holds"


@pytest.mark.parametrize("package", PACKAGES)
def test_every_module_says_what_it_is_for(package: str) -> None:
    """By its first statement alone: to parse all files takes long."""
    starts = re.compile(r'(?:\s|#.*\n)*(?:r?"""|$)')
    silent = [name_of(path) for path in python_files(package) if not starts.match(path.read_text(encoding="utf-8"))]
    assert silent == [], "start the file with a docstring"


def test_no_table_shows_none_for_what_is_missing() -> None:
    """Streamlit writes "None" into an empty cell unless it is told what to write."""
    bare = [
        f"{name_of(path)}:{node.lineno}"
        for path in python_files("pages")
        for node in nodes(path, ast.Call)
        if isinstance(node.func, ast.Attribute)
        and node.func.attr == "dataframe"
        and "placeholder" not in {keyword.arg for keyword in node.keywords}
    ]
    assert bare == [], "give placeholder="
