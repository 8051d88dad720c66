"""Purpose of a model, as far as its name tells: a server of one's own lists chat models and others alike."""

import re
from collections.abc import Iterable, Sequence

# Embeddings and rerankers, speech, pictures, and models that only sort out what is unsafe.
_NO_CHAT = re.compile(
    r"embed|rerank|whisper|transcri|moderation|guard|shieldgemma|stable-diffusion|dall-e"
    r"|(^|[-_/:.])(bge|e5|gte|minilm|colbert|tts|stt|asr|sdxl|flux)([-_/:.\d]|$)",
    re.IGNORECASE,
)
# What vendors sell beside models that are asked in text and answer in text.
_NO_TEXT = re.compile(
    r"audio|realtime|image|video|search|research|live|robotics|computer-use|codex|instruct|omni|sora|veo|imagen|lyria"
    r"|aqa|banana|cyber|rosalind|translate|(^|-)(davinci|babbage|curie|ada)(-|$)|:|[.]ft-",
    re.IGNORECASE,
)
_DATED = re.compile(r"-(\d{4}-\d{2}-\d{2}|\d{8})$")
_LISTENS = re.compile(r"whisper|transcri|(^|[-_/:.])(stt|asr)([-_/:.\d]|$)", re.IGNORECASE)


def chats(name: str) -> bool:
    """With or without its provider. Whether it can be asked questions. In doubt it can: the first answer shows it."""
    return not _NO_CHAT.search(name)


def answers_in_text(name: str) -> bool:
    """Of a vendor's model, without its provider. Whether it is one for questions, and not one for something else that
    also chats."""
    return chats(name) and not _NO_TEXT.search(name)


def newest_first(names: Iterable[str]) -> list[str]:
    """A vendor's models by the number of their generation, as far as their names tell; else as they came."""
    return sorted(names, key=_generation, reverse=True)


def _generation(name: str) -> tuple[int, ...]:
    """gpt-6.1-sol is (6, 1), claude-opus-5-5 (5, 5); the date of a snapshot and sizes don't count. OpenAI's o3 came
    after gpt-4.1 and before gpt-5."""
    own = _DATED.sub("", name)
    if reasoner := re.match(r"o(\d)", own):
        return (4, 5, int(reasoner.group(1)))
    parts = re.findall(r"(?<![a-z\d.])(\d{1,2})(?:\.(\d{1,2}))?(?![\da-z])", own)
    return tuple(int(part) for pair in parts for part in pair if part)[:2]


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
