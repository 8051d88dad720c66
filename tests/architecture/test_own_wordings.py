"""Own wordings: every use case that asks a model, or reads a prompt, does so with the project's wordings in force."""

import ast
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from tests.support.repository import name_of, nodes, parsed, python_files

Function = ast.FunctionDef | ast.AsyncFunctionDef
Place = tuple[str, str]  # a file and the function in it

IN_FORCE = "own_wordings"
ASKS = {
    ("app/services/runtime/models.py", "model_session"),
    ("app/services/runtime/models.py", "unjudged"),
    ("app/prompting/library.py", "load_prompt"),
    ("app/prompting/__init__.py", "load_prompt"),
}
# Nothing that a project words goes out here, or the wording is named: a question of our own, the form of an answer (no
# wording changes it), a checklist file that brings a wording, the screen on which people word prompts, what was sent.
WITHOUT_A_WORDING = {
    ("app/services/checklists/checklist_files.py", "import_checklist"),
    ("app/services/checklists/checklist_files.py", "import_checklist_file"),
    ("app/services/runtime/model_abilities.py", "probe_model"),
    ("app/services/runtime/prompts.py", "project_prompt"),
    ("app/services/runtime/prompts.py", "project_prompts"),
    ("app/services/runtime/prompts.py", "save_wording"),
    ("app/services/runtime/prompts.py", "use_wording"),
    ("app/services/runtime/prompts.py", "sent_prompt"),
    ("app/services/scoring/judged_texts.py", "judge_texts"),
}


def _use_cases() -> dict[str, Path]:
    files = {name_of(path): path for path in python_files("app")}
    return {name: path for name, path in files.items() if name.startswith("app/services/")}


@cache
def _imported(path: Path) -> dict[str, Place]:
    """Name -> where it comes from, for what is imported from the project; as a package or a file."""
    found = {}
    for node in nodes(path, ast.ImportFrom):
        if node.module and node.module.startswith("app."):
            place = node.module.replace(".", "/")
            place = f"{place}/__init__.py" if place == "app/prompting" else f"{place}.py"
            found |= {alias.asname or alias.name: (place, alias.name) for alias in node.names}
    return found


def _defined(path: Path) -> list[str]:
    """The functions that stand at a file's outermost level."""
    return [node.name for node in parsed(path).body if isinstance(node, Function)]


def _named(function: Function) -> Iterator[str]:
    """What it names outside of `with own_wordings(...)`; functions inside of it count where they are named."""
    inner = {node.name: node for node in ast.walk(function) if isinstance(node, Function) and node is not function}
    ahead: list[ast.AST] = [function]
    seen = set()
    while ahead:
        for child in ast.iter_child_nodes(ahead.pop()):
            if isinstance(child, Function):
                continue
            if isinstance(child, ast.With) and any(IN_FORCE in ast.unparse(item.context_expr) for item in child.items):
                continue
            ahead.append(child)
            if isinstance(child, ast.Name) and isinstance(child.ctx, ast.Load) and child.id not in seen:
                seen.add(child.id)
                if child.id in inner:
                    ahead.append(inner[child.id])
                else:
                    yield child.id


@cache
def _asking() -> set[Place]:
    """The functions that ask without putting the wordings in force themselves, by way of whatever others."""
    users = defaultdict(set)
    for file, path in _use_cases().items():
        known = _imported(path) | {name: (file, name) for name in _defined(path)}
        for node in nodes(path, ast.FunctionDef, ast.AsyncFunctionDef):
            for name in _named(node):
                if name in known:
                    users[known[name]].add((file, node.name))
    asking: set[Place] = set()
    ahead = [*ASKS]
    while ahead:
        new = users[ahead.pop()] - asking
        asking |= new
        ahead += new
    return asking


def _called_from_outside() -> set[Place]:
    """Those that screens, commands or benchmarks import, and those that no other use case names."""
    cases = _use_cases()
    named = set()
    for file, path in cases.items():
        known = _imported(path) | {name: (file, name) for name in _defined(path)}
        named |= {known[node.id] for node in nodes(path, ast.Name) if node.id in known}
    others = [path for path in python_files("app", "pages") if name_of(path) not in cases]
    imported = {place for path in others for place in _imported(path).values()}
    defined = {(file, name) for file, path in cases.items() for name in _defined(path)}
    return defined & imported | defined - named


def test_whoever_asks_a_model_asks_in_the_wordings_of_the_project() -> None:
    """A function that asks may leave it to the use cases that call it; what is called from outside can't."""
    assert _asking() & _called_from_outside() == WITHOUT_A_WORDING


def test_the_functions_that_ask_are_found() -> None:
    assert {
        ("app/services/building/build.py", "_ask"),
        ("app/services/scoring/run_worker.py", "execute_run"),
        ("app/services/think_aloud/llm_think_aloud.py", "_ask_all"),
    } <= _asking()
