"""Embedding that tells how close in meaning two attributes are: here, at a provider, or from a folder."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from app.attribute_analysis.embedding import Embedder, LsaEmbedder
from app.errors import NotFoundError
from app.providers.credentials import Credentials, credentials_problem, endpoint
from app.providers.model_name import ModelName
from app.providers.provider_spec import ProviderSpec
from app.providers.registry import imported
from app.providers.specs import KNOWN_PROVIDERS
from app.settings import settings

LSA_NAME, LOCAL_NAME = "lsa", "local"


@dataclass(frozen=True, slots=True)
class Embedding:
    """An embedding to use. Two of the same name give the same vectors, so answers are kept by name."""

    name: str
    embedder: Embedder = field(compare=False, repr=False)


class CachedEmbedder:
    """An embedder that asks another for each text once per process: its vectors cost money or seconds.

    Right only for embedders that look at each text by itself, as models do; LSA learns from all texts together.
    """

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

    @property
    def name(self) -> str:
        return self._embedder.name

    def embed(self, texts: list[str]) -> NDArray[np.float64]:
        seen = _SEEN.setdefault(self.name, {})
        new = [text for text in dict.fromkeys(texts) if text not in seen]
        if new:
            if len(seen) > MOST_REMEMBERED:
                seen.clear()
                new = list(dict.fromkeys(texts))
            seen.update(zip(new, self._embedder.embed(new), strict=True))
        return np.stack([seen[text] for text in texts]) if texts else np.zeros((0, 1))


# At most some 100 MB of vectors for each embedding.
MOST_REMEMBERED = 10_000
_SEEN: dict[str, dict[str, NDArray[np.float64]]] = {}

LSA = Embedding(LSA_NAME, LsaEmbedder())


@dataclass(frozen=True, slots=True)
class EmbeddingChoice:
    """`sent_to`: who reads the attributes, "" where they stay on this machine. `obstacle`: what stands in the way."""

    name: str
    sent_to: str = ""
    obstacle: str = ""


def embedding_choices(credentials: Credentials) -> list[EmbeddingChoice]:
    """The one that needs nothing first."""
    found = [EmbeddingChoice(LSA_NAME)]
    for spec in _embedding_providers():
        obstacle = credentials_problem(spec.prefix, credentials)
        found += [EmbeddingChoice(f"{spec.prefix}:{model}", spec.title, obstacle) for model in spec.embeddings]
    missing = "" if settings().embedding_model else _no_folder().message
    return [*found, EmbeddingChoice(LOCAL_NAME, obstacle=missing)]


def open_embedding(name: str, credentials: Credentials) -> Embedding:
    """lsa, local, or provider:MODEL of one that has embeddings. An SDK is imported when it is needed.

    Raises NotFoundError for another name or a missing folder, MissingKeyError, WrongKeyError or InputError for the
    provider's key and address.
    """
    prefix, _, model = name.partition(":")
    if name == LSA_NAME:
        return LSA
    if name == LOCAL_NAME:
        return Embedding(name, CachedEmbedder(_local()))
    spec = next((spec for spec in _embedding_providers() if spec.prefix == prefix), None)
    if spec is None or not model:
        firsts = [f"{spec.prefix}:{spec.embeddings[0]}" for spec in _embedding_providers()]
        known = ", ".join([LSA_NAME, LOCAL_NAME, *firsts])
        raise NotFoundError("There is no such embedding.", f"Choose one of {known}.")
    reached = endpoint(spec, credentials.of(prefix))
    embedder: Embedder = imported(spec.embedder)(ModelName(prefix, model), reached)
    return Embedding(name, CachedEmbedder(embedder))


def _embedding_providers() -> list[ProviderSpec]:
    return [spec for spec in KNOWN_PROVIDERS.values() if spec.embedder]


def _local() -> Embedder:
    from app.providers.embeddings.local import LocalEmbedder  # noqa: PLC0415

    folder = settings().embedding_model
    if folder is None:
        raise _no_folder()
    return LocalEmbedder(folder)


def _no_folder() -> NotFoundError:
    return NotFoundError(
        "No folder with a sentence-transformers model is set.", "Set INTERACTEVAL_EMBEDDING_MODEL to its path."
    )
