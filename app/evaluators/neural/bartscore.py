"""BARTScore: how likely an encoder-decoder finds the text after its source or a reference (Yuan et al. 2021).

Mean log-probability of the target's tokens, marks of beginning and end included and both sides cut at what the model
takes, as in the published code. The mean over several references.
"""

import asyncio
from dataclasses import dataclass, field
from statistics import fmean
from typing import Literal

from app.domain.checklist_score import Evaluation
from app.domain.project import Text
from app.evaluators.method import EvaluatorContext
from app.evaluators.neural.local_model import DEVICE, MODEL, SHOWN, Direction, needs_references, neural_method, readings
from app.neural.batching import BatchedCalls
from app.neural.likelihood import Pair, TokenProbability, token_logprobs
from app.neural.loading import load


@dataclass(frozen=True, slots=True)
class BartScoreOptions:
    model: str = field(default="facebook/bart-large-cnn", metadata=MODEL)
    direction: Direction = field(default="src-hypo", metadata=SHOWN)
    device: Literal["auto", "cpu", "gpu"] = field(default="auto", metadata=DEVICE)


class BartScore:
    def __init__(self, setting: EvaluatorContext) -> None:
        options: BartScoreOptions = setting.options
        loaded = load(options.model, "encoder-decoder", options.device)
        self._direction = options.direction
        self._rate = BatchedCalls[Pair, list[TokenProbability]](
            lambda pairs: token_logprobs(loaded, pairs, special=True, cut=True)
        )

    async def score(self, text: Text) -> Evaluation:
        rated = readings(self._direction, text)
        found = await asyncio.gather(*(self._rate.get(Pair(reading.before, reading.given)) for reading in rated))
        means = [fmean(token.logprob for token in tokens) for tokens in found]
        parts = [
            {"way": reading.way, "tokens": len(tokens), "logprob": mean}
            for reading, tokens, mean in zip(rated, found, means, strict=True)
        ]
        return Evaluation(fmean(means), details={"rated": parts})


METHOD = neural_method(
    "bartscore",
    "BARTScore: how likely BART finds the text",
    BartScore,
    BartScoreOptions,
    lambda options: f"{options.direction}|refs:mean",
    of_dimension=False,
    references=lambda options: needs_references(options.direction),
)
