"""Models as the use cases need them: opened, and LLMs with the ledger behind them."""

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
from app.domain.people import Right
from app.domain.project import Dimension, Task, Text
from app.domain.run import CallIntent, RecordedCall
from app.errors import InputError, ModelTimeoutError, ProviderError, UnsupportedError, WrongKeyError
from app.evaluators.checklist import judge
from app.limits import CONCURRENCY
from app.providers import rate_limit
from app.providers.adapters.calling import DEFAULT_TIMEOUT
from app.providers.adapters.replay import ReplayModel
from app.providers.base import ChatReply, ChatRequest
from app.providers.batches.batch import BatchedModel
from app.providers.budget import RUN_S, Budget, Hold, Purse
from app.providers.credentials import TYPED, Access, Credentials, credentials_problem, key_place
from app.providers.model_name import kept_recordings, parse_model_name
from app.providers.model_options import ModelOptions, TieredModel, options_for
from app.providers.rate_limit import AdaptiveLimit, GatedModel, MayAsk, Share, limit_of
from app.providers.recorded import RecordedModel
from app.providers.registry import describe_models, import_sdk, open_batches, sold_names
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
    """As provider:name, newest first; from now on choices offer these. Raises a ProviderError that says why nobody
    knows: what was known stays."""
    names = tuple(sold_names(prefix, workbench.credentials, SECONDS))
    with _lock:
        _listed[prefix, workbench.credentials.of(prefix)] = names
    return names


def vendor_models(credentials: Credentials, prefix: str) -> Sequence[str]:
    """What the vendor said last of this key; nothing where it wasn't asked."""
    return _listed.get((prefix, credentials.of(prefix)), ())


TEST_SECONDS = 30.0
LONGEST_MINUTES = 10_080  # a week
PATIENCE = RetryPolicy()


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """A model to choose from. `obstacle` says what stands in the way of using it and what to do; "" for nothing.
    `lacks_key`: it is a key that is missing, which can also be typed for one browser session.

    `suggested` marks the one of its provider that a choice starts with; `own` those of the person's own endpoint and
    recordings.
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
    """The built-in rules first, then of each vendor what it says that the key may use, where it was asked, else every
    model whose price is known, newest first; last those that the person's own endpoint lists and the
    recordings in the workbench's folder; others can be typed as provider:name."""
    found = [ModelChoice("rules", KNOWN_PROVIDERS["rules"].title)]
    known = [model.name for model in describe_models(workbench.credentials)]
    for provider in network_providers():
        names = [n for n in known if n.startswith(f"{provider.prefix}:") and n != provider.listed_as]
        found += _choices(workbench, provider, vendor_models(workbench.credentials, provider.prefix) or names)
    endpoint, title = endpoint_models(workbench), KNOWN_PROVIDERS[OWN].title
    first = endpoint.suggested
    found += [ModelChoice(name, title, suggested=name == first, own=True) for name in endpoint.chat]
    return found + [ModelChoice(name, KNOWN_PROVIDERS["replay"].title, own=True) for name in kept_recordings()]


def _choices(workbench: Workbench, provider: ProviderSpec, names: Sequence[str]) -> list[ModelChoice]:
    obstacle = credentials_problem(provider.prefix, workbench.credentials)
    lacks_key = provider.needs_key and workbench.credentials.of(provider.prefix).key is None
    first = provider.example if provider.example in names else next(iter(names), "")
    return [ModelChoice(name, provider.title, obstacle, name == first, lacks_key) for name in names]


@use_case(Right.ENTER)
def missing_settings(workbench: Workbench) -> dict[str, str]:
    """Provider -> what to set before its models can be used; only providers that lack something."""
    found = {p.title: credentials_problem(p.prefix, workbench.credentials) for p in network_providers()}
    return {title: problem for title, problem in found.items() if problem}


@use_case(Right.ENTER)
def preload_providers(workbench: Workbench) -> None:
    """Import what the providers that are set up need, in the background: the first answer needn't wait for it then."""
    usable = (p.prefix for p in network_providers() if not credentials_problem(p.prefix, workbench.credentials))
    _import_sdks(tuple(usable))


@cache
def _import_sdks(prefixes: tuple[str, ...]) -> None:
    """Import SDKs, once a process for the same ones."""

    def work() -> None:
        for prefix in prefixes:
            import_sdk(prefix)

    threading.Thread(target=work, name="import of SDKs", daemon=True).start()


@dataclass(frozen=True, slots=True)
class _Entry:
    """What is written down together with others: a call that ended, a request that is about to be sent, or one that is
    sent `again` after an earlier session. `ended`: the key of an intent that is over."""

    call: RecordedCall | None = None
    intent: CallIntent | None = None
    again: str = ""
    ended: str = ""


class DatabaseLedger:
    """A model's calls in the database; those that begin or end together are written together.

    The digests that have a reply are read once, so that a request nobody asked before costs no query.
    only_run, only_project: whose calls alone are found; None for everybody's. run: the one that asks, if any.
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
    hold: Hold | None = None,
) -> AsyncIterator[RecordedModel]:
    """A model for the length of a block: patient with its provider, its calls counted and in the ledger.

    project: to whose cost its calls count, beside the actor's; run: the scoring run where it is one.
    concurrency: how many requests it gets at once; fewer while its provider says that it is too much, to whatever model
        of this process.
    budget: US dollars that it may spend, together with what the run cost before (BudgetError).
    may_ask: awaited before each request is sent; raises where it must not be.
    options: how long a request may take, how many tokens an answer, and the reasoning effort; the workbench's without.
    in_batches: a BatchedModel, whose provider sells them.
    budget_share: how many of these dollars this process may spend, where several work on the run.
    hold: the money of a token, set aside before each request.

    Models that are no LLM cost nothing and answer the same at once, so they are neither retried nor recorded.
    Raises UnknownModelError or MissingKeyError.
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
            spending = workbench, model.name, run, budget, project, options, budget_share, hold
            left = await asyncio.to_thread(_budget, *spending)
            asker = workbench.spender
            asked = patient, ledger, run, use_cache, left, project, stopped, options.effort, asker, options.tier
            yield BatchedModel(*asked, batches=open_batches(model)) if in_batches else RecordedModel(*asked)
        finally:
            await ledger.close()
    finally:
        await model.aclose()


def longest_pause() -> float:
    """Seconds that a run waits for a server that can't be reached. Raises InputError for what is no time."""
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
    """Return the limit that all requests of this process to the model's account share."""
    return limit_of(_account(workbench, model), 1)


def _account(workbench: Workbench, model: str) -> Hashable:
    """Return the account whose rate limit counts the requests: provider, address and key."""
    prefix = parse_model_name(model).provider
    access = workbench.credentials.of(prefix)
    return prefix, access.base_url, access.key


@asynccontextmanager
async def unjudged() -> AsyncIterator[RecordedModel]:
    """What stands in the judge's place for methods that ask none."""
    yield RecordedModel(_Nobody(), None)


class _Nobody:
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
    hold: Hold | None = None,
) -> Budget | None:
    """Return the budget with what is left of `limit`. What the server allows is looked up while it is spent.

    share: what this process may spend of it; what the others leave of the limit is then looked up on the way too.
    """
    tier = options.tier
    if limit is None and hold is None and allowance_left(workbench, model, project, tier) is None:
        return None
    longest = 0
    if run is not None:
        with workbench.database.read() as work:
            longest = work.calls.longest_reply(run)
    spent, answered, known = _spent(workbench, run)

    def left() -> Purse | None:
        allowed = allowance_left(workbench, model, project, tier)
        if limit is None or share is None:
            return allowed
        rest = limit - _spent(workbench, run)[0]
        return allowed if allowed is not None and allowed.left < rest else Purse(rest, RUN_S, "")

    async def look() -> Purse | None:
        return await asyncio.to_thread(left)

    if limit is None:
        return Budget(None, model, answered, longest, look=look, hold=hold, most=options.max_output_tokens)
    return Budget(limit - spent if share is None else share, model, answered, longest, known, look)


def budget_left(workbench: Workbench, run: int, limit: float | None) -> float | None:
    """US dollars that are left of what a run may cost, by the ledger; None without a limit."""
    return None if limit is None else max(limit - _spent(workbench, run)[0], 0.0)


def _spent(workbench: Workbench, run: int | None) -> tuple[float, int, bool]:
    """US dollars that a run cost, how many replies it has, and whether the cost of all of them is known."""
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
    use_cache: bool = True,
    on_record: tuple[int, str] | None = None,
) -> tuple[Found, str]:
    """Ask a model with the project's wordings. Return the answer of `ask`, and the model's full name.

    on_record: the dimension and the stage under which a failure is kept before it is raised.
    """

    async def asked() -> tuple[Found, str]:
        async with model_session(workbench, name, use_cache=use_cache, project=project_id) as model:
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
    """Ask the model one tiny question; seconds until its answer. Raises the ProviderError that tells what is wrong."""
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
    """How one provider can be reached. The key itself is not here, nor any part of it.

    lists_models: whether it is asked which models it has, as a server of the person's own.
    key_source: where the key comes from, in words; "" without one.
    address: without user name, password and query; "" where none is known, and for people who don't run the server one
    that it was set to.
    obstacle: what to set before its models can be used; "" for nothing.
    sells_models: whether it is a vendor that says on demand which models a key may use.
    chosen: its address is of a model server on this computer that the owner chose.
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
    """What one layer sees to for every model: requests at a time, and when a request, a text or a run is given up."""

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
    attempts, timeouts, total = PATIENCE.attempts, PATIENCE.timeouts, PATIENCE.total
    return Limits(CONCURRENCY, DEFAULT_TIMEOUT, attempts, timeouts, total, rate_limit.PATIENCE)


@use_case(Right.SERVE)
def data_place(workbench: Workbench) -> DataPlace:
    """Return the place of the data."""
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
    """Scheme, host, port and path of an address: the rest may hold a password. "" for what is no address."""
    try:
        parts = urlsplit(url)
        known = bool(parts.hostname) and parts.port != 0  # asking for the port raises where it is none
    except ValueError:
        return ""
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}" if known else ""


AUDIO_FORMATS = ("wav", "mp3", "m4a", "mp4", "mpga", "mpeg", "ogg", "oga", "flac", "webm")


def voice_recording_path(name: str) -> Path:
    return settings().home / "recordings" / name
