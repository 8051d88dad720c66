"""whom a call was asked for, tokens written to a prompt cache, and calls that were answered before"""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None

# Calls of a run belong to the run's project. A stage was written down right after its calls, so a call outside runs
# belongs to the first stage after it that has its model and prompt.
_OF_RUNS = """
    UPDATE model_call SET project_id = (SELECT project_id FROM scoring_run WHERE scoring_run.id = model_call.run_id)
    WHERE run_id IS NOT NULL
"""
_OF_STAGES = """
    UPDATE model_call SET project_id = (
        SELECT dimension.project_id FROM stage_run JOIN dimension ON dimension.id = stage_run.dimension_id
        WHERE stage_run.model = model_call.model AND stage_run.prompt = model_call.prompt
        AND stage_run.prompt_digest = model_call.prompt_digest AND stage_run.created_at >= model_call.created_at
        ORDER BY stage_run.created_at LIMIT 1
    )
    WHERE run_id IS NULL
"""


def upgrade() -> None:
    with op.batch_alter_table("model_call", schema=None) as batch_op:
        batch_op.add_column(sa.Column("cache_write_tokens", sa.Integer(), nullable=False, server_default="0"))
        batch_op.add_column(sa.Column("project_id", sa.Integer(), nullable=True))
        name = batch_op.f("fk_model_call_project_id_project")
        batch_op.create_foreign_key(name, "project", ["project_id"], ["id"], ondelete="SET NULL")
        batch_op.create_index(batch_op.f("ix_model_call_project_id"), ["project_id"], unique=False)
    with op.batch_alter_table("scoring_run", schema=None) as batch_op:
        batch_op.add_column(sa.Column("calls_cached", sa.Integer(), nullable=False, server_default="0"))
    op.execute(_OF_RUNS)
    op.execute(_OF_STAGES)


def downgrade() -> None:
    with op.batch_alter_table("scoring_run", schema=None) as batch_op:
        batch_op.drop_column("calls_cached")
    with op.batch_alter_table("model_call", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_model_call_project_id"))
        batch_op.drop_constraint(batch_op.f("fk_model_call_project_id_project"), type_="foreignkey")
        batch_op.drop_column("project_id")
        batch_op.drop_column("cache_write_tokens")
