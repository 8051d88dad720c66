"""The only reader of the environment."""

from functools import lru_cache
from pathlib import Path

from platformdirs import user_data_path
from pydantic import AliasChoices, Field, SecretStr
from pydantic_settings import BaseSettings, SettingsConfigDict


class Settings(BaseSettings):
    """Names as in the command line's contract; keys are secrets, so that no repr or log shows them."""

    model_config = SettingsConfigDict(env_ignore_empty=True, extra="ignore")

    home: Path = Field(default_factory=lambda: user_data_path("interacteval"), validation_alias="INTERACTEVAL_HOME")
    database_url: str | None = Field(default=None, validation_alias="INTERACTEVAL_DATABASE_URL")
    # Further names under which the web server answers, with commas between them.
    allowed_hosts: str = Field(default="", validation_alias="INTERACTEVAL_ALLOWED_HOSTS")
    openai_api_key: SecretStr | None = Field(default=None, validation_alias="OPENAI_API_KEY")
    openai_base_url: str | None = Field(default=None, validation_alias="OPENAI_BASE_URL")
    anthropic_api_key: SecretStr | None = Field(default=None, validation_alias="ANTHROPIC_API_KEY")
    anthropic_base_url: str | None = Field(default=None, validation_alias="ANTHROPIC_BASE_URL")
    google_api_key: SecretStr | None = Field(
        default=None, validation_alias=AliasChoices("GOOGLE_API_KEY", "GEMINI_API_KEY")
    )
    google_gemini_base_url: str | None = Field(default=None, validation_alias="GOOGLE_GEMINI_BASE_URL")
    llama_base_url: str | None = Field(default=None, validation_alias="LLAMA_BASE_URL")
    llama_api_key: SecretStr | None = Field(default=None, validation_alias="LLAMA_API_KEY")
    # A folder with a sentence-transformers model, for people who have one.
    embedding_model: Path | None = Field(default=None, validation_alias="INTERACTEVAL_EMBEDDING_MODEL")

    @property
    def replays(self) -> Path:
        """Recordings of calls that can be named without a path."""
        return self.home / "replays"

    @property
    def models(self) -> Path:
        """Models of this computer that can be named without a path."""
        return self.home / "models"

    @property
    def url(self) -> str:
        """The database's address: the one given, else a SQLite file in the user's data folder."""
        return self.database_url or f"sqlite:///{(self.home / 'workbench.db').as_posix()}"


@lru_cache(maxsize=1)
def settings() -> Settings:
    """Read once per process; tests clear the cache."""
    return Settings()
