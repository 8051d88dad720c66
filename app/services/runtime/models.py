"""Opening models for use cases: with retries, limits, budget and, for LLMs, the ledger."""

import asyncio
import threading
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Hashable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from secrets import token_hex
from typing import TypeVar
from urllib.parse import urlsplit

from pydantic import SecretStr

from app.domain.checklist import Question
from app.domain.model_call import CallIntent, RecordedCall
from app.domain.project import Dimension, Task, Text
from app.domain.roles_and_rights import Right
from app.errors import InputError, ModelTimeoutError, ProviderError, UnsupportedError, WrongKeyError
from app.evaluators.checklist import judge
from app.limits import CONCURRENCY
from app.providers import rate_limit
from app.providers.adapters.calling import DEFAULT_TIMEOUT
from app.providers.adapters.replay import ReplayModel
from app.providers.base import ChatReply, ChatRequest
from app.providers.batches.batch import BatchedModel
from app.providers.budget import RUN_S, Budget, SharedBudget, TokenBudget
from app.providers.credentials import TYPED, Access, Credentials, credentials_problem, key_place
from app.providers.model_name import folder_recordings, parse_model_name
from app.providers.model_options import ModelOptions, TieredModel, options_for
from app.providers.rate_limit import AdaptiveLimit, GatedModel, MayAsk, Share, limit_of
from app.providers.recorded import RecordedModel
from app.providers.registry import import_sdk, offered_models, open_batches, sold_names
from app.providers.retry import LONGEST, ConnectionPause, RetryingModel, RetryPolicy
from app.providers.specs import KNOWN_PROVIDERS, OWN, ProviderSpec, network_providers, spec_of
from app.scoring.engine import GroupCommit
from app.services.runtime.endpoint_models import endpoint_models
from app.services.runtime.prompts import failed, own_wordings
from app.services.runtime.spending import allowance_left
from app.services.runtime.workbench import Workbench, use_case
from app.settings import settings
from db.unit_of_work import Database

Found = TypeVar("Found")

SECONDS = 20.0
_lock = threading.Lock()
# By vendor, address and key, in the memory of this process only.
_listed: dict[tuple[str, Access], tuple[str, ...]] = {}


@use_case(Right.SET_UP)
def ask_vendor_models(workbench: Workbench, prefix: str) -> Sequence[str]:
    """Ask the vendor for its models and return them as provider:name, newest first; choices then offer these. Raises a
    ProviderError with the reason; earlier answers stay."""
    names = tuple(sold_names(prefix, workbench.credentials, SECONDS))
    with _lock:
        _listed[prefix, workbench.credentials.of(prefix)] = names
    return names


def vendor_models(credentials: Credentials, prefix: str) -> Sequence[str]:
    """Return the vendor's last answer for this key; () if it wasn't asked."""
    return _listed.get((prefix, credentials.of(prefix)), ())


TEST_SECONDS = 30.0
LONGEST_MINUTES = 10_080  # a week
PATIENCE = RetryPolicy()


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """A model to choose. `obstacle`: why it can't be used and what to do; "" for nothing. `lacks_key`: the obstacle is
    a missing key, which can also be typed for one browser session.

    `suggested`: the default of its provider; `own`: of the user's own endpoint or a recording.
    """

    name: str
    provider: str
    obstacle: str = ""
    suggested: bool = False
    lacks_key: bool = False
    own: bool = False

    @property
    def usable(self) -> bool:
        return not self.obstacle


@use_case(Right.ENTER)
def available_models(workbench: Workbench) -> list[ModelChoice]:
    """Return the built-in rules, then each vendor's models (those its key may use, if asked, else all with a known
    price, newest first), then those of the user's own endpoint and the recordings in the workbench's folder. Others can
    be typed as provider:name."""
    found = [ModelChoice("rules", KNOWN_PROVIDERS["rules"].title)]
    known = offered_models()
    for provider in network_providers():
        names = [n for n in known if n.startswith(f"{provider.prefix}:") and n != provider.listed_as]
        found += _choices(workbench, provider, vendor_models(workbench.credentials, provider.prefix) or names)
    endpoint, title = endpoint_models(workbench), KNOWN_PROVIDERS[OWN].title
    first = endpoint.suggested
    found += [ModelChoice(name, title, suggested=name == first, own=True) for name in endpoint.chat]
    return found + [ModelChoice(name, KNOWN_PROVIDERS["replay"].title, own=True) for name in folder_recordings()]


def _choices(workbench: Workbench, provider: ProviderSpec, names: Sequence[str]) -> list[ModelChoice]:
    obstacle = credentials_problem(provider.prefix, workbench.credentials)
    lacks_key = provider.needs_key and workbench.credentials.of(provider.prefix).key is None
    first = provider.example if provider.example in names else next(iter(names), "")
    return [ModelChoice(name, provider.title, obstacle, name == first, lacks_key) for name in names]


@use_case(Right.ENTER)
def missing_settings(workbench: Workbench) -> dict[str, str]:
    """Return provider -> what to set before its models can be used, for providers that lack something."""
    found = {p.title: credentials_problem(p.prefix, workbench.credentials) for p in network_providers()}
    return {title: problem for title, problem in found.items() if problem}


@use_case(Right.ENTER)
def preload_providers(workbench: Workbench) -> None:
    """Import the SDKs of configured providers in the background, so that the first answer comes sooner."""
    usable = (p.prefix for p in network_providers() if not credentials_problem(p.prefix, workbench.credentials))
    _import_sdks(tuple(usable))


@cache
def _import_sdks(prefixes: tuple[str, ...]) -> None:
    """Import SDKs in the background, once in a process."""

    def work() -> None:
        for prefix in prefixes:
            import_sdk(prefix)

    threading.Thread(target=work, name="import of SDKs", daemon=True).start()


@dataclass(frozen=True, slots=True)
class _Entry:
    """An entry written together with others: a finished call, an intent, or the key of an intent sent `again` after an
    earlier session or `ended`."""

    call: RecordedCall | None = None
    intent: CallIntent | None = None
    again: str = ""
    ended: str = ""


class DatabaseLedger:
    """A model's calls in the database; calls that begin or end at about the same time are written together.

    The digests with a reply are read once, so that new requests cost no query. only_run, only_project: reuse only
    replies of these; None for all. run: the run that asks, if any.
    """

    def __init__(
        self,
        database: Database,
        model: str,
        only_run: int | None = None,
        only_project: int | None = None,
        run: int | None = None,
    ) -> None:
        self._database = database
        self._model = model
        self._only = only_run, only_project
        self._entries = GroupCommit[_Entry](self._save)
        self._answered = self._look()
        with database.read() as work:
            self._left = work.calls.intents_left(run) if run is not None else {}

    async def find(self, digest: str, usable: bool = False) -> RecordedCall | None:
        return await asyncio.to_thread(self._find, digest, usable) if digest in self._answered else None

    async def discard(self, digests: Sequence[str]) -> None:
        await asyncio.to_thread(self._discard, digests)

    async def note_use(self, digest: str, project: int) -> None:
        await asyncio.to_thread(self._note_use, digest, project)

    async def intend(self, digest: str, run: int) -> str:
        if key := self._left.pop(digest, ""):
            await self._entries.put(_Entry(again=key))
            return key
        intent = CallIntent(token_hex(16), digest, run)
        await self._entries.put(_Entry(intent=intent))
        return intent.key

    async def withdraw(self, key: str) -> None:
        await self._entries.put(_Entry(ended=key))

    async def add(self, call: RecordedCall, key: str = "") -> None:
        await self._entries.put(_Entry(call, ended=key))
        if not call.error_kind:
            self._answered.add(call.digest)

    async def look_again(self) -> None:
        self._answered |= await asyncio.to_thread(self._look)

    async def close(self) -> None:
        await self._entries.close()

    def _look(self) -> set[str]:
        with self._database.read() as work:
            return work.calls.answered(self._model, *self._only)

    def _find(self, digest: str, usable: bool) -> RecordedCall | None:
        with self._database.read() as work:
            return work.calls.find(digest, usable, *self._only)

    def _discard(self, digests: Sequence[str]) -> None:
        with self._database.write() as work:
            work.calls.discard(digests)

    def _note_use(self, digest: str, project: int) -> None:
        with self._database.write() as work:
            work.calls.note_use(digest, project)

    def _save(self, entries: Sequence[_Entry]) -> None:
        with self._database.write() as work:
            work.calls.add([each.call for each in entries if each.call])
            again = [each.again for each in entries if each.again]
            work.calls.intend([each.intent for each in entries if each.intent], again)
            work.calls.end_intents([each.ended for each in entries if each.ended])


@asynccontextmanager
async def model_session(
    workbench: Workbench,
    name: str,
    run: int | None = None,
    use_cache: bool = True,
    concurrency: int = CONCURRENCY,
    budget: float | None = None,
    project: int | None = None,
    may_ask: MayAsk | None = None,
    options: ModelOptions | None = None,
    *,
    in_batches: bool = False,
    budget_share: float | None = None,
    token_budget: TokenBudget | None = None,
) -> AsyncIterator[RecordedModel]:
    """Open a model for the length of a block, with retries, limits, budget and the ledger.

    project: pays for its calls, with the actor; run: the scoring run, if any. concurrency: requests in flight; fewer
    while its provider signals a rate limit to any model of this process. budget: US dollars that it may spend, together
    with earlier costs of the run (BudgetError). may_ask: awaited before each request; raises to prevent it. options:
    time limit, tokens of an answer, and reasoning effort; by default the workbench's. in_batches: return a
    BatchedModel, if its provider sells batches. budget_share: US dollars of the budget that this process may spend, if
    several work on the run. token_budget: the budget of a token, reserved before each request.

    Models that aren't LLMs are neither retried nor recorded, since they cost nothing and always answer the same. Raises
    UnknownModelError or MissingKeyError.
    """
    options = options_for(name, workbench.asking if options is None else options)
    # In a thread, so that a model whose SDK is still being imported keeps no other from being asked.
    model = await asyncio.to_thread(workbench.model, name, options)
    try:
        # Recorded answers cost nothing and stand in their own file, which may be recorded anew.
        if not model.is_llm or isinstance(model, ReplayModel):
            yield RecordedModel(model, None, effort=options.effort)
            return
        only_run, only_project = None if use_cache else run, workbench.replies_of(project)
        ledger = DatabaseLedger(workbench.database, model.name, only_run, only_project, run)
        stopped = asyncio.Event()
        try:
            limiter = Share(account_limit(workbench, model.name), concurrency)
            tiered = TieredModel(model, options.tier) if options.tier else model
            gated = GatedModel(tiered, stopped, may_ask)
            pause = ConnectionPause(model.name, longest_pause()) if run is not None else None
            patient = RetryingModel(gated, PATIENCE, limiter, stopped=stopped, pause=pause)
            spending = workbench, model.name, run, budget, project, options, budget_share, token_budget
            left = await asyncio.to_thread(_budget, *spending)
            asker = workbench.spender
            asked = patient, ledger, run, use_cache, left, project, stopped, options.effort, asker, options.tier
            yield BatchedModel(*asked, batches=open_batches(model)) if in_batches else RecordedModel(*asked)
        finally:
            await ledger.close()
    finally:
        await model.aclose()


def longest_pause() -> float:
    """Return how many seconds a run waits for an unreachable server. Raises InputError for an invalid setting."""
    written = settings().longest_pause.strip()
    try:
        minutes = float(written) if written else LONGEST / 60
    except ValueError:
        minutes = -1.0
    if 0 <= minutes <= LONGEST_MINUTES:
        return minutes * 60
    raise InputError(
        f"INTERACTEVAL_LONGEST_PAUSE is “{written[:60]}”, which is no such time.",
        f"Give minutes from 0 to {LONGEST_MINUTES:,}, such as 15.",
    )


def account_limit(workbench: Workbench, model: str) -> AdaptiveLimit:
    """Return the adaptive limit shared by all requests of this process to the model's account."""
    return limit_of(_account(workbench, model), 1)


def _account(workbench: Workbench, model: str) -> Hashable:
    """Return the account whose rate limit applies: provider, address and key."""
    prefix = parse_model_name(model).provider
    access = workbench.credentials.of(prefix)
    return prefix, access.base_url, access.key


@asynccontextmanager
async def unjudged() -> AsyncIterator[RecordedModel]:
    """Yield a placeholder for the judge, for methods without one."""
    yield RecordedModel(_NoModel(), None)


class _NoModel:
    name = "none"
    is_llm = False

    async def complete(self, request: ChatRequest) -> ChatReply:
        raise UnsupportedError("This method has no judge to ask.")

    async def aclose(self) -> None:
        """Do nothing: there is no connection."""


def _budget(
    workbench: Workbench,
    model: str,
    run: int | None,
    limit: float | None,
    project: int | None,
    options: ModelOptions,
    share: float | None = None,
    token_budget: TokenBudget | None = None,
) -> Budget | None:
    """Return the budget with what is left of `limit`; the server's monthly limits are checked while it is spent.

    share: what this process may spend of it; what other processes leave is then checked too. None without any limit.
    """
    tier = options.tier
    if limit is None and token_budget is None and allowance_left(workbench, model, project, tier) is None:
        return None
    longest = 0
    if run is not None:
        with workbench.database.read() as work:
            longest = work.calls.longest_reply(run)
    spent, answered, known = _spent(workbench, run)

    def left() -> SharedBudget | None:
        allowed = allowance_left(workbench, model, project, tier)
        if limit is None or share is None:
            return allowed
        rest = limit - _spent(workbench, run)[0]
        return allowed if allowed is not None and allowed.left < rest else SharedBudget(rest, RUN_S, "")

    async def look() -> SharedBudget | None:
        return await asyncio.to_thread(left)

    if limit is None:
        return Budget(
            None, model, answered, longest, look=look, token_budget=token_budget, most=options.max_output_tokens
        )
    return Budget(limit - spent if share is None else share, model, answered, longest, known, look)


def budget_left(workbench: Workbench, run: int, limit: float | None) -> float | None:
    """Return the US dollars left of a run's limit, by the ledger; None without a limit."""
    return None if limit is None else max(limit - _spent(workbench, run)[0], 0.0)


def _spent(workbench: Workbench, run: int | None) -> tuple[float, int, bool]:
    """Return the US dollars a run cost, the number of its replies, and whether all costs are known."""
    if run is None:
        return 0.0, 0, True
    with workbench.database.read() as work:
        made = work.calls.totals([run]).get(run)
    return (made.cost_usd, made.answered, not made.unpriced) if made else (0.0, 0, True)


def ask_model(
    workbench: Workbench,
    project_id: int,
    name: str,
    ask: Callable[[RecordedModel], Awaitable[Found]],
    *,
    on_record: tuple[int, str] | None = None,
) -> tuple[Found, str]:
    """Ask a model with the project's wordings. Return the answer of `ask`, and the model's full name.

    on_record: the dimension and the stage under which a failure is kept before it is raised.
    """

    async def asked() -> tuple[Found, str]:
        async with model_session(workbench, name, project=project_id) as model:
            return await ask(model), model.name

    try:
        with own_wordings(workbench, project_id):
            return asyncio.run(asked())
    except ProviderError as error:
        if on_record is not None:
            dimension_id, stage = on_record
            with workbench.database.write() as work:
                work.stages.add(dimension_id, failed(stage, name, error))
        raise


@use_case(Right.SET_UP)
async def test_model(workbench: Workbench, name: str) -> float:
    """Ask the model one tiny question; returns the seconds until its answer. Raises the ProviderError with the
    cause."""
    item = Text("test", "The cat slept on the mat. It was warm there.", source="A cat slept on a warm mat.")
    question = Question("Is the text written in whole sentences?", "form", id=1)
    async with model_session(workbench, name, use_cache=False) as model:
        started = time.monotonic()
        try:
            async with asyncio.timeout(TEST_SECONDS):
                await judge(model, Task(), Dimension("fluency", "How well the text reads."), [question], item)
        except WrongKeyError as error:
            provider = spec_of(parse_model_name(name).provider)
            if workbench.credentials.of(provider.prefix).typed:
                error.hint = f"Check {key_place(provider, typed=True)}."
            raise
        except TimeoutError:
            # The person waits in front of the screen: a test is less patient than a run.
            raise ModelTimeoutError(
                f"{model.name} gave no answer within {TEST_SECONDS:g} seconds.", "Try again, or check its address."
            ) from None
        return time.monotonic() - started


@dataclass(frozen=True, slots=True)
class ProviderAccess:
    """The access to one provider, without any part of its key.

    lists_models: its models are asked for, as with a user's own server. key_source: where the key comes from, in words;
    "" without one. address: without user name, password and query; "" if unknown, and a configured one only for the
    server's owner. obstacle: what to set before its models can be used; "" for nothing. sells_models: a vendor that
    lists on demand which models a key may use. chosen: its address is a local model server that the owner chose.
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
    chosen: bool = False


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of every model: requests at a time, and when a request, a text or a run is given up."""

    at_a_time: int
    request_seconds: float
    attempts: int
    timeouts: int
    total_seconds: float
    patience_seconds: float


@dataclass(frozen=True, slots=True)
class DataPlace:
    """The place of the data: a file, or a server without its password. `size` is in bytes, None for a server."""

    kind: str
    place: str
    size: int | None


@use_case(Right.SET_UP)
def provider_access(workbench: Workbench) -> list[ProviderAccess]:
    """Return every provider that is reached over a network."""
    return [_access(p, workbench.credentials, workbench.actor.owner) for p in network_providers()]


@use_case(Right.ENTER)
def key_problem(workbench: Workbench, prefix: str, key: str) -> str:
    """Return why the typed text can't be a key, in one line that doesn't repeat it; "" if it can."""
    if not key.strip():
        return "Nothing was typed. Paste the key into the field."
    # Only the key is looked at: a missing address is said where the provider is listed.
    address = workbench.credentials.of(prefix).base_url or "http://localhost/v1"
    typed = Credentials({prefix: Access(SecretStr(key), address, TYPED)})
    return credentials_problem(prefix, typed)


def limits() -> Limits:
    attempts, timeouts, total = PATIENCE.attempts, PATIENCE.timeouts, PATIENCE.total
    return Limits(CONCURRENCY, DEFAULT_TIMEOUT, attempts, timeouts, total, rate_limit.PATIENCE)


@use_case(Right.SERVE)
def data_place(workbench: Workbench) -> DataPlace:
    """Return where the data are."""
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
        chosen=access.chosen,
    )


def _without_secrets(url: str) -> str:
    """Return scheme, host, port and path of an address, without parts that may hold a password. "" for an invalid
    one."""
    try:
        parts = urlsplit(url)
        known = bool(parts.hostname) and parts.port != 0  # asking for the port raises where it is none
    except ValueError:
        return ""
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}" if known else ""
