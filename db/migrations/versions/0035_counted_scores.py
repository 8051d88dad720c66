"""index for how many scores of a run have which status"""

from alembic import op

revision = "0035"
down_revision = "0034"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("score", schema=None) as batch_op:
        batch_op.create_index(op.f("ix_score_run_id_status"), ["run_id", "status"], unique=False)


def downgrade() -> None:
    with op.batch_alter_table("score", schema=None) as batch_op:
        batch_op.drop_index(op.f("ix_score_run_id_status"))
