"""Spending: what models were asked and what that cost, by run, by stage and by model, from the ledger."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from app.domain.people.actor import Right
from app.domain.run import RunSummary
from app.services.runtime.use_case import use_case
from app.services.runtime.workbench import Workbench
from db.repositories.calls import PaidCalls

JUDGING = "judging"


@dataclass(frozen=True, slots=True)
class Spending:
    """`calls` that were answered, useless answers included, their tokens, and US dollars at the prices of their time.

    Of the input, `cached_tokens` came from the provider's prompt cache and `cache_write_tokens` were written to it.
    `calls_cached` were answered before and cost nothing. `cost_usd` is None where a price or what a reply took isn't
    known; `at_least_usd` is the part that is. `run` is None for what no scoring run asked; `stage` is then the name of
    the prompt.
    """

    stage: str
    model: str
    run: int | None = None
    calls: int = 0
    input_tokens: int = 0
    cached_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float | None = 0.0
    cache_write_tokens: int = 0
    calls_cached: int = 0
    at_least_usd: float = 0.0


@use_case(Right.READ)
def run_spending(workbench: Workbench, run_id: int) -> Spending:
    """All sessions of the run together."""
    with workbench.database.read() as work:
        run = work.runs.get(run_id)
        made = work.calls.totals([run_id]).get(run_id)
    return _of_run(run, made)


@use_case(Right.READ)
def project_spending(workbench: Workbench, project_id: int) -> list[Spending]:
    """Everything paid for in the project, stages that failed included: the stages in the order they were first asked,
    then the runs. What called no model and was answered nothing is left out."""
    with workbench.database.read() as work:
        stages = work.calls.outside_runs(project_id)
        runs = work.runs.all(project_id, anchors=True)
        made = work.calls.totals([run.id for run in runs])
    found = [_spending(stage, model, None, paid) for (stage, model), paid in stages.items()]
    return found + [_of_run(run, made.get(run.id)) for run in reversed(runs) if run.id in made or run.calls_cached]


def unpriced_calls(workbench: Workbench, project_id: int) -> int:
    """How many calls of the project nobody knows the cost of."""
    with workbench.database.read() as work:
        stages = work.calls.outside_runs(project_id).values()
        runs = work.calls.totals([run.id for run in work.runs.all(project_id, anchors=True)]).values()
    return sum(paid.unpriced for paid in (*stages, *runs))


def total_cost(spendings: Iterable[Spending]) -> tuple[float, Sequence[str]]:
    """US dollars of what is known to have cost something, and the models of which not all is known."""
    rows = list(spendings)
    unknown = sorted({row.model for row in rows if row.cost_usd is None})
    return sum(row.at_least_usd for row in rows), unknown


def _of_run(run: RunSummary, made: PaidCalls | None) -> Spending:
    if made is None:
        return Spending(JUDGING, run.judge, run.id, calls_cached=run.calls_cached)
    return _spending(JUDGING, run.judge, run.id, made, run.calls_cached)


def _spending(stage: str, model: str, run: int | None, paid: PaidCalls, cached: int = 0) -> Spending:
    return Spending(
        stage,
        model,
        run,
        paid.answered,
        paid.input_tokens,
        paid.cached_tokens,
        paid.output_tokens,
        None if paid.unpriced else paid.cost_usd,
        paid.cache_write_tokens,
        cached,
        paid.cost_usd,
    )
