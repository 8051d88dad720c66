"""Attempts at better wordings of a question, and the halves of the documents that they are made from and proven on."""

from datetime import datetime
from typing import Any

from sqlalchemy import UniqueConstraint
from sqlmodel import Field, SQLModel

from db.models.columns import field_column, json_column, now, owned_by, refers_to, time_column


class DocumentHalfRow(SQLModel, table=True):
    """A document's name, not its texts: one that is imported later for it belongs to the same half. Never changed."""

    __tablename__ = "document_half"
    __table_args__ = (UniqueConstraint("project_id", "doc_id"),)

    id: int | None = Field(default=None, primary_key=True)
    project_id: int = Field(sa_column=owned_by("project.id"))
    doc_id: str
    half: str
    drawn_at: datetime = Field(default_factory=now, sa_column=time_column())


class ImprovementRow(SQLModel, table=True):
    """`text` and `guidance` are the question's as they were; `decisions` and `proof_texts` are ids. `best` is a place
    in `tried`; `proof` is empty where the proof part wasn't asked. `taken_text` is empty until one was taken."""

    __tablename__ = "question_improvement"

    id: int | None = Field(default=None, primary_key=True)
    question_id: int = Field(sa_column=owned_by("question.id"))
    run_id: int | None = Field(default=None, sa_column=refers_to("scoring_run.id"))
    model: str
    judge: str
    text: str = Field(default="", sa_column=field_column())
    guidance: str = Field(default="", sa_column=field_column())
    decisions: list[int] = Field(default_factory=list, sa_column=json_column())
    tried: list[dict[str, Any]] = Field(default_factory=list, sa_column=json_column())
    best: int | None = None
    proof: dict[str, Any] = Field(default_factory=dict, sa_column=json_column())
    proof_decided: int = 0
    proof_texts: list[int] = Field(default_factory=list, sa_column=json_column())
    calls: int = 0
    cost_usd: float | None = None
    status: str = "open"
    made_by: str = ""
    made_at: datetime = Field(default_factory=now, sa_column=time_column())
    decided_by: str = ""
    decided_at: datetime | None = Field(default=None, sa_column=time_column(nullable=True))
    taken_text: str = Field(default="", sa_column=field_column())
    taken_guidance: str = Field(default="", sa_column=field_column())
