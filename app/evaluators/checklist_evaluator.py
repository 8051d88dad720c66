"""A text's score from a checklist: low + (high - low) * yes / answered (InteractEval, section 3.5)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import fmean

from app.domain.checklist import Checklist, Question
from app.domain.judgment import Evaluation, Judgment, checklist_score, soft_score
from app.domain.task import Dimension, Task
from app.domain.text import Text
from app.errors import NotReadyError
from app.evaluators.checklist import PLAIN, JudgeOptions, judge
from app.evaluators.concurrent_requests import gather_all
from app.evaluators.judge_logprobs import JudgeLogprobs
from app.evaluators.method import EvaluatorContext, Method
from app.providers.base import ChatModel

WEIGHTED = "weighted"  # the name of the weighted score among a score's details


@dataclass(frozen=True, slots=True)
class ChecklistEvaluator:
    """Asks the enabled questions of one checklist.

    Asked several times, a text's score is the mean over the repeats that have one: the paper asks once, so this choice
    is ours. Weights play no part in the score; where they differ, the weighted score stands in the details.

    earlier: answers that count already, by text; only the other questions are asked.

    Where the judge gives no log-probabilities, its answers count as ever and have no probability of yes: the share of
    yes among several samples would be another question's answer (how often it wavers), and is what `repeats` asks.
    """

    model: ChatModel
    task: Task
    dimension: Dimension
    checklist: Checklist
    options: JudgeOptions = PLAIN
    earlier: Mapping[int, Sequence[Judgment]] = field(default_factory=dict)
    logprobs: JudgeLogprobs = field(default_factory=JudgeLogprobs)

    async def score(self, text: Text) -> Evaluation:
        repeats = await gather_all(self._answers(text, n) for n in range(self.options.repeats))
        return evaluation_of(self.checklist, self.dimension, repeats)

    async def _answers(self, text: Text, repeat: int) -> tuple[Judgment, ...]:
        """In the order of the questions; those answered earlier aren't asked."""
        known = {j.question: j for j in self.earlier.get(text.id, ()) if j.repeat == repeat}
        left = tuple(question for question in self.checklist.asked if question.id not in known)
        new = await gather_all(self._ask(group, text, repeat) for group in self.options.calls(left))
        known |= {judgment.question: judgment for judgments in new for judgment in judgments}
        return tuple(known[question.id] for question in self.checklist.asked)

    async def _ask(self, questions: Sequence[Question], text: Text, repeat: int) -> tuple[Judgment, ...]:
        async def asked(options: JudgeOptions) -> tuple[Judgment, ...]:
            judged = await judge(self.model, self.task, self.dimension, questions, text, options=options, repeat=repeat)
            return judged.judgments

        if not self.options.soft:
            return await asked(self.options)
        return await self.logprobs.ask(lambda: asked(self.options), lambda: asked(replace(self.options, soft=False)))


def evaluation_of(checklist: Checklist, dimension: Dimension, repeats: Sequence[Sequence[Judgment]]) -> Evaluation:
    """What answers make of a text: for each time it was judged one answer a question, in the order of the questions."""
    low, high = dimension.low, dimension.high
    judgments = tuple(judgment for answers in repeats for judgment in answers)
    said = [[judgment.answer for judgment in answers] for answers in repeats]
    weights = [question.weight for question in checklist.asked]
    weighted = _mean(checklist_score(answers, low, high, weights).value for answers in said)
    scores = [checklist_score(answers, low, high) for answers in said]
    return Evaluation(
        value=_mean(score.value for score in scores),
        coverage=fmean(score.coverage for score in scores),
        judgments=judgments,
        soft=soft_score(judgments, low, high),
        details={WEIGHTED: weighted} if checklist.weighted and weighted is not None else {},
    )


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return fmean(known) if known else None


def _make(setting: EvaluatorContext) -> ChecklistEvaluator:
    if setting.checklist is None:
        raise NotReadyError(f"{setting.dimension.name} has no checklist.", "Build and publish one first.")
    return ChecklistEvaluator(
        setting.model,
        setting.task,
        setting.dimension,
        setting.checklist,
        setting.options,
        setting.earlier,
        setting.judge_logprobs,
    )


def _told(options: JudgeOptions) -> str:
    """The prompt that asks for evidence is one for several ways of asking; the others are told apart by their names."""
    said = {"reversed order": options.reversed_order}
    if options.evidence:
        said |= {"reasons": options.reasons, "cannot tell": options.cannot_tell}
    return ", ".join(word for word, true in said.items() if true)


METHOD = Method(
    "checklist",
    "Checklist: yes/no questions",
    _make,
    options=JudgeOptions,
    by_rules=True,
    checklist=lambda _: True,
    prompt=lambda options: options.prompt(),
    told=_told,
)
