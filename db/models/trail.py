"""Trail: who did what, and when."""

from datetime import datetime

from sqlmodel import Field, SQLModel

from db.models.columns import now, refers_to, text_column, time_column


class TrailRow(SQLModel, table=True):
    """`project` is the project's name then; `project_id` is empty once it is deleted, `person_id` once they are."""

    __tablename__ = "trail"

    id: int | None = Field(default=None, primary_key=True)
    project_id: int | None = Field(default=None, sa_column=refers_to("project.id"))
    project: str = ""
    person_id: int | None = Field(default=None, sa_column=refers_to("person.id"))
    who: str = ""
    act: str
    about: str = Field(default="", sa_column=text_column())
    at: datetime = Field(default_factory=now, sa_column=time_column())
