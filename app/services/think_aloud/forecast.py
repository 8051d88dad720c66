"""What asking LLMs to think aloud would cost, and what it would in batches."""

from collections.abc import Sequence
from dataclasses import dataclass

from app.domain.people.actor import Right
from app.domain.project import Project
from app.domain.task import Dimension
from app.prompting import load_prompt
from app.providers.base import Usage
from app.providers.known_prices import known_prices, today
from app.providers.pricing import BATCH, CHARACTERS_PER_TOKEN, STANDARD, estimate_input_tokens
from app.providers.registry import sells_batches
from app.services.runtime.batch_rounds import check_sold_in_batches
from app.services.runtime.prompts import own_wordings
from app.services.runtime.use_case import use_case
from app.services.runtime.workbench import Workbench
from app.services.think_aloud.samples import ensure_samples
from app.think_aloud.elicit import PROMPT, think_aloud_request
from db.unit_of_work import UnitOfWork

STAGE = "think-aloud"

ANSWER_TOKENS = 600
"""Where nobody has answered yet: some fifteen considerations of a sentence or two. What a model thinks before is not in
it."""


@dataclass(frozen=True, slots=True)
class AnswerSize:
    """Tokens of an answer, and what that is counted by."""

    tokens: int
    basis: str


@dataclass(frozen=True, slots=True)
class ThinkAloudForecast:
    """`basis`: what the tokens out are counted by. `cost_usd` is None where the price is unknown. `batch_usd` is what
    batches would cost instead: None where there are none, and where they are what was asked about."""

    model: str
    calls: int
    input_tokens: int
    output_tokens_estimate: int
    cost_usd: float | None
    batch_usd: float | None
    basis: str = ""

    def __str__(self) -> str:
        cost = "an unknown price" if self.cost_usd is None else f"about ${self.cost_usd:.4f}"
        batch = "" if self.batch_usd is None else f"; in batches about ${self.batch_usd:.4f}, answered within a day"
        tokens = f"{self.input_tokens:,} tokens in, about {self.output_tokens_estimate:,} out without reasoning"
        tokens += f" ({self.basis})"
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
        estimate_input_tokens(think_aloud_request(template, project.task, dimension, read))
        for dimension, read in zip(dimensions, samples, strict=True)
    ]
    names = list(dict.fromkeys(models))
    with workbench.database.read() as work:
        sizes = {name: _answer_size(work, project.id, name) for name in names}
    return [_of_model(name, asked, batch, sizes[name]) for name in names]


def _answer_size(work: UnitOfWork, project_id: int, model: str) -> AnswerSize:
    """As what is known: this model's earlier answers in the project, else anywhere, else any model's, else a guess."""
    looked_at = (
        (model, project_id, "as this model's {count} here took"),
        (model, None, "as this model's {count} in other projects took"),
        ("", None, "as {count} of other models took: this one hasn't answered yet"),
    )
    for name, project, basis in looked_at:
        count, characters = work.stages.length_of_answers(STAGE, name, project, other_than="rules")
        if count:
            answers = "1 earlier answer" if count == 1 else f"{count:,} earlier answers"
            tokens = max(1, round(characters / count / CHARACTERS_PER_TOKEN))
            return AnswerSize(tokens, basis.format(count=answers))
    return AnswerSize(ANSWER_TOKENS, f"as {ANSWER_TOKENS} tokens each, a guess: no model has answered yet")


def _of_model(name: str, asked: Sequence[int], batch: bool, size: AnswerSize) -> ThinkAloudForecast:
    if batch:
        check_sold_in_batches(name)

    def cost(tokens: Sequence[int], tier: str) -> float | None:
        usage = Usage(sum(tokens), output_tokens=size.tokens * len(tokens))
        return known_prices().cost(name, usage, today(), tier, calls=len(tokens)) if tokens else 0.0

    usual = cost(asked, STANDARD)
    at_once, later = cost(asked[: len(asked) > 1], STANDARD), cost(asked[len(asked) > 1 :], BATCH)
    together = None if at_once is None or later is None or not sells_batches(name) else at_once + later
    output = size.tokens * len(asked)
    if batch:
        return ThinkAloudForecast(name, len(asked), sum(asked), output, together, None, size.basis)
    return ThinkAloudForecast(name, len(asked), sum(asked), output, usual, together, size.basis)
