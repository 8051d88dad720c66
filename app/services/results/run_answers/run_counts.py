"""Counts of a run: what it scored, what was said beside yes and no, and what of its evidence is there."""

from array import array
from collections import Counter
from statistics import fmean
from typing import Any

from app.domain.judgment import ABSTAINED, Answer
from app.domain.people import Right
from app.domain.run import ScoreStatus
from app.services.results.run_answers.evidence import asked_for_evidence, count_quotes
from app.services.runtime.use_case import use_case
from app.services.runtime.workbench import Workbench
from db.unit_of_work import UnitOfWork


@use_case(Right.READ)
def run_counts(workbench: Workbench, run_id: int) -> dict[str, dict[str, Any]]:
    """Dimension -> scored, failed, unanswered answers, and mean coverage of what was scored (None before any was).

    Where there are any: answers "does not apply" (does_not_apply) and texts without a score because nothing applies
    (nothing_applies); unanswered questions, and texts of methods without questions, of which the judge says that it
    can't tell (cannot_tell). Of a run that asked for evidence, how many quotes are there and how many aren't (quotes).
    """
    with workbench.database.read() as work:
        evidence = asked_for_evidence(work.runs.get(run_id))
        counts = {}
        for part in work.runs.parts(run_id):
            coverages, states, nothing_applies = array("d"), Counter[ScoreStatus](), 0
            for row in work.every_result.each_scored(run_id, part.dimension):
                states[row.status] += 1
                nothing_applies += row.nothing_applies
                if row.coverage is not None:
                    coverages.append(row.coverage)
            counts[part.name] = {
                "scored": states[ScoreStatus.DONE],
                "failed": states[ScoreStatus.FAILED],
                "unanswered": work.every_result.unanswered(run_id, part.dimension),
                "coverage": round(fmean(coverages), 4) if coverages else None,
                **_neither(work, run_id, part.dimension, nothing_applies),
                **(_quotes(work, run_id, part.dimension) if evidence else {}),
            }
        return counts


def _quotes(work: UnitOfWork, run_id: int, dimension_id: int) -> dict[str, dict[str, int]]:
    counted = count_quotes(work.every_result.quotes(run_id, dimension_id), work.every_text.many)
    return {"quotes": counted.to_json()} if counted else {}


def _neither(work: UnitOfWork, run_id: int, dimension_id: int, nothing_applies: int) -> dict[str, int]:
    """What was said beside yes and no, where anything was."""
    answers = work.every_result.answer_counts(run_id, dimension_id).values()
    untold = sum(work.every_result.cannot_tell_counts(run_id, dimension_id).values())
    details = work.every_result.details(run_id, dimension_id).values() if not answers else ()
    found = {
        "does_not_apply": sum(counted.get(Answer.NOT_APPLICABLE, 0) for counted in answers),
        "nothing_applies": nothing_applies,
        "cannot_tell": untold + sum(ABSTAINED in each for each in details),
    }
    return {name: number for name, number in found.items() if number}
