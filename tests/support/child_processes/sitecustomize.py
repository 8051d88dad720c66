"""Python runs this first in every process that a test starts (its folder is on their PYTHONPATH): same guard there."""

import importlib.util
from pathlib import Path

_spec = importlib.util.spec_from_file_location("network_guard", Path(__file__).parents[1] / "network_guard.py")
assert _spec is not None and _spec.loader is not None
_guard = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(_guard)
_guard.install()
