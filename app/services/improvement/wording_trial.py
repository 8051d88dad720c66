"""One question asked alone, as a run of its draft would ask it once its wording has changed."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from app.domain.checklist import Checklist, Question
from app.domain.judgment import Answer
from app.domain.questions.improvement import ProposedWording, answer_said
from app.domain.task import Dimension, Task
from app.domain.text import Text
from app.errors import ProviderError
from app.evaluators.checklist import JudgeOptions
from app.evaluators.checklist_evaluator import ChecklistEvaluator
from app.evaluators.concurrent_requests import gather_all
from app.providers.base import ChatModel

Told = dict[int, tuple[Answer, str]]
"""Text -> what the judge said by majority of repeats, and a reason for it."""


@dataclass(frozen=True, slots=True)
class QuestionAlone:
    """`known` are answers that count already, under the wording that the question has."""

    task: Task
    dimension: Dimension
    checklist: Checklist
    question: Question
    options: JudgeOptions
    known: Mapping[int, tuple[Answer, str]]

    def worded(self, wording: ProposedWording) -> "QuestionAlone":
        """The same with another wording, to which no old answer counts."""
        return replace(self, question=replace(self.question, text=wording.text, guidance=wording.guidance), known={})

    def left(self, texts: Iterable[Text]) -> list[Text]:
        return [text for text in texts if text.id not in self.known]


async def asked_alone(
    model: ChatModel, alone: QuestionAlone, texts: Sequence[Text]
) -> tuple[Told, list[ProviderError]]:
    """What the judge says about each; texts that got no reply are missing, with the reasons."""
    only = replace(alone.checklist, questions=(replace(alone.question, enabled=True),))
    evaluator = ChecklistEvaluator(model, alone.task, alone.dimension, only, alone.options)
    errors: list[ProviderError] = []

    async def answer(text: Text) -> tuple[Answer, str] | None:
        try:
            judgments = (await evaluator.score(text)).judgments
        except ProviderError as error:
            errors.append(error)
            return None
        said = answer_said([judgment.answer for judgment in judgments])
        return said, next((one.rationale for one in judgments if one.answer is said and one.rationale), "")

    left = alone.left(texts)
    new = dict(zip((text.id for text in left), await gather_all(answer(text) for text in left), strict=True))
    found = {text.id: alone.known[text.id] for text in texts if text.id in alone.known}
    return found | {text: said for text, said in new.items() if said is not None}, errors
