"""builds that studies of conditions made"""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("build", schema=None) as batch_op:
        batch_op.add_column(sa.Column("study_digest", sa.String(), nullable=False, server_default=""))
        batch_op.create_index(batch_op.f("ix_build_study_digest"), ["study_digest"], unique=False)


def downgrade() -> None:
    with op.batch_alter_table("build", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_build_study_digest"))
        batch_op.drop_column("study_digest")
