"""The guide says what is so: its links lead somewhere, the words it shows stand on screens, no reference is missing."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

from app import errors
from app.domain.build import Stage
from app.domain.sign_in import AccessMode
from app.entrance import server_pages
from app.errors import (
    BatchPendingError,
    InputError,
    NotFoundError,
    NothingNewError,
    NotReadyError,
    RepeatedError,
    WorkbenchError,
    paragraph_of_kind,
)
from app.evaluators.method import described
from app.evaluators.registry import METHODS
from app.settings import Settings
from pages.components.shell.labels import (
    EXPLAINED,
    GUIDE,
    OF_EXPERTS,
    OF_STAGES,
    PARAGRAPHS,
    failure_address,
    kinds_of_failures,
)
from pages.components.shell.navigation.screens import SCREENS
from tests.support.command_lines import unknown_commands
from tests.support.guide.commands_page import all_commands
from tests.support.guide.markdown import anchors, links, words_in_bold
from tests.support.guide.pictured import PICTURED
from tests.support.guide.screens_page import told_of_errors
from tests.support.guide.settings_page import SECRETS, secrets_read
from tests.support.guide.site import CONFIG, MADE, SOURCES, guide_pages
from tests.support.repository import ROOT, name_of, nodes, python_files

BY_HAND = sorted({path.relative_to(SOURCES).as_posix() for path in SOURCES.rglob("*.md")} - set(MADE))
OUTSIDE = re.compile(r"[a-z]+:")
SAID_IN_FULL = {
    WorkbenchError,
    InputError,
    NotFoundError,
    NotReadyError,
    NothingNewError,
    RepeatedError,
    BatchPendingError,
}
"""What these are about differs from case to case: the message itself says it."""


@cache
def _pages() -> dict[str, str]:
    """Not made when tests are collected, which each process does."""
    return guide_pages()


def _lands(link: str, page: str) -> bool:
    """Whether a page's link leads to a page or picture, and to a heading that it has."""
    path, _, anchor = link.partition("#")
    target = (Path(page).parent / path).as_posix() if path else page
    target = re.sub(r"[^/]+/\.\./", "", target)
    if target not in _pages():
        return not anchor and (SOURCES / target).is_file()
    return not anchor or anchor in anchors(_pages()[target])


@pytest.mark.parametrize("page", [*BY_HAND, *sorted(MADE)])
def test_every_link_leads_somewhere(page: str) -> None:
    inside = {link for link in links(_pages()[page]) if not OUTSIDE.match(link)}
    assert {link for link in inside if not _lands(link, page)} == set()


@pytest.mark.parametrize("page", sorted(MADE))
def test_every_command_on_a_page_that_is_made_exists(page: str) -> None:
    """On those by hand test_documents.py follows them."""
    assert unknown_commands(_pages()[page]) == []


@pytest.mark.parametrize("document", ["README.md", "CONTRIBUTING.md", "deploy/README.md", "CHANGELOG.md"])
def test_every_anchor_that_a_document_names_is_there(document: str) -> None:
    path = ROOT / document
    named = [link.partition("#") for link in links(path.read_text(encoding="utf-8")) if "#" in link]
    inside = [((path.parent / file) if file else path, anchor) for file, _, anchor in named if ":" not in file]
    assert [anchor for file, anchor in inside if anchor not in anchors(file.read_text(encoding="utf-8"))] == []


def test_every_page_is_in_the_navigation() -> None:
    listed = set(re.findall(r'"([\w/-]+\.md)"', CONFIG.read_text(encoding="utf-8")))
    assert listed == set(_pages())


@cache
def _screen_words() -> str:
    """Everything that screens may say, a line each, with "{}" for what the program fills in."""
    written = [*(ROOT / "app" / "entrance").glob("*.html"), *(ROOT / "pages" / "components").rglob("*.js")]
    said = [path.read_text(encoding="utf-8") for path in written]
    for path in python_files("pages", "app"):
        for node in nodes(path, ast.JoinedStr, ast.Constant):
            if isinstance(node, ast.JoinedStr):
                said.append("".join(str(v.value) if isinstance(v, ast.Constant) else "{}" for v in node.values))
            elif isinstance(node.value, str):
                said.append(node.value)
    return "\n".join(said)


@pytest.mark.parametrize("page", BY_HAND)
def test_words_in_bold_stand_on_a_screen(page: str) -> None:
    """What has a number or a name in it is written with … in its place."""
    said = _screen_words()
    there = {words: re.search(_as_written(words), said) for words in words_in_bold(_pages()[page])}
    assert [words for words, found in there.items() if not found] == []


def _as_written(words: str) -> str:
    return ".*".join(map(re.escape, words.split("…")))


@pytest.mark.parametrize("page", BY_HAND)
def test_every_page_below_a_heading_of_its_own(page: str) -> None:
    assert _pages()[page].startswith("# ")
    assert len(re.findall(r"^# ", re.sub(r"```.*?```", "", _pages()[page], flags=re.DOTALL), re.MULTILINE)) == 1


def test_every_picture_is_shown() -> None:
    shown = {Path(link).name for page in _pages().values() for link in links(page)}
    shown |= {Path(link).name for link in links((ROOT / "README.md").read_text(encoding="utf-8"))}
    assert {path.name for path in (SOURCES / "pictures").glob("*.png")} - shown == set()


def test_every_picture_is_taken_of_a_screen_that_there_is() -> None:
    assert set(PICTURED) == {path.stem for path in (SOURCES / "pictures").glob("*.png")}
    assert {screen for screen in PICTURED.values() if screen} <= set(SCREENS)


def test_help_opens_a_paragraph_for_every_screen() -> None:
    assert GUIDE == server_pages.GUIDE
    assert set(PARAGRAPHS) == set(SCREENS)
    assert _astray(*PARAGRAPHS.values(), *OF_EXPERTS.values()) == []
    assert set(OF_EXPERTS) <= set(SCREENS)


def _astray(*paragraphs: str) -> list[str]:
    """Those of what screens link to that the built guide doesn't have."""
    return [paragraph for paragraph in paragraphs if not _lands(paragraph.replace(".html", ".md"), "index.md")]


def test_every_figure_and_stage_leads_to_its_paragraph() -> None:
    assert set(OF_STAGES) == set(Stage)
    assert _astray(*EXPLAINED.values(), *OF_STAGES.values()) == []
    source = "".join(path.read_text(encoding="utf-8") for path in python_files("pages"))
    assert set(re.findall(r"more_in_guide\(\s*['\"]([\w-]+)['\"]", source)) == set(EXPLAINED)


def test_every_figure_that_the_guide_explains_is_asked_about_on_a_screen() -> None:
    led_to = {paragraph.partition("#")[2] for paragraph in EXPLAINED.values() if paragraph.startswith("figures.html")}
    assert led_to == anchors(_pages()["figures.md"]) - {"figures"}


def test_every_error_has_its_paragraph_or_says_everything_itself() -> None:
    kinds = [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, WorkbenchError)]
    assert {kind for kind in kinds if kind.paragraph is None} == SAID_IN_FULL
    told = {kind.paragraph for kind in kinds if kind.paragraph} | set(map(paragraph_of_kind, kinds_of_failures()))
    assert _astray(*(paragraph.address for paragraph in told), failure_address("<unheard>")) == []
    assert {kind.__name__ for kind in kinds} - {"WorkbenchError"} == set(told_of_errors())


def test_a_paragraph_that_a_terminal_names_is_called_so_in_the_guide() -> None:
    kinds = (kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, WorkbenchError))
    for paragraph in {kind.paragraph for kind in kinds if kind.paragraph}:
        page = _pages()[f"{paragraph.page}.md"]
        chapter, _, title = paragraph.title.rpartition(", ")
        assert (f"# {title}", chapter) == (page.splitlines()[0], "Reference" if "/" in paragraph.page else "")
        assert re.search(rf"^##+ {re.escape(paragraph.heading)}$", page, re.MULTILINE), paragraph


def test_the_reference_has_every_command_option_setting_and_method() -> None:
    commands, settings, methods = (_pages()[f"reference/{name}.md"] for name in ("commands", "settings", "methods"))
    for words, command in all_commands():
        part = commands.split(f"\n## {words}\n")[1].split("\n## ")[0]
        options = [option for parameter in command.params for option in parameter.opts if option.startswith("--")]
        assert [option for option in options if f"`{option}`" not in part] == [], words
    assert secrets_read() == set(SECRETS)
    assert [name for name in SECRETS if f"`{name}`" not in settings] == []
    for name, field in Settings.model_fields.items():
        row = next(line for line in settings.splitlines() if line.startswith(f"| `{field.validation_alias}`"))
        assert len(row.split("|")[3].strip()) > 10, f"{name} has no comment that says what it is"
    for method in METHODS.values():
        part = methods.split(f"\n## {method.name}\n")[1].split("\n## ")[0]
        assert [o.name for o in described(method.options) if f"| `{o.name}` |" not in part] == []


def test_methods_and_ways_in_that_there_are_are_told_of() -> None:
    for page, names in {"methods.md": METHODS, "administrators.md": [mode.value for mode in AccessMode]}.items():
        assert [name for name in names if f"`{name}`" not in _pages()[page]] == [], page


def test_pages_name_files_of_the_project_only_where_people_program() -> None:
    for_users = [name for name in BY_HAND if name != "adding.md"]
    shown = {name: re.findall(r"`(?:app|pages|tests|db)/[\w./]+`", _pages()[name]) for name in for_users}
    assert {name: found for name, found in shown.items() if found} == {}, name_of(SOURCES)
