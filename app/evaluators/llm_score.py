"""LLMScore and LLMScore-CoT: the judge gives a score directly, or after reasoning (CoAScore's baselines, 4.2)."""

from dataclasses import dataclass

from app.domain.checklist_score import Evaluation, abstained_evaluation
from app.domain.project import Dimension, Task, Text
from app.errors import AbstainedError
from app.evaluators.method import EvaluatorContext, Method
from app.evaluators.score_reading import ask_score, score_request
from app.providers.base import ChatModel

DIRECT = "llm-score"
THINKING = "llm-score-cot"


@dataclass(frozen=True, slots=True)
class LlmScore:
    """One call per text at temperature 0; the score is read from prose."""

    model: ChatModel
    task: Task
    dimension: Dimension
    prompt: str = DIRECT

    async def score(self, text: Text) -> Evaluation:
        request = score_request(self.prompt, self.task, self.dimension, text)
        try:
            found, _ = await ask_score(self.model, request, self.dimension)
        except AbstainedError as said:
            return abstained_evaluation(said.why)
        return Evaluation(found.value)


def _method(name: str, title: str) -> Method:
    def make(setting: EvaluatorContext) -> LlmScore:
        return LlmScore(setting.model, setting.task, setting.dimension, name)

    return Method(name, title, make, prompt=lambda _: name)


METHODS = (
    _method(DIRECT, "LLMScore: the judge gives a score"),
    _method(THINKING, "LLMScore-CoT: the judge thinks step by step, then gives a score"),
)
