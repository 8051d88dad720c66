"""Tables of contributors, attributes, samples and transcripts."""

from datetime import datetime

from sqlalchemy import ColumnElement, UniqueConstraint, func
from sqlmodel import Field, SQLModel

from db.models.columns import FieldLine, NumberedRow, field_column, now, owned_by, refers_to, text_column, time_column


class ContributorRow(NumberedRow, table=True):
    __tablename__ = "contributor"
    __table_args__ = (UniqueConstraint("project_id", "name"),)

    project_id: int = Field(sa_column=owned_by("project.id"))
    name: str
    kind: str
    model: str = ""
    role: str = Field(default="", sa_type=FieldLine)
    background: str = Field(default="", sa_column=field_column())
    created_at: datetime = Field(default_factory=now, sa_column=time_column())


class ThinkAloudSampleRow(NumberedRow, table=True):
    """A text shown in the think-aloud of a dimension; its document is left out of that dimension's evaluation set.

    `score` is None if nobody had rated the text when it was chosen.
    """

    __tablename__ = "think_aloud_sample"
    __table_args__ = (UniqueConstraint("dimension_id", "position"), UniqueConstraint("dimension_id", "text_id"))

    dimension_id: int = Field(sa_column=owned_by("dimension.id"))
    text_id: int = Field(sa_column=owned_by("text.id"))
    position: int
    score: float | None = None
    chosen_by: str = "auto"


class ThinkAloudDoneRow(NumberedRow, table=True):
    """An expert who said "done" on a dimension, and so may see what others wrote.

    `first_done_at` stays when the expert writes more: newer attributes were written after others' could be seen.
    Experts who compare people and LLMs side by side without thinking aloud see others' words too, and never said
    "done". Attributes written before `last_done_at` are visible to others; it is None for experts who never said
    "done".
    """

    __tablename__ = "think_aloud_done"
    __table_args__ = (UniqueConstraint("dimension_id", "contributor_id"),)

    dimension_id: int = Field(sa_column=owned_by("dimension.id"))
    contributor_id: int = Field(sa_column=owned_by("contributor.id"))
    done: bool = True
    first_done_at: datetime = Field(default_factory=now, sa_column=time_column())
    last_done_at: datetime | None = Field(default=None, sa_column=time_column(nullable=True))


class AttributeRow(NumberedRow, table=True):
    """An attribute. `text` is its present wording; `original_text` is what the contributor said.

    `original_dimension_id`: where it was said, if it has been moved; `prompted_by`: the sample that prompted it;
    `reworded_by`: who changed the wording last.
    """

    __tablename__ = "attribute"

    dimension_id: int = Field(sa_column=owned_by("dimension.id"))
    contributor_id: int = Field(sa_column=owned_by("contributor.id"))
    text: str = Field(sa_column=field_column())
    original_text: str = Field(sa_column=field_column())
    reworded_by: str = ""
    status: str = "active"
    reason: str = Field(default="", sa_column=text_column())
    merged_into: int | None = Field(default=None, sa_column=refers_to("attribute.id"))
    round: int = 1
    position: int = 0
    stage_run_id: int | None = Field(default=None, sa_column=refers_to("stage_run.id"))
    original_dimension_id: int | None = Field(default=None, sa_column=refers_to("dimension.id"))
    prompted_by: int | None = Field(default=None, sa_column=refers_to("text.id"))
    created_at: datetime = Field(default_factory=now, sa_column=time_column())


class PassageRow(NumberedRow, table=True):
    """The words in a text that prompted an attribute. `part`: of the text, its source or a transcript."""

    __tablename__ = "passage"
    __table_args__ = (UniqueConstraint("attribute_id"),)

    attribute_id: int = Field(sa_column=owned_by("attribute.id"))
    text_id: int | None = Field(default=None, sa_column=refers_to("text.id"))
    part: str = "text"
    start: int
    end: int
    quote: str = Field(sa_column=field_column())
    version: str = ""


_ATTRIBUTE = SQLModel.metadata.tables["attribute"].c
written_about: ColumnElement[int] = func.coalesce(_ATTRIBUTE.original_dimension_id, _ATTRIBUTE.dimension_id)
"""The dimension that an attribute was written about, even if a facilitator has moved it since."""


class TranscriptRow(NumberedRow, table=True):
    """A transcript. `audio` names a file of the data folder; `error` says why it isn't text yet."""

    __tablename__ = "transcript"

    dimension_id: int = Field(sa_column=owned_by("dimension.id"))
    contributor_id: int = Field(sa_column=owned_by("contributor.id"))
    text: str = Field(default="", sa_column=text_column())
    audio: str = ""
    model: str = ""
    error: str = Field(default="", sa_column=text_column())
    created_at: datetime = Field(default_factory=now, sa_column=time_column())


class ProposedAttributeRow(NumberedRow, table=True):
    """A proposed attribute; when the expert accepts it, `attribute_id` is the new attribute."""

    __tablename__ = "proposed_attribute"

    transcript_id: int = Field(sa_column=owned_by("transcript.id"))
    attribute_id: int | None = Field(default=None, sa_column=refers_to("attribute.id"))
    text: str = Field(sa_column=text_column())
    words: str = Field(sa_column=text_column())
    position: int = 0
    declined: bool = False
