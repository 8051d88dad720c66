"""A text's score from a checklist: low + (high - low) * yes / answered (InteractEval, section 3.5)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import fmean

from app.domain.checklist import Checklist, Question
from app.domain.judgment import Evaluation, Judgment, Score, checklist_score, soft_score
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
        judgments = tuple(judgment for answers in repeats for judgment in answers)
        weighted = _mean(self._score(answers, weighted=True).value for answers in repeats)
        return Evaluation(
            value=_mean(self._score(answers).value for answers in repeats),
            coverage=fmean(self._score(answers).coverage for answers in repeats),
            judgments=judgments,
            soft=soft_score(judgments, self.dimension.low, self.dimension.high),
            details={WEIGHTED: weighted} if self.checklist.weighted and weighted is not None else {},
        )

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

    def _score(self, judgments: Sequence[Judgment], weighted: bool = False) -> Score:
        weights = [question.weight for question in self.checklist.asked] if weighted else None
        return checklist_score([j.answer for j in judgments], self.dimension.low, self.dimension.high, weights)


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
