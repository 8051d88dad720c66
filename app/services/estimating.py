"""What a run would ask and cost, before it starts."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

from app.domain.run import RunDimension
from app.evaluators.checklist import PROMPT, judge_request
from app.prompting import load_prompt
from app.providers.base import ChatRequest, Usage
from app.providers.pricing import estimate_tokens, shipped_prices
from app.services.scoring import RunOptions, plan_run
from app.services.workbench import Workbench
from db.unit_of_work import UnitOfWork

TOKENS_PER_ANSWER = 7  # "q12": "yes", with its share of the braces


@dataclass(frozen=True, slots=True)
class Estimate:
    """`calls` are all requests, `calls_cached` those answered before; tokens and cost are of the others.

    `cost_usd` is None where the price is unknown.
    """

    calls: int
    calls_cached: int
    input_tokens: int
    output_tokens_estimate: int
    cost_usd: float | None

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    def __str__(self) -> str:
        cost = "an unknown price" if self.cost_usd is None else f"about ${self.cost_usd:.2f}"
        return (
            f"{self.calls} calls, {self.calls_cached} of them already answered; about {self.input_tokens:,} tokens in "
            f"and {self.output_tokens_estimate:,} out; {cost}"
        )


def estimate(workbench: Workbench, project_id: int, options: RunOptions) -> Estimate:
    """Raises what planning the run raises."""
    plan = plan_run(workbench, project_id, options)
    model = workbench.model(options.judge)
    with workbench.database.read() as work:
        if not model.is_llm:
            return Estimate(sum(len(part.texts) for part in plan), 0, 0, 0, 0.0)
        digests, sizes = [], []
        for request in _requests(work, project_id, plan):
            digests.append(request.digest(model.name))
            answers = len((request.schema or {}).get("required", ()))
            sizes.append((estimate_tokens(request.prompt.system + request.prompt.user), answers * TOKENS_PER_ANSWER))
        known = work.calls.known(digests)
    new = [size for digest, size in zip(digests, sizes, strict=True) if digest not in known]
    usage = Usage(sum(i for i, _ in new), 0, sum(o for _, o in new))
    return Estimate(
        len(digests),
        len(digests) - len(new),
        usage.input_tokens,
        usage.output_tokens,
        shipped_prices().cost(model.name, usage),
    )


def _requests(work: UnitOfWork, project_id: int, plan: list[RunDimension]) -> Iterator[ChatRequest]:
    task, template = work.projects.by_id(project_id).task, load_prompt(PROMPT)
    for part in plan:
        dimension = work.projects.dimension_by_id(part.dimension)
        questions = work.checklists.get(part.checklist or 0).asked
        texts = work.texts.many(part.texts)
        for text_id in part.texts:
            yield judge_request(template, task, dimension, questions, texts[text_id])
