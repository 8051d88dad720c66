"""what has been read of a file while its import is under way"""

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "text_import",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("touched_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_text_import")),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "staged_text",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("import_id", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("row", sa.Integer(), nullable=False),
        sa.Column("doc_id", sa.String(), nullable=False),
        sa.Column("system_id", sa.String(), nullable=False),
        sa.Column("item_id", sa.String(), nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("references", sa.JSON(), nullable=False),
        sa.Column("extra", sa.JSON(), nullable=False),
        _of_import("staged_text"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_staged_text")),
        sa.UniqueConstraint("import_id", "position", name=op.f("uq_staged_text_import_id_position")),
    )
    op.create_index(op.f("ix_staged_text_import_id"), "staged_text", ["import_id"])
    op.create_table(
        "staged_rating",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("import_id", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("dimension", sa.String(), nullable=False),
        sa.Column("rater", sa.String(), nullable=False),
        sa.Column("value", sa.Float(), nullable=False),
        _of_import("staged_rating"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_staged_rating")),
        sa.UniqueConstraint(
            "import_id",
            "position",
            "dimension",
            "rater",
            name=op.f("uq_staged_rating_import_id_position_dimension_rater"),
        ),
    )
    op.create_index(op.f("ix_staged_rating_import_id"), "staged_rating", ["import_id"])


def _of_import(table: str) -> sa.ForeignKeyConstraint:
    name = op.f(f"fk_{table}_import_id_text_import")
    return sa.ForeignKeyConstraint(["import_id"], ["text_import.id"], name=name, ondelete="CASCADE")


def downgrade() -> None:
    for table in ("staged_rating", "staged_text", "text_import"):
        op.drop_table(table)
