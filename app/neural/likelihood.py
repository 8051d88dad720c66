"""Likelihood of given texts under a language model: the log-probability of each of their tokens."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from app.errors import UnsupportedError
from app.neural.batching import in_batches, padded, shortened
from app.neural.loading import LoadedModel

_IGNORED = -100  # what torch's cross entropy leaves out


@dataclass(frozen=True, slots=True)
class TokenProbability:
    """A token of the given text, as the tokenizer spells it, with its natural log-probability."""

    token: str
    logprob: float


@dataclass(frozen=True, slots=True)
class Pair:
    """A context (`before`), and the text after it whose probability is computed (`given`)."""

    before: str
    given: str


def token_logprobs(
    loaded: LoadedModel, pairs: Sequence[Pair], special: bool = False, cut: bool = False
) -> list[list[TokenProbability]]:
    """Return one list of tokens, with their log-probabilities, for each pair.

    A causal model reads the context and then the given text, tokenized separately; an encoder-decoder reads the context
    and writes the text.

    special: an encoder-decoder's begin and end tokens count as tokens of the text.
    cut: cut both sides to the model's limit (encoder-decoders only). Without it a pair that is too long raises
    UnsupportedError: a part of a text has another probability than the whole.
    """
    if loaded.kind == "causal":
        split = [_causal_ids(loaded, pair) for pair in pairs]
        compute = _causal
    else:
        split = [_encoder_decoder_ids(loaded, pair, special, cut) for pair in pairs]
        compute = _encoder_decoder
    if not all(given for _, given in split):
        raise UnsupportedError("The text is empty, so it has no probability.", "Leave empty texts out.")
    found: dict[int, list[float]] = {}
    for places in in_batches([len(before) + len(given) for before, given in split]):
        rows = compute(loaded, [split[place] for place in places])
        found |= dict(zip(places, rows, strict=True))
    return [
        [
            TokenProbability(token, logprob)
            for token, logprob in zip(
                [str(loaded.tokenizer.decode([token])) for token in given], found[place], strict=True
            )
        ]
        for place, (_, given) in enumerate(split)
    ]


def first_token_shares(
    loaded: LoadedModel, befores: Sequence[str], positive: str, negative: str
) -> list[tuple[float, bool]]:
    """Return P(positive) / (P(positive) + P(negative)) for the first token an encoder-decoder would write, and whether
    the context was cut to the model's limit."""
    import torch  # noqa: PLC0415

    words = [loaded.tokenizer(word, add_special_tokens=False).input_ids[0] for word in (positive, negative)]
    rows = [list(loaded.tokenizer(before, verbose=False).input_ids) for before in befores]
    found: dict[int, float] = {}
    for places in in_batches([len(row) for row in rows]):
        encoded = padded(loaded, [shortened(rows[place], loaded.limit) for place in places])
        with torch.inference_mode():
            decoder = torch.full((len(places), 1), loaded.model.config.decoder_start_token_id, device=loaded.device)
            logits = loaded.model(**encoded, decoder_input_ids=decoder).logits[:, 0, words].float()
        found |= dict(zip(places, torch.softmax(logits, dim=-1)[:, 0].tolist(), strict=True))
    return [(found[place], loaded.limit is not None and len(row) > loaded.limit) for place, row in enumerate(rows)]


Ids = tuple[list[int], list[int]]


def _causal_ids(loaded: LoadedModel, pair: Pair) -> Ids:
    tokenizer = loaded.tokenizer
    before = list(tokenizer(pair.before, verbose=False).input_ids)
    if before and before[-1] == tokenizer.eos_token_id:
        before.pop()  # the text goes on
    given = list(tokenizer(pair.given, add_special_tokens=False, verbose=False).input_ids)
    if not before:
        raise UnsupportedError("Nothing stands before the text, so its first word has no probability.")
    _check_length(loaded, len(before) + len(given))
    return before, given


def _encoder_decoder_ids(loaded: LoadedModel, pair: Pair, special: bool, cut: bool) -> Ids:
    before = list(loaded.tokenizer(pair.before, verbose=False).input_ids)
    given = list(loaded.tokenizer(text_target=pair.given, add_special_tokens=special, verbose=False).input_ids)
    if cut:
        return shortened(before, loaded.limit), shortened(given, loaded.limit)
    _check_length(loaded, max(len(before), len(given)))
    return before, given


def _check_length(loaded: LoadedModel, tokens: int) -> None:
    if loaded.limit is not None and tokens > loaded.limit:
        raise UnsupportedError(
            f"The text with what stands before it has {tokens:,} tokens, and {loaded.name} takes {loaded.limit:,}.",
            "Choose a model with a longer context.",
        )


def _causal(loaded: LoadedModel, split: Sequence[Ids]) -> list[list[float]]:
    import torch  # noqa: PLC0415

    encoded = padded(loaded, [before + given for before, given in split])
    with torch.inference_mode():
        logits = loaded.model(**encoded).logits
        # The token at position n is predicted at n - 1.
        return [
            _chosen(row[len(before) - 1 : len(before) - 1 + len(given)], given)
            for row, (before, given) in zip(logits, split, strict=True)
        ]


def _encoder_decoder(loaded: LoadedModel, split: Sequence[Ids]) -> list[list[float]]:
    import torch  # noqa: PLC0415

    encoded = padded(loaded, [before for before, _ in split])
    longest = max(len(given) for _, given in split)
    rows = [given + [_IGNORED] * (longest - len(given)) for _, given in split]
    with torch.inference_mode():
        logits = loaded.model(**encoded, labels=torch.tensor(rows, device=loaded.device)).logits
        return [_chosen(row[: len(given)], given) for row, (_, given) in zip(logits, split, strict=True)]


def _chosen(logits: Any, ids: Sequence[int]) -> list[float]:
    """Return the log-probability of each id in its row of logits; one text at a time, since a vocabulary is large."""
    import torch  # noqa: PLC0415

    targets = torch.tensor(ids, device=logits.device).unsqueeze(-1)
    values: list[float] = torch.log_softmax(logits.float(), dim=-1).gather(-1, targets).squeeze(-1).tolist()
    return values
