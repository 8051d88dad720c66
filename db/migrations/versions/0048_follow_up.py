"""the model that asks a project's experts follow-up questions, none unless somebody chooses one"""

import sqlalchemy as sa
from alembic import op

revision = "0048"
down_revision = "0047"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("project") as table:
        table.add_column(sa.Column("follow_up", sa.String(), nullable=False, server_default=""))


def downgrade() -> None:
    with op.batch_alter_table("project") as table:
        table.drop_column("follow_up")
