"""Embedding that tells how close in meaning two attributes are: here, at a provider, or from a folder."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from app.attribute_analysis.embedding import Embedder, LsaEmbedder
from app.errors import NotFoundError
from app.providers.credentials import Credentials, credentials_problem, endpoint
from app.providers.model_name import KNOWN_PROVIDERS, ModelName
from app.settings import settings

LSA_NAME, LOCAL_NAME = "lsa", "local"
# What each provider offers for texts at the time of writing; another of its models can be named as well.
PROVIDERS = {"openai": ("text-embedding-3-small", "text-embedding-3-large"), "google": ("gemini-embedding-001",)}


@dataclass(frozen=True, slots=True)
class Embedding:
    """An embedding to use. Two of the same name give the same vectors, so answers are kept by name."""

    name: str
    embedder: Embedder = field(compare=False, repr=False)


class Remembering:
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
    for prefix, models in PROVIDERS.items():
        obstacle = credentials_problem(prefix, credentials)
        found += [EmbeddingChoice(f"{prefix}:{model}", KNOWN_PROVIDERS[prefix].title, obstacle) for model in models]
    missing = "" if settings().embedding_model else _no_folder().message
    return [*found, EmbeddingChoice(LOCAL_NAME, obstacle=missing)]


def open_embedding(name: str, credentials: Credentials) -> Embedding:
    """lsa, local, openai:MODEL or google:MODEL. An SDK is imported when it is needed.

    Raises NotFoundError for another name or a missing folder, MissingKeyError, WrongKeyError or InputError for the
    provider's key and address.
    """
    prefix, _, model = name.partition(":")
    if name == LSA_NAME:
        return LSA
    if name == LOCAL_NAME:
        return Embedding(name, Remembering(_local()))
    if prefix not in PROVIDERS or not model:
        known = ", ".join([LSA_NAME, LOCAL_NAME, *(f"{p}:{models[0]}" for p, models in PROVIDERS.items())])
        raise NotFoundError("There is no such embedding.", f"Choose one of {known}.")
    reached = endpoint(KNOWN_PROVIDERS[prefix], credentials.of(prefix))
    if prefix == "openai":
        from app.providers.embeddings.openai import OpenAIEmbedder  # noqa: PLC0415

        return Embedding(name, Remembering(OpenAIEmbedder(ModelName(prefix, model), reached)))
    from app.providers.embeddings.google import GoogleEmbedder  # noqa: PLC0415

    return Embedding(name, Remembering(GoogleEmbedder(ModelName(prefix, model), reached)))


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
