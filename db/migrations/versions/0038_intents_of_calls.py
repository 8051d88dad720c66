"""intents of calls: requests of a run that were sent, or about to be, and have no reply yet"""

import sqlalchemy as sa
from alembic import op

revision = "0038"
down_revision = "0037"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "call_intent",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("digest", sa.String(), nullable=False),
        sa.Column("counted", sa.Boolean(), nullable=False),
        sa.Column("run_id", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["run_id"], ["scoring_run.id"], name=op.f("fk_call_intent_run_id_scoring_run"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_call_intent")),
    )
    with op.batch_alter_table("call_intent", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_call_intent_run_id"), ["run_id"], unique=False)
    with op.batch_alter_table("scoring_run", schema=None) as batch_op:
        batch_op.add_column(sa.Column("maybe_paid_twice", sa.Integer(), nullable=False, server_default="0"))


def downgrade() -> None:
    with op.batch_alter_table("scoring_run", schema=None) as batch_op:
        batch_op.drop_column("maybe_paid_twice")
    op.drop_table("call_intent")
