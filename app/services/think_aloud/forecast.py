"""What asking LLMs to think aloud would cost, and what it would in batches."""

from collections.abc import Sequence
from dataclasses import dataclass

from app.domain.people.actor import Right
from app.domain.project import Project
from app.domain.task import Dimension
from app.prompting import load_prompt
from app.providers.base import Usage
from app.providers.known_prices import known_prices, today
from app.providers.pricing import BATCH, STANDARD, estimate_tokens
from app.providers.registry import sells_batches
from app.services.runtime.batch_rounds import check_sold_in_batches
from app.services.runtime.prompts import own_wordings
from app.services.runtime.use_case import use_case
from app.services.runtime.workbench import Workbench
from app.services.think_aloud.samples import ensure_samples
from app.think_aloud.elicit import PROMPT, think_aloud_request

ANSWER_TOKENS = 600
"""A guess: some fifteen considerations of a sentence or two. What a model thinks before is not in it."""


@dataclass(frozen=True, slots=True)
class ThinkAloudForecast:
    """`cost_usd` is None where the price is unknown. `batch_usd` is what batches would cost instead: None where there
    are none, and where they are what was asked about."""

    model: str
    calls: int
    input_tokens: int
    output_tokens_estimate: int
    cost_usd: float | None
    batch_usd: float | None

    def __str__(self) -> str:
        cost = "an unknown price" if self.cost_usd is None else f"about ${self.cost_usd:.4f}"
        batch = "" if self.batch_usd is None else f"; in batches about ${self.batch_usd:.4f}, answered within a day"
        tokens = f"{self.input_tokens:,} tokens in, about {self.output_tokens_estimate:,} out without reasoning"
        return f"{self.model}: {self.calls} calls, {tokens}, {cost}{batch}"


@use_case(Right.FACILITATE)
def forecast_think_aloud(
    workbench: Workbench, project: Project, dimensions: Sequence[Dimension], models: Sequence[str], batch: bool = False
) -> list[ThinkAloudForecast]:
    """For each model; all calls are new. Raises NotReadyError where a dimension has no samples, and with `batch`
    InputError for a model that takes none."""
    samples = [ensure_samples(workbench, dimension.id) for dimension in dimensions]
    with own_wordings(workbench, project.id):
        template = load_prompt(PROMPT)
    asked = [
        estimate_tokens(think_aloud_request(template, project.task, dimension, read).before)
        for dimension, read in zip(dimensions, samples, strict=True)
    ]
    return [_of_model(name, asked, batch) for name in dict.fromkeys(models)]


def _of_model(name: str, asked: Sequence[int], batch: bool) -> ThinkAloudForecast:
    if batch:
        check_sold_in_batches(name)

    def cost(tokens: Sequence[int], tier: str) -> float | None:
        usage = Usage(sum(tokens), output_tokens=ANSWER_TOKENS * len(tokens))
        return known_prices().cost(name, usage, today(), tier, calls=len(tokens)) if tokens else 0.0

    usual = cost(asked, STANDARD)
    at_once, later = cost(asked[: len(asked) > 1], STANDARD), cost(asked[len(asked) > 1 :], BATCH)
    together = None if at_once is None or later is None or not sells_batches(name) else at_once + later
    output = ANSWER_TOKENS * len(asked)
    if batch:
        return ThinkAloudForecast(name, len(asked), sum(asked), output, together, None)
    return ThinkAloudForecast(name, len(asked), sum(asked), output, usual, together)
