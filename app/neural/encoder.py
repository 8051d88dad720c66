"""Contextual vectors of tokens from an encoder such as BERT."""

import asyncio
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from app.errors import NotReadyError
from app.neural.batching import BatchedCalls, in_batches, padded, shortened
from app.neural.loading import LoadedModel

KEPT = 256  # some 100 MB with the largest usual encoder


@dataclass(frozen=True, slots=True)
class Embedded:
    """An embedded text. vectors: (tokens, width), each of length 1. tokens: as the tokenizer spells them. special:
    which tokens are begin and end tokens and belong to no word. cut: whether the end of the text was cut off."""

    tokens: tuple[str, ...]
    vectors: NDArray[np.float32]
    special: NDArray[np.bool_]
    cut: bool


def embed(loaded: LoadedModel, texts: Sequence[str], layer: int | None = None) -> list[Embedded]:
    """Return the vectors of each text. layer: from 0, the embeddings before the first layer; None for the last.

    Raises NotReadyError if the model has no such layer.
    """
    layers = int(loaded.model.config.num_hidden_layers)
    if layer is not None and layer > layers:
        raise NotReadyError(
            f"“{loaded.name}” has {layers} layers, so there is no layer {layer}.", "Choose a lower one."
        )
    whole = [list(loaded.tokenizer(text, verbose=False).input_ids) for text in texts]
    rows = [shortened(row, loaded.limit) for row in whole]
    vectors = _vectors(loaded, rows, layers if layer is None else layer)
    special = set(loaded.tokenizer.all_special_ids)
    return [
        Embedded(
            tuple(loaded.tokenizer.convert_ids_to_tokens(row)),
            vectors[place],
            np.array([token in special for token in row], dtype=np.bool_),
            len(row) < len(whole[place]),
        )
        for place, row in enumerate(rows)
    ]


def _vectors(loaded: LoadedModel, rows: Sequence[list[int]], layer: int) -> dict[int, NDArray[np.float32]]:
    import torch  # noqa: PLC0415

    found: dict[int, NDArray[np.float32]] = {}
    for places in in_batches([len(row) for row in rows]):
        with torch.inference_mode():
            states = loaded.model(**padded(loaded, [rows[place] for place in places]), output_hidden_states=True)
            normed = torch.nn.functional.normalize(states.hidden_states[layer].float(), dim=-1).cpu().numpy()
        found |= {place: normed[at, : len(rows[place])] for at, place in enumerate(places)}
    return found


class Encoder:
    """One layer of a model, for texts that come one at a time: texts that wait are computed together, and the newest
    are cached, because the texts of one source share its references."""

    def __init__(self, loaded: LoadedModel, layer: int | None = None) -> None:
        self._together = BatchedCalls[str, Embedded](lambda texts: embed(loaded, texts, layer))
        self._kept: OrderedDict[str, asyncio.Future[Embedded]] = OrderedDict()

    async def get(self, text: str) -> Embedded:
        if text not in self._kept:
            self._kept[text] = asyncio.ensure_future(self._together.get(text))
            if len(self._kept) > KEPT:
                self._kept.popitem(last=False)
        return await asyncio.shield(self._kept[text])
