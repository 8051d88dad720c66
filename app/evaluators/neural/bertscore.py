"""BERTScore: each word's nearest word on the other side, by their vectors in context (Zhang et al. 2020, section 3).

F1 of precision (over the text's tokens) and recall (over the reference's), without idf weights and without rescaling,
the published code's defaults. As there, the marks of beginning and end can be a nearest token but aren't averaged over,
the layer is the one that agreed best with people for this model, and of several references the best counts.
"""

import asyncio
from dataclasses import dataclass, field
from typing import Literal

from app.domain.checklist_score import Evaluation
from app.domain.project import Text
from app.errors import UnsupportedError
from app.evaluators.method import EvaluatorContext, shown
from app.evaluators.neural.local_model import DEVICE, MODEL, neural_method
from app.neural.encoder import Embedded, Encoder
from app.neural.loading import load

# Published with the method; for other models the last layer.
_BEST_LAYER = {
    "bert-base-uncased": 9,
    "bert-base-multilingual-cased": 9,
    "bert-large-uncased": 18,
    "distilbert-base-uncased": 5,
    "roberta-base": 10,
    "roberta-large": 17,
    "microsoft/deberta-xlarge-mnli": 40,
}


@dataclass(frozen=True, slots=True)
class BertScoreOptions:
    model: str = field(default="roberta-large", metadata=MODEL)
    layer: Literal["recommended", "last"] = field(
        default="recommended",
        metadata=shown(
            "Layer",
            "Which layer of the model the vectors come from.",
            {"recommended": "the published one, else the last", "last": "the last"},
        ),
    )
    device: Literal["auto", "cpu", "gpu"] = field(default="auto", metadata=DEVICE)

    @property
    def number(self) -> int | None:
        """Return the layer, None for the last."""
        return _BEST_LAYER.get(self.model) if self.layer == "recommended" else None


class BertScore:
    def __init__(self, setting: EvaluatorContext) -> None:
        options: BertScoreOptions = setting.options
        self._encoder = Encoder(load(options.model, "encoder", options.device), options.number)

    async def score(self, text: Text) -> Evaluation:
        if not text.references:
            raise UnsupportedError("This text has no reference to compare it with.", "Import it with its references.")
        found, *references = await asyncio.gather(*map(self._encoder.get, (text.text, *text.references)))
        value = max(f1(found, reference) for reference in references)
        cut = found.cut or any(reference.cut for reference in references)
        return Evaluation(value, details={"cut": True} if cut else {})


def f1(text: Embedded, reference: Embedded) -> float:
    """Return F1 of precision and recall. Raises UnsupportedError if one side has no word."""
    similarity = text.vectors @ reference.vectors.T
    of_text, of_reference = similarity.max(axis=1)[~text.special], similarity.max(axis=0)[~reference.special]
    if not (of_text.size and of_reference.size):
        raise UnsupportedError("The text or its reference has no word.", "Leave empty texts out.")
    precision, recall = float(of_text.mean()), float(of_reference.mean())
    return 2 * precision * recall / (precision + recall)


METHOD = neural_method(
    "bertscore",
    "BERTScore: similarity of words in context to a reference",
    BertScore,
    BertScoreOptions,
    lambda options: f"layer:{options.number or 'last'}|F1|idf:no|rescaled:no|refs:max",
    of_dimension=False,
    references=lambda _: True,
)
