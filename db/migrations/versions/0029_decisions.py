"""decisions where people or judges part"""

import sqlalchemy as sa
from alembic import op

revision = "0029"
down_revision = "0028"
branch_labels = None
depends_on = None


def _key(column: str, target: str, ondelete: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(
        [column], [f"{target}.id"], name=op.f(f"fk_decision_{column}_{target}"), ondelete=ondelete
    )


def upgrade() -> None:
    op.create_table(
        "decision",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("question_id", sa.Integer(), nullable=False),
        sa.Column("text_id", sa.Integer(), nullable=False),
        sa.Column("run_id", sa.Integer(), nullable=True),
        sa.Column("answer", sa.String(), nullable=False),
        sa.Column("why", sa.Text(), nullable=False),
        sa.Column("wording", sa.Text(), nullable=False),
        sa.Column("guidance", sa.Text(), nullable=False),
        sa.Column("guided", sa.Text(), nullable=False),
        sa.Column("decided_by", sa.String(), nullable=False),
        sa.Column("decided_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("undone_by", sa.String(), nullable=False),
        sa.Column("undone_at", sa.DateTime(timezone=True), nullable=True),
        _key("question_id", "question", "CASCADE"),
        _key("text_id", "text", "CASCADE"),
        _key("run_id", "scoring_run", "SET NULL"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_decision")),
    )
    for column in ("question_id", "text_id", "run_id"):
        op.create_index(op.f(f"ix_decision_{column}"), "decision", [column], unique=False)


def downgrade() -> None:
    op.drop_table("decision")
