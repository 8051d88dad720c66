"""examples of a question, and attempts at choosing some"""

import sqlalchemy as sa
from alembic import op

revision = "0046"
down_revision = "0045"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("question", schema=None) as batch_op:
        batch_op.add_column(sa.Column("examples", sa.JSON(), nullable=False, server_default="[]"))
    with op.batch_alter_table("question_improvement", schema=None) as batch_op:
        batch_op.add_column(sa.Column("examples", sa.JSON(), nullable=False, server_default="[]"))
        batch_op.add_column(sa.Column("beside", sa.JSON(), nullable=False, server_default="{}"))


def downgrade() -> None:
    with op.batch_alter_table("question_improvement", schema=None) as batch_op:
        batch_op.drop_column("beside")
        batch_op.drop_column("examples")
    with op.batch_alter_table("question", schema=None) as batch_op:
        batch_op.drop_column("examples")
