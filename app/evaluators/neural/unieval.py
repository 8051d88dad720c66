"""UniEval: a model trained to answer yes/no questions about a text (Zhong et al. 2022, section 3).

Score = P("Yes") / (P("Yes") + P("No")) of the first word it would write, 0 to 1. It was trained on fixed questions
followed by the material, so these are part of the method. For some dimensions each sentence is asked about by itself:
consistency and fluency take the mean over sentences, engagingness the sum. A dimension it wasn't trained on needs a
person's own question, about the whole text.
"""

import asyncio
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from statistics import fmean
from typing import Literal

from app.domain.checklist_score import Evaluation
from app.domain.project import Text, dialogue_history
from app.errors import InputError, UnsupportedError
from app.evaluators.method import EvaluatorContext, shown
from app.evaluators.neural.local_model import DEVICE, MODEL, neural_method
from app.neural.batching import BatchedCalls
from app.neural.likelihood import first_token_shares
from app.neural.loading import load

Material = Literal["source", "history", "reference", "fact"]
_SENTENCE_END = re.compile(r"(?<=[.!?])[\"'”’)]*\s+(?=\S)")


@dataclass(frozen=True, slots=True)
class TrainedQuestion:
    """A question that the model was trained on. `called`: the text's name after the question; `beside`: name -> what
    else is shown; `sentences`: how scores of sentences are combined, "" if the text is asked about as a whole."""

    question: str
    called: str
    beside: Mapping[str, Material] = field(default_factory=dict)
    sentences: Literal["", "mean", "sum"] = ""


_DOCUMENT: Mapping[str, Material] = {"document": "source"}
_HISTORY: Mapping[str, Material] = {"dialogue history": "history"}
_TRAINED: dict[str, dict[str, TrainedQuestion]] = {
    "summary": {
        "coherence": TrainedQuestion("Is this a coherent summary to the document?", "summary", _DOCUMENT),
        "consistency": TrainedQuestion("Is this claim consistent with the document?", "claim", _DOCUMENT, "mean"),
        "fluency": TrainedQuestion("Is this a fluent paragraph?", "paragraph", {}, "mean"),
        "relevance": TrainedQuestion(
            "Is this summary relevant to the reference?", "summary", {"reference": "reference"}
        ),
    },
    "dialogue": {
        "naturalness": TrainedQuestion("Is this a natural response in the dialogue?", "response"),
        "coherence": TrainedQuestion("Is this a coherent response given the dialogue history?", "response", _HISTORY),
        "engagingness": TrainedQuestion(
            "Is this an engaging and informative response according to the dialogue history and fact?",
            "response",
            {**_HISTORY, "fact": "fact"},
            "sum",
        ),
        "groundedness": TrainedQuestion(
            "Is this response consistent with knowledge in the fact?", "response", {"fact": "fact"}
        ),
        "understandability": TrainedQuestion("Is this an understandable response in the dialogue?", "response"),
    },
    "data": {
        "naturalness": TrainedQuestion("Is this a fluent utterance?", "utterance"),
        "informativeness": TrainedQuestion(
            "Is this sentence informative according to the reference?", "sentence", {"reference": "reference"}
        ),
    },
}


@dataclass(frozen=True, slots=True)
class UniEvalOptions:
    model: str = field(default="MingZhong/unieval-sum", metadata=MODEL)
    task: Literal["summary", "dialogue", "data"] = field(
        default="summary",
        metadata=shown(
            "Texts are",
            "Which of its training questions are asked. Dialogue has a model of its own: MingZhong/unieval-dialog.",
            {"summary": "summaries", "dialogue": "replies in a dialogue", "data": "descriptions of data"},
        ),
    )
    question: str = field(
        default="",
        metadata=shown(
            "Your own question", "With yes = good; for a dimension the model has no question of its own for."
        ),
    )
    device: Literal["auto", "cpu", "gpu"] = field(default="auto", metadata=DEVICE)


class UniEval:
    """Scores by UniEval. Raises InputError for a dimension without a question."""

    def __init__(self, setting: EvaluatorContext) -> None:
        options: UniEvalOptions = setting.options
        self._asked = question_for(setting.dimension.name, options)
        loaded = load(options.model, "encoder-decoder", options.device)
        self._ask = BatchedCalls[str, tuple[float, bool]](
            lambda inputs: first_token_shares(loaded, inputs, "Yes", "No")
        )

    async def score(self, text: Text) -> Evaluation:
        asked = self._asked
        parts = [text.text]
        if asked.sentences:
            parts = [part for part in _SENTENCE_END.split(text.text.strip()) if part]
        answers = await asyncio.gather(*(self._ask.get(model_input(asked, part, text)) for part in parts))
        shares = [share for share, _ in answers]
        if not shares:
            raise UnsupportedError("The text is empty.", "Leave empty texts out.")
        details = {"yes": shares} | ({"cut": True} if any(cut for _, cut in answers) else {})
        return Evaluation(sum(shares) if asked.sentences == "sum" else fmean(shares), details=details)


def question_for(dimension: str, options: UniEvalOptions) -> TrainedQuestion:
    if options.question:
        return TrainedQuestion(options.question, "text", _DOCUMENT)
    known = _TRAINED[options.task]
    if dimension.strip().casefold() not in known:
        raise InputError(
            f"unieval was not trained on “{dimension}”; for {options.task} it knows {', '.join(known)}.",
            "Give it a yes/no question with --set question=…",
        )
    return known[dimension.strip().casefold()]


def model_input(asked: TrainedQuestion, part: str, text: Text) -> str:
    """Return the model's input, with </s> between its parts. Raises UnsupportedError if the text lacks a part."""
    shown_beside = [f"{name}: {_material(kind, text)}" for name, kind in asked.beside.items()]
    return " </s> ".join([f"question: {asked.question}", f"{asked.called}: {part.strip()}", *shown_beside])


def _material(kind: Material, text: Text) -> str:
    """Return the text's material. A fact is an imported column of that name; a history is the dialogue without it."""
    found = {
        "source": text.source,
        "history": dialogue_history(text.source),
        "reference": text.references[0] if text.references else "",
        "fact": str(text.extra.get("fact") or text.extra.get("context") or ""),
    }[kind]
    if not found:
        raise UnsupportedError(f"This text has no {kind} to ask about.", f"Import it with its {kind}.")
    return found.strip()


METHOD = neural_method(
    "unieval",
    "UniEval: yes/no questions to a model trained for them",
    UniEval,
    UniEvalOptions,
    lambda options: f"{options.task}|P(Yes)/(P(Yes)+P(No))",
)
