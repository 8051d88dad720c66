"""scores from the judge's probabilities"""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("score", schema=None) as batch_op:
        batch_op.add_column(sa.Column("soft_value", sa.Float(), nullable=True))


def downgrade() -> None:
    with op.batch_alter_table("score", schema=None) as batch_op:
        batch_op.drop_column("soft_value")
