"""A screen's widgets live in its own package."""

import ast
from collections import defaultdict
from functools import cache

from tests.support.repository import ROOT, name_of, nodes, python_files

WIDGETS = "pages.components"
SHELL = "shell"
# What the server's process and a process of the benchmarks load, drawn by no screen.
OF_THE_PROCESS = {f"{WIDGETS}.{SHELL}.{name}" for name in ("error_panel", "loading", "own_address", "screen_times")}


def _module(name: str) -> str:
    return name.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


@cache
def _imports() -> dict[str, set[str]]:
    """Module -> the modules that it imports, of the screens, their widgets and what starts them."""
    files = {_module(name_of(path)): path for path in python_files("app", "pages")}
    found: dict[str, set[str]] = {}
    for module, path in files.items():
        named = {alias.name for node in nodes(path, ast.Import) for alias in node.names}
        for node in nodes(path, ast.ImportFrom):
            if node.module:
                named |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
        found[module] = named & files.keys()
    return found


def _screens_of(widget: str) -> set[str]:
    """The screens that show it, by way of whatever other widgets."""
    users = defaultdict(set)
    for module, imported in _imports().items():
        for each in imported:
            users[each].add(module)
    seen, ahead = {widget}, [widget]
    while ahead:
        for user in users[ahead.pop()] - seen:
            seen.add(user)
            if user.startswith(f"{WIDGETS}."):
                ahead.append(user)
    return {user.removeprefix("pages.") for user in seen if user.startswith("pages.") and user.count(".") == 1}


def test_what_one_screen_shows_lives_in_its_package_and_what_several_show_in_the_shell() -> None:
    packages = {name_of(path.parent) for path in python_files("pages") if path.name == "__init__.py"}
    widgets = [module for module in _imports() if module.startswith(f"{WIDGETS}.")]
    widgets = [module for module in widgets if module.replace(".", "/") not in packages]
    assert len(widgets) > 50
    elsewhere = {}
    for widget in set(widgets) - OF_THE_PROCESS:
        screens = _screens_of(widget)
        package = next(iter(screens)) if len(screens) == 1 else SHELL
        if widget.split(".")[2] != package:
            elsewhere[widget] = package
    assert elsewhere == {}, "move each to the package named behind it"


def test_every_screen_has_its_package_or_module() -> None:
    screens = {path.stem for path in python_files("pages") if path.parent == ROOT / "pages"} - {"__init__"}
    widgets = ROOT / "pages" / "components"
    own = {path.parent.name for path in python_files("pages") if path.parent.parent == widgets}
    own |= {path.stem for path in python_files("pages") if path.parent == widgets} - {"__init__"}
    assert screens | {SHELL} == own
