"""Settings: the only reader of the environment and of a file .env; and the names under which requests reach this
server."""

import ipaddress
import os
import re
import socket
from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from functools import lru_cache
from pathlib import Path
from urllib.parse import urlsplit

from platformdirs import user_data_path
from pydantic import Field, PrivateAttr
from pydantic_settings import BaseSettings, SettingsConfigDict

from app.errors import InputError

LOOPBACK = ("localhost", "127.0.0.1", "::1")
ANY = "*"
_NAME = re.compile(r"(\*\.)?[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*")


@dataclass(frozen=True, slots=True)
class ServerNames:
    """The names of this server. `names`: host names and addresses without port, `*.` for all subdomains, `*` for every
    name.

    any_address: the server listens on all addresses of the machine, so it accepts any numeric address, which DNS can't
    redirect.
    """

    names: tuple[str, ...]
    any_address: bool = False

    def knows(self, host: str | None) -> bool:
        """Return whether a request with this Host header (with or without a port) is meant for this server."""
        name = _without_port(host or "")
        if not name:
            return False
        if self.any_address and _is_address(name):
            return True
        return any(known in (ANY, name) or (known[:2] == "*." and name.endswith(known[1:])) for known in self.names)


def names_of_server(host: str, more: Iterable[str]) -> ServerNames:
    """Return the names of a server that listens on `host`, with the names `more`. Raises InputError for an invalid
    name."""
    names = [*LOOPBACK, *(written_name(name) for name in more)]
    listens_anywhere = _is_address(host) and ipaddress.ip_address(host).is_unspecified
    if listens_anywhere:
        machine = socket.gethostname().lower()
        names += [machine, f"{machine}.local"]
    else:
        names.append(host.lower())
    return ServerNames(tuple(dict.fromkeys(names)), listens_anywhere)


def written_name(typed: str) -> str:
    """Return a name as browsers send it: lower case, no brackets, other scripts encoded. Raises InputError for an
    invalid one."""
    name = typed.strip().strip("[]").rstrip(".").lower()
    if name == ANY or _is_address(name):
        return name
    try:
        encoded = name if name.isascii() else name.encode("idna").decode()
    except UnicodeError:
        encoded = ""
    if not _NAME.fullmatch(encoded):
        raise InputError(
            f"“{typed.strip()[:100]}” is no name of a server.",
            "Give the name alone, without http:// and port: workbench.example.org",
        )
    return encoded


def _without_port(host: str) -> str:
    """Return the host without its port; "" for an invalid host."""
    try:
        parts = urlsplit(f"//{host}")
        _ = parts.port  # asking for it raises where it is none
    except ValueError:
        return ""
    if parts.netloc != host or "@" in host:
        return ""
    return (parts.hostname or "").rstrip(".")


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


PREFIX = "INTERACTEVAL_"
START_TOKEN = "INTERACTEVAL_START_TOKEN"  # noqa: S105 - a name
SECRETS = ("INTERACTEVAL_COOKIE_SECRET", "INTERACTEVAL_METRICS_TOKEN", "INTERACTEVAL_OIDC_SECRET", START_TOKEN)
"""Variables with secrets, which are read only where they are used."""


class Settings(BaseSettings):
    """The settings, with the names of the command line's contract. Keys are no fields, so that no repr or log shows
    them."""

    model_config = SettingsConfigDict(env_ignore_empty=True, extra="ignore")

    home: Path = Field(default_factory=lambda: user_data_path("interacteval"), validation_alias="INTERACTEVAL_HOME")
    database_url: str | None = Field(default=None, validation_alias="INTERACTEVAL_DATABASE_URL")
    # Further names under which the web server answers, with commas between them.
    allowed_hosts: str = Field(default="", validation_alias="INTERACTEVAL_ALLOWED_HOSTS")
    # How people come in: local, invite, proxy or oidc.
    access: str = Field(default="local", validation_alias="INTERACTEVAL_ACCESS")
    # The address that people type: links and cookies are made for it.
    address: str = Field(default="", validation_alias="INTERACTEVAL_ADDRESS")
    # Whom somebody can ask who isn't let in.
    contact: str = Field(default="", validation_alias="INTERACTEVAL_CONTACT")
    # The header in which a proxy says who somebody is.
    proxy_header: str = Field(default="", validation_alias="INTERACTEVAL_PROXY_HEADER")
    # The addresses of the proxies whose word is taken for that, with commas between them.
    proxy_addresses: str = Field(default="", validation_alias="INTERACTEVAL_PROXY_ADDRESSES")
    # The address of the discovery document of the OpenID Connect provider that people sign in with.
    oidc_discovery: str = Field(default="", validation_alias="INTERACTEVAL_OIDC_DISCOVERY")
    # The name (client id) that the provider gave this server.
    oidc_client: str = Field(default="", validation_alias="INTERACTEVAL_OIDC_CLIENT")
    # Who may come in with the provider: addresses (ana@x.org) and domains (lab.example), with commas between.
    oidc_allowed: str = Field(default="", validation_alias="INTERACTEVAL_OIDC_ALLOWED")
    # US dollars that each project may spend in a calendar month with the keys of the environment; without it no limit.
    project_budget: str = Field(default="", validation_alias="INTERACTEVAL_PROJECT_BUDGET")
    # US dollars that each person may spend so, over all projects; without it no limit.
    person_budget: str = Field(default="", validation_alias="INTERACTEVAL_PERSON_BUDGET")
    # Where people sign in: MB that an uploaded file may have.
    upload_mb: str = Field(default="200", validation_alias="INTERACTEVAL_UPLOAD_MB")
    # Where people sign in: MB that each person may upload in 24 hours.
    upload_mb_a_day: str = Field(default="1000", validation_alias="INTERACTEVAL_UPLOAD_MB_A_DAY")
    # Minutes that a run waits for a model's server that can't be reached, before it ends as interrupted.
    longest_pause: str = Field(default="15", validation_alias="INTERACTEVAL_LONGEST_PAUSE")
    # Where an update of the prices is fetched from, for those who can't or don't want to ask the package's own address.
    prices_url: str = Field(default="", validation_alias="INTERACTEVAL_PRICES_URL")
    # Where traces of what is asked and judged go (OTLP over HTTP); without it none are made.
    otel_endpoint: str = Field(default="", validation_alias="INTERACTEVAL_OTEL_ENDPOINT")
    # “yes”: prompts, replies and reasons are in the traces; without it they aren't.
    otel_texts: str = Field(default="", validation_alias="INTERACTEVAL_OTEL_TEXTS")
    # The Dask scheduler whose workers score texts and compute large intervals; without it this computer does.
    dask: str = Field(default="", validation_alias="INTERACTEVAL_DASK")
    # The ports of this computer at which model servers are looked for, with commas between them; “none” for nowhere.
    local_ports: str = Field(default="11434,1234,8080,8000", validation_alias="INTERACTEVAL_LOCAL_PORTS")
    # A folder with a sentence-transformers model, for people who have one.
    embedding_model: Path | None = Field(default=None, validation_alias="INTERACTEVAL_EMBEDDING_MODEL")

    # As it was when the settings were read; no part of a repr.
    _environment: dict[str, str] = PrivateAttr(
        default_factory=lambda: {name.upper(): value for name, value in os.environ.items()}
    )

    def provider_variable(self, *names: str) -> str | None:
        """Return the first of these variables that is set and not empty: a provider's key or address."""
        return next((value for name in names if (value := self._environment.get(name))), None)

    def mistyped(self) -> dict[str, str]:
        """Return unknown variable with our prefix -> the variable that was probably meant, "" for none."""
        known = {*SECRETS, *(str(field.validation_alias) for field in type(self).model_fields.values())}
        unknown = sorted(name for name in self._environment if name.startswith(PREFIX) and name not in known)
        return {name: next(iter(get_close_matches(name, sorted(known), 1, 0.8)), "") for name in unknown}

    @property
    def shared(self) -> bool:
        """Return whether people sign in. Screens then don't show paths of files and addresses of servers."""
        return self.access.strip().lower() != "local"

    @property
    def replays(self) -> Path:
        """Return the folder of recorded calls that can be named without a path."""
        return self.home / "replays"

    @property
    def models(self) -> Path:
        """Return the folder of local models that can be named without a path."""
        return self.home / "models"

    @property
    def chosen_server(self) -> Path:
        """Return the file with the address of the local model server that the owner chose."""
        return self.home / "model-server.txt"

    @property
    def learned_styles(self) -> Path:
        """Return the file that stores which request style each server accepts."""
        return self.home / "learned-styles.json"

    @property
    def own_prices(self) -> Path:
        """Return the file of the user's own prices, which override all others."""
        return self.home / "prices.yaml"

    @property
    def kept_prices(self) -> Path:
        """Return the file with the prices of the last update."""
        return self.home / "prices" / "genai-prices.json"

    @property
    def url(self) -> str:
        """Return the database's address: the configured one, else a SQLite file in the user's data folder."""
        return self.database_url or f"sqlite:///{(self.home / 'workbench.db').as_posix()}"


@lru_cache(maxsize=1)
def settings() -> Settings:
    """Return the settings, read once per process; tests clear the cache."""
    return Settings()


def set_variable(name: str, value: str) -> None:
    """Set an environment variable for this process and its subprocesses."""
    os.environ[name] = value
    settings.cache_clear()


def streamlit_variables() -> dict[str, str]:
    """Return Streamlit's own variables that are set: name -> value."""
    return {name: value for name, value in sorted(os.environ.items()) if name.startswith("STREAMLIT_")}
