"""people, their part in projects, links and browsers that let them in, and the trail of what was done"""

from datetime import datetime

import sqlalchemy as sa
from alembic import op

revision = "0023"
down_revision = "0022"
branch_labels = None
depends_on = None


def _id() -> sa.Column[int]:
    return sa.Column("id", sa.Integer(), nullable=False)


def _time(name: str, nullable: bool = False) -> sa.Column[datetime]:
    return sa.Column(name, sa.DateTime(timezone=True), nullable=nullable)


def _owned(table: str, column: str, target: str) -> sa.ForeignKeyConstraint:
    name = op.f(f"fk_{table}_{column}_{target}")
    return sa.ForeignKeyConstraint([column], [f"{target}.id"], name=name, ondelete="CASCADE")


def _referring(table: str, column: str, target: str) -> sa.ForeignKeyConstraint:
    name = op.f(f"fk_{table}_{column}_{target}")
    return sa.ForeignKeyConstraint([column], [f"{target}.id"], name=name, ondelete="SET NULL")


def upgrade() -> None:
    op.create_table(
        "person",
        _id(),
        sa.Column("issuer", sa.String(), nullable=False),
        sa.Column("subject", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("owner", sa.Boolean(), nullable=False),
        _time("created_at"),
        _time("seen_at", nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_person")),
        sa.UniqueConstraint("issuer", "subject", name=op.f("uq_person_issuer_subject")),
    )
    op.create_table(
        "membership",
        _id(),
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("role", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        _time("created_at"),
        _owned("membership", "person_id", "person"),
        _owned("membership", "project_id", "project"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_membership")),
        sa.UniqueConstraint("person_id", "project_id", name=op.f("uq_membership_person_id_project_id")),
        sa.UniqueConstraint("project_id", "name", name=op.f("uq_membership_project_id_name")),
    )
    op.create_table(
        "invitation",
        _id(),
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=True),
        sa.Column("token_hash", sa.String(), nullable=False),
        sa.Column("made_by", sa.String(), nullable=False),
        _time("made_at"),
        _time("expires_at"),
        _time("used_at", nullable=True),
        _time("revoked_at", nullable=True),
        _owned("invitation", "person_id", "person"),
        _owned("invitation", "project_id", "project"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_invitation")),
        sa.UniqueConstraint("token_hash", name=op.f("uq_invitation_token_hash")),
    )
    op.create_table(
        "sign_in",
        _id(),
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column("token_hash", sa.String(), nullable=False),
        _time("began_at"),
        _time("expires_at"),
        _time("ended_at", nullable=True),
        _owned("sign_in", "person_id", "person"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_sign_in")),
        sa.UniqueConstraint("token_hash", name=op.f("uq_sign_in_token_hash")),
    )
    op.create_table(
        "trail",
        _id(),
        sa.Column("project_id", sa.Integer(), nullable=True),
        sa.Column("project", sa.String(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=True),
        sa.Column("who", sa.String(), nullable=False),
        sa.Column("act", sa.String(), nullable=False),
        sa.Column("about", sa.Text(), nullable=False),
        _time("at"),
        _referring("trail", "project_id", "project"),
        _referring("trail", "person_id", "person"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_trail")),
    )
    for table, column in (
        ("membership", "person_id"),
        ("membership", "project_id"),
        ("invitation", "person_id"),
        ("invitation", "project_id"),
        ("sign_in", "person_id"),
        ("trail", "project_id"),
        ("trail", "person_id"),
    ):
        op.create_index(op.f(f"ix_{table}_{column}"), table, [column], unique=False)


def downgrade() -> None:
    for table in ("trail", "sign_in", "invitation", "membership", "person"):
        op.drop_table(table)
