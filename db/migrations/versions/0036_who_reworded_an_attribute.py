"""who reworded an attribute last"""

import sqlalchemy as sa
from alembic import op

revision = "0036"
down_revision = "0035"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("attribute", schema=None) as batch_op:
        batch_op.add_column(sa.Column("reworded_by", sa.String(), nullable=False, server_default=""))


def downgrade() -> None:
    with op.batch_alter_table("attribute", schema=None) as batch_op:
        batch_op.drop_column("reworded_by")
