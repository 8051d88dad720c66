"""points that experts took back before others could see them are theirs alone; when an expert said "done" last"""

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("think_aloud_done", schema=None) as batch_op:
        batch_op.add_column(sa.Column("last_done_at", sa.DateTime(timezone=True), nullable=True))
    # Whoever was done once may have said it again later; what is known is the first time.
    op.execute("UPDATE think_aloud_done SET last_done_at = first_done_at")
    # When a point was removed isn't on record, so it stays private, unless a checklist rests on it.
    used = " UNION ".join(
        f"SELECT attribute_id FROM {table}"  # noqa: S608 - names of our own
        for table in ("component_attribute", "question_attribute", "dropped_attribute")
    )
    op.execute(
        "UPDATE attribute SET status = 'withdrawn' "  # noqa: S608
        f"WHERE status = 'excluded' AND reason = 'removed by its author' AND id NOT IN ({used})"
    )


def downgrade() -> None:
    op.execute("UPDATE attribute SET status = 'excluded' WHERE status = 'withdrawn'")
    with op.batch_alter_table("think_aloud_done", schema=None) as batch_op:
        batch_op.drop_column("last_done_at")
