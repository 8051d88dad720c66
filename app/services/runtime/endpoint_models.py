"""The models of the user's own Llama endpoint, and model servers on this computer that could become it.

They are asked in the background; their answers are cached for some minutes.
"""

import asyncio
import sys
import threading
import traceback
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from time import monotonic
from typing import TypeVar

from app.domain.roles_and_rights import LOCAL_OWNER, Right
from app.errors import InputError, WorkbenchError
from app.providers.credentials import (
    HOW_TO_GET_ONE,
    Access,
    ContextWindow,
    Credentials,
    LocalServer,
    credentials_problem,
    ports_in,
)
from app.providers.model_name import chats, listens, preferred
from app.providers.registry import local_servers_at, served_context, served_names
from app.providers.specs import OWN, spec_of
from app.services.runtime.workbench import Workbench, use_case
from app.settings import settings

__all__ = ["HOW_TO_GET_ONE", "LocalServer"]


T = TypeVar("T")


def fault_report(error: BaseException) -> str:
    """Return a traceback, cause first, without messages, because those of libraries quote keys, prompts and texts."""
    chain: list[BaseException] = []
    current: BaseException | None = error
    while current is not None and current not in chain:
        chain.append(current)
        current = current.__cause__ or (None if current.__suppress_context__ else current.__context__)
    parts = []
    for link in reversed(chain):
        stack = "".join(traceback.format_tb(link.__traceback__))
        parts.append(f"Traceback (most recent call last):\n{stack}{type(link).__module__}.{type(link).__qualname__}\n")
    return "\nwhich led to:\n\n".join(parts)


FRESH_SECONDS = 300.0
# One that gave no list is asked again sooner: it may have been starting.
RETRY_SECONDS = 30.0
# How long a screen waits for the first answer; a server nearby needs less.
GLANCE_SECONDS = 0.3
# How long a command, or a press of a button, waits for the servers of this computer.
ASKED_SECONDS = 5.0
NO_CHAT = "None of the models it lists is one that answers questions, going by their names."
NO_MODEL = "The Llama endpoint lists no model. Load one there first, for example with ollama pull."


@dataclass(frozen=True, slots=True)
class EndpointModels:
    """The models of the endpoint; all fields are empty without one. names: every model it lists, each written
    llama:NAME. problem: why none can be chosen, and what to do. asking: the answer hasn't come yet."""

    names: tuple[str, ...] = ()
    problem: str = ""
    asking: bool = False

    @property
    def chat(self) -> list[str]:
        """Return the models that can chat."""
        return [name for name in self.names if chats(name)]

    @property
    def listening(self) -> list[str]:
        """Return the models that transcribe speech."""
        return [name for name in self.names if listens(name)]

    @property
    def suggested(self) -> str:
        """Return the default chat model; "" without one."""
        return preferred(self.names)


@dataclass(frozen=True, slots=True)
class _Question:
    """One request to an endpoint. `before`: its earlier answer."""

    asked_at: float
    answer: Future[EndpointModels]
    before: EndpointModels | None

    def is_old(self) -> bool:
        if not self.answer.done():
            return False
        lifetime = FRESH_SECONDS if self.answer.result().names else RETRY_SECONDS
        return monotonic() - self.asked_at > lifetime


_lock = threading.Lock()
# By address and key, in the memory of this process only.
_questions: dict[Access, _Question] = {}


@use_case(Right.ENTER)
def endpoint_models(workbench: Workbench, patience: float = GLANCE_SECONDS) -> EndpointModels:
    """Return the known models. The first call waits for `patience` seconds; later ones refresh in the background."""
    credentials = workbench.credentials
    if credentials_problem(OWN, credentials):
        return EndpointModels()
    with _lock:
        question = _questions.get(credentials.of(OWN))
        if question is None or question.is_old():
            before = question.answer.result() if question else None
            question = _questions[credentials.of(OWN)] = _Question(
                monotonic(), _in_background(lambda: _ask(credentials)), before
            )
    if question.before is not None and not question.answer.done():
        return question.before
    try:
        return question.answer.result(patience)
    except TimeoutError:
        return EndpointModels(asking=True)


@use_case(Right.SET_UP)
def ask_endpoint_again(workbench: Workbench) -> None:
    """Make the next `endpoint_models` ask, unless a request is under way."""
    with _lock:
        question = _questions.get(workbench.credentials.of(OWN))
        if question is not None and question.answer.done():
            del _questions[workbench.credentials.of(OWN)]


@dataclass(frozen=True, slots=True)
class LocalServers:
    """Model servers on this computer. looked: whether looking is allowed here. found: the servers, () while `asking`;
    used: the address of the one in use."""

    found: tuple[LocalServer, ...] = ()
    asking: bool = False
    looked: bool = True
    used: str = ""

    @property
    def others(self) -> list[LocalServer]:
        """Return the servers that aren't in use."""
        return [server for server in self.found if server.address != self.used]


@dataclass(frozen=True, slots=True)
class _Look:
    asked_at: float
    answer: Future[tuple[LocalServer, ...]]

    def is_old(self) -> bool:
        if not self.answer.done():
            return False
        return monotonic() - self.asked_at > (FRESH_SECONDS if self.answer.result() else RETRY_SECONDS)


# By the ports, in the memory of this process only.
_looks: dict[tuple[int, ...], _Look] = {}


@use_case(Right.ENTER)
def local_servers(workbench: Workbench, patience: float = GLANCE_SECONDS) -> LocalServers:
    """Return model servers at the usual ports of this computer, for its owner only: not if people sign in, nor if
    LLAMA_BASE_URL names a server. The first call waits for `patience` seconds at most.

    Raises InputError for invalid ports.
    """
    ports = ports_in(settings().local_ports)
    if not _may_look(workbench) or not ports:
        return LocalServers(looked=False)
    with _lock:
        look = _looks.get(ports)
        if look is None or look.is_old():
            look = _looks[ports] = _Look(monotonic(), _in_background(lambda: _found_at(ports)))
    used = workbench.credentials.of(OWN).base_url or ""
    try:
        return LocalServers(look.answer.result(patience), used=used)
    except TimeoutError:
        return LocalServers(asking=True, used=used)


@use_case(Right.SERVE)
def look_again(workbench: Workbench) -> None:
    """Make the next `local_servers` ask."""
    with _lock:
        _looks.clear()


@use_case(Right.SERVE)
def use_local_server(workbench: Workbench, address: str) -> EndpointModels:
    """Make a found server the Llama endpoint, also for the command line; returns its models.

    Raises InputError if none was found at this address.
    """
    found = local_servers(workbench, ASKED_SECONDS).found
    server = next((each for each in found if each.address == address), None)
    if server is None:
        raise InputError("That model server isn't there any more.", "Start it, and look again.")
    file = settings().chosen_server
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"{server.address}\n", encoding="utf-8")
    models = _described(server.models)
    known: Future[EndpointModels] = Future()
    known.set_result(models)
    with _lock:
        _questions[Credentials.from_settings(settings()).of(OWN)] = _Question(monotonic(), known, None)
    return models


@use_case(Right.SERVE)
def forget_local_server(workbench: Workbench) -> None:
    """Stop using a server of this computer."""
    settings().chosen_server.unlink(missing_ok=True)


def _may_look(workbench: Workbench) -> bool:
    """Return whether the caller may look for local servers; on a team's server nobody may."""
    named = settings().provider_variable(spec_of(OWN).url_variable)
    return workbench.actor is LOCAL_OWNER and not settings().shared and named is None


def _found_at(ports: tuple[int, ...]) -> tuple[LocalServer, ...]:
    """Return the servers at these ports. Never raises, because a screen waits for it."""
    try:
        return tuple(asyncio.run(local_servers_at(ports)))
    except Exception as error:
        print(fault_report(error), file=sys.stderr)  # noqa: T201 - to the server's log: the person can't act on it
        return ()


_windows: dict[tuple[Access, str], tuple[float, ContextWindow | None]] = {}


def context_window(workbench: Workbench, model: str) -> ContextWindow | None:
    """Return how many tokens a model of the user's own server reads; None if unknown, and for vendors' models."""
    access = workbench.credentials.of(OWN)
    known = _windows.get((access, model))
    if known is None or monotonic() - known[0] > RETRY_SECONDS:  # another one may have been loaded since
        known = _windows[access, model] = monotonic(), asyncio.run(served_context(model, workbench.credentials))
    return known[1]


def _in_background(ask: Callable[[], T]) -> Future[T]:
    answer: Future[T] = Future()
    threading.Thread(target=lambda: answer.set_result(ask()), name="look at model servers", daemon=True).start()
    return answer


def _ask(credentials: Credentials) -> EndpointModels:
    """Return the endpoint's models. Never raises, because a screen waits for it."""
    try:
        names = asyncio.run(served_names(credentials))
    except WorkbenchError as error:
        return EndpointModels(problem=str(error))
    except Exception as error:
        print(fault_report(error), file=sys.stderr)  # noqa: T201 - to the server's log: the person can't act on it
        return EndpointModels(problem="Something went wrong that should not have. See the log.")
    return _described(names)


def _described(names: Sequence[str]) -> EndpointModels:
    found = tuple(f"{OWN}:{name}" for name in names)
    return EndpointModels(found, "" if any(map(chats, found)) else NO_CHAT if found else NO_MODEL)
