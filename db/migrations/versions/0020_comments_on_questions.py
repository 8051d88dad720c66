"""comments on questions, and which question of the version before each one was copied from"""

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None


def _owned(table: str, column: str, target: str) -> sa.ForeignKeyConstraint:
    name = op.f(f"fk_{table}_{column}_{target}")
    return sa.ForeignKeyConstraint([column], [f"{target}.id"], name=name, ondelete="CASCADE")


def upgrade() -> None:
    op.create_table(
        "copied_question",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("question_id", sa.Integer(), nullable=False),
        sa.Column("from_id", sa.Integer(), nullable=False),
        _owned("copied_question", "question_id", "question"),
        _owned("copied_question", "from_id", "question"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_copied_question")),
        sa.UniqueConstraint("question_id", name=op.f("uq_copied_question_question_id")),
    )
    op.create_table(
        "question_comment",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("question_id", sa.Integer(), nullable=False),
        sa.Column("comment_id", sa.Integer(), nullable=True),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("who", sa.String(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        _owned("question_comment", "question_id", "question"),
        _owned("question_comment", "comment_id", "question_comment"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_question_comment")),
    )
    for table, column in (
        ("copied_question", "question_id"),
        ("copied_question", "from_id"),
        ("question_comment", "question_id"),
        ("question_comment", "comment_id"),
    ):
        op.create_index(op.f(f"ix_{table}_{column}"), table, [column], unique=False)


def downgrade() -> None:
    op.drop_table("question_comment")
    op.drop_table("copied_question")
