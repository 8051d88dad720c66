"""builds in progress, with every state they went through"""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None

TIME = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.create_table(
        "build",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("dimension_id", sa.Integer(), nullable=False),
        sa.Column("condition", sa.String(), nullable=False),
        sa.Column("created_at", TIME, nullable=False),
        sa.ForeignKeyConstraint(
            ["dimension_id"], ["dimension.id"], name=op.f("fk_build_dimension_id_dimension"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_build")),
    )
    op.create_index(op.f("ix_build_dimension_id"), "build", ["dimension_id"], unique=False)
    op.create_table(
        "build_revision",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("build_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("what", sa.Text(), nullable=False),
        sa.Column("state", sa.JSON(), nullable=False),
        sa.Column("checklist_id", sa.Integer(), nullable=True),
        sa.Column("created_at", TIME, nullable=False),
        sa.ForeignKeyConstraint(
            ["build_id"], ["build.id"], name=op.f("fk_build_revision_build_id_build"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["checklist_id"],
            ["checklist.id"],
            name=op.f("fk_build_revision_checklist_id_checklist"),
            ondelete="SET NULL",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_build_revision")),
        sa.UniqueConstraint("build_id", "number", name=op.f("uq_build_revision_build_id_number")),
    )
    op.create_index(op.f("ix_build_revision_build_id"), "build_revision", ["build_id"], unique=False)
    op.create_index(op.f("ix_build_revision_checklist_id"), "build_revision", ["checklist_id"], unique=False)


def downgrade() -> None:
    op.drop_table("build_revision")
    op.drop_table("build")
