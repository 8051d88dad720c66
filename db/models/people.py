"""Tables of people, their roles, invitations, sign-ins, tokens of the API, and the audit log."""

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
    """A person's role in a project. `name` is the contributor's name, under which an expert writes."""

    __tablename__ = "membership"
    __table_args__ = (UniqueConstraint("person_id", "project_id"), UniqueConstraint("project_id", "name"))

    person_id: int = Field(sa_column=owned_by("person.id"))
    project_id: int = Field(sa_column=owned_by("project.id"))
    role: str
    name: str
    created_at: datetime = Field(default_factory=now, sa_column=time_column())


class InvitationRow(NumberedRow, table=True):
    """An invitation. The link itself isn't stored: `token_hash` is its token's hash."""

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
    """One signed-in browser. Its cookie's content isn't stored: `token_hash` is the hash."""

    __tablename__ = "sign_in"
    __table_args__ = (UniqueConstraint("token_hash"),)

    person_id: int = Field(sa_column=owned_by("person.id"))
    token_hash: str
    began_at: datetime = Field(default_factory=now, sa_column=time_column())
    expires_at: datetime = Field(sa_column=time_column())
    ended_at: datetime | None = Field(default=None, sa_column=time_column(nullable=True))


class ApiTokenRow(NumberedRow, table=True):
    """A program's token. The token itself isn't stored: `token_hash` is its hash. `person_id`: to whom its calls are
    attributed, empty for the server's owner. `spent_usd` includes reservations for requests in flight."""

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


class AuditLogRow(NumberedRow, table=True):
    """An entry of the audit log. `project` is the project's name then; `project_id` is empty once the project is
    deleted, `person_id` once the person is."""

    __tablename__ = "trail"

    project_id: int | None = Field(default=None, sa_column=refers_to("project.id"))
    project: str = ""
    person_id: int | None = Field(default=None, sa_column=refers_to("person.id"))
    who: str = ""
    act: str
    about: str = Field(default="", sa_column=text_column())
    at: datetime = Field(default_factory=now, sa_column=time_column())
