"""Anchors: texts with frozen answers of people, and each time a judge was asked about them."""

from datetime import datetime
from typing import Any

from sqlmodel import Field, SQLModel

from db.models.columns import json_column, now, owned_by, time_column


class AnchorSetRow(SQLModel, table=True):
    """`answers` are (text id, question id, answer) as most experts gave them when they were frozen; `digest` is over
    them and everything that a judge is asked about them."""

    __tablename__ = "anchor_set"

    id: int | None = Field(default=None, primary_key=True)
    dimension_id: int = Field(sa_column=owned_by("dimension.id"))
    checklist_id: int = Field(sa_column=owned_by("checklist.id"))
    texts: list[int] = Field(default_factory=list, sa_column=json_column())
    answers: list[Any] = Field(default_factory=list, sa_column=json_column())
    digest: str
    frozen_by: str
    frozen_at: datetime = Field(default_factory=now, sa_column=time_column())


class AnchorLookRow(SQLModel, table=True):
    """One asking of `judge`, compared with the reference of the judge `against`. `figures` and `verdict` are empty
    until it is over, and in a reference, which is what looks are compared with."""

    __tablename__ = "anchor_look"

    id: int | None = Field(default=None, primary_key=True)
    set_id: int = Field(sa_column=owned_by("anchor_set.id"))
    run_id: int = Field(sa_column=owned_by("scoring_run.id"))
    judge: str
    against: str
    is_reference: bool = False
    figures: dict[str, Any] = Field(default_factory=dict, sa_column=json_column())
    verdict: str = ""
    looked_at: datetime = Field(default_factory=now, sa_column=time_column())
