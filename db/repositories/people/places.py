"""Where things belong: which project, which dimension, and whose they are."""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from sqlmodel import Session, SQLModel, col, select

from app.domain.attribute import ContributorKind
from app.domain.checklist import ChecklistStatus
from app.domain.people.actor import Place
from app.errors import NotFoundError
from db.models import (
    AttributeRow,
    BuildRow,
    ChecklistRow,
    ComponentRow,
    ContributorRow,
    DecisionRow,
    DimensionRow,
    ImprovementRow,
    ProjectRow,
    ProposalRow,
    ProposedAttributeRow,
    QuestionCommentRow,
    QuestionRow,
    ScoringRunRow,
    SideBySideRow,
    TextRow,
    TranscriptRow,
)

_PARENTS: Mapping[str, tuple[type[SQLModel], str, str]] = {
    "attribute": (AttributeRow, "dimension_id", "dimension"),
    "build": (BuildRow, "dimension_id", "dimension"),
    "checklist": (ChecklistRow, "dimension_id", "dimension"),
    "comment": (QuestionCommentRow, "question_id", "question"),
    "comparison": (SideBySideRow, "dimension_id", "dimension"),
    "component": (ComponentRow, "checklist_id", "checklist"),
    "decision": (DecisionRow, "question_id", "question"),
    "dimension": (DimensionRow, "project_id", "project"),
    "improvement": (ImprovementRow, "question_id", "question"),
    "proposal": (ProposalRow, "checklist_id", "checklist"),
    "proposed attribute": (ProposedAttributeRow, "transcript_id", "transcript"),
    "question": (QuestionRow, "checklist_id", "checklist"),
    "run": (ScoringRunRow, "project_id", "project"),
    "text": (TextRow, "project_id", "project"),
    "transcript": (TranscriptRow, "dimension_id", "dimension"),
}
"""Kind of thing -> its table, the column that names what it is part of, and the kind of that."""

_NO_PERSON = "\0"
"""Author of what an LLM wrote: no person bears this name, whatever the LLM is called."""


class _Climbing(NamedTuple):
    """A row on the way up to its project, with what was learnt below."""

    id: int
    dimension: int | None = None
    author: str = ""
    draft: bool = False


class Places:
    def __init__(self, session: Session) -> None:
        self._session = session

    def of(self, kind: str, ids: Iterable[int]) -> set[Place]:
        """Of all these things; raises NotFoundError where one of them isn't there."""
        found = {_Climbing(one) for one in ids}
        while kind != "project":
            model, column, parent = _PARENTS[kind]
            rows = self._rows(model, {each.id for each in found})
            found = {self._above(each, kind, rows[each.id], column) for each in found}
            kind = parent
        self._rows(ProjectRow, {each.id for each in found})
        return {Place(each.id, each.dimension, each.author, each.draft) for each in found}

    def _above(self, below: _Climbing, kind: str, row: Any, column: str) -> _Climbing:
        return _Climbing(
            getattr(row, column),
            below.id if kind == "dimension" else below.dimension,
            below.author or self._author(row),
            below.draft or kind == "build" or (kind == "checklist" and row.status == ChecklistStatus.DRAFT.value),
        )

    def named(self, project: str) -> set[Place]:
        """Of the project of this name; empty where there is none."""
        found = self._session.exec(select(ProjectRow.id).where(ProjectRow.name == project)).first()
        return set() if found is None else {Place(found)}

    def _rows(self, model: type[SQLModel], ids: set[int]) -> dict[int, Any]:
        key = col(model.id)  # type: ignore[attr-defined]  # each of these tables has one
        found: dict[int, Any] = {row.id: row for row in self._session.exec(select(model).where(key.in_(ids)))}  # type: ignore[attr-defined]
        if found.keys() != ids:
            raise NotFoundError("This is no longer there.", "Go to Overview and open it from there.")
        return found

    def _author(self, row: Any) -> str:
        contributor = getattr(row, "contributor_id", None)
        if contributor is None:
            return ""
        found = self._session.get_one(ContributorRow, contributor)
        return found.name if found.kind == ContributorKind.HUMAN.value else _NO_PERSON
