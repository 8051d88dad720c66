import json

import pytest

from tests.benchmarks import statistics


def test_the_benchmark_reports_every_design(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"SOURCES": 5, "SYSTEMS": 4, "RESAMPLES": 10, "PERMUTATIONS": 10, "REPEATS": 1}.items():
        monkeypatch.setattr(statistics, name, value)
    found = statistics.run()
    json.dumps(found, allow_nan=False)
    assert found["texts"] == 20
    assert set(found["bootstrap_seconds"]) == {"per-source", "dataset", "system"}  # type: ignore[call-overload]
    assert set(found["bootstrap_seconds"]["dataset"]) == {"sources", "systems", "both", "texts"}  # type: ignore[index]
    assert found["within_limits"] is True
