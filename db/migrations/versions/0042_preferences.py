"""preferences: which of two texts of one source a person found better, and why"""

import sqlalchemy as sa
from alembic import op

revision = "0042"
down_revision = "0041"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "preference",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("dimension_id", sa.Integer(), nullable=False),
        sa.Column("text_a_id", sa.Integer(), nullable=False),
        sa.Column("text_b_id", sa.Integer(), nullable=False),
        sa.Column("rater", sa.String(), nullable=False),
        sa.Column("winner", sa.String(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("attribute_id", sa.Integer(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["attribute_id"], ["attribute.id"], name=op.f("fk_preference_attribute_id_attribute"), ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(
            ["dimension_id"], ["dimension.id"], name=op.f("fk_preference_dimension_id_dimension"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["text_a_id"], ["text.id"], name=op.f("fk_preference_text_a_id_text"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["text_b_id"], ["text.id"], name=op.f("fk_preference_text_b_id_text"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_preference")),
        sa.UniqueConstraint(
            "dimension_id",
            "rater",
            "text_a_id",
            "text_b_id",
            name=op.f("uq_preference_dimension_id_rater_text_a_id_text_b_id"),
        ),
    )
    for column in ("attribute_id", "dimension_id", "text_a_id", "text_b_id"):
        op.create_index(op.f(f"ix_preference_{column}"), "preference", [column], unique=False)


def downgrade() -> None:
    op.drop_table("preference")
