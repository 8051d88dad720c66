"""how the answer to a question counts: where a yes is bad, which are required, and thresholds of a grade"""

import sqlalchemy as sa
from alembic import op

revision = "0045"
down_revision = "0044"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("question", schema=None) as batch_op:
        batch_op.add_column(sa.Column("must_not", sa.Boolean(), nullable=False, server_default=sa.false()))
        batch_op.add_column(sa.Column("cap", sa.Float(), nullable=True))
        batch_op.add_column(sa.Column("grade", sa.Text(), nullable=False, server_default=""))


def downgrade() -> None:
    with op.batch_alter_table("question", schema=None) as batch_op:
        for column in ("grade", "cap", "must_not"):
            batch_op.drop_column(column)
