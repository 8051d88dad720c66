"""pairs of texts drawn for experts to compare"""

import sqlalchemy as sa
from alembic import op

revision = "0047"
down_revision = "0046"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "pair_draw",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("dimension_id", sa.Integer(), nullable=False),
        sa.Column("pairs", sa.JSON(), nullable=False),
        sa.Column("drawn_by", sa.String(), nullable=False),
        sa.Column("drawn_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["dimension_id"], ["dimension.id"], name=op.f("fk_pair_draw_dimension_id_dimension"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_pair_draw")),
    )
    op.create_index(op.f("ix_pair_draw_dimension_id"), "pair_draw", ["dimension_id"], unique=False)


def downgrade() -> None:
    op.drop_table("pair_draw")
