"""questions that may not apply, and judgments of judges that can't tell"""

import sqlalchemy as sa
from alembic import op

revision = "0028"
down_revision = "0027"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("question", schema=None) as batch_op:
        batch_op.add_column(sa.Column("may_not_apply", sa.Boolean(), nullable=False, server_default=sa.false()))
        batch_op.add_column(sa.Column("not_apply_reason", sa.Text(), nullable=False, server_default=""))
    with op.batch_alter_table("judgment", schema=None) as batch_op:
        batch_op.add_column(sa.Column("cannot_tell", sa.Boolean(), nullable=False, server_default=sa.false()))


def downgrade() -> None:
    with op.batch_alter_table("judgment", schema=None) as batch_op:
        batch_op.drop_column("cannot_tell")
    with op.batch_alter_table("question", schema=None) as batch_op:
        batch_op.drop_column("not_apply_reason")
        batch_op.drop_column("may_not_apply")
