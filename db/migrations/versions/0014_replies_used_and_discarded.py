"""replies that nothing could be made of, and whose replies a project rests on"""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("model_call", schema=None) as batch_op:
        batch_op.add_column(sa.Column("usable", sa.Boolean(), nullable=False, server_default=sa.true()))
    op.create_table(
        "call_use",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("digest", sa.String(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["project_id"], ["project.id"], name=op.f("fk_call_use_project_id_project"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_call_use")),
    )
    with op.batch_alter_table("call_use", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_call_use_digest"), ["digest"], unique=False)
        batch_op.create_index(batch_op.f("ix_call_use_project_id"), ["project_id"], unique=False)


def downgrade() -> None:
    op.drop_table("call_use")
    with op.batch_alter_table("model_call", schema=None) as batch_op:
        batch_op.drop_column("usable")
