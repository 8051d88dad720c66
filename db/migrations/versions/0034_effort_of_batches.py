"""the reasoning effort with which a batch of a model's think-alouds is asked, by which its answers are found"""

import sqlalchemy as sa
from alembic import op

revision = "0034"
down_revision = "0033"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("provider_batch", schema=None) as batch_op:
        batch_op.add_column(sa.Column("effort", sa.String(), nullable=False, server_default=""))


def downgrade() -> None:
    with op.batch_alter_table("provider_batch", schema=None) as batch_op:
        batch_op.drop_column("effort")
