"""when texts came in: empty for those that are there already"""

import sqlalchemy as sa
from alembic import op

revision = "0040"
down_revision = "0039"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("text", schema=None) as batch_op:
        batch_op.add_column(sa.Column("imported_at", sa.DateTime(timezone=True), nullable=True))


def downgrade() -> None:
    with op.batch_alter_table("text", schema=None) as batch_op:
        batch_op.drop_column("imported_at")
