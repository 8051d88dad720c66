"""Checklists that a study of conditions made by itself, apart from those that experts work on."""

from sqlalchemy import UniqueConstraint
from sqlmodel import Field, SQLModel

from db.models.columns import owned_by


class ConditionChecklistRow(SQLModel, table=True):
    """`inputs_digest` names everything the checklist was made from: the same again is not made, nor paid, twice."""

    __tablename__ = "condition_checklist"
    __table_args__ = (UniqueConstraint("checklist_id"),)

    id: int | None = Field(default=None, primary_key=True)
    checklist_id: int = Field(sa_column=owned_by("checklist.id"))
    inputs_digest: str = Field(index=True)
