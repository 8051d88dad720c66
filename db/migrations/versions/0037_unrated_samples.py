"""samples of texts that nobody rated, and what the writer of a text is called"""

import sqlalchemy as sa
from alembic import op

revision = "0037"
down_revision = "0036"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("think_aloud_sample", schema=None) as batch_op:
        batch_op.alter_column("score", existing_type=sa.Float(), nullable=True)
    with op.batch_alter_table("project", schema=None) as batch_op:
        batch_op.add_column(sa.Column("writer_name", sa.String(), nullable=False, server_default="system"))


def downgrade() -> None:
    with op.batch_alter_table("project", schema=None) as batch_op:
        batch_op.drop_column("writer_name")
    op.execute("DELETE FROM think_aloud_sample WHERE score IS NULL")
    with op.batch_alter_table("think_aloud_sample", schema=None) as batch_op:
        batch_op.alter_column("score", existing_type=sa.Float(), nullable=False)
