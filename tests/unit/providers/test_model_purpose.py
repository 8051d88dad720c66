import pytest

from app.providers.model_purpose import chats, listens, preferred

CHAT = [
    "llama3.1:8b",
    "meta-llama/Llama-3.1-8B-Instruct",
    "/models/mistral-7b.gguf",
    "qwen3:8b",
    "gpt-oss:20b",
    "deepseek-r1:14b",
    "gemma3:4b",
    "base",
]
EMBEDDINGS = [
    "nomic-embed-text:latest",
    "BAAI/bge-m3",
    "intfloat/e5-mistral-7b-instruct",
    "embeddinggemma",
    "all-minilm",
]
OTHERS = ["bge-reranker-v2", "llama-guard3:8b", "whisper-large-v3", "kokoro-tts", "stable-diffusion-xl", "flux.1-dev"]


@pytest.mark.parametrize("name", CHAT)
def test_chat_models(name: str) -> None:
    assert chats(name)
    assert chats(f"llama:{name}")


@pytest.mark.parametrize("name", EMBEDDINGS + OTHERS)
def test_models_for_other_things(name: str) -> None:
    assert not chats(name)
    assert not chats(f"llama:{name}")


def test_models_that_listen() -> None:
    assert [name for name in CHAT + EMBEDDINGS + OTHERS if listens(name)] == ["whisper-large-v3"]


@pytest.mark.parametrize(
    ("names", "found"),
    [
        ([], ""),
        (EMBEDDINGS + OTHERS, ""),
        (["qwen3:8b", "mistral:7b"], "qwen3:8b"),
        (["nomic-embed-text", "qwen3:8b", "llama3.1:8b", "llama3.2:3b"], "llama3.1:8b"),
        (["Llama-3.1-8B", "Qwen2.5-7B-Instruct", "Llama-3.1-8B-Instruct"], "Llama-3.1-8B-Instruct"),
        (["llama-guard3:8b", "mistral:7b"], "mistral:7b"),
        (["llama:qwen3:8b", "llama:llama3.1:8b"], "llama:llama3.1:8b"),
    ],
)
def test_the_one_that_is_suggested(names: list[str], found: str) -> None:
    assert preferred(names) == found
