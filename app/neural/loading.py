"""Models of the transformers library, from a folder or the local cache. Nothing is downloaded here: models are large,
and people should know what a command fetches."""

import importlib.util
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

from app.errors import NotReadyError
from app.input_file import open_file
from app.settings import settings

Kind = Literal["encoder", "causal", "encoder-decoder"]
Device = Literal["auto", "cpu", "gpu"]
_CLASSES: dict[Kind, str] = {
    "encoder": "AutoModel",
    "causal": "AutoModelForCausalLM",
    "encoder-decoder": "AutoModelForSeq2SeqLM",
}
_NO_LIMIT = 1_000_000  # tokenizers without a limit name some enormous number
_SIZES = {
    "roberta-large": "1.4 GB",
    "distilbert-base-uncased": "270 MB",
    "facebook/bart-large-cnn": "1.6 GB",
    "MingZhong/unieval-sum": "3.1 GB",
    "MingZhong/unieval-dialog": "3.1 GB",
    "MingZhong/unieval-fact": "3.1 GB",
}


@dataclass(frozen=True, slots=True)
class LoadedModel:
    """A model in evaluation mode with its tokenizer. `limit`: the most tokens it takes, None for no limit."""

    name: str
    kind: Kind
    tokenizer: Any
    model: Any
    device: str
    limit: int | None


def check_installed(needed_by: str, extra: str) -> None:
    """Raise NotReadyError if torch and transformers, which are optional, aren't installed."""
    if not all(importlib.util.find_spec(package) for package in ("torch", "transformers")):
        raise NotReadyError(
            f"{needed_by} computes with a neural network on this computer, for which torch and transformers are "
            f"missing (extra “{extra}”).",
            f"Install them with: pip install 'interacteval-workbench[{extra}]'",
        )


def check_there(name: str) -> None:
    """Raise NotReadyError, with how to get the model and how large it is, if it isn't on this computer."""
    _config(_folder(name), name)


def load_language_model(name: str, device: Device = "auto") -> LoadedModel:
    """Load a model that gives texts a probability: causal (GPT-2, Llama) or encoder-decoder (BART, T5)."""
    writes_after_reading = _config(_folder(name), name).is_encoder_decoder
    return load(name, "encoder-decoder" if writes_after_reading else "causal", device)


@lru_cache(maxsize=2)  # two runs after another use the same one; three large models would fill the memory
def load(name: str, kind: Kind, device: Device = "auto") -> LoadedModel:
    """Load the model `name`, a folder or a downloaded model. Raises NotReadyError if it isn't there or isn't of this
    kind."""
    import torch  # noqa: PLC0415
    import transformers  # noqa: PLC0415

    folder = _folder(name)
    config = _config(folder, name)
    transformers.utils.logging.disable_progress_bar()
    there = bool(torch.cuda.is_available())
    if device == "gpu" and not there:
        raise NotReadyError("There is no GPU that torch can use.", "Choose device=auto or device=cpu.")
    where = "cuda" if there and device != "cpu" else "cpu"
    try:
        tokenizer = transformers.AutoTokenizer.from_pretrained(folder, trust_remote_code=False)
        model = getattr(transformers, _CLASSES[kind]).from_pretrained(folder, trust_remote_code=False)
    except (OSError, ValueError, KeyError, ImportError) as error:
        raise NotReadyError(
            f"“{name}” can't be loaded as {_article(kind)} model ({type(error).__name__}).",
            "Download it again, or name another model.",
        ) from None
    return LoadedModel(name, kind, tokenizer, model.to(where).eval(), where, _limit(tokenizer, config))


def _article(kind: Kind) -> str:
    return f"an {kind}" if kind.startswith("e") else f"a {kind}"


def _folder(name: str) -> Path:
    """Return the folder of the model's files. Even told to stay offline, transformers asks the hub about models it
    doesn't find, so it is only given folders."""
    from huggingface_hub import snapshot_download  # noqa: PLC0415

    for folder in (settings().models / name, Path(name)):
        if folder.is_dir():
            _check_files(folder)
            return folder
    try:
        return Path(snapshot_download(name, local_files_only=True))
    except (OSError, ValueError):
        raise _missing(name) from None


def _check_files(folder: Path) -> None:
    """Raise FileFormatError if something in the folder is a device or a pipe, at which a reader would wait for ever."""
    for path in folder.iterdir():
        if not path.is_dir():
            open_file(path, largest=2**62).close()


def _config(folder: Path, name: str) -> Any:
    from transformers import AutoConfig  # noqa: PLC0415

    try:
        return AutoConfig.from_pretrained(folder, trust_remote_code=False)
    except (OSError, ValueError, KeyError):
        raise _missing(name) from None


def _missing(name: str) -> NotReadyError:
    size = f" ({_SIZES[name]})" if name in _SIZES else ""
    return NotReadyError(
        f"The model “{name}” is not on this computer.",
        f"Get it with: hf download {name}{size} — or name a folder that holds a model.",
    )


def _limit(tokenizer: Any, config: Any) -> int | None:
    positions = getattr(config, "max_position_embeddings", None)
    if positions and "roberta" in config.model_type:
        positions -= config.pad_token_id + 1  # RoBERTa counts positions from behind its padding
    known = [limit for limit in (positions, tokenizer.model_max_length) if limit and limit < _NO_LIMIT]
    return min(known) if known else None
