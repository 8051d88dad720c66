"""Verdict on a result: whether its scores can be relied on, in a sentence for people who read no coefficients."""

from app.domain.people.actor import Right
from app.meta_evaluation.agreement_verdict import AgreementVerdict, VerdictKind, agreement_verdict
from app.services.results.raters import ceiling_beside
from app.services.results.results import DimensionResult
from app.services.runtime.use_case import use_case
from app.services.runtime.workbench import Workbench

__all__ = ["AgreementVerdict", "VerdictKind", "verdict_of"]


@use_case(Right.READ)
def verdict_of(workbench: Workbench, result: DimensionResult) -> AgreementVerdict:
    """Beside what one of the raters reaches; computed once for as long as neither scores nor ratings change.

    Not for a locked split: what the raters said there is looked at on purpose only.
    """
    assert not result.locked
    ceilings, raters = ceiling_beside(workbench, result)
    return agreement_verdict(result.meta, ceilings["spearman"], raters)
