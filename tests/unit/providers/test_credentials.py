import pytest
from pydantic import SecretStr

from app.errors import InputError, MissingAddressError, MissingKeyError, WrongKeyError
from app.providers.credentials import Access, Credentials, credentials_problem, endpoint
from app.providers.specs import KNOWN_PROVIDERS
from app.settings import Settings

KEY = "sk-Planted-KEY"


def test_nothing_secret_shows_in_a_repr() -> None:
    access = Access(SecretStr(KEY), "http://me:secret@host/v1", "the environment")
    reached = endpoint(KNOWN_PROVIDERS["openai"], access)
    for shown in (repr(access), str(access), repr(Credentials({"openai": access})), repr(reached)):
        assert KEY not in shown
        assert "secret" not in shown.replace("SecretStr", "")


def test_keys_come_from_the_environment_and_yield_to_typed_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("ANTHROPIC_API_KEY", "from-environment")
    monkeypatch.setenv("LLAMA_BASE_URL", "http://localhost:8000")
    credentials = Credentials.from_settings(Settings(), typed={"anthropic": "typed", "google": ""})
    assert (credentials.of("openai").source, credentials.of("anthropic").source, credentials.of("google").source) == (
        "the environment",
        "this browser session",
        "",
    )
    assert KEY not in repr(Settings()) + str(Settings()) + Settings().model_dump_json()
    assert credentials.of("anthropic").key == SecretStr("typed")
    assert credentials.of("llama").base_url == "http://localhost:8000"


@pytest.mark.parametrize("key", [None, "", "  \n"])
@pytest.mark.parametrize("prefix", ["openai", "anthropic", "google"])
def test_a_missing_key_names_its_variable(prefix: str, key: str | None) -> None:
    provider = KNOWN_PROVIDERS[prefix]
    with pytest.raises(MissingKeyError, match=provider.key_variable):
        endpoint(provider, Access(None if key is None else SecretStr(key)))


def test_llama_needs_an_address_and_no_key() -> None:
    provider = KNOWN_PROVIDERS["llama"]
    with pytest.raises(MissingAddressError, match="LLAMA_BASE_URL"):
        endpoint(provider, Access())
    assert endpoint(provider, Access(base_url="http://localhost:8000/v1")).key.get_secret_value() == ""


@pytest.mark.parametrize("key", ["sk-with space", "sk-ümlaut", "sk-new\nline", "sk-nul\0"])
def test_a_key_that_no_header_carries_is_refused_unquoted(key: str) -> None:
    with pytest.raises(WrongKeyError) as caught:
        endpoint(KNOWN_PROVIDERS["openai"], Access(SecretStr(key)))
    assert key not in str(caught.value)


def test_space_around_a_key_is_dropped() -> None:
    assert endpoint(KNOWN_PROVIDERS["openai"], Access(SecretStr(f" {KEY}\n"))).key.get_secret_value() == KEY


@pytest.mark.parametrize(
    ("given", "used"),
    [
        ("http://localhost:11434", "http://localhost:11434/v1"),
        ("http://localhost:11434/", "http://localhost:11434/v1"),
        ("https://host/api/v1", "https://host/api/v1"),
        ("http://host:8080/custom/", "http://host:8080/custom/"),
    ],
)
def test_a_bare_llama_address_gets_the_path_that_servers_use(given: str, used: str) -> None:
    assert endpoint(KNOWN_PROVIDERS["llama"], Access(base_url=given)).base_url == used


@pytest.mark.parametrize("url", ["localhost:8000", "ftp://host/v1", "http://", "http://host:port/v1", "http://[::1"])
def test_what_is_no_address_is_named_by_its_variable(url: str) -> None:
    with pytest.raises(InputError, match="LLAMA_BASE_URL"):
        endpoint(KNOWN_PROVIDERS["llama"], Access(base_url=url))


def test_problems_are_told_in_a_line() -> None:
    none = Credentials()
    assert "OPENAI_API_KEY" in credentials_problem("openai", none)
    assert credentials_problem("rules", none) == ""
    assert credentials_problem("openai", Credentials({"openai": Access(SecretStr(KEY))})) == ""
