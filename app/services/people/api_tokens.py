"""API tokens: with each a program asks one project over HTTP, for so many US dollars."""

import asyncio
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from math import isfinite

from app.domain.people import Actor, ApiToken, LinkState, Membership, Right, Role
from app.domain.storable_text import checked_name, quoted
from app.errors import BudgetError, InputError, NotAllowedError, NotFoundError
from app.services.people.invitations import MOST_DAYS
from app.services.people.sign_ins import SEEN, new_token, token_hash
from app.services.runtime.use_case import use_case
from app.services.runtime.workbench import Workbench
from db.unit_of_work import Database

PREFIX = "iev_"
"""Begins each token, so that programs that look for secrets in code find it."""
TOKEN_DAYS = 90
TOKEN_USD, MOST_USD = 5.0, 10_000.0
_ASK = "Ask a facilitator of the project for a new one."
_REFUSALS = {LinkState.EXPIRED: "This token is too old.", LinkState.REVOKED: "This token was revoked."}


@dataclass(frozen=True, slots=True)
class MadeToken:
    """`secret` is nowhere else: who loses it needs a new token."""

    token: ApiToken
    secret: str


@use_case(Right.FACILITATE, act="made an API token", about="name")
def make_api_token(
    workbench: Workbench, project_id: int, name: str, budget_usd: float = TOKEN_USD, days: int = TOKEN_DAYS
) -> MadeToken:
    """A token for programs that ask this project. budget_usd: what judging with it may cost in all.

    Raises InputError for no name, one that another token has or had, and days or dollars that are too few or too many.
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
    return MadeToken(made, secret)


@use_case(Right.FACILITATE)
def api_tokens_of(workbench: Workbench, project_id: int) -> list[ApiToken]:
    """Newest first, revoked and expired ones included."""
    with workbench.database.read() as work:
        return work.api_tokens.of_project(project_id)


@use_case(Right.FACILITATE, act="revoked an API token", about="name")
def revoke_api_token(workbench: Workbench, project_id: int, name: str) -> None:
    """Programs with this token are refused from their next request on. Raises NotFoundError."""
    with workbench.database.write() as work:
        found = next((token for token in work.api_tokens.of_project(project_id) if token.name == name.strip()), None)
        if found is None:
            raise NotFoundError(f"The project has no token {quoted(name)}.")
        work.api_tokens.revoke(found.id)


@dataclass(frozen=True, slots=True)
class ApiCaller:
    """A program that came with a good token. `workbench` reads its one project, and nothing else."""

    workbench: Workbench
    token: ApiToken


@use_case(Right.ARRIVE)
def api_caller(workbench: Workbench, secret: str) -> ApiCaller | None:
    """Who comes with this token; None for one that isn't this server's.

    Raises NotAllowedError for a token that was revoked or is too old, and for one whose maker is no facilitator of the
    project any more.
    """
    with workbench.database.read() as work:
        token = work.api_tokens.find(token_hash(secret)) if secret else None
        maker = work.people.find_actor(token.person) if token and token.person is not None else None
    if token is None:
        return None
    now = datetime.now(UTC)
    if (state := token.state(now)) is not LinkState.OPEN:
        raise NotAllowedError(_REFUSALS[state], _ASK)
    if token.person is not None and not (maker and maker.has(Right.FACILITATE, token.project)):
        raise NotAllowedError("The person who made this token is no longer a facilitator of the project.", _ASK)
    if token.used_at is None or now - token.used_at > SEEN:
        with workbench.database.write() as work:
            work.api_tokens.note_used(token.id)
    reader = Actor(name=token.name, memberships={token.project: Membership(Role.READER, token.name)})
    return ApiCaller(replace(workbench, actor=reader, payer=token.person), token)


class TokenMoney:
    """The money of a token, in the database: of several processes each sees what the others have set aside.

    What a process had set aside when it died counts as spent, for nobody knows what was paid of it.
    """

    def __init__(self, database: Database, token: int) -> None:
        self._database = database
        self._token = token

    def left(self) -> float:
        """US dollars."""
        with self._database.read() as work:
            return work.api_tokens.get(self._token).left_usd

    async def take(self, usd: float) -> None:
        """Raises BudgetError."""
        if not await asyncio.to_thread(self._set_aside, usd):
            raise self.used_up()

    async def settle(self, taken: float, cost: float) -> None:
        await asyncio.to_thread(self._settle, taken, cost)

    def used_up(self) -> BudgetError:
        return BudgetError(
            f"The token's budget is reached: ${self.left():.4f} of it is left, without what is set aside for requests "
            "under way.",
            "Ask a facilitator of the project for a token with a new budget.",
        )

    def _set_aside(self, usd: float) -> bool:
        with self._database.write() as work:
            return work.api_tokens.set_aside(self._token, usd)

    def _settle(self, taken: float, cost: float) -> None:
        with self._database.write() as work:
            work.api_tokens.settle(self._token, taken, cost)
