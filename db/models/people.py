"""Tables of people, their roles, invitations, sign-ins, tokens of the API, and the audit trail."""

from datetime import datetime

from sqlalchemy import UniqueConstraint
from sqlmodel import Field

from db.models.columns import NumberedRow, now, owned_by, refers_to, text_column, time_column


class PersonRow(NumberedRow, table=True):
    __tablename__ = "person"
    __table_args__ = (UniqueConstraint("issuer", "subject"),)

    issuer: str
    subject: str
    name: str
    owner: bool = False
    created_at: datetime = Field(default_factory=now, sa_column=time_column())
    seen_at: datetime | None = Field(default=None, sa_column=time_column(nullable=True))


class MembershipRow(NumberedRow, table=True):
    """`name` is the contributor's: what an expert writes stands under it."""

    __tablename__ = "membership"
    __table_args__ = (UniqueConstraint("person_id", "project_id"), UniqueConstraint("project_id", "name"))

    person_id: int = Field(sa_column=owned_by("person.id"))
    project_id: int = Field(sa_column=owned_by("project.id"))
    role: str
    name: str
    created_at: datetime = Field(default_factory=now, sa_column=time_column())


class InvitationRow(NumberedRow, table=True):
    """The link itself is nowhere: `token_hash` is what its token comes to."""

    __tablename__ = "invitation"
    __table_args__ = (UniqueConstraint("token_hash"),)

    person_id: int = Field(sa_column=owned_by("person.id"))
    project_id: int | None = Field(default=None, sa_column=owned_by("project.id", nullable=True))
    token_hash: str
    made_by: str
    made_at: datetime = Field(default_factory=now, sa_column=time_column())
    expires_at: datetime = Field(sa_column=time_column())
    used_at: datetime | None = Field(default=None, sa_column=time_column(nullable=True))
    revoked_at: datetime | None = Field(default=None, sa_column=time_column(nullable=True))


class SignInRow(NumberedRow, table=True):
    """One browser. What its cookie holds is nowhere: `token_hash` is what it comes to."""

    __tablename__ = "sign_in"
    __table_args__ = (UniqueConstraint("token_hash"),)

    person_id: int = Field(sa_column=owned_by("person.id"))
    token_hash: str
    began_at: datetime = Field(default_factory=now, sa_column=time_column())
    expires_at: datetime = Field(sa_column=time_column())
    ended_at: datetime | None = Field(default=None, sa_column=time_column(nullable=True))


class ApiTokenRow(NumberedRow, table=True):
    """What a program sends is nowhere: `token_hash` is what it comes to. `person_id`: whom its calls are put down to,
    empty where the server's owner made it. `spent_usd` includes what is set aside for requests under way."""

    __tablename__ = "api_token"
    __table_args__ = (UniqueConstraint("token_hash"), UniqueConstraint("project_id", "name"))

    project_id: int = Field(sa_column=owned_by("project.id"))
    person_id: int | None = Field(default=None, sa_column=owned_by("person.id", nullable=True))
    name: str
    token_hash: str
    made_at: datetime = Field(default_factory=now, sa_column=time_column())
    expires_at: datetime = Field(sa_column=time_column())
    revoked_at: datetime | None = Field(default=None, sa_column=time_column(nullable=True))
    used_at: datetime | None = Field(default=None, sa_column=time_column(nullable=True))
    budget_usd: float
    spent_usd: float = 0.0


class TrailRow(NumberedRow, table=True):
    """`project` is the project's name then; `project_id` is empty once it is deleted, `person_id` once they are."""

    __tablename__ = "trail"

    project_id: int | None = Field(default=None, sa_column=refers_to("project.id"))
    project: str = ""
    person_id: int | None = Field(default=None, sa_column=refers_to("person.id"))
    who: str = ""
    act: str
    about: str = Field(default="", sa_column=text_column())
    at: datetime = Field(default_factory=now, sa_column=time_column())
