"""Real datasets for tests. They lie beside the project, are never part of it, and may be absent."""

from pathlib import Path

import pytest

SHARED_DATA = Path(__file__).resolve().parents[2].parent / "shared" / "data"


def shared_data(name: str) -> Path:
    """The path of a real data file; skips the test, saying so, where it is absent."""
    path = SHARED_DATA / name
    if not path.exists():
        pytest.skip(f"real data file {name} is not beside the project")
    return path
