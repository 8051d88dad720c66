"""documents locked away for the last test"""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

TIME = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.create_table(
        "locked_split",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("share", sa.Float(), nullable=False),
        sa.Column("seed", sa.Integer(), nullable=False),
        sa.Column("locked_by", sa.String(), nullable=False),
        sa.Column("locked_at", TIME, nullable=False),
        sa.Column("opened_by", sa.String(), nullable=False),
        sa.Column("opened_at", TIME, nullable=True),
        _owned("locked_split", "project_id", "project"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_locked_split")),
    )
    op.create_index(op.f("ix_locked_split_project_id"), "locked_split", ["project_id"])
    op.create_table(
        "locked_document",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("split_id", sa.Integer(), nullable=False),
        sa.Column("doc_id", sa.String(), nullable=False),
        _owned("locked_document", "split_id", "locked_split"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_locked_document")),
        sa.UniqueConstraint("split_id", "doc_id", name=op.f("uq_locked_document_split_id_doc_id")),
    )
    op.create_index(op.f("ix_locked_document_split_id"), "locked_document", ["split_id"])
    op.create_table(
        "locked_look",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("split_id", sa.Integer(), nullable=False),
        sa.Column("who", sa.String(), nullable=False),
        sa.Column("runs", sa.JSON(), nullable=False),
        sa.Column("looked_at", TIME, nullable=False),
        _owned("locked_look", "split_id", "locked_split"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_locked_look")),
    )
    op.create_index(op.f("ix_locked_look_split_id"), "locked_look", ["split_id"])


def _owned(table: str, column: str, target: str) -> sa.ForeignKeyConstraint:
    name = op.f(f"fk_{table}_{column}_{target}")
    return sa.ForeignKeyConstraint([column], [f"{target}.id"], name=name, ondelete="CASCADE")


def downgrade() -> None:
    for table in ("locked_look", "locked_document", "locked_split"):
        op.drop_table(table)
