"""screens for studies are offered where a project has them switched on"""

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None


def upgrade() -> None:
    # Projects that are there were led through all screens, and keep them.
    with op.batch_alter_table("project", schema=None) as batch_op:
        batch_op.add_column(sa.Column("research", sa.Boolean(), nullable=False, server_default=sa.true()))
    with op.batch_alter_table("project", schema=None) as batch_op:
        batch_op.alter_column("research", server_default=None)


def downgrade() -> None:
    with op.batch_alter_table("project", schema=None) as batch_op:
        batch_op.drop_column("research")
