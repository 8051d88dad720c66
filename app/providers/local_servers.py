"""Model servers on this computer: where they usually listen, what one of them says of itself, and the one chosen."""

import re
from dataclasses import dataclass
from pathlib import Path

from app.errors import InputError

NOWHERE = "none"
_CHOSEN = re.compile(r"http://127\.0\.0\.1:(\d{1,5})/v1")
MOST_PORTS = 20


@dataclass(frozen=True, slots=True)
class LocalServer:
    """A server that lists its models. kind: Ollama, LM Studio, llama.cpp, vLLM, or OTHER, told from its replies.

    address: as the adapter takes it. models: as the server calls them, embeddings among them.
    """

    kind: str
    address: str
    models: tuple[str, ...]


OTHER = "A model server"
HOW_TO_GET_ONE = (
    "Ollama (ollama.com): install it, then type “ollama pull llama3.1” in a terminal.",
    "LM Studio (lmstudio.ai): download a model in it, and start its server under “Developer”.",
    "llama.cpp: “llama-server -m FILE.gguf” serves a model’s file; vLLM: “vllm serve NAME” on a graphics card.",
)


@dataclass(frozen=True, slots=True)
class ContextWindow:
    """Tokens that a model takes in one request, with its answer. kind: the server's, as in LocalServer."""

    tokens: int
    kind: str

    def shortfall(self, tokens: int) -> str:
        """Return what happens to a request of so many tokens and what to do about it; "" where it fits."""
        if tokens <= self.tokens:
            return ""
        cut = "Ollama cuts what doesn't fit, without a word" if self.kind == "Ollama" else "longer requests fail"
        room = 1 << (tokens - 1).bit_length()
        remedy = {
            "Ollama": f"Start Ollama with OLLAMA_CONTEXT_LENGTH={room}.",
            "LM Studio": f"Load the model in LM Studio with a context length of {room:,}.",
            "llama.cpp": f"Start llama-server with -c {room}, times its number of slots.",
            "vLLM": f"Start vLLM with --max-model-len {room}.",
        }.get(self.kind, "Load it with a larger context window.")
        return (
            f"The longest request takes about {tokens:,} tokens with its answer, and the model's context window has "
            f"{self.tokens:,}: {cut}. {remedy}"
        )


def ports_in(written: str) -> tuple[int, ...]:
    """Return the ports of INTERACTEVAL_LOCAL_PORTS; none for “none”. Raises InputError for what is no port."""
    if written.strip().lower() == NOWHERE:
        return ()
    parts = [part.strip() for part in written.split(",")]
    if len(parts) > MOST_PORTS or not all(re.fullmatch(r"\d{1,5}", part) and 0 < int(part) < 2**16 for part in parts):
        raise InputError(
            f"INTERACTEVAL_LOCAL_PORTS is “{written[:60]}”, which are no ports.",
            f"Give up to {MOST_PORTS} numbers with commas between, such as 11434,1234, or none.",
        )
    return tuple(dict.fromkeys(map(int, parts)))


def address_at(port: int) -> str:
    return f"http://127.0.0.1:{port}/v1"


def read_chosen(file: Path) -> str | None:
    """Return the address that the owner chose; None without one. Anything but a port of this computer is ignored."""
    try:
        written = file.read_text(encoding="utf-8")[:100].strip()
    except (OSError, UnicodeDecodeError):
        return None
    return written if _CHOSEN.fullmatch(written) else None
