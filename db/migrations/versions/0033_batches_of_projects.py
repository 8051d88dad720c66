"""batches that belong to a project and no run: models that think aloud"""

import sqlalchemy as sa
from alembic import op

revision = "0033"
down_revision = "0032"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("provider_batch", schema=None) as batch_op:
        batch_op.add_column(sa.Column("project_id", sa.Integer(), nullable=True))
        batch_op.add_column(sa.Column("model", sa.String(), nullable=False, server_default=""))
    op.execute(
        "UPDATE provider_batch SET project_id = (SELECT scoring_run.project_id FROM scoring_run"
        " WHERE scoring_run.id = provider_batch.run_id),"
        " model = (SELECT scoring_run.judge FROM scoring_run WHERE scoring_run.id = provider_batch.run_id)"
    )
    with op.batch_alter_table("provider_batch", schema=None) as batch_op:
        batch_op.alter_column("project_id", existing_type=sa.Integer(), nullable=False)
        batch_op.alter_column("run_id", existing_type=sa.Integer(), nullable=True)
        batch_op.create_foreign_key(
            op.f("fk_provider_batch_project_id_project"), "project", ["project_id"], ["id"], ondelete="CASCADE"
        )
        batch_op.create_index(op.f("ix_provider_batch_project_id"), ["project_id"], unique=False)


def downgrade() -> None:
    op.execute("DELETE FROM provider_batch WHERE run_id IS NULL")
    with op.batch_alter_table("provider_batch", schema=None) as batch_op:
        batch_op.drop_index(op.f("ix_provider_batch_project_id"))
        batch_op.drop_constraint(op.f("fk_provider_batch_project_id_project"), type_="foreignkey")
        batch_op.alter_column("run_id", existing_type=sa.Integer(), nullable=False)
        batch_op.drop_column("model")
        batch_op.drop_column("project_id")
