"""Access: what the environment and this session provide of keys, addresses, limits and a place for the data."""

from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from pydantic import SecretStr

from app.domain.people.actor import Right
from app.providers import pace
from app.providers.adapters.calling import DEFAULT_TIMEOUT
from app.providers.credentials import TYPED, Access, Credentials, credentials_problem
from app.providers.provider_spec import ProviderSpec
from app.providers.specs import network_providers
from app.scoring.concurrency import CONCURRENCY
from app.services.runtime.models import PATIENCE
from app.services.runtime.use_case import use_case
from app.services.runtime.workbench import Workbench
from app.settings import settings


@dataclass(frozen=True, slots=True)
class ProviderAccess:
    """How one provider can be reached. The key itself is not here, nor any part of it.

    lists_models: whether it is asked which models it has, as a server of the person's own.
    key_source: where the key comes from, in words; "" without one.
    address: without user name, password and query; "" where none is known, and for people who don't run the server one
    that it was set to.
    obstacle: what to set before its models can be used; "" for nothing.
    sells_models: whether it is a vendor that says on demand which models a key may use.
    """

    prefix: str
    title: str
    key_variable: str
    url_variable: str
    needs_key: bool
    lists_models: bool
    key_source: str
    address: str
    own_address: bool
    obstacle: str
    sells_models: bool = False


@dataclass(frozen=True, slots=True)
class Limits:
    """What one layer sees to for every model: requests at a time, and when a request, a text or a run is given up."""

    at_a_time: int
    request_seconds: float
    attempts: int
    timeouts: int
    total_seconds: float
    patience_seconds: float


@dataclass(frozen=True, slots=True)
class DataPlace:
    """Where the data lie: a file, or a server without its password. `size` is in bytes, None for a server."""

    kind: str
    place: str
    size: int | None


@use_case(Right.SET_UP)
def provider_access(workbench: Workbench) -> list[ProviderAccess]:
    """Every provider that is reached over a network."""
    return [_access(p, workbench.credentials, workbench.actor.owner) for p in network_providers()]


@use_case(Right.ENTER)
def key_problem(workbench: Workbench, prefix: str, key: str) -> str:
    """Why what a person typed can't be a key, in one line that doesn't repeat it; "" where it can."""
    if not key.strip():
        return "Nothing was typed. Paste the key into the field."
    # Only the key is looked at: a missing address is said where the provider is listed.
    address = workbench.credentials.of(prefix).base_url or "http://localhost/v1"
    typed = Credentials({prefix: Access(SecretStr(key), address, TYPED)})
    return credentials_problem(prefix, typed)


def limits() -> Limits:
    return Limits(CONCURRENCY, DEFAULT_TIMEOUT, PATIENCE.attempts, PATIENCE.timeouts, PATIENCE.total, pace.PATIENCE)


@use_case(Right.SERVE)
def data_place(workbench: Workbench) -> DataPlace:
    """Where everything is kept."""
    url = settings().url
    scheme, _, rest = url.partition("://")
    if scheme.startswith("sqlite"):
        file = Path(rest.partition("?")[0].removeprefix("/")).absolute()
        # What was written last lies in a file beside it until SQLite takes it over.
        files = [each for each in (file, file.with_name(f"{file.name}-wal")) if each.exists()]
        return DataPlace("A SQLite file", str(file), sum(each.stat().st_size for each in files) if files else None)
    return DataPlace("A PostgreSQL server", _without_secrets(url), None)


def _access(provider: ProviderSpec, credentials: Credentials, owner: bool) -> ProviderAccess:
    access = credentials.of(provider.prefix)
    own = (access.base_url or "").strip()
    return ProviderAccess(
        prefix=provider.prefix,
        title=provider.title,
        key_variable=provider.key_variable,
        url_variable=provider.url_variable,
        needs_key=provider.needs_key,
        lists_models=bool(provider.lister),
        key_source=access.source,
        address=_without_secrets((own if owner else "") if own else provider.default_url or ""),
        own_address=bool(own),
        obstacle=credentials_problem(provider.prefix, credentials),
        sells_models=provider.listing is not None,
    )


def _without_secrets(url: str) -> str:
    """Scheme, host, port and path of an address: the rest may hold a password. "" for what is no address."""
    try:
        parts = urlsplit(url)
        known = bool(parts.hostname) and parts.port != 0  # asking for the port raises where it is none
    except ValueError:
        return ""
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}" if known else ""
