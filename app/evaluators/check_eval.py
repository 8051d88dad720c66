"""CheckEval: a checklist that a model extends from seed questions, scored as the share of yes (Lee et al. 2024).

The share is mapped to the dimension's scale, as for the checklist, so that both compare. Answers are read by the
checklist judge: a question without an answer is neither yes nor no, and lowers the coverage.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from app.domain.checklist import Checklist, Question, QuestionKind
from app.domain.checklist_score import ABSTAINED, CANNOT_TELL, Evaluation, checklist_score
from app.domain.project import Text
from app.errors import NotReadyError
from app.evaluators.checklist import PROMPT, judge
from app.evaluators.method import EvaluatorContext, Method, RequestCounts, SharedCalls, ask_once, shown
from app.prompting import PromptTemplate, dimension_variables, load_prompt, task_variables
from app.providers.base import ChatRequest
from app.providers.structured import Check

SEEDS = "check-eval-seeds"
OWN_SEEDS = "check-eval-own-seeds"  # written by a person; answers no request
Seeds = Literal["proposed", "checklist", "own"]
DIVERSIFY = "check-eval-diversify"
ELABORATE = "check-eval-elaborate"
FILTER = "check-eval-filter"


@dataclass(frozen=True, slots=True)
class SubAspect:
    name: str
    questions: tuple[str, ...]


async def write_questions(setting: EvaluatorContext, source: Seeds) -> tuple[Question, ...]:
    """Return the filtered questions, in order of their sub-aspects. Raises NotReadyError and what the model raises."""
    match source:
        case "checklist":
            seeds = seeds_of(setting)
        case "own":
            seeds = await _own(setting)
        case "proposed":
            seeds = await _proposed(setting)
    wider = _join(seeds, await _more(setting, DIVERSIFY, seeds))
    finer = _join(wider, await _more(setting, ELABORATE, wider))
    return await _filtered(setting, finer)


def seeds_of(setting: EvaluatorContext) -> tuple[SubAspect, ...]:
    """Return a published checklist's components with their key questions. Raises NotReadyError without any."""
    checklist: Checklist | None = setting.checklist
    by_component: dict[str, list[str]] = {}
    for question in checklist.questions if checklist else ():
        key = question.text if question.kind is QuestionKind.KEY else question.key_question
        by_component.setdefault(question.component, []).append(key)
    found = tuple(SubAspect(name, _distinct(keys)) for name, keys in by_component.items() if any(keys))
    if not found:
        raise NotReadyError(
            f"{setting.dimension.name} has no published checklist with key questions to start from.",
            "Build and publish one, or let the model propose the seeds.",
        )
    return found


async def _own(setting: EvaluatorContext) -> tuple[SubAspect, ...]:
    """Return the seeds that a person wrote for the dimension. Raises NotReadyError without any."""
    kept = await setting.stages.find(setting.dimension.id, OWN_SEEDS, "")
    if kept is None:
        raise NotReadyError(
            f"Nobody wrote sub-aspects and seed questions for {setting.dimension.name} yet.",
            "Write them on Scores, or with `interacteval stage-outputs seeds FILE`.",
        )
    return tuple(SubAspect(entry["name"], _distinct(entry["questions"])) for entry in json.loads(kept)["sub_aspects"])


async def _proposed(setting: EvaluatorContext) -> tuple[SubAspect, ...]:
    def check(value: dict[str, Any]) -> str | None:
        complete = value["sub_aspects"] and all(
            s["name"].strip() and any(q.strip() for q in s["questions"]) for s in value["sub_aspects"]
        )
        return None if complete else "every sub-aspect needs a name and at least one question"

    value = await _ask(setting, SEEDS, check)
    return tuple(SubAspect(s["name"], _distinct(s["questions"])) for s in value["sub_aspects"])


async def _more(setting: EvaluatorContext, stage: str, sub_aspects: Sequence[SubAspect]) -> list[tuple[int, str]]:
    """Return (index of the sub-aspect, question) of each question that the stage adds."""

    def check(value: dict[str, Any]) -> str | None:
        known = all(1 <= entry["sub_aspect"] <= len(sub_aspects) for entry in value["questions"])
        return None if known else f"sub-aspects are numbered 1 to {len(sub_aspects)}"

    given = [
        {"id": number, "name": s.name, "questions": list(s.questions)} for number, s in enumerate(sub_aspects, start=1)
    ]
    value = await _ask(setting, stage, check, sub_aspects=given)
    return [(entry["sub_aspect"] - 1, entry["question"]) for entry in value["questions"]]


def _join(sub_aspects: Sequence[SubAspect], added: Sequence[tuple[int, str]]) -> tuple[SubAspect, ...]:
    return tuple(
        replace(s, questions=_distinct([*s.questions, *(question for place, question in added if place == index)]))
        for index, s in enumerate(sub_aspects)
    )


def _distinct(questions: Sequence[str]) -> tuple[str, ...]:
    """Return the questions without empty ones and without repetitions that differ only in case or space."""
    found = {" ".join(question.split()).casefold(): " ".join(question.split()) for question in reversed(questions)}
    return tuple(reversed([question for question in found.values() if question]))


async def _filtered(setting: EvaluatorContext, sub_aspects: Sequence[SubAspect]) -> tuple[Question, ...]:
    everything = [
        Question(question, s.name, position=position)
        for s in sub_aspects
        for position, question in enumerate(s.questions)
    ]

    def check(value: dict[str, Any]) -> str | None:
        known = value["keep"] and all(1 <= number <= len(everything) for number in value["keep"])
        return None if known else f"it must keep at least one question, by numbers from 1 to {len(everything)}"

    numbered = [{"id": number, "question": q.text} for number, q in enumerate(everything, start=1)]
    kept = set((await _ask(setting, FILTER, check, questions=numbered))["keep"])
    return tuple(question for number, question in enumerate(everything, start=1) if number in kept)


async def _ask(setting: EvaluatorContext, stage: str, check: Check, **more: Any) -> dict[str, Any]:
    template: PromptTemplate = load_prompt(stage)
    prompt = template.render(
        task=task_variables(setting.task), dimension=dimension_variables(setting.dimension), **more
    )
    request = ChatRequest(prompt, template.output_schema)
    return await ask_once(setting.stages, setting.model, setting.dimension, stage, request, check)


@dataclass(frozen=True, slots=True)
class CheckEvalOptions:
    """Options of CheckEval. seeds: proposed by the model, written by a person, or the key questions of the published
    checklist."""

    seeds: Seeds = field(
        default="proposed",
        metadata=shown(
            "Seed questions",
            "Where the sub-aspects and their first questions come from, which the judge then widens, refines and "
            "filters.",
            {
                "proposed": "proposed by the judge",
                "checklist": "the published checklist's key questions",
                "own": "your own",
            },
        ),
    )


class CheckEval:
    """Scores by CheckEval. Raises NotReadyError if seeds should come from a missing checklist."""

    def __init__(self, setting: EvaluatorContext) -> None:
        options: CheckEvalOptions = setting.options
        self._setting = setting
        if options.seeds == "checklist":
            seeds_of(setting)
        self._questions = SharedCalls(lambda: write_questions(setting, options.seeds))

    async def score(self, text: Text) -> Evaluation:
        here, questions = self._setting, await self._questions.get()
        judged = await judge(here.model, here.task, here.dimension, questions, text)
        answers = [judgment.answer for judgment in judged.judgments]
        score = checklist_score(answers, here.dimension.low, here.dimension.high)
        # These questions are no part of a checklist, so their answers are kept by their wording.
        said = [CANNOT_TELL if judgment.cannot_tell else judgment.answer.value for judgment in judged.judgments]
        given = [{"question": q.text, "answer": word} for q, word in zip(questions, said, strict=True)]
        silent = not all(judgment.settled for judgment in judged.judgments)
        why = {ABSTAINED: CANNOT_TELL} if CANNOT_TELL in said and not silent else {}
        return Evaluation(score.value, score.coverage, details={"answers": given, **why})


def _calls(options: CheckEvalOptions, _: bool) -> RequestCounts:
    return RequestCounts(1, 4 if options.seeds == "proposed" else 3)


METHOD = Method(
    "check-eval",
    "CheckEval: a checklist widened from seed questions",
    CheckEval,
    options=CheckEvalOptions,
    prompt=lambda _: PROMPT,
    calls=_calls,
    checklist=lambda options: options.seeds == "checklist",
)
