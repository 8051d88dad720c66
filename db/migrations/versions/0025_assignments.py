"""dimensions that experts are given, and drawn texts that are shared among them"""

import sqlalchemy as sa
from alembic import op

revision = "0025"
down_revision = "0024"
branch_labels = None
depends_on = None


def _whole(name: str) -> sa.Column[int]:
    return sa.Column(name, sa.Integer(), nullable=False)


def _owned(table: str, column: str, target: str) -> sa.ForeignKeyConstraint:
    name = op.f(f"fk_{table}_{column}_{target}")
    return sa.ForeignKeyConstraint([column], [f"{target}.id"], name=name, ondelete="CASCADE")


def upgrade() -> None:
    op.create_table(
        "assignment",
        _whole("id"),
        _whole("contributor_id"),
        _whole("dimension_id"),
        _owned("assignment", "contributor_id", "contributor"),
        _owned("assignment", "dimension_id", "dimension"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_assignment")),
        sa.UniqueConstraint("contributor_id", "dimension_id", name=op.f("uq_assignment_contributor_id_dimension_id")),
    )
    op.create_table(
        "answer_share",
        _whole("id"),
        _whole("draw_id"),
        _whole("text_id"),
        _whole("contributor_id"),
        _owned("answer_share", "draw_id", "answer_draw"),
        _owned("answer_share", "text_id", "text"),
        _owned("answer_share", "contributor_id", "contributor"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_answer_share")),
        sa.UniqueConstraint(
            "draw_id", "text_id", "contributor_id", name=op.f("uq_answer_share_draw_id_text_id_contributor_id")
        ),
    )
    for table, column in (
        ("assignment", "contributor_id"),
        ("assignment", "dimension_id"),
        ("answer_share", "draw_id"),
        ("answer_share", "text_id"),
        ("answer_share", "contributor_id"),
    ):
        op.create_index(op.f(f"ix_{table}_{column}"), table, [column], unique=False)
    with op.batch_alter_table("dimension", schema=None) as batch_op:
        batch_op.add_column(sa.Column("overlap", sa.Integer(), nullable=False, server_default="0"))


def downgrade() -> None:
    with op.batch_alter_table("dimension", schema=None) as batch_op:
        batch_op.drop_column("overlap")
    op.drop_table("answer_share")
    op.drop_table("assignment")
