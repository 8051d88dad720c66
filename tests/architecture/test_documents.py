"""What the documents name exists: paths, modules, commands with their options, make targets, variables."""

import ast
import re
import shlex
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest

from app.evaluators.method import described
from app.evaluators.registry import METHODS
from tests.support.command_lines import code_in, spans_in, unknown_commands, unknown_words
from tests.support.repository import ROOT, name_of, nodes, project_files

# What says how things are today.
GUIDE = ROOT / "docs" / "guide"
OF_TODAY = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "deploy/README.md", "docs/architecture.md")),
    *sorted(GUIDE.rglob("*.md")),
]
DECISIONS = sorted((ROOT / "docs" / "adr").glob("*.md"))
OTHERS = ("AGENTS.md", "CHANGELOG.md", "SECURITY.md", "docs/llms.txt", "docs/walks.md")
DOCUMENTS = [*OF_TODAY, *DECISIONS, *(ROOT / name for name in OTHERS)]
TOP = ("app", "pages", "db", "prompts", "tests", "docs")
PLACEHOLDER = re.compile(r"NAME|NNNN|<name>|name\.py")
NO_LONGER_THERE = {"google-generativeai", "pyemd", "oidc-provider-mock"}
"""What decisions say was not taken."""


def _code(document: Path) -> list[str]:
    return code_in(document.read_text(encoding="utf-8"))


@cache
def _places() -> frozenset[str]:
    """The names of all files, and of the folders that they are in."""
    files = [path.relative_to(ROOT) for path in project_files()]
    return frozenset(place.as_posix() for file in files for place in (file, *file.parents))


def _is_there(path: str) -> bool:
    return path.partition(":")[0].rstrip("/") in _places()


def test_every_path_that_is_named_exists(subtests: pytest.Subtests) -> None:
    paths = re.compile(rf"(?<![\w./-])(?:{'|'.join(TOP)})/[\w./-]*")
    for document in DOCUMENTS:
        with subtests.test(name_of(document)):
            named = {path.rstrip(".") for line in _code(document) for path in paths.findall(line)}
            links = set(re.findall(r"\]\(([^)#:]+)\)", document.read_text(encoding="utf-8")))
            if GUIDE in document.parents:  # some of its pages are made: test_guide.py follows them
                links = set()
            gone = {path for path in named if not PLACEHOLDER.search(path) and not _is_there(path)}
            gone |= {link for link in links if not (document.parent / link).exists()}
            assert not gone


def test_every_module_that_is_named_exists(subtests: pytest.Subtests) -> None:
    for document in DOCUMENTS:
        with subtests.test(name_of(document)):
            named = {
                name for line in _code(document) for name in re.findall(r"(?<![\w./])(?:app|pages|db)(?:\.\w+)+", line)
            }
            gone = set()
            for name in named:
                parts = name.split(".")
                files = [Path(*parts[:depth]) for depth in range(len(parts), 1, -1)]
                if not any((ROOT / file).is_dir() or (ROOT / file).with_suffix(".py").exists() for file in files[:2]):
                    gone.add(name)
            assert not gone


def test_every_command_that_is_shown_exists_with_its_options(subtests: pytest.Subtests) -> None:
    for document in DOCUMENTS:
        with subtests.test(name_of(document)):
            assert unknown_commands(document.read_text(encoding="utf-8")) == []


def test_the_walk_in_a_terminal_calls_what_there_is() -> None:
    script = (ROOT / "docs" / "examples" / "terminal.sh").read_text(encoding="utf-8").replace("\\\n", " ")
    lines = [line.partition(" > ")[0] for line in script.splitlines() if line.startswith("interacteval ")]
    assert len(lines) > 5
    assert [unknown for line in lines for unknown in unknown_words(line)] == []


@pytest.mark.parametrize("document", OF_TODAY, ids=name_of)
def test_every_option_of_a_method_that_is_shown_exists(document: Path) -> None:
    """`--set name=value`, behind `--evaluator NAME` or alone."""
    for line in (line for line in _code(document) if "interacteval " in line or line.startswith("--")):
        given = list(pairwise(shlex.split(line.partition(" #")[0].partition(" | ")[0])))
        methods = [value for name, value in given if name == "--evaluator" and value in METHODS] or list(METHODS)
        options = {each.name for name in methods for each in described(METHODS[name].options)}
        named = {value.partition("=")[0] for name, value in given if name == "--set"}
        assert named - {"name"} <= options, line


def test_commands_are_shown() -> None:
    assert sum(line.startswith("interacteval ") for line in _code(GUIDE / "command-line.md")) > 10


def test_every_target_of_make_exists(subtests: pytest.Subtests) -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z-]+):", makefile, re.MULTILINE))
    for document in DOCUMENTS:
        with subtests.test(name_of(document)):
            named = {line.split()[1] for line in _code(document) if re.match(r"make [a-z-]+", line)}
            assert named <= targets


def test_every_variable_that_is_named_is_read(subtests: pytest.Subtests) -> None:
    source = "".join(path.read_text(encoding="utf-8") for path in project_files() if path.suffix == ".py")
    for document in DOCUMENTS:
        with subtests.test(name_of(document)):
            named = set(re.findall(r"\bINTERACTEVAL_[A-Z_]+\b", document.read_text(encoding="utf-8")))
            assert {name for name in named if name not in source} == set()


def test_every_name_that_is_written_as_one_stands_in_the_project(subtests: pytest.Subtests) -> None:
    """Tables and their columns, metrics, levels, settings, variables of providers: a span of a single name, and what
    has an underscore in it."""
    for document in DOCUMENTS:
        with subtests.test(name_of(document)):
            spans = spans_in(document.read_text(encoding="utf-8"))
            named = {span for span in spans if re.fullmatch(r"[A-Za-z]\w*(?:-\w+)*", span)}
            named |= {
                name
                for span in spans
                for name in re.findall(r"(?<![\w/:-])[A-Za-z][A-Za-z0-9]*(?:_+[A-Za-z0-9]+)+", span)
            }
            assert named - _words_of_the_project() - NO_LONGER_THERE == set()


@cache
def _words_of_the_project() -> frozenset[str]:
    kinds = {".py", ".yaml", ".yml", ".toml", ".sql", ".sh", ".json", ".js", ".lock"}
    files = [path for path in project_files() if path.suffix in kinds or path.name in ("Makefile", "Dockerfile")]
    elsewhere = [path for path in files if path.relative_to(ROOT).parts[:2] != ("tests", "architecture")]
    said = [path.read_text(encoding="utf-8") for path in elsewhere]
    words = {word for text in said for word in re.findall(r"[\w-]+", text)}
    parts = {part for word in words for part in word.split("-")}
    return frozenset(words | parts | {path.name for path in project_files()})


def _rows(heading: str) -> list[list[str]]:
    """The rows of the first table below a heading of CONTRIBUTING."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    section = text.split(f"\n## {heading}\n")[1].split("\n## ")[0]
    lines = [line.strip().strip("|") for line in section.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.split(" | ")] for line in lines[2:]]


def _defined(path: Path) -> set[str]:
    """The names that a Python file defines at its top level or in a class; the words of any other file."""
    if path.suffix != ".py":
        return set(re.findall(r"\w+", path.read_text(encoding="utf-8")))
    found = {node.name for node in nodes(path, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)}
    assigned: list[ast.Assign | ast.AnnAssign] = [*nodes(path, ast.Assign), *nodes(path, ast.AnnAssign)]
    targets = [node.targets if isinstance(node, ast.Assign) else [node.target] for node in assigned]
    return found | {target.id for each in targets for target in each if isinstance(target, ast.Name)}


def test_where_to_change_what_names_what_is_there() -> None:
    """Each row: what, then `path` or `path`: `name`, `name`."""
    rows = _rows("Where to change what")
    assert len(rows) >= 15
    for what, where in rows:
        path, *names = re.findall(r"`([^`]+)`", where)
        if PLACEHOLDER.search(path):
            assert (ROOT / path).parent.parent.is_dir() or (ROOT / path).parent.is_dir(), what
            continue
        assert _is_there(path), f"{what}: {path} is gone"
        if names:
            missing = set(names) - _defined(ROOT / path)
            assert not missing, f"{what}: {path} no longer defines {missing}"


def test_both_flows_are_short_and_name_functions_that_are_there() -> None:
    """A numbered line each: `path`: `function`."""
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    flows = [re.findall(r"^\d+\. `([^`]+)`: `([^`]+)`", part, re.MULTILINE) for part in text.split("\n## ")[1:]]
    assert [0 < len(flow) <= most for flow, most in zip(flows, (22, 25), strict=True)] == [True, True]
    named = [place for flow in flows for place in flow] + re.findall(r"`([\w/]+\.py)`: `(\w+)`", text)
    assert [place for place in named if place[1] not in _defined(ROOT / place[0])] == []


def test_every_folder_of_tests_is_told_of() -> None:
    told = {cell.strip("`/").removeprefix("tests/") for cell, _ in _rows("Tests")}
    there = {path.relative_to(ROOT).parts[1] for path in project_files() if path.relative_to(ROOT).parts[0] == "tests"}
    assert {name for name in there if "." not in name} == told


def test_decisions_are_numbered_without_gaps_and_their_headings_agree() -> None:
    assert [int(path.name[:4]) for path in DECISIONS] == list(range(1, len(DECISIONS) + 1))
    headings = [path.read_text(encoding="utf-8").split(".", 1)[0] for path in DECISIONS]
    assert headings == [f"# {number}" for number in range(1, len(DECISIONS) + 1)]
