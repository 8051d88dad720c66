"""Notebooks without Jupyter: their code cells, one after the other, as a script in a process of its own.

The form is nbformat 4's (https://nbformat.readthedocs.io): a list of cells, each with its source as lines.
"""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any


def cells_of(notebook: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    return found


def script_of(notebook: Path) -> str:
    """Its code as one script. A cell that ends with a value shows it there, and does nothing here."""
    return "\n\n".join("".join(cell["source"]) for cell in cells_of(notebook) if cell["cell_type"] == "code")


def run_notebook(notebook: Path, folder: Path, environment: Mapping[str, str]) -> str:
    """What it printed, run in this folder. A cell that fails ends it, and the test with what it said."""
    script = folder / f"{notebook.stem}.py"
    script.write_text(script_of(notebook), encoding="utf-8")
    return run_example([sys.executable, script.name], folder, environment)


def run_example(command: list[str], folder: Path, environment: Mapping[str, str]) -> str:
    own = {**os.environ, **environment}
    done = subprocess.run(command, cwd=folder, env=own, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout
