"""jobs in the background, and the workers that take them"""

from datetime import datetime

import sqlalchemy as sa
from alembic import op

revision = "0024"
down_revision = "0023"
branch_labels = None
depends_on = None

ACTIVE = sa.text("status IN ('waiting', 'running')")


def _time(name: str, nullable: bool = False) -> sa.Column[datetime]:
    return sa.Column(name, sa.DateTime(timezone=True), nullable=nullable)


def upgrade() -> None:
    op.create_table(
        "job",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("params", sa.JSON(), nullable=False),
        sa.Column("title", sa.String(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=True),
        sa.Column("bound", sa.Boolean(), nullable=False),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("done", sa.Integer(), nullable=False),
        sa.Column("all", sa.Integer(), nullable=False),
        sa.Column("message", sa.Text(), nullable=False),
        sa.Column("complete", sa.Boolean(), nullable=False),
        sa.Column("made", sa.JSON(), nullable=False),
        sa.Column("stop_requested", sa.Boolean(), nullable=False),
        sa.Column("writer", sa.String(), nullable=False),
        sa.Column("losses", sa.Integer(), nullable=False),
        _time("created_at"),
        _time("begun_at", nullable=True),
        _time("heartbeat_at", nullable=True),
        _time("ended_at", nullable=True),
        _time("seen_at", nullable=True),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name=op.f("fk_job_person_id_person"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_job")),
    )
    op.create_index(op.f("ix_job_key"), "job", ["key"])
    op.create_index(op.f("ix_job_person_id"), "job", ["person_id"])
    op.create_index(
        op.f("uq_job_key_active"), "job", ["key"], unique=True, sqlite_where=ACTIVE, postgresql_where=ACTIVE
    )
    op.create_table(
        "worker",
        sa.Column("name", sa.String(), nullable=False),
        _time("started_at"),
        _time("seen_at"),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_worker")),
    )


def downgrade() -> None:
    op.drop_table("worker")
    op.drop_table("job")
