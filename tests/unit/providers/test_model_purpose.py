import pytest

from app.providers.model_name import answers_in_text, chats, listens, newest_first, preferred

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


def test_the_newest_generation_comes_first_whatever_its_size() -> None:
    assert newest_first(["gpt-4o", "gpt-4.1", "gpt-6-sol", "o3", "gpt-6.1-sol", "gpt-5-mini-2025-08-07"]) == [
        "gpt-6.1-sol", "gpt-6-sol", "gpt-5-mini-2025-08-07", "o3", "gpt-4.1", "gpt-4o",
    ]  # fmt: skip
    assert newest_first(["claude-haiku-4-5-20251001", "claude-opus-5-5", "claude-fable-5", "claude-sonnet-5-5"]) == [
        "claude-opus-5-5", "claude-sonnet-5-5", "claude-fable-5", "claude-haiku-4-5-20251001",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "name", ["gpt-audio", "gpt-realtime-2", "gpt-image-2", "tts-1", "gemini-3.8-live", "o3-deep-research"]
)
def test_what_vendors_sell_for_something_else_is_not_offered(name: str) -> None:
    assert not answers_in_text(name)
    assert answers_in_text("gpt-6-sol")
