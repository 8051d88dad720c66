"""guidance, removed questions, the history of a draft, proposals of models, answers taken over from earlier runs"""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

TIME = sa.DateTime(timezone=True)


def _refers(table: str, column: str, target: str, ondelete: str) -> sa.ForeignKeyConstraint:
    name = op.f(f"fk_{table}_{column}_{target}")
    return sa.ForeignKeyConstraint([column], [f"{target}.id"], name=name, ondelete=ondelete)


def _index(table: str, *columns: str) -> None:
    with op.batch_alter_table(table, schema=None) as batch_op:
        for column in columns:
            batch_op.create_index(batch_op.f(f"ix_{table}_{column}"), [column], unique=False)


def upgrade() -> None:
    with op.batch_alter_table("question", schema=None) as batch_op:
        batch_op.add_column(sa.Column("guidance", sa.Text(), nullable=False, server_default=""))
        batch_op.add_column(sa.Column("removed", sa.Boolean(), nullable=False, server_default=sa.false()))
    with op.batch_alter_table("component", schema=None) as batch_op:
        batch_op.add_column(sa.Column("removed", sa.Boolean(), nullable=False, server_default=sa.false()))
    with op.batch_alter_table("judgment", schema=None) as batch_op:
        batch_op.add_column(sa.Column("origin_run_id", sa.Integer(), nullable=True))
        name = batch_op.f("fk_judgment_origin_run_id_scoring_run")
        batch_op.create_foreign_key(name, "scoring_run", ["origin_run_id"], ["id"], ondelete="SET NULL")
        batch_op.create_index(batch_op.f("ix_judgment_origin_run_id"), ["origin_run_id"], unique=False)
    op.create_table(
        "checklist_change",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("checklist_id", sa.Integer(), nullable=False),
        sa.Column("who", sa.String(), nullable=False),
        sa.Column("what", sa.String(), nullable=False),
        sa.Column("steps", sa.JSON(), nullable=False),
        sa.Column("undoes_id", sa.Integer(), nullable=True),
        sa.Column("created_at", TIME, nullable=False),
        _refers("checklist_change", "checklist_id", "checklist", "CASCADE"),
        _refers("checklist_change", "undoes_id", "checklist_change", "SET NULL"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_checklist_change")),
    )
    _index("checklist_change", "checklist_id", "undoes_id")
    op.create_table(
        "question_proposal",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("checklist_id", sa.Integer(), nullable=False),
        sa.Column("stage_run_id", sa.Integer(), nullable=True),
        sa.Column("action", sa.String(), nullable=False),
        sa.Column("model", sa.String(), nullable=False),
        sa.Column("sources", sa.JSON(), nullable=False),
        sa.Column("before", sa.JSON(), nullable=False),
        sa.Column("after", sa.JSON(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("decided_by", sa.String(), nullable=False),
        sa.Column("created_at", TIME, nullable=False),
        sa.Column("decided_at", TIME, nullable=True),
        _refers("question_proposal", "checklist_id", "checklist", "CASCADE"),
        _refers("question_proposal", "stage_run_id", "stage_run", "SET NULL"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_question_proposal")),
    )
    _index("question_proposal", "checklist_id", "stage_run_id")


def downgrade() -> None:
    op.drop_table("question_proposal")
    op.drop_table("checklist_change")
    with op.batch_alter_table("judgment", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_judgment_origin_run_id"))
        batch_op.drop_constraint(batch_op.f("fk_judgment_origin_run_id_scoring_run"), type_="foreignkey")
        batch_op.drop_column("origin_run_id")
    with op.batch_alter_table("component", schema=None) as batch_op:
        batch_op.drop_column("removed")
    with op.batch_alter_table("question", schema=None) as batch_op:
        batch_op.drop_column("removed")
        batch_op.drop_column("guidance")
