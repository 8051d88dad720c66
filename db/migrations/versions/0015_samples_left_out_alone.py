"""the sample texts that a run left out by themselves; earlier runs left out whole documents"""

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("run_dimension", schema=None) as batch_op:
        batch_op.add_column(sa.Column("excluded_texts", sa.JSON(), nullable=False, server_default="[]"))


def downgrade() -> None:
    with op.batch_alter_table("run_dimension", schema=None) as batch_op:
        batch_op.drop_column("excluded_texts")
