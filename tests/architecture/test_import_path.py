"""The server is the script app/server.py, with app/ first on the import path: nothing in it may hide another module."""

import json
import os
import subprocess
import sys
from importlib.machinery import PathFinder
from importlib.metadata import packages_distributions
from pathlib import Path

from tests.support.repository import PACKAGES, ROOT

APP = ROOT / "app"
SDKS = ("anthropic", "google.genai", "openai", "sqlmodel", "streamlit")


def test_no_child_of_app_hides_a_module() -> None:
    others = sys.stdlib_module_names | packages_distributions().keys() | {*PACKAGES, "tests"}
    hidden = {name for name in others if PathFinder.find_spec(name, [str(APP)]) is not None}
    assert not hidden, (
        f"rename app/{{{','.join(sorted(hidden))}}}: with app/ first on the path it would be imported instead"
    )


def test_everything_is_found_where_it_belongs(tmp_path: Path) -> None:
    """As in the app's own process: started anywhere, app/ first."""
    find = (
        "import importlib.util, json, sys\n"
        f"sys.path.insert(0, {str(APP)!r})\n"
        f"names = {[*PACKAGES, *SDKS]!r}\n"
        "print(json.dumps({name: importlib.util.find_spec(name).origin for name in names}))"
    )
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    command = [sys.executable, "-c", find]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True)
    origins = {name: Path(origin) for name, origin in json.loads(done.stdout).items()}
    assert {name: origins[name] for name in PACKAGES} == {name: ROOT / name / "__init__.py" for name in PACKAGES}
    assert [name for name in SDKS if origins[name].is_relative_to(APP)] == []
