"""who changed a build; nobody knows of earlier changes"""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("build_revision", schema=None) as batch_op:
        batch_op.add_column(sa.Column("who", sa.String(), nullable=False, server_default=""))


def downgrade() -> None:
    with op.batch_alter_table("build_revision", schema=None) as batch_op:
        batch_op.drop_column("who")
