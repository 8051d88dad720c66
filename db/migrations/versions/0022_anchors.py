"""anchors of a checklist version, and the looks at how a judge answers them"""

import sqlalchemy as sa
from alembic import op

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None


def _owned(table: str, column: str, target: str) -> sa.ForeignKeyConstraint:
    name = op.f(f"fk_{table}_{column}_{target}")
    return sa.ForeignKeyConstraint([column], [f"{target}.id"], name=name, ondelete="CASCADE")


def upgrade() -> None:
    op.create_table(
        "anchor_set",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("dimension_id", sa.Integer(), nullable=False),
        sa.Column("checklist_id", sa.Integer(), nullable=False),
        sa.Column("texts", sa.JSON(), nullable=False),
        sa.Column("answers", sa.JSON(), nullable=False),
        sa.Column("digest", sa.String(), nullable=False),
        sa.Column("frozen_by", sa.String(), nullable=False),
        sa.Column("frozen_at", sa.DateTime(timezone=True), nullable=False),
        _owned("anchor_set", "dimension_id", "dimension"),
        _owned("anchor_set", "checklist_id", "checklist"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_anchor_set")),
    )
    op.create_table(
        "anchor_look",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("set_id", sa.Integer(), nullable=False),
        sa.Column("run_id", sa.Integer(), nullable=False),
        sa.Column("judge", sa.String(), nullable=False),
        sa.Column("against", sa.String(), nullable=False),
        sa.Column("is_reference", sa.Boolean(), nullable=False),
        sa.Column("figures", sa.JSON(), nullable=False),
        sa.Column("verdict", sa.String(), nullable=False),
        sa.Column("looked_at", sa.DateTime(timezone=True), nullable=False),
        _owned("anchor_look", "set_id", "anchor_set"),
        _owned("anchor_look", "run_id", "scoring_run"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_anchor_look")),
    )
    for table, column in (
        ("anchor_set", "dimension_id"),
        ("anchor_set", "checklist_id"),
        ("anchor_look", "set_id"),
        ("anchor_look", "run_id"),
    ):
        op.create_index(op.f(f"ix_{table}_{column}"), table, [column], unique=False)


def downgrade() -> None:
    op.drop_table("anchor_look")
    op.drop_table("anchor_set")
