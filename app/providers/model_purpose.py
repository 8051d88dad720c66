"""Purpose of a model, as far as its name tells: a server of one's own lists chat models and others alike."""

import re
from collections.abc import Sequence

# Embeddings and rerankers, speech, pictures, and models that only sort out what is unsafe.
_NO_CHAT = re.compile(
    r"embed|rerank|whisper|transcri|moderation|guard|shieldgemma|stable-diffusion|dall-e"
    r"|(^|[-_/:.])(bge|e5|gte|minilm|colbert|tts|stt|asr|sdxl|flux)([-_/:.\d]|$)",
    re.IGNORECASE,
)
_LISTENS = re.compile(r"whisper|transcri|(^|[-_/:.])(stt|asr)([-_/:.\d]|$)", re.IGNORECASE)


def chats(name: str) -> bool:
    """With or without its provider. Whether it can be asked questions. In doubt it can: the first answer shows it."""
    return not _NO_CHAT.search(name)


def listens(name: str) -> bool:
    """Whether it turns speech into text."""
    return bool(_LISTENS.search(name))


def preferred(names: Sequence[str]) -> str:
    """The chat model that is suggested where a server has several; "" where it has none.

    One called llama, as the method's paper asked one; of these one that was trained to follow instructions; otherwise
    the first, which servers put there because it is the main or the newest one.
    """
    chat = [name for name in names if chats(name)]
    return min(chat, key=lambda name: ("llama" not in _own(name), "instruct" not in _own(name)), default="")


def _own(name: str) -> str:
    """Without llama: as the provider."""
    return name.lower().removeprefix("llama:")
