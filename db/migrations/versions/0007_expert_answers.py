"""experts answer a checklist on texts drawn for them"""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

TIME = sa.DateTime(timezone=True)


def _owned(table: str, column: str, target: str) -> sa.ForeignKeyConstraint:
    name = op.f(f"fk_{table}_{column}_{target}")
    return sa.ForeignKeyConstraint([column], [f"{target}.id"], name=name, ondelete="CASCADE")


def _index(table: str, *columns: str) -> None:
    for column in columns:
        op.create_index(op.f(f"ix_{table}_{column}"), table, [column])


def upgrade() -> None:
    op.create_table(
        "answer_draw",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("checklist_id", sa.Integer(), nullable=False),
        sa.Column("seed", sa.Integer(), nullable=False),
        sa.Column("stratified", sa.Boolean(), nullable=False),
        sa.Column("drawn_at", TIME, nullable=False),
        _owned("answer_draw", "checklist_id", "checklist"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_answer_draw")),
        sa.UniqueConstraint("checklist_id", name=op.f("uq_answer_draw_checklist_id")),
    )
    _index("answer_draw", "checklist_id")
    op.create_table(
        "answer_draw_text",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("draw_id", sa.Integer(), nullable=False),
        sa.Column("text_id", sa.Integer(), nullable=False),
        _owned("answer_draw_text", "draw_id", "answer_draw"),
        _owned("answer_draw_text", "text_id", "text"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_answer_draw_text")),
        sa.UniqueConstraint("draw_id", "text_id", name=op.f("uq_answer_draw_text_draw_id_text_id")),
    )
    _index("answer_draw_text", "draw_id", "text_id")
    op.create_table(
        "expert_answer",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("draw_id", sa.Integer(), nullable=False),
        sa.Column("contributor_id", sa.Integer(), nullable=False),
        sa.Column("text_id", sa.Integer(), nullable=False),
        sa.Column("question_id", sa.Integer(), nullable=False),
        sa.Column("answer", sa.String(), nullable=False),
        sa.Column("note", sa.Text(), nullable=False),
        sa.Column("saved_at", TIME, nullable=False),
        _owned("expert_answer", "draw_id", "answer_draw"),
        _owned("expert_answer", "contributor_id", "contributor"),
        _owned("expert_answer", "text_id", "text"),
        _owned("expert_answer", "question_id", "question"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_expert_answer")),
        sa.UniqueConstraint(
            "draw_id",
            "contributor_id",
            "text_id",
            "question_id",
            name=op.f("uq_expert_answer_draw_id_contributor_id_text_id_question_id"),
        ),
    )
    _index("expert_answer", "draw_id", "contributor_id", "text_id", "question_id")


def downgrade() -> None:
    for table in ("expert_answer", "answer_draw_text", "answer_draw"):
        op.drop_table(table)
