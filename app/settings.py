"""The only reader of the environment."""

import os
from functools import lru_cache
from pathlib import Path

from platformdirs import user_data_path
from pydantic import Field, PrivateAttr
from pydantic_settings import BaseSettings, SettingsConfigDict


class Settings(BaseSettings):
    """Names as in the command line's contract. Keys are no fields, so that no repr or log shows them."""

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
    # The header in which a proxy says who somebody is, and the addresses of those whose word is taken for it.
    proxy_header: str = Field(default="", validation_alias="INTERACTEVAL_PROXY_HEADER")
    proxy_addresses: str = Field(default="", validation_alias="INTERACTEVAL_PROXY_ADDRESSES")
    # The OpenID Connect provider that people sign in with, this server's name there, and who may come in. The secret is
    # a key, and no field.
    oidc_discovery: str = Field(default="", validation_alias="INTERACTEVAL_OIDC_DISCOVERY")
    oidc_client: str = Field(default="", validation_alias="INTERACTEVAL_OIDC_CLIENT")
    oidc_allowed: str = Field(default="", validation_alias="INTERACTEVAL_OIDC_ALLOWED")
    # US dollars that each project may spend in a calendar month with the keys of the environment; without it no limit.
    project_budget: str = Field(default="", validation_alias="INTERACTEVAL_PROJECT_BUDGET")
    # The same for each person, over all projects.
    person_budget: str = Field(default="", validation_alias="INTERACTEVAL_PERSON_BUDGET")
    # Where people sign in: MB that an uploaded file may have, and MB that each person may upload in 24 hours.
    upload_mb: str = Field(default="200", validation_alias="INTERACTEVAL_UPLOAD_MB")
    upload_mb_a_day: str = Field(default="1000", validation_alias="INTERACTEVAL_UPLOAD_MB_A_DAY")
    # Where an update of the prices is fetched from, for those who can't or don't want to ask the package's own address.
    prices_url: str = Field(default="", validation_alias="INTERACTEVAL_PRICES_URL")
    # Where traces of what is asked and judged go (OTLP over HTTP); without it none are made. “yes”: texts are in them.
    otel_endpoint: str = Field(default="", validation_alias="INTERACTEVAL_OTEL_ENDPOINT")
    otel_texts: str = Field(default="", validation_alias="INTERACTEVAL_OTEL_TEXTS")
    # The Dask scheduler whose workers score texts and compute large intervals; without it this computer does.
    dask: str = Field(default="", validation_alias="INTERACTEVAL_DASK")
    # A folder with a sentence-transformers model, for people who have one.
    embedding_model: Path | None = Field(default=None, validation_alias="INTERACTEVAL_EMBEDDING_MODEL")

    # As it was when the settings were read; no part of a repr.
    _environment: dict[str, str] = PrivateAttr(
        default_factory=lambda: {name.upper(): value for name, value in os.environ.items()}
    )

    def provider_variable(self, *names: str) -> str | None:
        """The first of these variables that is set and not empty: a provider's key or address."""
        return next((value for name in names if (value := self._environment.get(name))), None)

    @property
    def shared(self) -> bool:
        """Whether people sign in: what they meet then says nothing of where files lie and servers stand."""
        return self.access.strip().lower() != "local"

    @property
    def replays(self) -> Path:
        """Recordings of calls that can be named without a path."""
        return self.home / "replays"

    @property
    def models(self) -> Path:
        """Models of this computer that can be named without a path."""
        return self.home / "models"

    @property
    def own_prices(self) -> Path:
        """Prices that the person lays over all others."""
        return self.home / "prices.yaml"

    @property
    def kept_prices(self) -> Path:
        """What the last update of the prices brought."""
        return self.home / "prices" / "genai-prices.json"

    @property
    def url(self) -> str:
        """The database's address: the one given, else a SQLite file in the user's data folder."""
        return self.database_url or f"sqlite:///{(self.home / 'workbench.db').as_posix()}"


@lru_cache(maxsize=1)
def settings() -> Settings:
    """Read once per process; tests clear the cache."""
    return Settings()
