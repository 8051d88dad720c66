"""passages: the words of a sample that made somebody say an attribute"""

import sqlalchemy as sa
from alembic import op

revision = "0039"
down_revision = "0038"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "passage",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("attribute_id", sa.Integer(), nullable=False),
        sa.Column("text_id", sa.Integer(), nullable=True),
        sa.Column("part", sa.String(), nullable=False),
        sa.Column("start", sa.Integer(), nullable=False),
        sa.Column("end", sa.Integer(), nullable=False),
        sa.Column("quote", sa.Text(), nullable=False),
        sa.Column("version", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(
            ["attribute_id"], ["attribute.id"], name=op.f("fk_passage_attribute_id_attribute"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["text_id"], ["text.id"], name=op.f("fk_passage_text_id_text"), ondelete="SET NULL"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_passage")),
        sa.UniqueConstraint("attribute_id", name=op.f("uq_passage_attribute_id")),
    )
    for column in ("attribute_id", "text_id"):
        op.create_index(op.f(f"ix_passage_{column}"), "passage", [column], unique=False)


def downgrade() -> None:
    op.drop_table("passage")
