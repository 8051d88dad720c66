"""A command loads what it needs and no more."""

import json
import os
import subprocess
import sys

from app.services.runtime.workbench import Workbench

HEAVY = {"alembic", "altair", "anthropic", "openai", "pandas", "scipy", "sklearn", "streamlit"}
LIST = """
import json, sys
from app.cli import run
sys.argv = ["interacteval", "project", "list", "--json"]
try:
    run()
finally:
    print(json.dumps(sorted(sys.modules)), file=sys.stderr)
"""


def test_a_list_of_projects_loads_no_heavy_library(bench: Workbench) -> None:
    environment = {**os.environ, "INTERACTEVAL_DATABASE_URL": bench.database.address}
    done = subprocess.run([sys.executable, "-c", LIST], env=environment, capture_output=True, text=True, check=True)
    assert "Ready" in done.stdout
    loaded = set(json.loads(done.stderr))
    assert "sqlalchemy" in loaded  # what was asked is what would have loaded them
    assert not HEAVY & loaded
