"""A text's score from a checklist: low + (high - low) * yes / answered (InteractEval, section 3.5)."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from app.domain.checklist import Checklist, Question
from app.domain.judgment import Judgment, Score, checklist_score, soft_score
from app.domain.task import Dimension, Task
from app.domain.text import Text
from app.errors import NotReadyError
from app.evaluators.checklist import PLAIN, JudgeOptions, judge
from app.evaluators.evaluator import Evaluation
from app.evaluators.method import Method, Setting
from app.providers.base import ChatModel


@dataclass(frozen=True, slots=True)
class ChecklistEvaluator:
    """Asks the enabled questions of one checklist.

    Asked several times, a text's score is the mean over the repeats that have one: the paper asks once, so this choice
    is ours. Weights play no part here.
    """

    model: ChatModel
    task: Task
    dimension: Dimension
    checklist: Checklist
    options: JudgeOptions = PLAIN

    async def score(self, text: Text) -> Evaluation:
        repeats = await asyncio.gather(*(self._answers(text, n) for n in range(self.options.repeats)))
        scores = [self._score(judgments) for judgments in repeats]
        values = [score.value for score in scores if score.value is not None]
        judgments = tuple(judgment for answers in repeats for judgment in answers)
        return Evaluation(
            value=fmean(values) if values else None,
            coverage=fmean(score.coverage for score in scores),
            judgments=judgments,
            soft=soft_score(judgments, self.dimension.low, self.dimension.high),
        )

    async def _answers(self, text: Text, repeat: int) -> tuple[Judgment, ...]:
        asked = self.checklist.asked
        if not self.options.per_question:
            return await self._ask(asked, text, repeat)
        single = await asyncio.gather(*(self._ask((question,), text, repeat) for question in asked))
        return tuple(judgment for judgments in single for judgment in judgments)

    async def _ask(self, questions: Sequence[Question], text: Text, repeat: int) -> tuple[Judgment, ...]:
        judged = await judge(
            self.model, self.task, self.dimension, questions, text, options=self.options, repeat=repeat
        )
        return judged.judgments

    def _score(self, judgments: Sequence[Judgment]) -> Score:
        return checklist_score([j.answer for j in judgments], self.dimension.low, self.dimension.high)


def _make(setting: Setting) -> ChecklistEvaluator:
    if setting.checklist is None:
        raise NotReadyError(f"{setting.dimension.name} has no checklist.", "Build and publish one first.")
    return ChecklistEvaluator(setting.model, setting.task, setting.dimension, setting.checklist, setting.options)


METHOD = Method(
    "checklist",
    "Checklist: yes/no questions",
    _make,
    options=JudgeOptions,
    by_rules=True,
    checklist=lambda _: True,
    prompt=lambda options: options.prompt(),
)
