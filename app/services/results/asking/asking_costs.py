"""Cost of a way of asking: what 1,000 texts would take, by the replies its scores rest on."""

from dataclasses import asdict, dataclass
from typing import Any

from app.domain.run import RunSummary
from app.errors import NotReadyError
from app.services.runtime.workbench import Workbench
from app.services.scoring.evaluators import NO_JUDGE
from app.services.scoring.recordings import recorded_calls

PER = 1000


@dataclass(frozen=True, slots=True)
class AskingCost:
    """For 1,000 texts on one dimension, replies that were asked before included. None where it isn't known or no model
    is asked; `cost_usd` also where a price isn't known."""

    calls: float | None = None
    input_tokens: float | None = None
    output_tokens: float | None = None
    cost_usd: float | None = None

    def to_json(self) -> dict[str, Any]:
        return {f"{name}_per_1000_texts": value for name, value in asdict(self).items()}


def asking_cost(workbench: Workbench, run: RunSummary) -> AskingCost:
    """Of a run that may have been answered from the ledger in part: every reply counts as what it took when it came."""
    if run.judge in (NO_JUDGE, "rules") or not run.done:
        return AskingCost()
    try:
        calls = [call for call in recorded_calls(workbench, run.id) if not call.error_kind]
    except NotReadyError:  # a judge that calls no provider
        return AskingCost()
    texts = run.done / PER
    costs = [call.cost_usd for call in calls]
    return AskingCost(
        len(calls) / texts,
        sum(call.input_tokens for call in calls) / texts,
        sum(call.output_tokens for call in calls) / texts,
        None if None in costs else sum(cost or 0.0 for cost in costs) / texts,
    )


def times_as_much(one: AskingCost, other: AskingCost) -> float | None:
    """How many times `other` costs `one`: in dollars, in tokens where a price isn't known."""
    if one.cost_usd is not None and other.cost_usd:
        return one.cost_usd / other.cost_usd
    if one.input_tokens is None or one.output_tokens is None or other.input_tokens is None:
        return None
    of_other = other.input_tokens + (other.output_tokens or 0.0)
    return (one.input_tokens + one.output_tokens) / of_other if of_other else None
