"""Transcripts of what experts said aloud, and the attributes proposed from them."""

from datetime import datetime

from sqlmodel import Field, SQLModel

from db.models.columns import now, owned_by, refers_to, text_column, time_column


class TranscriptRow(SQLModel, table=True):
    """`audio` names a file of the data folder; `error` says why it has not become text yet."""

    __tablename__ = "transcript"

    id: int | None = Field(default=None, primary_key=True)
    dimension_id: int = Field(sa_column=owned_by("dimension.id"))
    contributor_id: int = Field(sa_column=owned_by("contributor.id"))
    text: str = Field(default="", sa_column=text_column())
    audio: str = ""
    model: str = ""
    error: str = Field(default="", sa_column=text_column())
    created_at: datetime = Field(default_factory=now, sa_column=time_column())


class ProposedAttributeRow(SQLModel, table=True):
    """Nothing but a proposal until the expert accepts it: then `attribute_id` is what it became."""

    __tablename__ = "proposed_attribute"

    id: int | None = Field(default=None, primary_key=True)
    transcript_id: int = Field(sa_column=owned_by("transcript.id"))
    attribute_id: int | None = Field(default=None, sa_column=refers_to("attribute.id"))
    text: str = Field(sa_column=text_column())
    words: str = Field(sa_column=text_column())
    position: int = 0
    declined: bool = False
