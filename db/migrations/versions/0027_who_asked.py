"""who a call was asked by, and how often a run's requests were sent again"""

import sqlalchemy as sa
from alembic import op

revision = "0027"
down_revision = "0026"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("model_call", schema=None) as batch_op:
        batch_op.add_column(sa.Column("person_id", sa.Integer(), nullable=True))
        name = batch_op.f("fk_model_call_person_id_person")
        batch_op.create_foreign_key(name, "person", ["person_id"], ["id"], ondelete="SET NULL")
        batch_op.create_index(batch_op.f("ix_model_call_person_id"), ["person_id"], unique=False)
    with op.batch_alter_table("scoring_run", schema=None) as batch_op:
        batch_op.add_column(sa.Column("retries", sa.Integer(), nullable=False, server_default="0"))


def downgrade() -> None:
    with op.batch_alter_table("scoring_run", schema=None) as batch_op:
        batch_op.drop_column("retries")
    with op.batch_alter_table("model_call", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_model_call_person_id"))
        batch_op.drop_constraint(batch_op.f("fk_model_call_person_id_person"), type_="foreignkey")
        batch_op.drop_column("person_id")
