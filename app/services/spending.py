"""What models were asked and what that cost: by run, by stage and by model, from the ledger."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from app.providers.base import Usage
from app.providers.pricing import shipped_prices
from app.services.workbench import Workbench
from db.repositories.calls import RunCalls

JUDGING = "judging"


@dataclass(frozen=True, slots=True)
class Spending:
    """`calls` that were answered, their tokens, and US dollars; `cached_tokens` is the part of the input that came
    from the provider's prompt cache.

    `cost_usd` is None where a price is unknown. `run` is None for what no scoring run asked.
    """

    stage: str
    model: str
    run: int | None = None
    calls: int = 0
    input_tokens: int = 0
    cached_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float | None = 0.0


def run_spending(workbench: Workbench, run_id: int) -> Spending:
    """All sittings of the run together. What was answered before costs nothing again and isn't in it."""
    with workbench.database.read() as work:
        run = work.runs.get(run_id)
        made = work.calls.totals([run_id]).get(run_id)
    return _of_run(run_id, run.judge, made)


def project_spending(workbench: Workbench, project_id: int) -> list[Spending]:
    """Everything paid for in the project, in the order of the method; what called no model at all is left out.

    Stages are priced with today's list, runs with the prices of their time.
    """
    with workbench.database.read() as work:
        stages = [stage for d in work.projects.dimensions(project_id) for stage in work.runs.stages(d.id)]
        runs = work.runs.all(project_id)
        made = work.calls.totals([run.id for run in runs])
    by_stage: dict[tuple[str, str], Usage] = {}
    counts: dict[tuple[str, str], int] = {}
    for stage in stages:
        key, usage = (stage.stage, stage.model), Usage(stage.input_tokens, stage.cached_tokens, stage.output_tokens)
        if usage != Usage():
            by_stage[key] = by_stage.get(key, Usage()) + usage
            counts[key] = counts.get(key, 0) + 1
    found = [_of_stage(*key, counts[key], usage) for key, usage in by_stage.items()]
    return found + [_of_run(run.id, run.judge, made[run.id]) for run in reversed(runs) if run.id in made]


def total_cost(spendings: Iterable[Spending]) -> tuple[float, Sequence[str]]:
    """US dollars of what has a price, and the models without one."""
    rows = list(spendings)
    unknown = sorted({row.model for row in rows if row.cost_usd is None})
    return sum(row.cost_usd or 0.0 for row in rows), unknown


def _of_stage(stage: str, model: str, calls: int, usage: Usage) -> Spending:
    cost = shipped_prices().cost(model, usage)
    return Spending(stage, model, None, calls, usage.input_tokens, usage.cached_tokens, usage.output_tokens, cost)


def _of_run(run_id: int, judge: str, made: RunCalls | None) -> Spending:
    if made is None:
        return Spending(JUDGING, judge, run_id)
    cost = None if made.unpriced else made.cost_usd
    return Spending(
        JUDGING, judge, run_id, made.answered, made.input_tokens, made.cached_tokens, made.output_tokens, cost
    )
