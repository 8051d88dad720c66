"""The files that make up the project: what is committed or about to be."""

import ast
import gc
import subprocess
from collections import defaultdict
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("app", "pages", "db", "prompts")
Node = TypeVar("Node", bound=ast.AST)


@cache
def project_files() -> tuple[Path, ...]:
    """All files git knows or would add, without those it ignores; without git, all outside hidden folders."""
    listing = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    try:
        listed = subprocess.run(listing, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\0")
        files = [ROOT / name for name in listed if name]
    except (OSError, subprocess.CalledProcessError):
        inside = (path.relative_to(ROOT) for path in ROOT.rglob("*"))
        files = [
            ROOT / path for path in inside if not path.parts[0].startswith(".") and "__pycache__" not in path.parts
        ]
    return tuple(sorted(path for path in files if path.is_file()))


def python_files(*folders: str) -> list[Path]:
    """The project's Python files under these top-level folders, all folders if none is given."""
    return [
        path
        for path in project_files()
        if path.suffix == ".py" and (not folders or path.relative_to(ROOT).parts[0] in folders)
    ]


@cache
def parsed(path: Path) -> ast.Module:
    """The syntax tree of a Python file; not to be changed."""
    collecting = gc.isenabled()
    gc.disable()  # it would go through the trees made so far again and again, for three quarters of the time
    try:
        return ast.parse(path.read_text(encoding="utf-8"))
    finally:
        if collecting:
            gc.enable()


@cache
def _by_kind(path: Path) -> dict[type[ast.AST], list[Any]]:
    found = defaultdict(list)
    for node in ast.walk(parsed(path)):
        found[type(node)].append(node)
    return found


def nodes(path: Path, *kinds: type[Node]) -> list[Node]:
    """The nodes of these kinds, one kind after the other, in a file's syntax tree, which is walked once."""
    return [node for kind in kinds for node in _by_kind(path).get(kind, ())]


def name_of(path: Path) -> str:
    """The path as people write it, from the project's root."""
    return path.relative_to(ROOT).as_posix()
