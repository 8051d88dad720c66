"""G-Eval: evaluation steps written once, a form filled in with a score, weighted by probabilities (Liu et al. 2023).

score = sum of p(s) * s over the scale (section 2.3). p comes from the top 20 log-probabilities at the tokens that spell
the score, renormalised over the scores of the scale. If the judge gives none, all texts of the run are scored from n =
20 samples at temperature 1 (section 3.1); a text is too if they don't give each score's probability (a score of several
tokens with unknown endings). Samples without a readable score are left out. The probability of no score is stored as
`outside`, beside the probabilities; for samples also how many of how many hold a score.
"""

from dataclasses import dataclass, field, replace
from typing import Any, Literal

from app.domain.checklist_score import Evaluation, abstained_evaluation
from app.domain.project import Dimension, Task, Text
from app.errors import AbstainedError, NoLogprobsError, UnreadableScoreError
from app.evaluators.method import EvaluatorContext, Method, RequestCounts, SharedCalls, ask_once, shown
from app.evaluators.score_probabilities import probabilities_of_scores
from app.evaluators.score_reading import ask_score, sampled_score, score_request
from app.prompting import dimension_variables, load_prompt, task_variables
from app.providers.base import ChatRequest

STEPS = "g-eval-steps"
SCORE = "g-eval-score"
ALTERNATIVES = 20


@dataclass(frozen=True, slots=True)
class GEvalOptions:
    """The whole method, or its ablations.

    probabilities: auto uses log-probabilities if the judge gives them, else samples; none uses the score of one reply.
    samples: how many. steps: whether evaluation steps are written. description: whether the judge is told what the
    material and the dimension are.
    """

    probabilities: Literal["auto", "logprobs", "samples", "none"] = field(
        default="auto",
        metadata=shown(
            "Weighting",
            "The score is the mean of the possible scores, weighted by how likely the judge finds each. Not every "
            "judge tells; those that don't are asked several times instead.",
            {
                "auto": "the judge's probabilities, else samples",
                "logprobs": "the judge's probabilities",
                "samples": "several samples at temperature 1",
                "none": "no weighting: one score as it is",
            },
        ),
    )
    samples: int = field(
        default=20,
        metadata=shown(
            "Samples",
            "How often a text is scored where samples stand in for probabilities; each costs.",
            only={"probabilities": ("auto", "samples")},
        ),
    )
    steps: bool = field(
        default=True, metadata=shown("Evaluation steps", "The judge first writes down, once, how it will go about it.")
    )
    description: bool = field(
        default=True, metadata=shown("Description", "Tell the judge what the texts are and what the dimension means.")
    )


class GEval:
    def __init__(self, setting: EvaluatorContext) -> None:
        options: GEvalOptions = setting.options
        self._options = options
        self._model = setting.model
        self._stages = setting.stages
        self._task, self._dimension = _as_shown(setting.task, setting.dimension, options.description)
        self._way = options.probabilities if setting.logprobs else _way(options, logprobs=False)
        self._judge = setting.judge_logprobs
        self._steps = SharedCalls(self._write_steps)

    async def score(self, text: Text) -> Evaluation:
        steps = {"steps": await self._steps.get()}
        request = score_request(SCORE, self._task, self._dimension, text, steps)
        try:
            return await self._scored(request)
        except AbstainedError as said:
            return abstained_evaluation(said.why)

    async def _scored(self, request: ChatRequest) -> Evaluation:
        if self._way == "auto":
            told = await self._judge.ask(lambda: self._weighted(request), lambda: self._sampled(request))
            return told or await self._sampled(request)
        if self._way == "samples":
            return await self._sampled(request)
        if self._way == "none":
            found, _ = await ask_score(self._model, request, self._dimension)
            return Evaluation(found.value)
        if told := await self._weighted(request):
            return told
        raise UnreadableScoreError(
            "The judge's log-probabilities don't tell how likely each score of the scale is.",
            "Choose probabilities=auto, which takes samples for such texts, or probabilities=samples.",
        )

    async def _write_steps(self) -> list[str]:
        if not self._options.steps:
            return []
        template = load_prompt(STEPS)
        prompt = template.render(task=task_variables(self._task), dimension=dimension_variables(self._dimension))

        def check(value: dict[str, Any]) -> str | None:
            return None if any(step.strip() for step in value["steps"]) else "it must hold at least one step"

        request = ChatRequest(prompt, template.output_schema)
        value = await ask_once(self._stages, self._model, self._dimension, STEPS, request, check)
        return [str(step) for step in value["steps"]]

    async def _weighted(self, request: ChatRequest) -> Evaluation | None:
        """Return the weighted score, None if the log-probabilities don't give each score's probability. Raises
        NoLogprobsError without any."""
        asked = replace(request, top_logprobs=ALTERNATIVES)
        found, reply = await ask_score(self._model, asked, self._dimension)
        if not reply.logprobs:
            raise NoLogprobsError(
                f"{self._model.name} gave no log-probabilities.",
                "Leave probabilities at auto, choose samples, or another judge.",
            )
        shares = probabilities_of_scores(reply.logprobs, found.value, self._dimension.low, self._dimension.high)
        if shares is None:
            self._judge.untold += 1
            return None
        named = {f"{score:g}": share for score, share in shares.of.items()}
        return Evaluation(shares.expected, details={"probabilities": named, "outside": shares.outside})

    async def _sampled(self, request: ChatRequest) -> Evaluation:
        # All of the distribution: some servers leave out its unlikely end unless they are told not to.
        drawn = self._options.samples
        each = replace(request, temperature=1.0, top_p=1.0, repeated=drawn > 1)
        asked = [replace(each, sample=n) for n in range(drawn)]
        return await sampled_score(self._model, asked, self._dimension)


def _as_shown(task: Task, dimension: Dimension, description: bool) -> tuple[Task, Dimension]:
    """Return task and dimension as the judge sees them; without description only names and the scale."""
    return (task, dimension) if description else (replace(task, description=""), replace(dimension, rubric=""))


def _calls(options: GEvalOptions, logprobs: bool) -> RequestCounts:
    return RequestCounts(options.samples if _way(options, logprobs) == "samples" else 1, int(options.steps))


def _way(options: GEvalOptions, logprobs: bool) -> str:
    if options.probabilities == "auto":
        return "logprobs" if logprobs else "samples"
    return options.probabilities


METHOD = Method(
    "g-eval",
    "G-Eval: written steps, then a score weighted by its probabilities",
    GEval,
    options=GEvalOptions,
    prompt=lambda _: SCORE,
    calls=_calls,
)
