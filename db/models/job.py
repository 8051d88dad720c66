"""Jobs in the background, and the workers that take them."""

from datetime import datetime
from typing import Any

from sqlalchemy import Index, text
from sqlmodel import Field, SQLModel

from db.models.columns import json_column, now, owned_by, text_column, time_column

ACTIVE = text("status IN ('waiting', 'running')")


class JobRow(SQLModel, table=True):
    """`losses`: how many processes ended over it without a word. `seen_at`: when somebody was told how it ended.

    `params` hold no key: who needs one that was typed is `bound`.
    """

    __tablename__ = "job"
    __table_args__ = (Index("uq_job_key_active", "key", unique=True, sqlite_where=ACTIVE, postgresql_where=ACTIVE),)

    id: int | None = Field(default=None, primary_key=True)
    key: str = Field(index=True)
    kind: str
    params: dict[str, Any] = Field(default_factory=dict, sa_column=json_column())
    title: str
    person_id: int | None = Field(default=None, sa_column=owned_by("person.id", nullable=True))
    bound: bool = False
    status: str
    done: int = 0
    all: int = 0
    message: str = Field(default="", sa_column=text_column())
    complete: bool = True
    made: list[int] = Field(default_factory=list, sa_column=json_column())
    stop_requested: bool = False
    writer: str = ""
    losses: int = 0
    created_at: datetime = Field(default_factory=now, sa_column=time_column())
    begun_at: datetime | None = Field(default=None, sa_column=time_column(nullable=True))
    heartbeat_at: datetime | None = Field(default=None, sa_column=time_column(nullable=True))
    ended_at: datetime | None = Field(default=None, sa_column=time_column(nullable=True))
    seen_at: datetime | None = Field(default=None, sa_column=time_column(nullable=True))


class WorkerRow(SQLModel, table=True):
    """`name` is that of its lock, by which others of its machine know whether it lives."""

    __tablename__ = "worker"

    name: str = Field(primary_key=True)
    started_at: datetime = Field(default_factory=now, sa_column=time_column())
    seen_at: datetime = Field(default_factory=now, sa_column=time_column())
