"""Content of checklists, of as many at once as are wanted: screens list versions, and each has parts of four kinds."""

from collections.abc import Mapping, Sequence

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
from db.models import (
    ChecklistRow,
    ComponentAttributeRow,
    ComponentRow,
    DimensionRow,
    DroppedAttributeRow,
    QuestionAttributeRow,
    QuestionRow,
)
from db.storable import stored_state


def read_checklists(session: Session, rows: Sequence[ChecklistRow]) -> list[Checklist]:
    """In the order of the rows. Each kind of part is read once for all of them."""
    ids = [int(row.id or 0) for row in rows]
    if not ids:
        return []
    dimensions = dict(
        session.exec(
            select(DimensionRow.id, DimensionRow.name).where(
                col(DimensionRow.id).in_({row.dimension_id for row in rows})
            )
        ).all()
    )
    components = _components(session, ids)
    questions = _questions(session, ids, components)
    dropped = _dropped(session, ids)
    return [
        Checklist(
            dimension=dimensions[row.dimension_id],
            version=row.version,
            status=stored_state(ChecklistStatus, row.status, ChecklistStatus.DRAFT),
            condition=row.condition,
            model=row.model,
            components=tuple(components[checklist_id].values()),
            questions=tuple(questions[checklist_id]),
            dropped=tuple(dropped[checklist_id]),
            parent=row.parent_id,
            created_at=row.created_at,
            published_at=row.published_at,
            id=checklist_id,
        )
        for checklist_id, row in zip(ids, rows, strict=True)
    ]


def ancestors_of(session: Session, checklist_id: int) -> list[int]:
    """The ids of the versions that a checklist descends from, nearest first."""
    found: list[int] = []
    parent = session.exec(select(ChecklistRow.parent_id).where(ChecklistRow.id == checklist_id)).first()
    while parent is not None and parent not in found:
        found.append(parent)
        parent = session.exec(select(ChecklistRow.parent_id).where(ChecklistRow.id == parent)).first()
    return found


def _dropped(session: Session, checklist_ids: Sequence[int]) -> dict[int, list[DroppedAttribute]]:
    found: dict[int, list[DroppedAttribute]] = {checklist_id: [] for checklist_id in checklist_ids}
    for row in session.exec(
        select(DroppedAttributeRow)
        .where(col(DroppedAttributeRow.checklist_id).in_(checklist_ids))
        .order_by(col(DroppedAttributeRow.id))
    ):
        found[row.checklist_id].append(DroppedAttribute(row.attribute_id, row.stage, row.reason))
    return found


def _components(session: Session, checklist_ids: Sequence[int]) -> dict[int, dict[int, Component]]:
    """Checklist id -> component id -> component, in their order."""
    rows = session.exec(
        select(ComponentRow)
        .where(col(ComponentRow.checklist_id).in_(checklist_ids), col(ComponentRow.removed).is_(False))
        .order_by(col(ComponentRow.position), col(ComponentRow.id))
    ).all()
    links = session.exec(
        select(ComponentAttributeRow.component_id, ComponentAttributeRow.attribute_id)
        .join(ComponentRow, col(ComponentRow.id) == ComponentAttributeRow.component_id)
        .where(col(ComponentRow.checklist_id).in_(checklist_ids))
        .order_by(col(ComponentAttributeRow.id))
    )
    attributes = _grouped(links)
    found: dict[int, dict[int, Component]] = {checklist_id: {} for checklist_id in checklist_ids}
    for row in rows:
        component_id = int(row.id or 0)
        found[row.checklist_id][component_id] = Component(
            row.name,
            row.description,
            attributes.get(component_id, ()),
            row.position,
            component_id,
        )
    return found


def _questions(
    session: Session, checklist_ids: Sequence[int], components: Mapping[int, Mapping[int, Component]]
) -> dict[int, list[Question]]:
    """Checklist id -> key questions first, then component by component; those of no component last."""
    rows = session.exec(
        select(QuestionRow)
        .where(col(QuestionRow.checklist_id).in_(checklist_ids), col(QuestionRow.removed).is_(False))
        .order_by(col(QuestionRow.position), col(QuestionRow.id))
    ).all()
    links = session.exec(
        select(QuestionAttributeRow.question_id, QuestionAttributeRow.attribute_id)
        .join(QuestionRow, col(QuestionRow.id) == QuestionAttributeRow.question_id)
        .where(col(QuestionRow.checklist_id).in_(checklist_ids))
        .order_by(col(QuestionAttributeRow.id))
    )
    attributes = _grouped(links)
    texts = {row.id: row.text for row in rows}
    found: dict[int, list[Question]] = {checklist_id: [] for checklist_id in checklist_ids}
    places = {id_: {component: n for n, component in enumerate(own)} for id_, own in components.items()}
    for row in sorted(rows, key=lambda row: _place(row, places[row.checklist_id])):
        component = components[row.checklist_id].get(row.component_id or 0)
        question = _question(row, component, texts.get(row.parent_id, ""), attributes.get(int(row.id or 0), ()))
        found[row.checklist_id].append(question)
    return found


def _place(row: QuestionRow, components: Mapping[int, int]) -> tuple[bool, int]:
    return row.kind != "key", components.get(row.component_id or 0, len(components))


def _question(
    row: QuestionRow, component: Component | None, key_question: str, attributes: tuple[int, ...]
) -> Question:
    return Question(
        text=row.text,
        component=component.name if component else "",
        kind=stored_state(QuestionKind, row.kind, QuestionKind.SUB),
        key_question=key_question,
        attributes=attributes,
        position=row.position,
        enabled=row.enabled,
        weight=row.weight,
        origin=stored_state(QuestionOrigin, row.origin, QuestionOrigin.ADDED),
        reason=row.reason,
        original=row.original_text,
        id=int(row.id or 0),
        guidance=row.guidance,
        may_not_apply=row.may_not_apply,
        not_apply_reason=row.not_apply_reason,
    )


def _grouped(links: object) -> dict[int, tuple[int, ...]]:
    grouped: dict[int, list[int]] = {}
    for owner, attribute in links:  # type: ignore[attr-defined]
        grouped.setdefault(owner, []).append(attribute)
    return {owner: tuple(attributes) for owner, attributes in grouped.items()}
