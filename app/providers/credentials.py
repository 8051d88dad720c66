"""Keys and addresses, handed to the providers so that none of them reads the environment."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from pydantic import SecretStr

from app.errors import InputError, MissingAddressError, MissingKeyError, WrongKeyError
from app.providers.local_servers import read_chosen
from app.providers.specs import OWN, ProviderSpec, network_providers, spec_of

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
    """The access to providers that speak HTTP, by their prefix."""

    by_prefix: Mapping[str, Access] = field(default_factory=dict, hash=False)

    def of(self, prefix: str) -> Access:
        """Empty where nothing is set. Raises UnknownModelError where there is no such provider."""
        return self.by_prefix.get(spec_of(prefix).prefix, Access())

    @property
    def typed(self) -> bool:
        """Whether a key is among them that nobody else has, and that is stored nowhere."""
        return any(access.typed for access in self.by_prefix.values())

    @classmethod
    def from_settings(cls, settings: "Settings", typed: Mapping[str, str] | None = None) -> "Credentials":
        """typed: keys by prefix that a person typed for this browser session; they win over the environment."""
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
    """A checked address with the key to send there; what an adapter opens its client with.

    key_place: where a person set the key, or would set it: a field on Settings, else a variable of the environment.
    """

    base_url: str = field(repr=False)
    key: SecretStr = field(default_factory=lambda: SecretStr(""))
    key_place: str = ""


def endpoint(provider: ProviderSpec, access: Access) -> Endpoint:
    """Raises MissingKeyError, MissingAddressError, WrongKeyError for a key that no header can carry, and InputError for
    a bad address."""
    secret = access.key.get_secret_value().strip() if access.key else ""
    if provider.needs_key and not secret:
        raise MissingKeyError(
            f"No key is set for {provider.title}.",
            f"Set {provider.key_variable} in the environment.",
        )
    # The HTTP library would quote such a key in its own error.
    if not all("!" <= character <= "~" for character in secret):
        hint = f"Check {key_place(provider, access.typed)}."
        raise WrongKeyError(f"The key set for {provider.title} holds characters that no key has.", hint)
    return Endpoint(_checked_url(provider, access.base_url), SecretStr(secret), key_place(provider, access.typed))


def key_place(provider: ProviderSpec, typed: bool) -> str:
    """Where a person set a provider's key."""
    return f"what was typed in “Key for {provider.title}” on Settings" if typed else provider.key_variable


def _checked_url(provider: ProviderSpec, given: str | None) -> str:
    url = (given or "").strip() or provider.default_url
    if url is None:
        example = f", for example {provider.example_url}" if provider.example_url else ""
        raise MissingAddressError(
            f"No address is set for {provider.prefix} models.",
            f"Set {provider.url_variable}{example}.",
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
    """Why models of this provider can't be opened, in one line; "" where they can."""
    provider = spec_of(prefix)
    if not provider.speaks_http:
        return ""
    try:
        endpoint(provider, credentials.of(prefix))
    except (MissingKeyError, MissingAddressError, WrongKeyError, InputError) as error:
        return str(error)
    return ""
