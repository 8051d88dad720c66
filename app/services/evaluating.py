"""From an evaluator's name to something that scores texts."""

from dataclasses import dataclass

from app.domain.checklist import Checklist
from app.domain.judgment import checklist_score
from app.domain.task import Dimension, Task
from app.domain.text import Text
from app.errors import InputError
from app.evaluators.checklist import judge
from app.evaluators.evaluator import Evaluation
from app.providers.base import ChatModel

CHECKLIST = "checklist"
EVALUATORS = (CHECKLIST,)


def check_evaluator(name: str) -> None:
    if name not in EVALUATORS:
        raise InputError(f"“{name}” is not an evaluator of this version.", f"It has: {', '.join(EVALUATORS)}.")


@dataclass(frozen=True, slots=True)
class ChecklistEvaluator:
    """Score = low + (high - low) * yes / answered over the enabled questions of one checklist."""

    model: ChatModel
    task: Task
    dimension: Dimension
    checklist: Checklist

    async def score(self, text: Text) -> Evaluation:
        judged = await judge(self.model, self.task, self.dimension, self.checklist.asked, text)
        score = checklist_score([j.answer for j in judged.judgments], self.dimension.low, self.dimension.high)
        return Evaluation(score.value, score.coverage, judged.judgments)
