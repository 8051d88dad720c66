"""Texts sent to an embedding API in batches, with normalised errors and checked answers."""

import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from app.errors import ProviderError
from app.limits import VECTORS, body_limits
from app.providers.adapters.calling import DEFAULT_TIMEOUT, failure_of
from app.providers.adapters.provider_errors import Rejection, provider_error, unreadable
from app.providers.credentials import Endpoint
from app.providers.model_name import ModelName

Vectors = Sequence[Sequence[float]]


class ApiEmbedder:
    """An embedding API. Each `embed` opens and closes its client. There are no retries: the person at the screen
    decides."""

    def __init__(self, name: ModelName, endpoint: Endpoint, timeout: float = DEFAULT_TIMEOUT) -> None:
        self._name = name
        self._endpoint = endpoint
        self._timeout = timeout

    @property
    def name(self) -> str:
        return str(self._name)


def embed_in_batches(
    name: ModelName,
    texts: Sequence[str],
    size: int,
    send: Callable[[list[str]], Vectors | None],
    read_error: Callable[[Exception], Rejection | ProviderError | None],
) -> NDArray[np.float64]:
    """Return (texts, width); rows of zeros for blank texts, which no provider takes. Equal texts are sent once.

    send: returns the vectors of up to `size` texts in their order, None if the answer has none.
    read_error: returns what an exception of the SDK means; None for other exceptions, which are re-raised.

    Raises a ProviderError. It carries no trace of the SDK's own exception, which holds the request and the key.
    """
    wanted = list(dict.fromkeys(text for text in texts if text.strip()))
    found: dict[str, Sequence[float]] = {}
    for start in range(0, len(wanted), size):
        batch = wanted[start : start + size]
        vectors = _sent(name, batch, send, read_error)
        width = len(next(iter(found.values()), vectors[0]))
        if any(len(vector) != width or not all(map(math.isfinite, vector)) for vector in vectors):
            raise unreadable(name)
        found.update(zip(batch, vectors, strict=True))
    nowhere = [0.0] * (len(next(iter(found.values()))) if found else 1)
    return np.array([found.get(text, nowhere) for text in texts], dtype=np.float64).reshape(len(texts), -1)


def _sent(
    name: ModelName,
    batch: list[str],
    send: Callable[[list[str]], Vectors | None],
    read_error: Callable[[Exception], Rejection | ProviderError | None],
) -> Vectors:
    failure: Rejection | ProviderError | None
    try:
        with body_limits(VECTORS):
            vectors = send(batch)
    except Exception as error:
        failure = failure_of(name, error, read_error)
        if failure is None:
            raise
    else:
        failure = None
        if vectors is not None and len(vectors) == len(batch):
            return vectors
    # Raised out here so that the SDK's exception is not its context.
    if failure is None:
        raise unreadable(name)
    raise failure if isinstance(failure, ProviderError) else provider_error(name, failure)
