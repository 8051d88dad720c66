"""Batches of requests at providers: written down before they are handed in, so that none is paid twice."""

from datetime import datetime

from sqlmodel import Field, SQLModel

from db.models.columns import now, owned_by, time_column


class ProviderBatchRow(SQLModel, table=True):
    __tablename__ = "provider_batch"

    id: int | None = Field(default=None, primary_key=True)
    project_id: int = Field(sa_column=owned_by("project.id"))
    run_id: int | None = Field(default=None, sa_column=owned_by("scoring_run.id", nullable=True))
    model: str = ""
    effort: str = ""
    token: str
    handle: str = ""
    status: str
    requests: int
    answered: int = 0
    intended_at: datetime = Field(default_factory=now, sa_column=time_column())
    out_at: datetime | None = Field(default=None, sa_column=time_column(nullable=True))
