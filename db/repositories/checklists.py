"""Checklists with their lineage. A published version never changes."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

from sqlalchemy import Column, Table, bindparam, func
from sqlalchemy import select as sql_select
from sqlmodel import Session, col, select

from app.domain.checklist import (
    Action,
    Checklist,
    ChecklistStatus,
    ChecklistVersion,
    Component,
    DroppedAttribute,
    Example,
    Proposal,
    ProposalStatus,
    Question,
    QuestionKind,
    QuestionOrigin,
)
from app.errors import InputError
from db.engine import stored_state
from db.models.checklist import (
    BuildRevisionRow,
    BuildRow,
    ChecklistRow,
    ComponentAttributeRow,
    ComponentRow,
    CopiedQuestionRow,
    DroppedAttributeRow,
    ProposalRow,
    QuestionAttributeRow,
    QuestionRow,
)
from db.models.columns import now
from db.models.project import DimensionRow
from db.repositories.drafts import locked_draft
from db.repositories.repository import Query, Repository, columns_of, grouped, rows_of, table_of, value_of

_DIMENSION, _CHECKLIST, _DROPPED = (table_of(rows).c for rows in (DimensionRow, ChecklistRow, DroppedAttributeRow))
_IDS: Any = bindparam("ids", expanding=True)
_PARENT = sql_select(_CHECKLIST.parent_id).where(_CHECKLIST.id == bindparam("checklist"))
_NAMES_OF_DIMENSIONS = sql_select(_DIMENSION.id, _DIMENSION.name).where(_DIMENSION.id.in_(_IDS))
_DROPPED_ATTRIBUTES = (
    sql_select(_DROPPED.checklist_id, _DROPPED.attribute_id, _DROPPED.stage, _DROPPED.reason)
    .where(_DROPPED.checklist_id.in_(_IDS))
    .order_by(_DROPPED.id)
)


def _parts_and_attributes(parts: Table, part_of_link: Column[Any]) -> tuple[Query, Query]:
    """Return the queries of checklists' parts, in their order, and of which attributes each part comes from."""
    part, link = parts.c, part_of_link.table.c
    in_checklists = part.checklist_id.in_(_IDS)
    query = sql_select(parts).where(in_checklists, part.removed.is_(False)).order_by(part.position, part.id)
    attributes = sql_select(part_of_link, link.attribute_id).where(part_of_link == part.id, in_checklists)
    return query, attributes.order_by(link.id)


_COMPONENTS, _ATTRIBUTES_OF_COMPONENTS = _parts_and_attributes(
    table_of(ComponentRow), table_of(ComponentAttributeRow).c.component_id
)
_QUESTIONS, _ATTRIBUTES_OF_QUESTIONS = _parts_and_attributes(
    table_of(QuestionRow), table_of(QuestionAttributeRow).c.question_id
)


def read_checklists(session: Session, rows: Sequence[Any]) -> list[Checklist]:
    """Return checklists in the order of the rows, with one query for each kind of part."""
    ids = [int(row.id) for row in rows]
    if not ids:
        return []
    dimensions = dict(rows_of(session, _NAMES_OF_DIMENSIONS, ids=list({row.dimension_id for row in rows})))
    components = _components(session, ids)
    questions = _questions(session, ids, components)
    dropped = _dropped(session, ids)
    return [
        value_of(
            Checklist,
            row,
            dimension=dimensions[row.dimension_id],
            status=stored_state(ChecklistStatus, row.status, ChecklistStatus.DRAFT),
            components=tuple(components[checklist_id].values()),
            questions=tuple(questions[checklist_id]),
            dropped=tuple(dropped[checklist_id]),
        )
        for checklist_id, row in zip(ids, rows, strict=True)
    ]


def ancestors_of(session: Session, checklist_id: int) -> list[int]:
    """Return the ids of the versions that a checklist descends from, nearest first."""
    found: list[int] = []
    while rows := rows_of(session, _PARENT, checklist=found[-1] if found else checklist_id):
        parent = rows[0].parent_id
        if parent is None or parent in found:
            break
        found.append(parent)
    return found


def _dropped(session: Session, checklist_ids: Sequence[int]) -> dict[int, list[DroppedAttribute]]:
    found: dict[int, list[DroppedAttribute]] = {checklist_id: [] for checklist_id in checklist_ids}
    for checklist_id, attribute, stage, reason in rows_of(session, _DROPPED_ATTRIBUTES, ids=checklist_ids):
        found[checklist_id].append(DroppedAttribute(attribute, stage, reason))
    return found


def _components(session: Session, checklist_ids: Sequence[int]) -> dict[int, dict[int, Component]]:
    """Return checklist id -> component id -> component, in their order."""
    links = rows_of(session, _ATTRIBUTES_OF_COMPONENTS, ids=checklist_ids)
    attributes = {owner: tuple(ids) for owner, ids in grouped(links).items()}
    found: dict[int, dict[int, Component]] = {checklist_id: {} for checklist_id in checklist_ids}
    for row in rows_of(session, _COMPONENTS, ids=checklist_ids):
        found[row.checklist_id][row.id] = value_of(Component, row, attributes=attributes.get(row.id, ()))
    return found


def _questions(
    session: Session, checklist_ids: Sequence[int], components: Mapping[int, Mapping[int, Component]]
) -> dict[int, list[Question]]:
    """Return checklist id -> key questions, then questions by component, those without a component last."""
    rows = rows_of(session, _QUESTIONS, ids=checklist_ids)
    links = rows_of(session, _ATTRIBUTES_OF_QUESTIONS, ids=checklist_ids)
    attributes = {owner: tuple(ids) for owner, ids in grouped(links).items()}
    texts = {row.id: row.text for row in rows}
    found: dict[int, list[Question]] = {checklist_id: [] for checklist_id in checklist_ids}
    places = {id_: {component: n for n, component in enumerate(own)} for id_, own in components.items()}
    for row in sorted(rows, key=lambda row: _place(row, places[row.checklist_id])):
        component = components[row.checklist_id].get(row.component_id or 0)
        question = _question(row, component, texts.get(row.parent_id, ""), attributes.get(row.id, ()))
        found[row.checklist_id].append(question)
    return found


def _place(row: Any, components: Mapping[int, int]) -> tuple[bool, int]:
    return row.kind != "key", components.get(row.component_id or 0, len(components))


def _question(row: Any, component: Component | None, key_question: str, attributes: tuple[int, ...]) -> Question:
    return value_of(
        Question,
        row,
        component=component.name if component else "",
        kind=stored_state(QuestionKind, row.kind, QuestionKind.SUB),
        key_question=key_question,
        attributes=attributes,
        origin=stored_state(QuestionOrigin, row.origin, QuestionOrigin.ADDED),
        original=row.original_text,
        examples=tuple(Example(**each) for each in row.examples),
    )


COPIED = "copied"
THRESHOLDS = (2, 3)
"""The least and the most thresholds of a grade."""
_BUILD, _REVISION = table_of(BuildRow).c, table_of(BuildRevisionRow).c
OF_EXPERTS = _CHECKLIST.id.not_in(
    sql_select(_REVISION.checklist_id)
    .join(table_of(BuildRow), _BUILD.id == _REVISION.build_id)
    .where(_BUILD.study_digest != "", _REVISION.checklist_id.is_not(None))
)
"""Leaves out the versions that studies of conditions made."""
_VERSIONS_OF_PROJECT = (
    sql_select(table_of(ChecklistRow))
    .where(_DIMENSION.id == _CHECKLIST.dimension_id, _DIMENSION.project_id == bindparam("project"), OF_EXPERTS)
    .order_by(_CHECKLIST.version.desc())
)
_VERSIONS = sql_select(table_of(ChecklistRow)).where(_CHECKLIST.dimension_id.in_(_IDS))
_VERSIONS_OF_EXPERTS, _VERSIONS_OF_STUDIES = (
    _VERSIONS.where(whose).order_by(_CHECKLIST.version.desc()) for whose in (OF_EXPERTS, ~OF_EXPERTS)
)


@cache
def _newest_version(numbered: bool, of_status: bool) -> Query:
    query = sql_select(table_of(ChecklistRow)).where(
        _CHECKLIST.dimension_id == bindparam("dimension"),
        _CHECKLIST.version == bindparam("version") if numbered else OF_EXPERTS,
    )
    if of_status:
        query = query.where(_CHECKLIST.status == bindparam("status"))
    return query.order_by(_CHECKLIST.version.desc()).limit(1)


class Checklists(Repository):
    def versions(self, dimension_id: int, of_studies: bool = False) -> list[Checklist]:
        """Return the versions, newest first; those made by studies of conditions are left out, or listed alone."""
        return self.versions_of_each([dimension_id], of_studies)[dimension_id]

    def versions_of_each(self, dimension_ids: Sequence[int], of_studies: bool = False) -> dict[int, list[Checklist]]:
        """Return dimension id -> its versions as in `versions`, with as many queries as for one dimension."""
        query = _VERSIONS_OF_STUDIES if of_studies else _VERSIONS_OF_EXPERTS
        rows = rows_of(self._session, query, ids=list(dimension_ids))
        found: dict[int, list[Checklist]] = {dimension_id: [] for dimension_id in dimension_ids}
        for row, checklist in zip(rows, read_checklists(self._session, rows), strict=True):
            found[row.dimension_id].append(checklist)
        return found

    def versions_by_dimension(self, project_id: int) -> dict[int, list[ChecklistVersion]]:
        """Return dimension id -> its versions without content, newest first; those of studies are left out."""
        found: dict[int, list[ChecklistVersion]] = {}
        for row in rows_of(self._session, _VERSIONS_OF_PROJECT, project=project_id):
            version = ChecklistVersion(
                row.id, row.version, stored_state(ChecklistStatus, row.status, ChecklistStatus.DRAFT)
            )
            found.setdefault(row.dimension_id, []).append(version)
        return found

    def get(self, checklist_id: int) -> Checklist:
        return self._value(self._of(checklist_id))

    def dimension_of(self, checklist_id: int) -> int:
        """Return the id of a checklist's dimension."""
        return int(self._of(checklist_id).dimension_id)

    def ancestors(self, checklist_id: int) -> list[int]:
        """Return the ids of the versions that this one descends from, nearest first."""
        return ancestors_of(self._session, checklist_id)

    def find(
        self, dimension_id: int, version: int | None = None, status: ChecklistStatus | None = None
    ) -> Checklist | None:
        """Return the requested version, else the newest (of that status) that no study of conditions made; None without
        one."""
        row = self._row(dimension_id, version, status)
        return self._value(row) if row else None

    def find_id(
        self, dimension_id: int, version: int | None = None, status: ChecklistStatus | None = None
    ) -> int | None:
        """Return the id of what `find` returns, without reading its content."""
        row = self._row(dimension_id, version, status)
        return row.id if row else None

    def _row(self, dimension_id: int, version: int | None, status: ChecklistStatus | None) -> Any:
        query = _newest_version(version is not None, status is not None)
        rows = rows_of(self._session, query, dimension=dimension_id, version=version, status=status and status.value)
        return rows[0] if rows else None

    def save(self, dimension_id: int, checklist: Checklist, origin: str = "built") -> int:
        """Save the checklist as a new draft with the next version number; return its id. Ids of a copy's questions only
        tell which question each was copied from."""
        row = ChecklistRow(
            dimension_id=dimension_id,
            version=self._next_version(dimension_id),
            parent_id=checklist.parent,
            condition=checklist.condition,
            model=checklist.model,
            origin=origin,
        )
        checklist_id = self._add(row)
        components = self._add_components(checklist_id, checklist.components)
        keys: dict[str, int] = {}
        for kind in (QuestionKind.KEY, QuestionKind.SUB):
            questions = [question for question in checklist.questions if question.kind is kind]
            ids = self._add_questions(checklist_id, questions, components, keys)
            if origin == COPIED:
                self._session.add_all(
                    CopiedQuestionRow(question_id=id_, from_id=question.id)
                    for id_, question in zip(ids, questions, strict=True)
                    if question.id
                )
            keys = {question.text: id_ for id_, question in zip(ids, questions, strict=True)}
        self._session.add_all(
            DroppedAttributeRow(checklist_id=checklist_id, attribute_id=d.attribute, stage=d.stage, reason=d.reason)
            for d in checklist.dropped
        )
        self._session.flush()
        return checklist_id

    def new_draft(self, checklist_id: int) -> int:
        """Copy a version into a new draft that can be edited."""
        return self.save(
            self.dimension_of(checklist_id), replace(self.get(checklist_id), parent=checklist_id), origin=COPIED
        )

    def publish(self, checklist_id: int) -> Checklist:
        row = locked_draft(self._session, checklist_id)
        draft = self._value(row)
        if not draft.asked:
            raise InputError("This checklist asks nothing.", "Enable or add at least one question.")
        for grade, thresholds in draft.grades.items():
            if len(thresholds) not in THRESHOLDS:
                raise InputError(
                    f"The grade “{grade}” has {len(thresholds)} of the questions asked as thresholds.",
                    "Give it two or three, or take the mark off.",
                )
        row.status, row.published_at = ChecklistStatus.PUBLISHED.value, now()
        self._session.flush()
        return self._value(row)

    def _next_version(self, dimension_id: int) -> int:
        last = self._session.exec(
            select(func.max(ChecklistRow.version)).where(ChecklistRow.dimension_id == dimension_id)
        ).one()
        return (last or 0) + 1

    def _add_components(self, checklist_id: int, components: Sequence[Component]) -> dict[str, int]:
        """Return name -> id."""
        ids = self._add_all(
            [
                ComponentRow(
                    checklist_id=checklist_id,
                    name=component.name,
                    description=component.description,
                    position=component.position,
                )
                for component in components
            ]
        )
        self._session.add_all(
            ComponentAttributeRow(component_id=id_, attribute_id=attribute)
            for id_, component in zip(ids, components, strict=True)
            for attribute in dict.fromkeys(component.attributes)
        )
        return {component.name: id_ for id_, component in zip(ids, components, strict=True)}

    def _add_questions(
        self, checklist_id: int, questions: Sequence[Question], components: Mapping[str, int], keys: Mapping[str, int]
    ) -> list[int]:
        """Return their ids. keys: text of a key question -> its id."""
        ids = self._add_all(
            [
                QuestionRow(
                    checklist_id=checklist_id,
                    component_id=components.get(question.component),
                    parent_id=keys.get(question.key_question),
                    original_text=question.original or question.text,
                    **columns_of(question, "id", "component", "key_question", "attributes", "original"),
                )
                for question in questions
            ]
        )
        self._session.add_all(
            QuestionAttributeRow(question_id=id_, attribute_id=attribute)
            for id_, question in zip(ids, questions, strict=True)
            for attribute in dict.fromkeys(question.attributes)
        )
        return ids

    def _of(self, checklist_id: int) -> Any:
        return self._by_id(ChecklistRow, checklist_id, "This checklist is no longer there.", "Choose another version.")

    def _value(self, row: Any) -> Checklist:
        return read_checklists(self._session, [row])[0]


class Proposals(Repository):
    def add(self, checklist_id: int, proposals: Sequence[Proposal], stage_run_id: int | None = None) -> list[int]:
        rows = [
            ProposalRow(
                checklist_id=checklist_id,
                stage_run_id=stage_run_id,
                **columns_of(proposal, "id", "status", "decided_by", "created_at", "decided_at"),
            )
            for proposal in proposals
        ]
        return self._add_all(rows)

    def of(self, checklist_id: int, status: ProposalStatus | None = None) -> list[Proposal]:
        """Return the proposals, oldest first."""
        query = select(ProposalRow).where(ProposalRow.checklist_id == checklist_id)
        if status is not None:
            query = query.where(ProposalRow.status == status.value)
        return [_proposal(row) for row in self._session.exec(query.order_by(col(ProposalRow.id)))]

    def get(self, proposal_id: int) -> tuple[int, Proposal]:
        """Return the checklist's id and the proposal, which is locked until the end of the transaction."""
        row = self._row(proposal_id)
        return row.checklist_id, _proposal(row)

    def decide(self, proposal_id: int, status: ProposalStatus, who: str) -> None:
        row = self._row(proposal_id)
        row.status, row.decided_by = status.value, who
        row.decided_at = None if status is ProposalStatus.OPEN else now()

    def _row(self, proposal_id: int) -> ProposalRow:
        return self._found(ProposalRow, proposal_id, "This proposal is no longer there.", lock=True)


def _proposal(row: ProposalRow) -> Proposal:
    status = stored_state(ProposalStatus, row.status, ProposalStatus.REFUSED)
    return value_of(Proposal, row, action=Action(row.action), status=status)
