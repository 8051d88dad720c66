"""Embeddings of a sentence-transformers model from a folder on this machine; nothing leaves it."""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.errors import NotFoundError, UnsupportedError


class LocalEmbedder:
    """The library is large and optional: it is imported, and the model loaded, when texts are first embedded."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._model: Any = None

    @property
    def name(self) -> str:
        """The folder's own name: its path may say where the person's files lie."""
        return f"sentence-transformers, {self._folder.name}"

    def embed(self, texts: list[str]) -> NDArray[np.float64]:
        """(texts, width). Raises UnsupportedError without the library or for what is no model of it, NotFoundError."""
        if self._model is None:
            self._model = self._loaded()
        vectors = self._model.encode(texts, convert_to_numpy=True, show_progress_bar=False)
        return np.asarray(vectors, dtype=np.float64)

    def _loaded(self) -> Any:
        if not self._folder.is_dir():
            raise NotFoundError(
                "The folder with the sentence-transformers model isn't there.", "Check INTERACTEVAL_EMBEDDING_MODEL."
            )
        try:
            from sentence_transformers import SentenceTransformer  # noqa: PLC0415
        except ImportError:
            raise UnsupportedError(
                "sentence-transformers isn't installed.",
                "Install it with `pip install 'interacteval-workbench[local]'`, or choose another embedding.",
            ) from None
        try:
            return SentenceTransformer(str(self._folder), local_files_only=True, trust_remote_code=False)
        except (OSError, ValueError, KeyError) as error:
            raise UnsupportedError(
                f"“{self._folder.name}” holds no sentence-transformers model ({type(error).__name__}).",
                "Give a folder in which such a model was saved.",
            ) from None
