"""CoAScore: related aspects are named and scored first, and help to score the dimension (Gong and Mao 2023, section 3).

Stage 1, once per dimension, names the aspects; stage 2 scores a text on all of them in one call; stage 3 scores the
dimension with their definitions and scores at hand. Everything at temperature 0. The paper's aspects go from 1 to 5;
here they have the dimension's own scale, which is 1 to 5 by default, so that an average is comparable.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import fmean
from typing import Any, Literal

import numpy as np

from app.domain.abstentions import abstention
from app.domain.checklist_score import CANNOT_TELL, Evaluation, abstained_evaluation
from app.domain.project import Dimension, Text
from app.errors import AbstainedError, NotReadyError
from app.evaluators.method import EvaluatorContext, Method, RequestCounts, SharedCalls, ask_once, shown
from app.evaluators.score_reading import ask_score, score_request
from app.prompting import dimension_variables, load_prompt, task_variables
from app.providers.base import ChatRequest
from app.providers.structured import ask

ASPECTS = "coascore-aspects"
SCORES = "coascore-scores"
TARGET = "coascore-target"


@dataclass(frozen=True, slots=True)
class CoAScoreOptions:
    """Options of CoAScore. aspects: how many; the paper compares 5, 10 and 20. variant: the whole method, or one of its
    ablations.

    average: the mean of the aspects' scores, no stage 3. without-scores: stage 3 sees definitions only. random: stage 3
    sees random scores. inter: the project's other dimensions are the aspects, no stage 1.
    """

    aspects: int = field(
        default=10,
        metadata=shown(
            "Related aspects",
            "How many the judge names, once, and then scores on every text. The paper compares 5, 10 and 20.",
            only={"variant": ("full", "average", "without-scores", "random")},
        ),
    )
    variant: Literal["full", "average", "without-scores", "random", "inter"] = field(
        default="full",
        metadata=shown(
            "Variant",
            "The whole method, or one of the paper's ablations, which leave out a part to show what it is worth.",
            {
                "full": "the whole method",
                "average": "mean of the aspects' scores, no second look",
                "without-scores": "aspects named, but not scored",
                "random": "random scores for the aspects",
                "inter": "the project's other dimensions as aspects",
            },
        ),
    )

    @property
    def asks_for_scores(self) -> bool:
        return self.variant not in ("without-scores", "random")


@dataclass(frozen=True, slots=True)
class Aspect:
    name: str
    description: str
    score: float | None = None


class CoAScore:
    """Scores by CoAScore. Raises NotReadyError for `inter` if the project has no other dimension."""

    def __init__(self, setting: EvaluatorContext) -> None:
        self._setting = setting
        self._options: CoAScoreOptions = setting.options
        if self._options.variant == "inter" and not setting.others:
            raise NotReadyError("The project has no other dimension to take as an aspect.", "Choose another variant.")
        self._aspects = SharedCalls(self._name_aspects)

    async def score(self, text: Text) -> Evaluation:
        aspects = await self._scored(await self._aspects.get(), text)
        details = {"aspects": [{"name": a.name, "score": a.score} for a in aspects]}
        scores = [aspect.score for aspect in aspects if aspect.score is not None]
        if self._options.asks_for_scores and not scores:
            return abstained_evaluation(CANNOT_TELL, details)
        if self._options.variant == "average":
            return Evaluation(fmean(scores), details=details)
        here = self._setting
        known = [{"name": a.name, "description": a.description, "score": a.score} for a in aspects]
        request = score_request(TARGET, here.task, here.dimension, text, {"aspects": known})
        try:
            found, _ = await ask_score(here.model, request, here.dimension)
        except AbstainedError as said:
            return abstained_evaluation(said.why, details)
        return Evaluation(found.value, details=details)

    async def _name_aspects(self) -> tuple[Aspect, ...]:
        """Return the aspects (stage 1)."""
        here, count = self._setting, self._options.aspects
        if self._options.variant == "inter":
            return tuple(Aspect(other.name, other.rubric) for other in here.others)
        template = load_prompt(ASPECTS)
        prompt = template.render(
            task=task_variables(here.task), dimension=dimension_variables(here.dimension), count=count
        )
        request = ChatRequest(prompt, template.output_schema)

        def check(value: dict[str, Any]) -> str | None:
            names = {str(entry["name"]).strip().lower() for entry in value["aspects"]}
            whole = len(value["aspects"]) == len(names) == count and "" not in names
            return None if whole else f"it must name {count} different aspects"

        value = await ask_once(here.stages, here.model, here.dimension, ASPECTS, request, check)
        return tuple(Aspect(entry["name"], entry["description"]) for entry in value["aspects"])

    async def _scored(self, aspects: Sequence[Aspect], text: Text) -> tuple[Aspect, ...]:
        """Return the aspects with scores (stage 2), or with what an ablation uses instead."""
        here = self._setting
        if self._options.variant == "without-scores":
            return tuple(aspects)
        if self._options.variant == "random":
            drawn = np.random.default_rng((here.seed, here.dimension.id, text.id)).integers(
                int(here.dimension.low), int(here.dimension.high), size=len(aspects), endpoint=True
            )
            return tuple(replace(a, score=float(score)) for a, score in zip(aspects, drawn, strict=True))
        keys = [f"a{number}" for number in range(1, len(aspects) + 1)]
        named = [{"key": k, "name": a.name, "description": a.description} for k, a in zip(keys, aspects, strict=True)]
        asked = score_request(SCORES, here.task, here.dimension, text, {"aspects": named}, schema=scores_schema(keys))
        answered = await ask(
            here.model,
            asked,
            check=lambda value: off_scale(value, here.dimension),
            accept=lambda value: _all_said(value, keys, here.dimension),
        )
        return tuple(replace(a, score=_score_in(answered.value[k])) for k, a in zip(keys, aspects, strict=True))


def scores_schema(keys: Sequence[str]) -> dict[str, Any]:
    """Return a schema of one required number per aspect, and nothing else."""
    return {
        "type": "object",
        "properties": {key: {"type": "number"} for key in keys},
        "required": list(keys),
        "additionalProperties": False,
    }


def _all_said(value: Mapping[str, Any], keys: Sequence[str], dimension: Dimension) -> bool:
    """Return whether every aspect has a score on the scale or an explicit "can't tell" or "does not apply"."""
    numbers = {key: score for key, score in value.items() if not abstention(score)}
    plain = all(isinstance(score, int | float) and not isinstance(score, bool) for score in numbers.values())
    return value.keys() == set(keys) and plain and off_scale(numbers, dimension) is None


def _score_in(said: object) -> float | None:
    return None if isinstance(said, str) else float(str(said))


def off_scale(value: Mapping[str, Any], dimension: Dimension) -> str | None:
    """Return which scores are off the scale; the schema doesn't check that, because some providers know no bounds."""
    wrong = [key for key, score in value.items() if not dimension.low <= score <= dimension.high]
    return f"{', '.join(wrong)} must be from {dimension.low:g} to {dimension.high:g}" if wrong else None


def _calls(options: CoAScoreOptions, _: bool) -> RequestCounts:
    second, third = options.asks_for_scores, options.variant != "average"
    return RequestCounts(second + third, 0 if options.variant == "inter" else 1)


METHOD = Method(
    "coascore",
    "CoAScore: related aspects are scored first",
    CoAScore,
    options=CoAScoreOptions,
    prompt=lambda options: SCORES if options.variant == "average" else TARGET,
    calls=_calls,
)
