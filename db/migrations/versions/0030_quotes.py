"""the passage that decides an answer, as the judge quotes it"""

import sqlalchemy as sa
from alembic import op

revision = "0030"
down_revision = "0029"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("judgment", schema=None) as batch_op:
        batch_op.add_column(sa.Column("quote", sa.Text(), nullable=False, server_default=""))


def downgrade() -> None:
    with op.batch_alter_table("judgment", schema=None) as batch_op:
        batch_op.drop_column("quote")
