"""Checklists: components, questions, and the attributes behind each of them."""

from datetime import datetime

from sqlalchemy import UniqueConstraint
from sqlmodel import Field, SQLModel

from db.models.columns import now, owned_by, refers_to, text_column, time_column


class ChecklistRow(SQLModel, table=True):
    __tablename__ = "checklist"
    __table_args__ = (UniqueConstraint("dimension_id", "version"),)

    id: int | None = Field(default=None, primary_key=True)
    dimension_id: int = Field(sa_column=owned_by("dimension.id"))
    version: int
    parent_id: int | None = Field(default=None, sa_column=refers_to("checklist.id"))
    condition: str = "comb"
    status: str = "draft"
    origin: str = "built"
    model: str = ""
    max_components: int = 5
    created_at: datetime = Field(default_factory=now, sa_column=time_column())
    published_at: datetime | None = Field(default=None, sa_column=time_column(nullable=True))


class ComponentRow(SQLModel, table=True):
    __tablename__ = "component"

    id: int | None = Field(default=None, primary_key=True)
    checklist_id: int = Field(sa_column=owned_by("checklist.id"))
    name: str
    description: str = Field(default="", sa_column=text_column())
    position: int = 0


class ComponentAttributeRow(SQLModel, table=True):
    __tablename__ = "component_attribute"
    __table_args__ = (UniqueConstraint("component_id", "attribute_id"),)

    id: int | None = Field(default=None, primary_key=True)
    component_id: int = Field(sa_column=owned_by("component.id"))
    attribute_id: int = Field(sa_column=owned_by("attribute.id"))


class DroppedAttributeRow(SQLModel, table=True):
    __tablename__ = "dropped_attribute"
    __table_args__ = (UniqueConstraint("checklist_id", "attribute_id"),)

    id: int | None = Field(default=None, primary_key=True)
    checklist_id: int = Field(sa_column=owned_by("checklist.id"))
    attribute_id: int = Field(sa_column=owned_by("attribute.id"))
    stage: str
    reason: str = Field(default="", sa_column=text_column())


class QuestionRow(SQLModel, table=True):
    """`original_text` is the first wording; `parent_id` is a sub-question's key question."""

    __tablename__ = "question"

    id: int | None = Field(default=None, primary_key=True)
    checklist_id: int = Field(sa_column=owned_by("checklist.id"))
    component_id: int | None = Field(default=None, sa_column=owned_by("component.id", nullable=True))
    parent_id: int | None = Field(default=None, sa_column=refers_to("question.id"))
    kind: str = "sub"
    text: str = Field(sa_column=text_column())
    original_text: str = Field(sa_column=text_column())
    position: int = 0
    enabled: bool = True
    weight: float = 1.0
    origin: str = "generated"
    reason: str = Field(default="", sa_column=text_column())
    created_at: datetime = Field(default_factory=now, sa_column=time_column())


class QuestionAttributeRow(SQLModel, table=True):
    __tablename__ = "question_attribute"
    __table_args__ = (UniqueConstraint("question_id", "attribute_id"),)

    id: int | None = Field(default=None, primary_key=True)
    question_id: int = Field(sa_column=owned_by("question.id"))
    attribute_id: int = Field(sa_column=owned_by("attribute.id"))
