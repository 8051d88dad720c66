"""What is whose to do: dimensions that experts were given, and texts of a draw that are shared among them."""

from sqlalchemy import UniqueConstraint
from sqlmodel import Field, SQLModel

from db.models.columns import owned_by


class AssignmentRow(SQLModel, table=True):
    """A dimension that an expert was given. Whoever was given none has them all."""

    __tablename__ = "assignment"
    __table_args__ = (UniqueConstraint("contributor_id", "dimension_id"),)

    id: int | None = Field(default=None, primary_key=True)
    contributor_id: int = Field(sa_column=owned_by("contributor.id"))
    dimension_id: int = Field(sa_column=owned_by("dimension.id"))


class AnswerShareRow(SQLModel, table=True):
    """A drawn text that an expert was given to answer. Of a draw without any everybody answers every text."""

    __tablename__ = "answer_share"
    __table_args__ = (UniqueConstraint("draw_id", "text_id", "contributor_id"),)

    id: int | None = Field(default=None, primary_key=True)
    draw_id: int = Field(sa_column=owned_by("answer_draw.id"))
    text_id: int = Field(sa_column=owned_by("text.id"))
    contributor_id: int = Field(sa_column=owned_by("contributor.id"))
