"""MoverScore: the least cost of moving the text's words onto the reference's (Zhao et al. 2019, section 3).

Score = 1 / (1 + earth mover's distance) between unigrams, as in the authors' second version: Euclidean distance of
vectors of length 1 from the last layer, equal weights (no idf), without punctuation, word pieces after the first, and
begin and end tokens. The mean over several references.
"""

import asyncio
import string
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from app.domain.checklist_score import Evaluation
from app.domain.project import Text
from app.errors import UnsupportedError
from app.evaluators.method import EvaluatorContext
from app.evaluators.neural.local_model import DEVICE, MODEL, neural_method
from app.neural.encoder import Embedded, Encoder
from app.neural.loading import load


@dataclass(frozen=True, slots=True)
class MoverScoreOptions:
    model: str = field(default="distilbert-base-uncased", metadata=MODEL)
    device: Literal["auto", "cpu", "gpu"] = field(default="auto", metadata=DEVICE)


class MoverScore:
    def __init__(self, setting: EvaluatorContext) -> None:
        options: MoverScoreOptions = setting.options
        self._encoder = Encoder(load(options.model, "encoder", options.device))

    async def score(self, text: Text) -> Evaluation:
        if not text.references:
            raise UnsupportedError("This text has no reference to compare it with.", "Import it with its references.")
        found, *references = await asyncio.gather(*map(self._encoder.get, (text.text, *text.references)))
        values = await asyncio.to_thread(lambda: [mover_score(found, reference) for reference in references])
        cut = found.cut or any(reference.cut for reference in references)
        return Evaluation(fmean(values), details={"cut": True} if cut else {})


def mover_score(text: Embedded, reference: Embedded) -> float:
    """Return the score, 0 to 1. Raises UnsupportedError if one side has no word."""
    ours, theirs = _words(text), _words(reference)
    if not (len(ours) and len(theirs)):
        raise UnsupportedError("The text or its reference has no word.", "Leave empty texts out.")
    # Of vectors of length 1: |a - b|² = 2 - 2 a·b, below 0 by rounding at times.
    distances = np.sqrt(np.maximum(2 - 2 * ours.astype(np.float64) @ theirs.T.astype(np.float64), 0))
    return 1 / (1 + earth_movers_distance(distances))


def earth_movers_distance(distances: NDArray[np.float64]) -> float:
    """Return the least mean distance from rows to columns; all rows have equal weights, and all columns. distances: (m,
    n)."""
    from scipy.optimize import linear_sum_assignment, linprog  # noqa: PLC0415 - half a second of every start
    from scipy.sparse import csr_array  # noqa: PLC0415

    m, n = distances.shape
    if m == n:  # then each row goes to a column of its own
        return float(distances[linear_sum_assignment(distances)].mean())
    cells = np.arange(m * n)
    places = np.concatenate([cells // n, m + cells % n]), np.tile(cells, 2)
    given: Any = csr_array((np.ones(2 * m * n), places))
    weights = np.concatenate([np.full(m, 1 / m), np.full(n, 1 / n)])
    # The last equation follows from the others; with it, rounding could make them contradict each other.
    cost: Any = linprog(distances.ravel(), A_eq=given[:-1], b_eq=weights[:-1], method="highs").fun
    return float(cost)


def _words(embedded: Embedded) -> NDArray[np.float32]:
    kept = [
        not special and "##" not in token and token.strip("Ġ▁") not in {"", *string.punctuation}
        for token, special in zip(embedded.tokens, embedded.special, strict=True)
    ]
    return embedded.vectors[np.array(kept, dtype=np.bool_)]


METHOD = neural_method(
    "moverscore",
    "MoverScore: effort of turning the words of the text into a reference's",
    MoverScore,
    MoverScoreOptions,
    lambda _: "layer:last|unigrams|idf:no|1/(1+distance)|refs:mean",
    of_dimension=False,
    references=lambda _: True,
)
