"""checklists that studies of conditions made"""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "condition_checklist",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("checklist_id", sa.Integer(), nullable=False),
        sa.Column("inputs_digest", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(
            ["checklist_id"],
            ["checklist.id"],
            name=op.f("fk_condition_checklist_checklist_id_checklist"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_condition_checklist")),
        sa.UniqueConstraint("checklist_id", name=op.f("uq_condition_checklist_checklist_id")),
    )
    for column in ("checklist_id", "inputs_digest"):
        op.create_index(op.f(f"ix_condition_checklist_{column}"), "condition_checklist", [column])


def downgrade() -> None:
    op.drop_table("condition_checklist")
