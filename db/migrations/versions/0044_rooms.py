"""rooms: experts vote blind on a question about some texts, discuss, and vote again"""

from datetime import datetime

import sqlalchemy as sa
from alembic import op

revision = "0044"
down_revision = "0043"
branch_labels = None
depends_on = None


def _time(name: str, nullable: bool = False) -> sa.Column[datetime]:
    return sa.Column(name, sa.DateTime(timezone=True), nullable=nullable)


def _owned_by(table: str, column: str, target: str) -> sa.ForeignKeyConstraint:
    name = op.f(f"fk_{table}_{column}_{target}")
    return sa.ForeignKeyConstraint([column], [f"{target}.id"], name=name, ondelete="CASCADE")


def upgrade() -> None:
    op.create_table(
        "room",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("question_id", sa.Integer(), nullable=False),
        sa.Column("texts", sa.JSON(), nullable=False),
        sa.Column("stage", sa.String(), nullable=False),
        sa.Column("revealed", sa.Integer(), nullable=False),
        sa.Column("agreed", sa.Text(), nullable=False),
        sa.Column("draft", sa.Integer(), nullable=True),
        sa.Column("opened_by", sa.String(), nullable=False),
        _time("opened_at"),
        sa.Column("closed_by", sa.String(), nullable=False),
        _time("closed_at", nullable=True),
        _owned_by("room", "question_id", "question"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_room")),
    )
    op.create_table(
        "room_member",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("room_id", sa.Integer(), nullable=False),
        sa.Column("contributor_id", sa.Integer(), nullable=False),
        sa.Column("line", sa.Text(), nullable=False),
        _time("joined_at"),
        _owned_by("room_member", "room_id", "room"),
        _owned_by("room_member", "contributor_id", "contributor"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_room_member")),
        sa.UniqueConstraint("room_id", "contributor_id", name=op.f("uq_room_member_room_id_contributor_id")),
    )
    op.create_table(
        "room_vote",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("member_id", sa.Integer(), nullable=False),
        sa.Column("text_id", sa.Integer(), nullable=False),
        sa.Column("round", sa.Integer(), nullable=False),
        sa.Column("answer", sa.String(), nullable=False),
        _time("saved_at"),
        _owned_by("room_vote", "member_id", "room_member"),
        _owned_by("room_vote", "text_id", "text"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_room_vote")),
        sa.UniqueConstraint("member_id", "text_id", "round", name=op.f("uq_room_vote_member_id_text_id_round")),
    )
    for table, columns in (
        ("room", ("question_id",)),
        ("room_member", ("contributor_id", "room_id")),
        ("room_vote", ("member_id", "text_id")),
    ):
        for column in columns:
            op.create_index(op.f(f"ix_{table}_{column}"), table, [column], unique=False)


def downgrade() -> None:
    for table in ("room_vote", "room_member", "room"):
        op.drop_table(table)
