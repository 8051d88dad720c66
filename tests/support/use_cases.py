"""Use cases as the code has them: what screens and commands import of the services, and that takes the workbench."""

import ast
import importlib
import inspect
import pkgutil
import re
import typing
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import app.services
from app.domain.roles_and_rights import Right
from app.services.runtime.workbench import check, may

ROOT = Path(__file__).parents[2]
CALLERS = ("pages", "app/commands", "app/entrance", "app/main.py", "app/server.py")
IMPORT = re.compile(r"^ *from app\.services[\w.]* import (?:\([^)]*\)|[^\n(]+)", re.MULTILINE)


@dataclass(frozen=True)
class FoundUseCase:
    """`right` is None where the function doesn't say what it asks for."""

    module: str
    function: Callable[..., Any]

    @property
    def name(self) -> str:
        return f"{self.module.removeprefix('app.services.')}.{self.function.__name__}"

    @property
    def right(self) -> Right | None:
        return getattr(self.function, "right", None)

    @property
    def act(self) -> str:
        return str(getattr(self.function, "act", ""))

    @property
    def project(self) -> str:
        return str(getattr(self.function, "project", ""))

    @cached_property
    def parameters(self) -> dict[str, Any]:
        """Name -> type, of all but the workbench."""
        plain = inspect.unwrap(self.function)
        hints = typing.get_type_hints(plain, _names_for_typing(self.module))
        return {name: hints[name] for name in list(inspect.signature(plain).parameters)[1:] if name in hints}


@lru_cache(maxsize=1)
def use_cases() -> tuple[FoundUseCase, ...]:
    called = set(_imported())
    found = []
    for info in pkgutil.walk_packages(app.services.__path__, "app.services."):
        module = importlib.import_module(info.name)
        for name, value in vars(module).items():
            if value in (check, may):  # they ask for others
                continue
            defined_here = inspect.isfunction(value) and value.__module__ == info.name and not name.startswith("_")
            if defined_here and (info.name, name) in called and _takes_workbench(value):
                found.append(FoundUseCase(info.name, value))
    return tuple(found)


def _takes_workbench(function: Callable[..., Any]) -> bool:
    return next(iter(inspect.signature(inspect.unwrap(function)).parameters), "") == "workbench"


def _imported() -> Iterator[tuple[str, str]]:
    """Read by each process that collects tests, so only the imports are parsed."""
    for caller in CALLERS:
        path = ROOT / caller
        for file in [path] if path.is_file() else path.rglob("*.py"):
            for statement in IMPORT.findall(file.read_text(encoding="utf-8")):
                (node,) = ast.parse(statement.strip()).body
                assert isinstance(node, ast.ImportFrom)
                yield from ((node.module or "", alias.name) for alias in node.names)


def _names_for_typing(module: str) -> dict[str, Any]:
    return dict(vars(importlib.import_module(module)))
