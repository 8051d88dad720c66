"""What facilitators decided where people or judges part. Rows are added and marked as undone, never taken away."""

from datetime import datetime

from sqlmodel import Field, SQLModel

from db.models.columns import field_column, now, owned_by, refers_to, time_column


class DecisionRow(SQLModel, table=True):
    """`wording` and `guidance` are the question's as they were; `guided` the line that became guidance of it."""

    __tablename__ = "decision"

    id: int | None = Field(default=None, primary_key=True)
    question_id: int = Field(sa_column=owned_by("question.id"))
    text_id: int = Field(sa_column=owned_by("text.id"))
    run_id: int | None = Field(default=None, sa_column=refers_to("scoring_run.id"))
    answer: str
    why: str = Field(default="", sa_column=field_column())
    wording: str = Field(default="", sa_column=field_column())
    guidance: str = Field(default="", sa_column=field_column())
    guided: str = Field(default="", sa_column=field_column())
    decided_by: str = ""
    decided_at: datetime = Field(default_factory=now, sa_column=time_column())
    undone_by: str = ""
    undone_at: datetime | None = Field(default=None, sa_column=time_column(nullable=True))
