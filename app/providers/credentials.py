"""Keys and addresses of providers, without reading the environment; and model servers on this computer."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from pydantic import SecretStr

from app.errors import InputError, MissingAddressError, MissingKeyError, WrongKeyError
from app.providers.specs import OWN, ProviderSpec, network_providers, spec_of

NOWHERE = "none"
_CHOSEN = re.compile(r"http://127\.0\.0\.1:(\d{1,5})/v1")
MOST_PORTS = 20


@dataclass(frozen=True, slots=True)
class LocalServer:
    """A server that lists its models. kind: Ollama, LM Studio, llama.cpp, vLLM, or OTHER, by its replies.

    address: as the adapter takes it. models: the server's names, embedding models included.
    """

    kind: str
    address: str
    models: tuple[str, ...]


OTHER = "A model server"
HOW_TO_GET_ONE = (
    "Ollama (ollama.com): install it, then type “ollama pull llama3.1” in a terminal.",
    "LM Studio (lmstudio.ai): download a model in it, and start its server under “Developer”.",
    "llama.cpp: “llama-server -m FILE.gguf” serves a model’s file; vLLM: “vllm serve NAME” on a graphics card.",
)


@dataclass(frozen=True, slots=True)
class ContextWindow:
    """Tokens of a request and its answer together that a model takes. kind: the server's, as in LocalServer."""

    tokens: int
    kind: str

    def shortfall(self, tokens: int) -> str:
        """Return what happens to a request of so many tokens and what to do about it; "" if it fits."""
        if tokens <= self.tokens:
            return ""
        cut = "Ollama cuts what doesn't fit, without a word" if self.kind == "Ollama" else "longer requests fail"
        room = 1 << (tokens - 1).bit_length()
        remedy = {
            "Ollama": f"Start Ollama with OLLAMA_CONTEXT_LENGTH={room}.",
            "LM Studio": f"Load the model in LM Studio with a context length of {room:,}.",
            "llama.cpp": f"Start llama-server with -c {room}, times its number of slots.",
            "vLLM": f"Start vLLM with --max-model-len {room}.",
        }.get(self.kind, "Load it with a larger context window.")
        return (
            f"The longest request takes about {tokens:,} tokens with its answer, and the model's context window has "
            f"{self.tokens:,}: {cut}. {remedy}"
        )


def ports_in(written: str) -> tuple[int, ...]:
    """Return the ports of INTERACTEVAL_LOCAL_PORTS; none for “none”. Raises InputError for what isn't a port."""
    if written.strip().lower() == NOWHERE:
        return ()
    parts = [part.strip() for part in written.split(",")]
    if len(parts) > MOST_PORTS or not all(re.fullmatch(r"\d{1,5}", part) and 0 < int(part) < 2**16 for part in parts):
        raise InputError(
            f"INTERACTEVAL_LOCAL_PORTS is “{written[:60]}”, which are no ports.",
            f"Give up to {MOST_PORTS} numbers with commas between, such as 11434,1234, or none.",
        )
    return tuple(dict.fromkeys(map(int, parts)))


def address_at(port: int) -> str:
    return f"http://127.0.0.1:{port}/v1"


def read_chosen(file: Path) -> str | None:
    """Return the address that the owner chose; None without one. Anything but a port of this computer is ignored."""
    try:
        written = file.read_text(encoding="utf-8")[:100].strip()
    except (OSError, UnicodeDecodeError):
        return None
    return written if _CHOSEN.fullmatch(written) else None


if TYPE_CHECKING:
    from app.settings import Settings


TYPED = "this browser session"


@dataclass(frozen=True, slots=True)
class Access:
    """How to reach one provider. Neither key nor address shows in a repr (an address may hold a password).

    source: where the key comes from, in words; "" without one.
    chosen: the address is of a server on this computer that the owner chose, not of the environment.
    """

    key: SecretStr | None = None
    base_url: str | None = field(default=None, repr=False)
    source: str = ""
    chosen: bool = False

    @property
    def typed(self) -> bool:
        return self.source == TYPED


@dataclass(frozen=True, slots=True)
class Credentials:
    """Access to the providers that speak HTTP, by their prefix."""

    by_prefix: Mapping[str, Access] = field(default_factory=dict, hash=False)

    def of(self, prefix: str) -> Access:
        """Return the access to a provider, empty if nothing is set. Raises UnknownModelError for an unknown one."""
        return self.by_prefix.get(spec_of(prefix).prefix, Access())

    @property
    def typed(self) -> bool:
        """Whether some key was typed by a person for this session, and is stored nowhere."""
        return any(access.typed for access in self.by_prefix.values())

    @classmethod
    def from_settings(cls, settings: "Settings", typed: Mapping[str, str] | None = None) -> "Credentials":
        """Return the access from settings. typed: keys by prefix that a person typed for this browser session, used
        before those of the environment."""
        given = typed or {}

        def access(spec: ProviderSpec) -> Access:
            base_url = settings.provider_variable(spec.url_variable)
            may_choose = base_url is None and spec.prefix == OWN and not settings.shared
            chosen = read_chosen(settings.chosen_server) if may_choose else None
            base_url = chosen or base_url
            if given.get(spec.prefix):
                return Access(SecretStr(given[spec.prefix]), base_url, TYPED, bool(chosen))
            key = settings.provider_variable(*spec.key_variables)
            return Access(SecretStr(key) if key else None, base_url, "the environment" if key else "", bool(chosen))

        return cls({spec.prefix: access(spec) for spec in network_providers()})


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A checked address and its key, to open an adapter's client with.

    key_place: where a person set the key, or would set it: a field on Settings, else a variable of the environment.
    """

    base_url: str = field(repr=False)
    key: SecretStr = field(default_factory=lambda: SecretStr(""))
    key_place: str = ""


def endpoint(provider: ProviderSpec, access: Access) -> Endpoint:
    """Return the checked endpoint. Raises MissingKeyError, MissingAddressError, WrongKeyError for a key that no header
    can hold, and InputError for a bad address."""
    secret = access.key.get_secret_value().strip() if access.key else ""
    if provider.needs_key and not secret:
        raise MissingKeyError(
            f"No key is set for {provider.title}.", f"Set {provider.key_variable} in the environment."
        )
    # The HTTP library would quote such a key in its own error.
    if not all("!" <= character <= "~" for character in secret):
        hint = f"Check {key_place(provider, access.typed)}."
        raise WrongKeyError(f"The key set for {provider.title} holds characters that no key has.", hint)
    return Endpoint(_checked_url(provider, access.base_url), SecretStr(secret), key_place(provider, access.typed))


def key_place(provider: ProviderSpec, typed: bool) -> str:
    """Return where a person set a provider's key."""
    return f"what was typed in “Key for {provider.title}” on Settings" if typed else provider.key_variable


def _checked_url(provider: ProviderSpec, given: str | None) -> str:
    url = (given or "").strip() or provider.default_url
    if url is None:
        example = f", for example {provider.example_url}" if provider.example_url else ""
        raise MissingAddressError(
            f"No address is set for {provider.prefix} models.", f"Set {provider.url_variable}{example}."
        )
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        usable = False
    if not usable:
        raise InputError(f"{provider.url_variable} is not an address of the form http://host:port/path.", "Correct it.")
    return url.rstrip("/") + provider.api_path if provider.api_path and parts.path in ("", "/") else url


def credentials_problem(prefix: str, credentials: Credentials) -> str:
    """Return why models of this provider can't be opened, in one line; "" if they can."""
    provider = spec_of(prefix)
    if not provider.speaks_http:
        return ""
    try:
        endpoint(provider, credentials.of(prefix))
    except (MissingKeyError, MissingAddressError, WrongKeyError, InputError) as error:
        return str(error)
    return ""
