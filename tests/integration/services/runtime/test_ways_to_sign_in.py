import pytest

from app.services.runtime.models import data_place, key_problem, limits, provider_access
from app.services.runtime.workbench import Workbench, open_workbench
from app.settings import settings


@pytest.fixture
def workbench() -> Workbench:
    return open_workbench()


def with_environment(monkeypatch: pytest.MonkeyPatch, **values: str) -> Workbench:
    for name, value in values.items():
        monkeypatch.setenv(name, value)
    settings.cache_clear()
    return open_workbench()


def test_a_provider_says_where_its_key_is_from_and_what_it_lacks(monkeypatch: pytest.MonkeyPatch) -> None:
    found = {p.prefix: p for p in provider_access(with_environment(monkeypatch, GEMINI_API_KEY="sk-planted"))}
    assert list(found) == ["openai", "anthropic", "google", "mistral", "llama"]
    assert (found["google"].key_source, found["google"].obstacle) == ("the environment", "")
    assert "OPENAI_API_KEY" in found["openai"].obstacle
    assert "LLAMA_BASE_URL" in found["llama"].obstacle
    assert (found["openai"].address, found["openai"].own_address) == ("https://api.openai.com/v1", False)
    assert "planted" not in repr(found)


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("http://me:secret@host:8000/v1?api_key=secret#secret", "http://host:8000/v1"),
        ("http://[::1]:8000/v1", "http://[::1]:8000/v1"),
        ("http://host:secret/v1", ""),
        ("secret", ""),
    ],
)
def test_an_address_shows_without_what_may_be_secret(monkeypatch: pytest.MonkeyPatch, url: str, shown: str) -> None:
    found = {p.prefix: p for p in provider_access(with_environment(monkeypatch, OPENAI_BASE_URL=url))}
    assert found["openai"].address == shown
    assert "secret" not in repr(found)


@pytest.mark.parametrize("key", ["", " \n", "two words", "schlüssel"])
def test_what_can_not_be_a_key_is_named_but_not_quoted(workbench: Workbench, key: str) -> None:
    for prefix in ("openai", "anthropic", "google", "mistral", "llama"):
        problem = key_problem(workbench, prefix, key)
        assert problem
        assert not key.strip() or key not in problem
        assert "_API_KEY" not in problem, "a typed key is named by its field"
        assert key_problem(workbench, prefix, " sk-fine\n") == ""


def test_data_are_in_a_file_or_on_a_server_named_without_its_password(
    workbench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    home, place = settings().home, data_place(workbench)
    assert (place.kind, place.place) == ("A SQLite file", str(home / "workbench.db"))
    assert place.size is not None
    files = [home / name for name in ("workbench.db", "workbench.db-wal")]
    assert place.size == sum(file.stat().st_size for file in files if file.exists()) > 0
    monkeypatch.setenv("INTERACTEVAL_DATABASE_URL", "postgresql+psycopg://ann:secret@db.example/bench?password=secret")
    settings.cache_clear()
    assert data_place(workbench).place == "postgresql+psycopg://db.example/bench"


def test_limits_are_those_that_hold() -> None:
    assert limits().at_a_time >= 1
    assert limits().patience_seconds > limits().total_seconds > 0
