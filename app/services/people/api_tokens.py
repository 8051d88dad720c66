"""API tokens: programs that judge texts with a project, within a budget."""

import asyncio
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from math import isfinite

from app.domain.people import ApiToken, LinkState
from app.domain.roles_and_rights import Actor, Membership, Right, Role
from app.domain.sign_in import MOST_DAYS, TOKEN_DAYS
from app.domain.storable_text import checked_name, quoted
from app.errors import BudgetError, InputError, NotAllowedError, NotFoundError
from app.services.people.sign_ins import SEEN, new_token, token_hash
from app.services.runtime.workbench import Workbench, use_case
from db.unit_of_work import Database

PREFIX = "iev_"
"""The prefix of every token, by which secret scanners recognise it."""
TOKEN_USD, MOST_USD = 5.0, 10_000.0
_ASK_THEM = "Ask a facilitator of the project for a new one."
_TOKEN_REFUSALS = {LinkState.EXPIRED: "This token is too old.", LinkState.REVOKED: "This token was revoked."}


@dataclass(frozen=True, slots=True)
class NewApiToken:
    """A new token. `secret` is stored nowhere, so that a lost one has to be replaced."""

    token: ApiToken
    secret: str


@use_case(Right.FACILITATE, act="made an API token", about="name")
def make_api_token(
    workbench: Workbench, project_id: int, name: str, budget_usd: float = TOKEN_USD, days: int = TOKEN_DAYS
) -> NewApiToken:
    """Make a token for programs that use this project. budget_usd: the limit of all judging with it.

    Raises InputError for no name, a name that a token has or had, and an invalid number of days or dollars.
    """
    called = checked_name(name, "token", "Say what it is for.")
    if not 1 <= days <= MOST_DAYS:
        raise InputError(f"A token can't last {days} days.", f"Give 1 to {MOST_DAYS}.")
    if not (isfinite(budget_usd) and 0 <= budget_usd <= MOST_USD):
        raise InputError("The budget is no such amount.", f"Give US dollars from 0 to {MOST_USD:,.0f}.")
    secret = PREFIX + new_token()
    with workbench.database.write() as work:
        work.projects.by_id(project_id)
        if any(token.name == called for token in work.api_tokens.of_project(project_id)):
            raise InputError(f"There is a token {quoted(called)} already.", "Choose another name.")
        ends = datetime.now(UTC) + timedelta(days=days)
        made = work.api_tokens.add(project_id, workbench.spender, called, token_hash(secret), ends, budget_usd)
    return NewApiToken(made, secret)


@use_case(Right.FACILITATE)
def api_tokens_of(workbench: Workbench, project_id: int) -> list[ApiToken]:
    """Return the project's tokens, newest first, with revoked and expired ones."""
    with workbench.database.read() as work:
        return work.api_tokens.of_project(project_id)


@use_case(Right.FACILITATE, act="revoked an API token", about="name")
def revoke_api_token(workbench: Workbench, project_id: int, name: str) -> None:
    """Revoke a token from its next request on. Raises NotFoundError."""
    with workbench.database.write() as work:
        found = next((token for token in work.api_tokens.of_project(project_id) if token.name == name.strip()), None)
        if found is None:
            raise NotFoundError(f"The project has no token {quoted(name)}.")
        work.api_tokens.revoke(found.id)


@dataclass(frozen=True, slots=True)
class ApiCaller:
    """A program with a valid token. `workbench` can read only the token's project."""

    workbench: Workbench
    token: ApiToken


@use_case(Right.ARRIVE)
def api_caller(workbench: Workbench, secret: str) -> ApiCaller | None:
    """Return the program with this token; None for a token that this server didn't make.

    Raises NotAllowedError for a revoked or expired token, and if its maker is no facilitator of the project any more.
    """
    with workbench.database.read() as work:
        token = work.api_tokens.find(token_hash(secret)) if secret else None
        maker = work.people.find_actor(token.person) if token and token.person is not None else None
    if token is None:
        return None
    now = datetime.now(UTC)
    if (state := token.state(now)) is not LinkState.OPEN:
        raise NotAllowedError(_TOKEN_REFUSALS[state], _ASK_THEM)
    if token.person is not None and not (maker and maker.has(Right.FACILITATE, token.project)):
        raise NotAllowedError("The person who made this token is no longer a facilitator of the project.", _ASK_THEM)
    if token.used_at is None or now - token.used_at > SEEN:
        with workbench.database.write() as work:
            work.api_tokens.note_used(token.id)
    reader = Actor(name=token.name, memberships={token.project: Membership(Role.READER, token.name)})
    return ApiCaller(replace(workbench, actor=reader, payer=token.person), token)


class StoredTokenBudget:
    """The budget of a token, kept in the database so that each process sees the reservations of others.

    A reservation of a process that died counts as spent, since nobody knows what was paid.
    """

    def __init__(self, database: Database, token: int) -> None:
        self._database = database
        self._token = token

    def left(self) -> float:
        """Return the US dollars that are left."""
        with self._database.read() as work:
            return work.api_tokens.get(self._token).left_usd

    async def reserve(self, usd: float) -> None:
        """Reserve US dollars. Raises BudgetError if less is left."""
        if not await asyncio.to_thread(self._reserve, usd):
            raise self.used_up()

    async def settle(self, reserved: float, cost: float) -> None:
        await asyncio.to_thread(self._settle, reserved, cost)

    def used_up(self) -> BudgetError:
        return BudgetError(
            f"The token's budget is reached: ${self.left():.4f} of it is left, without what is set aside for requests "
            "under way.",
            "Ask a facilitator of the project for a token with a new budget.",
        )

    def _reserve(self, usd: float) -> bool:
        with self._database.write() as work:
            return work.api_tokens.set_aside(self._token, usd)

    def _settle(self, reserved: float, cost: float) -> None:
        with self._database.write() as work:
            work.api_tokens.settle(self._token, reserved, cost)
