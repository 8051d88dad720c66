"""verdicts: whether an expert finds a text good, not good, or can't say"""

import sqlalchemy as sa
from alembic import op

revision = "0041"
down_revision = "0040"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "verdict",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("text_id", sa.Integer(), nullable=False),
        sa.Column("dimension_id", sa.Integer(), nullable=False),
        sa.Column("contributor_id", sa.Integer(), nullable=False),
        sa.Column("verdict", sa.String(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["text_id"], ["text.id"], name=op.f("fk_verdict_text_id_text"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(
            ["dimension_id"], ["dimension.id"], name=op.f("fk_verdict_dimension_id_dimension"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["contributor_id"],
            ["contributor.id"],
            name=op.f("fk_verdict_contributor_id_contributor"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_verdict")),
        sa.UniqueConstraint(
            "text_id", "dimension_id", "contributor_id", name=op.f("uq_verdict_text_id_dimension_id_contributor_id")
        ),
    )
    for column in ("text_id", "dimension_id", "contributor_id"):
        op.create_index(op.f(f"ix_verdict_{column}"), "verdict", [column], unique=False)


def downgrade() -> None:
    op.drop_table("verdict")
