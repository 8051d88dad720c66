"""Verdict on a result: whether its scores can be relied on, in a sentence for people who read no coefficients."""

from app.domain.people import Right
from app.meta_evaluation.agreement_verdict import AgreementVerdict, VerdictKind, agreement_verdict, drawn_units
from app.services.results.raters import ceiling_beside
from app.services.results.results import DimensionResult
from app.services.runtime.use_case import use_case
from app.services.runtime.workbench import Workbench
from app.services.think_aloud.samples import evaluation_texts

__all__ = ["AgreementVerdict", "VerdictKind", "verdict_of"]


@use_case(Right.READ)
def verdict_of(workbench: Workbench, result: DimensionResult) -> AgreementVerdict:
    """Beside what one of the raters reaches; computed once for as long as neither scores nor ratings change.

    Not for a locked split: what the raters said there is looked at on purpose only.
    """
    assert not result.locked
    ceilings, raters = ceiling_beside(workbench, result)
    found = agreement_verdict(result.meta, ceilings["spearman"], raters)
    if found.kind not in ("too few", "open"):
        return found
    return agreement_verdict(result.meta, ceilings["spearman"], raters, _unscored(workbench, result))


def _unscored(workbench: Workbench, result: DimensionResult) -> int | None:
    """How many more sources (systems, texts: what the interval draws) of the project are rated and could be scored."""
    unit, _ = drawn_units(result.meta)
    if unit == "sources and systems":
        return None
    with workbench.database.read() as work:
        rated = work.texts.mean_scores(result.dimension.id)
        places, _ = evaluation_texts(work, work.runs.project_of(result.run.id), result.dimension.id)
    scored = {row.text for row in result.compared}
    left = [place for place in places if place.id in rated and place.id not in scored]
    if unit == "texts":
        return len(left)
    if unit == "systems":
        return len({place.system_id for place in left} - {row.system_id for row in result.compared})
    return len({place.doc_id for place in left} - {row.doc_id for row in result.compared})
