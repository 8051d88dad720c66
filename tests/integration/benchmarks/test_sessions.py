"""Sessions without a browser do what people do, and what they saved is looked for where it is kept."""

import pytest

from app.benchmarks import sessions
from app.benchmarks.sessions import MEASURED, Saved

pytestmark = pytest.mark.long


def test_people_at_once_lose_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sessions, "THINKING", (0.1, 0.3))
    monkeypatch.setattr(sessions, "ANSWERING", (0.1, 0.3))
    found = sessions.run(6, 3.0)
    assert (found["sessions"], found["lost"]) == (6, 0)
    assert found["saves"] >= 6
    assert 0 < found["p50_seconds"] <= found["p95_seconds"]
    assert set(MEASURED) <= found.keys() | {"memory_a_session_mb"}


def test_what_is_not_there_counts_as_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    kept = sessions._all

    async def forgetful(*given: object) -> tuple[Saved, int, int, float]:
        saved, *rest = await kept(*given)  # type: ignore[arg-type]
        saved.attributes.append(("Person 1", "This was never sent."))
        saved.answers.append(("Person 2", 1, 1_000_000))
        return saved, *rest  # type: ignore[return-value]

    monkeypatch.setattr(sessions, "THINKING", (0.1, 0.3))
    monkeypatch.setattr(sessions, "ANSWERING", (0.1, 0.3))
    monkeypatch.setattr(sessions, "_all", forgetful)
    assert sessions.run(4, 1.0)["lost"] == 2
