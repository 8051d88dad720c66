"""The embedding with which attributes are compared: which there are, and which one is used."""

from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from app.attribute_analysis.embedding import Embedder, LsaEmbedder
from app.errors import NotFoundError
from app.providers.credentials import Credentials, credentials_problem, endpoint
from app.providers.embeddings.local import MINILM_INSTALL, LocalEmbedder, find_minilm, has_library
from app.providers.model_name import ModelName
from app.providers.registry import imported
from app.providers.specs import KNOWN_PROVIDERS, ProviderSpec
from app.settings import settings

__all__ = ["MINILM_INSTALL"]

LSA_NAME, LOCAL_NAME = "lsa", "local"
SAME_THEME = {LSA_NAME: 0.1, LOCAL_NAME: 0.4}
"""Embedding -> mean cosine within a theme, fitted to themes made by hand from the demo's attributes."""
NEAR = {LSA_NAME: 0.2, LOCAL_NAME: 0.55}
"""Embedding -> cosine from which on two attributes count as similar."""


@dataclass(frozen=True, slots=True)
class Embedding:
    """An embedding to use. Embeddings with equal names give equal vectors, so results are cached by name."""

    name: str
    embedder: Embedder = field(compare=False, repr=False)


class CachedEmbedder:
    """An embedder that asks another once per process for each text, because its vectors cost money or seconds.

    Right only for embedders that treat each text alone, as models do; LSA learns from all texts together.
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
    """An embedding that can be chosen. `sent_to`: the provider that reads the attributes, "" if they stay on this
    machine. `obstacle`: why it can't be used now, "" if it can."""

    name: str
    sent_to: str = ""
    obstacle: str = ""


def embedding_choices(credentials: Credentials) -> list[EmbeddingChoice]:
    """Return all embeddings with their obstacles; the first (LSA) always works."""
    found = [EmbeddingChoice(LSA_NAME)]
    for spec in _embedding_providers():
        obstacle = credentials_problem(spec.prefix, credentials)
        found += [EmbeddingChoice(f"{spec.prefix}:{model}", spec.title, obstacle) for model in spec.embeddings]
    missing = "" if has_sentence_model() else _no_sentence_model().in_full
    return [*found, EmbeddingChoice(LOCAL_NAME, obstacle=missing)]


def has_sentence_model() -> bool:
    """Return whether a sentence-transformers model can be used here: the library, and a folder or MiniLM's package."""
    return has_library() and bool(settings().embedding_model or find_minilm())


def usual_embedding() -> str:
    """Return the name of Compare's default embedding: the sentence model on this machine, else LSA."""
    return LOCAL_NAME if has_sentence_model() else LSA_NAME


def open_embedding(name: str, credentials: Credentials) -> Embedding:
    """Return the embedding called lsa, local, or provider:MODEL. An SDK is imported when it is needed.

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
    if folder := settings().embedding_model:
        return _local_at(folder, minilm=False)
    if packaged := find_minilm():
        return _local_at(packaged, minilm=True)
    raise _no_sentence_model()


# The model stays in memory: it takes seconds to load.
@lru_cache(maxsize=2)
def _local_at(folder: Path, *, minilm: bool) -> Embedder:
    return LocalEmbedder(folder, minilm=minilm)


def _no_sentence_model() -> NotFoundError:
    return NotFoundError(
        "No sentence model is here.",
        f"Install MiniLM ({'; '.join(MINILM_INSTALL)}), or set INTERACTEVAL_EMBEDDING_MODEL to the folder of another.",
    )
