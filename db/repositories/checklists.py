"""Checklists with their lineage. A published version never changes."""

from dataclasses import replace

from sqlalchemy import func
from sqlmodel import Session, col, select

from app.domain.checklist import (
    Checklist,
    ChecklistStatus,
    Component,
    DroppedAttribute,
    Question,
    QuestionKind,
    QuestionOrigin,
)
from app.errors import InputError, NotFoundError
from db.models import (
    BuildRevisionRow,
    BuildRow,
    ChecklistRow,
    ComponentAttributeRow,
    ComponentRow,
    CopiedQuestionRow,
    DimensionRow,
    DroppedAttributeRow,
    QuestionAttributeRow,
    QuestionRow,
)
from db.models.columns import now
from db.repositories.drafts import locked_draft

COPIED = "copied"
_OF_EXPERTS = col(ChecklistRow.id).not_in(
    select(BuildRevisionRow.checklist_id)
    .join(BuildRow, col(BuildRow.id) == BuildRevisionRow.build_id)
    .where(BuildRow.study_digest != "", col(BuildRevisionRow.checklist_id).is_not(None))
)


class Checklists:
    def __init__(self, session: Session) -> None:
        self._session = session

    def versions(self, dimension_id: int, of_studies: bool = False) -> list[Checklist]:
        """Newest first; those that studies of conditions made are left out, or listed alone."""
        rows = self._session.exec(
            select(ChecklistRow)
            .where(ChecklistRow.dimension_id == dimension_id, ~_OF_EXPERTS if of_studies else _OF_EXPERTS)
            .order_by(col(ChecklistRow.version).desc())
        )
        return [self._value(row) for row in rows]

    def get(self, checklist_id: int) -> Checklist:
        row = self._session.get(ChecklistRow, checklist_id)
        if row is None:
            raise NotFoundError("This checklist is no longer there.", "Choose another version.")
        return self._value(row)

    def dimension_of(self, checklist_id: int) -> int:
        """The id of the dimension that a checklist is about."""
        row = self._session.get(ChecklistRow, checklist_id)
        if row is None:
            raise NotFoundError("This checklist is no longer there.", "Choose another version.")
        return row.dimension_id

    def find(
        self, dimension_id: int, version: int | None = None, status: ChecklistStatus | None = None
    ) -> Checklist | None:
        """The version asked for, else the newest (of that status) that no study of conditions made."""
        query = select(ChecklistRow).where(ChecklistRow.dimension_id == dimension_id)
        query = query.where(_OF_EXPERTS if version is None else ChecklistRow.version == version)
        if status is not None:
            query = query.where(ChecklistRow.status == status.value)
        row = self._session.exec(query.order_by(col(ChecklistRow.version).desc())).first()
        return self._value(row) if row else None

    def save(self, dimension_id: int, checklist: Checklist, origin: str = "built") -> int:
        """Keep it as a new draft with the next version number; returns its id. Given ids are used only to say,
        of a copy, which question each was.
        """
        row = ChecklistRow(
            dimension_id=dimension_id,
            version=self._next_version(dimension_id),
            parent_id=checklist.parent,
            condition=checklist.condition,
            model=checklist.model,
            origin=origin,
        )
        self._session.add(row)
        self._session.flush()
        checklist_id = int(row.id or 0)
        components = {c.name: self._add_component(checklist_id, c) for c in checklist.components}
        keys: dict[str, int] = {}
        for kind in (QuestionKind.KEY, QuestionKind.SUB):
            for question in (q for q in checklist.questions if q.kind is kind):
                question_id = self._add_question(
                    checklist_id,
                    question,
                    components.get(question.component),
                    keys.get(question.key_question),
                )
                if origin == COPIED and question.id:
                    self._session.add(CopiedQuestionRow(question_id=question_id, from_id=question.id))
                if kind is QuestionKind.KEY:
                    keys[question.text] = question_id
        self._session.add_all(
            DroppedAttributeRow(checklist_id=checklist_id, attribute_id=d.attribute, stage=d.stage, reason=d.reason)
            for d in checklist.dropped
        )
        self._session.flush()
        return checklist_id

    def new_draft(self, checklist_id: int) -> int:
        """Copy a version into a new draft that can be edited."""
        source = self.get(checklist_id)
        row = self._session.get_one(ChecklistRow, checklist_id)
        return self.save(row.dimension_id, replace(source, parent=checklist_id), origin=COPIED)

    def publish(self, checklist_id: int) -> Checklist:
        row = locked_draft(self._session, checklist_id)
        if not self._value(row).asked:
            raise InputError("This checklist asks nothing.", "Enable or add at least one question.")
        row.status, row.published_at = ChecklistStatus.PUBLISHED.value, now()
        self._session.flush()
        return self._value(row)

    def _next_version(self, dimension_id: int) -> int:
        last = self._session.exec(
            select(func.max(ChecklistRow.version)).where(ChecklistRow.dimension_id == dimension_id)
        ).one()
        return (last or 0) + 1

    def _add_component(self, checklist_id: int, component: Component) -> int:
        row = ComponentRow(
            checklist_id=checklist_id,
            name=component.name,
            description=component.description,
            position=component.position,
        )
        self._session.add(row)
        self._session.flush()
        component_id = int(row.id or 0)
        self._session.add_all(
            ComponentAttributeRow(component_id=component_id, attribute_id=attribute)
            for attribute in dict.fromkeys(component.attributes)
        )
        return component_id

    def _add_question(
        self, checklist_id: int, question: Question, component_id: int | None, parent_id: int | None
    ) -> int:
        row = QuestionRow(
            checklist_id=checklist_id,
            component_id=component_id,
            parent_id=parent_id,
            kind=question.kind.value,
            text=question.text,
            original_text=question.original or question.text,
            guidance=question.guidance,
            position=question.position,
            enabled=question.enabled,
            weight=question.weight,
            origin=question.origin.value,
            reason=question.reason,
        )
        self._session.add(row)
        self._session.flush()
        question_id = int(row.id or 0)
        self._session.add_all(
            QuestionAttributeRow(question_id=question_id, attribute_id=attribute)
            for attribute in dict.fromkeys(question.attributes)
        )
        return question_id

    def _value(self, row: ChecklistRow) -> Checklist:
        checklist_id = int(row.id or 0)
        dimension = self._session.get_one(DimensionRow, row.dimension_id)
        components = self._components(checklist_id)
        dropped = self._session.exec(
            select(DroppedAttributeRow)
            .where(DroppedAttributeRow.checklist_id == checklist_id)
            .order_by(col(DroppedAttributeRow.id))
        )
        return Checklist(
            dimension=dimension.name,
            version=row.version,
            status=ChecklistStatus(row.status),
            condition=row.condition,
            model=row.model,
            components=tuple(components.values()),
            questions=tuple(self._questions(checklist_id, components)),
            dropped=tuple(DroppedAttribute(d.attribute_id, d.stage, d.reason) for d in dropped),
            parent=row.parent_id,
            created_at=row.created_at,
            published_at=row.published_at,
            id=checklist_id,
        )

    def _components(self, checklist_id: int) -> dict[int, Component]:
        rows = self._session.exec(
            select(ComponentRow)
            .where(ComponentRow.checklist_id == checklist_id, col(ComponentRow.removed).is_(False))
            .order_by(col(ComponentRow.position), col(ComponentRow.id))
        ).all()
        links = self._session.exec(
            select(ComponentAttributeRow.component_id, ComponentAttributeRow.attribute_id)
            .join(ComponentRow, col(ComponentRow.id) == ComponentAttributeRow.component_id)
            .where(ComponentRow.checklist_id == checklist_id)
            .order_by(col(ComponentAttributeRow.id))
        )
        attributes = _grouped(links)
        return {
            int(row.id or 0): Component(
                row.name,
                row.description,
                attributes.get(int(row.id or 0), ()),
                row.position,
                int(row.id or 0),
            )
            for row in rows
        }

    def _questions(self, checklist_id: int, components: dict[int, Component]) -> list[Question]:
        """Key questions first, then component by component; those of no component last."""
        rows = self._session.exec(
            select(QuestionRow)
            .where(QuestionRow.checklist_id == checklist_id, col(QuestionRow.removed).is_(False))
            .order_by(col(QuestionRow.position), col(QuestionRow.id))
        ).all()
        links = self._session.exec(
            select(QuestionAttributeRow.question_id, QuestionAttributeRow.attribute_id)
            .join(QuestionRow, col(QuestionRow.id) == QuestionAttributeRow.question_id)
            .where(QuestionRow.checklist_id == checklist_id)
            .order_by(col(QuestionAttributeRow.id))
        )
        attributes = _grouped(links)
        texts = {row.id: row.text for row in rows}
        place = {component: number for number, component in enumerate(components)}
        ordered = sorted(rows, key=lambda row: (row.kind != "key", place.get(row.component_id or 0, len(place))))
        return [
            Question(
                text=row.text,
                component=components[row.component_id].name if row.component_id in components else "",
                kind=QuestionKind(row.kind),
                key_question=texts.get(row.parent_id, ""),
                attributes=attributes.get(int(row.id or 0), ()),
                position=row.position,
                enabled=row.enabled,
                weight=row.weight,
                origin=QuestionOrigin(row.origin),
                reason=row.reason,
                original=row.original_text,
                id=int(row.id or 0),
                guidance=row.guidance,
            )
            for row in ordered
        ]


def _grouped(links: object) -> dict[int, tuple[int, ...]]:
    grouped: dict[int, list[int]] = {}
    for owner, attribute in links:  # type: ignore[attr-defined]
        grouped.setdefault(owner, []).append(attribute)
    return {owner: tuple(attributes) for owner, attributes in grouped.items()}
