"""Tables of what was decided where people or judges part, and of the wordings that were tried because of it."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from datetime import datetime
from typing import Any

from app.domain.project import Dimension
from app.services.results.archive.archive_tables import Row, text_places
from app.services.runtime.workbench import Workbench

DECISION_COLUMNS = (
    "decision",
    "dimension",
    "version",
    "doc_id",
    "system_id",
    "item_id",
    "question",
    "guidance",
    "answer",
    "why",
    "guided",
    "run",
    "decided_by",
    "decided_at",
    "undone_by",
    "undone_at",
)
IMPROVEMENT_COLUMNS = (
    "attempt",
    "dimension",
    "model",
    "judge",
    "run",
    "question",
    "guidance",
    "decisions",
    "tried",
    "best",
    "proof",
    "proof_decided",
    "calls",
    "cost_usd",
    "status",
    "taken",
    "made_by",
    "made_at",
    "decided_by",
    "decided_at",
)


def decision_rows(workbench: Workbench, project_id: int, dimensions: Iterable[Dimension]) -> Iterator[Row]:
    """One a decision, undone ones too, in the order they were made; question and guidance as they were then."""
    places = text_places(workbench, project_id)
    for dimension in dimensions:
        with workbench.database.read() as work:
            decisions = work.decisions.of_dimension(dimension.id)
        for one in decisions:
            if one.text in places:  # not where it was locked away since
                yield {
                    "decision": one.id,
                    "dimension": dimension.name,
                    "version": one.version,
                    **places[one.text],
                    "question": one.wording,
                    "guidance": one.guidance,
                    "answer": one.answer.value,
                    "why": one.why,
                    "guided": one.guided,
                    "run": one.run,
                    "decided_by": one.who,
                    "decided_at": _at(one.at),
                    "undone_by": one.undone_by,
                    "undone_at": _at(one.undone_at),
                }


def improvement_rows(workbench: Workbench, dimensions: Iterable[Dimension]) -> Iterator[Row]:
    """One an attempt at a better wording, with all wordings that were tried and what came of each."""
    for dimension in dimensions:
        with workbench.database.read() as work:
            attempts = work.improvements.of_dimension(dimension.id)
        for one in attempts:
            yield {
                "attempt": one.id,
                "dimension": dimension.name,
                "model": one.model,
                "judge": one.judge,
                "run": one.run,
                "question": one.before.text,
                "guidance": one.before.guidance,
                "decisions": _json(list(one.decisions)),
                "tried": _json([asdict(each) for each in one.tried]),
                "best": one.best,
                "proof": _json(asdict(one.proof)) if one.proof else "",
                "proof_decided": one.proof_decided,
                "calls": one.calls,
                "cost_usd": one.cost_usd,
                "status": one.status.value,
                "taken": _json(asdict(one.taken)) if one.taken else "",
                "made_by": one.who,
                "made_at": _at(one.at),
                "decided_by": one.decided_by,
                "decided_at": _at(one.decided_at),
            }


def _at(moment: datetime | None) -> str:
    return moment.isoformat(timespec="seconds") if moment else ""


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
