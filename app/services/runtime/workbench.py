"""Workbench, which every use case needs: the database, and the keys with which models are opened."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from app.domain.people import LOCAL_OWNER, Actor
from app.providers.base import ChatModel
from app.providers.credentials import Credentials
from app.providers.model_name import check_kept, check_kept_model, parse_model_name
from app.providers.model_options import USUAL, ModelOptions
from app.providers.registry import open_model
from app.settings import settings
from db.unit_of_work import Database


@dataclass(frozen=True, slots=True)
class Workbench:
    """asking: how models are asked where nothing else is chosen, as a run has its own.
    any_path: models that are files may be named by any path, as on the command line; else, and for signed-in
        people, see `model_files`.
    actor: on whose behalf; each use case checks it.
    payer: the person whom calls are put down to where that isn't the actor, as for a token that somebody made."""

    database: Database
    credentials: Credentials = field(repr=False)
    any_path: bool = True
    asking: ModelOptions = USUAL
    actor: Actor = LOCAL_OWNER
    payer: int | None = None

    def model(self, name: str, options: ModelOptions = USUAL) -> ChatModel:
        """Raises UnknownModelError or MissingKeyError. The caller closes the model."""
        if not (self.any_path and self.actor is LOCAL_OWNER):
            check_kept(parse_model_name(name), not self.actor.owner)
        return open_model(name, self.credentials, options.seconds, options.max_output_tokens)

    @property
    def spender(self) -> int | None:
        """The person whom calls are put down to; None for the server's owner."""
        return None if self.actor.owner else self.payer or self.actor.person

    def check_network(self, name: str, usual: str) -> None:
        """A neural network of a method's own, by name; `usual` is the one that the method itself names. Raises
        InputError for what may not be opened."""
        if name != usual and not (self.any_path and self.actor is LOCAL_OWNER):
            check_kept_model(name, not self.actor.owner)

    def replies_of(self, project: int | None) -> int | None:
        """The project whose replies alone are found again; None for everybody's.

        On one's own computer nothing is paid twice. Among several people a reply that comes at once would tell one
        project what another has asked.
        """
        return None if self.actor is LOCAL_OWNER else project

    def check_model(self, name: str) -> tuple[str, bool]:
        """The model's full name, and whether it is an LLM. Raises what opening it raises; nothing stays open."""
        model = self.model(name)
        asyncio.run(model.aclose())
        return model.name, model.is_llm


@lru_cache(maxsize=4)
def _database(address: str) -> Database:
    return Database(address)


def open_workbench(typed: Mapping[str, str] | None = None, any_path: bool = True) -> Workbench:
    """The workbench of this environment; its database is opened and migrated once per process.

    typed: keys by provider that a person gave for this session only; they win over the environment's.
    any_path: as in Workbench.
    """
    current = settings()
    return Workbench(_database(current.url), Credentials.from_settings(current, typed), any_path)
