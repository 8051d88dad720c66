"""The models of the person's own Llama endpoint. It is asked in the background; its answer is kept for some minutes."""

import asyncio
import sys
import threading
import traceback
from concurrent.futures import Future
from dataclasses import dataclass
from time import monotonic

from app.domain.people import Right
from app.errors import WorkbenchError
from app.providers.credentials import Access, Credentials, credentials_problem
from app.providers.model_name import chats, listens, preferred
from app.providers.registry import served_names
from app.providers.specs import OWN
from app.services.runtime.use_case import use_case
from app.services.runtime.workbench import Workbench


def fault_report(error: BaseException) -> str:
    """Like a traceback, cause first, but without the messages: those of libraries quote keys, prompts and texts."""
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
NO_CHAT = "None of the models it lists is one that answers questions, going by their names."
NO_MODEL = "The Llama endpoint lists no model. Load one there first, for example with ollama pull."


@dataclass(frozen=True, slots=True)
class EndpointModels:
    """All empty where no endpoint is set up.

    names: every model it lists, each written llama:NAME. problem: why none can be chosen, and what to do.
    asking: the answer is still awaited.
    """

    names: tuple[str, ...] = ()
    problem: str = ""
    asking: bool = False

    @property
    def chat(self) -> list[str]:
        """Those that can be asked questions."""
        return [name for name in self.names if chats(name)]

    @property
    def listening(self) -> list[str]:
        """Those that turn speech into text."""
        return [name for name in self.names if listens(name)]

    @property
    def suggested(self) -> str:
        """The chat model that a choice starts with; "" without one."""
        return preferred(self.names)


@dataclass(frozen=True, slots=True)
class _Question:
    """One time an endpoint was asked. `before`: what it had answered until then."""

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
    """What is known. The first look asks and waits for so many seconds; later ones renew in the background."""
    credentials = workbench.credentials
    if credentials_problem(OWN, credentials):
        return EndpointModels()
    with _lock:
        question = _questions.get(credentials.of(OWN))
        if question is None or question.is_old():
            before = question.answer.result() if question else None
            question = _questions[credentials.of(OWN)] = _Question(monotonic(), _asked(credentials), before)
    if question.before is not None and not question.answer.done():
        return question.before
    try:
        return question.answer.result(patience)
    except TimeoutError:
        return EndpointModels(asking=True)


@use_case(Right.SET_UP)
def ask_endpoint_again(workbench: Workbench) -> None:
    """The next look asks, unless the endpoint is being asked already."""
    with _lock:
        question = _questions.get(workbench.credentials.of(OWN))
        if question is not None and question.answer.done():
            del _questions[workbench.credentials.of(OWN)]


def _asked(credentials: Credentials) -> Future[EndpointModels]:
    answer: Future[EndpointModels] = Future()

    def ask() -> None:
        answer.set_result(_ask(credentials))

    threading.Thread(target=ask, name="models of the endpoint", daemon=True).start()
    return answer


def _ask(credentials: Credentials) -> EndpointModels:
    """Never raises: a screen waits for it."""
    try:
        names = asyncio.run(served_names(credentials))
    except WorkbenchError as error:
        return EndpointModels(problem=str(error))
    except Exception as error:
        print(fault_report(error), file=sys.stderr)  # noqa: T201 - to the server's log: the person can't act on it
        return EndpointModels(problem="Something went wrong that should not have. See the log.")
    found = tuple(f"{OWN}:{name}" for name in names)
    return EndpointModels(found, "" if any(map(chats, found)) else NO_CHAT if found else NO_MODEL)
