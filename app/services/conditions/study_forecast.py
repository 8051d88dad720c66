"""Forecast of what a study would ask and cost. Checklists that aren't built yet are guessed at."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from app.domain.build import Stage
from app.domain.people.actor import Right
from app.errors import InputError
from app.evaluators.checklist import PLAIN
from app.prompting import load_prompt
from app.providers.base import Usage
from app.providers.known_prices import known_prices, today
from app.providers.model_options import check_effort, takes_options
from app.providers.pricing import estimate_tokens
from app.services.conditions.study import Cell, StudyOptions, StudyPlan
from app.services.runtime.judges import JudgeAbility, check_wishes, judge_named
from app.services.runtime.prompts import own_wordings
from app.services.runtime.reasoning import Reasoning, reasoning_of
from app.services.runtime.use_case import use_case
from app.services.runtime.workbench import Workbench
from app.services.scoring.forecast import TOKENS_PER_ANSWER

# What stages wrote about the attributes of the paper's authors: about so many tokens for each attribute, five stages
# together, and up to so many questions for each component. A guess within a third or so.
READ_PER_STAGE, WRITTEN_PER_ATTRIBUTE, QUESTIONS_PER_COMPONENT = 1.5, 60, 4
TOKENS_PER_QUESTION = 28  # its words, and its place in the schema


@dataclass(frozen=True, slots=True)
class StudyEstimate:
    """Checklists to build and texts to score, with calls and tokens; what is there already isn't counted.

    `cost_usd` is None where the price of either model is unknown. The tokens out hold those of reasoning for each call,
    a guess unless measured.
    """

    checklists: int
    build_calls: int
    texts_scored: int
    judge_calls: int
    input_tokens: int
    output_tokens: int
    cost_usd: float | None
    build_reasoning_per_call: int = 0
    build_reasoning_measured: bool = False
    judge_reasoning_per_call: int = 0
    judge_reasoning_measured: bool = False

    @property
    def reasoning(self) -> str:
        """What of the tokens out isn't the answers, in words; "" where no call that is left takes any."""
        parts = (
            ("to build", self.build_calls, Reasoning(self.build_reasoning_per_call, self.build_reasoning_measured)),
            ("to judge", self.judge_calls, Reasoning(self.judge_reasoning_per_call, self.judge_reasoning_measured)),
        )
        said = [f"{what} {each}" for what, calls, each in parts if calls and each.per_call]
        return f"of the tokens out {'; '.join(said)}" if said else ""

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    def __str__(self) -> str:
        cost = "an unknown price" if self.cost_usd is None else f"about ${self.cost_usd:.2f}"
        said = (
            f"{self.checklists} checklists to build ({self.build_calls} calls), {self.judge_calls:,} "
            f"calls to the judge; about {self.input_tokens:,} tokens in and {self.output_tokens:,} out; {cost}"
        )
        return f"{said}\n{self.reasoning}" if self.reasoning else said


@use_case(Right.READ)
def estimate_study(workbench: Workbench, options: StudyOptions, plans: Sequence[StudyPlan]) -> StudyEstimate:
    """plans: one a trial. Raises what says that a model can't be used."""
    builder, judge = judge_named(workbench, options.model), judge_named(workbench, options.judge)
    _check_effort(options)
    missing = list({(cell.dimension.id, cell.digest): cell for plan in plans for cell in plan.to_build}.values())
    calls = sum(_judge_calls(plan) for plan in plans)
    with workbench.database.read() as work:
        project = work.projects.project_of(options.dimensions[0].id)
    with own_wordings(workbench, project.id):
        building = sum((_build_usage(cell) for cell in missing), Usage()) if builder.is_llm else Usage()
        judging = sum((_judge_usage(workbench, plan) for plan in plans), Usage()) if judge.is_llm else Usage()
    to_build, to_judge = _reasoning(workbench, builder, options), _reasoning(workbench, judge, options)
    building += Usage(0, 0, len(missing) * len(Stage) * to_build.per_call)
    judging += Usage(0, 0, calls * to_judge.per_call)
    prices, day = known_prices(), today()
    costs = [
        0.0 if usage == Usage() else prices.cost(model.name, usage, day, calls=asked)
        for model, usage, asked in ((builder, building, len(missing) * len(Stage)), (judge, judging, calls))
    ]
    return StudyEstimate(
        checklists=len(missing),
        build_calls=len(missing) * len(Stage),
        texts_scored=len({text for plan in plans for cell in plan.to_score for text in plan.texts[cell.dimension.id]}),
        judge_calls=calls,
        input_tokens=building.input_tokens + judging.input_tokens,
        output_tokens=building.output_tokens + judging.output_tokens,
        cost_usd=None if None in costs else sum(cost or 0.0 for cost in costs),
        build_reasoning_per_call=to_build.per_call,
        build_reasoning_measured=to_build.measured,
        judge_reasoning_per_call=to_judge.per_call,
        judge_reasoning_measured=to_judge.measured,
    )


def _check_effort(options: StudyOptions) -> None:
    """Raises EffortError where a model is known not to take it, or neither of them is an LLM."""
    models = (options.model, options.judge)
    for model in [m for m in models if takes_options(m)] or models:
        check_effort(model, options.asking.effort)


def check_study(workbench: Workbench, options: StudyOptions, plans: Sequence[StudyPlan]) -> None:
    """Raises what says that a model can't be used, or that the budget can't be kept."""
    builder, judge = judge_named(workbench, options.model), judge_named(workbench, options.judge)
    _check_effort(options)
    check_wishes(judge, PLAIN, options.budget)
    if options.budget is not None and builder.is_llm and not builder.priced and plans[0].to_build:
        raise InputError(
            f"The price of {builder.name} is unknown, so a budget can't be kept.", "Start without a budget."
        )


def _reasoning(workbench: Workbench, model: JudgeAbility, options: StudyOptions) -> Reasoning:
    if not model.is_llm:
        return Reasoning(0)
    with workbench.database.read() as work:
        return reasoning_of(work, model.name, options.asking_of(model.name).effort)


def _build_usage(cell: Cell) -> Usage:
    said = sum(estimate_tokens(text) for _, text in cell.attributes)
    constant = sum(estimate_tokens(load_prompt(stage.value).source) for stage in Stage)
    return Usage(constant + round(READ_PER_STAGE * said * len(Stage)), 0, WRITTEN_PER_ATTRIBUTE * len(cell.attributes))


def _judge_calls(plan: StudyPlan) -> int:
    return sum(len(plan.texts[cell.dimension.id]) for cell in plan.to_score)


def _judge_usage(workbench: Workbench, plan: StudyPlan) -> Usage:
    """One call a text and checklist. What was answered before isn't known without the checklist: counted as new."""
    constant = estimate_tokens(load_prompt(PLAIN.prompt()).source)
    wanted = {text for cell in plan.to_score for text in plan.texts[cell.dimension.id]}
    with workbench.database.read() as work:
        size = {i: estimate_tokens(t.text) + estimate_tokens(t.source) for i, t in work.texts.many(wanted).items()}
    total = Usage()
    for cell in plan.to_score:
        texts = plan.texts[cell.dimension.id]
        asked = (
            len(cell.checklist.asked)
            if cell.checklist
            else min(len(cell.attributes), QUESTIONS_PER_COMPONENT * plan.options.components)
        )
        read = sum(size[text] for text in texts) + len(texts) * (constant + asked * TOKENS_PER_QUESTION)
        total += Usage(read, 0, len(texts) * asked * TOKENS_PER_ANSWER)
    return total
