"""attempts at better wordings of questions, and the halves they are made from and proven on"""

import sqlalchemy as sa
from alembic import op

revision = "0031"
down_revision = "0030"
branch_labels = None
depends_on = None


def _key(table: str, column: str, target: str, ondelete: str) -> sa.ForeignKeyConstraint:
    name = op.f(f"fk_{table}_{column}_{target}")
    return sa.ForeignKeyConstraint([column], [f"{target}.id"], name=name, ondelete=ondelete)


def upgrade() -> None:
    op.create_table(
        "document_half",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("doc_id", sa.String(), nullable=False),
        sa.Column("half", sa.String(), nullable=False),
        sa.Column("drawn_at", sa.DateTime(timezone=True), nullable=False),
        _key("document_half", "project_id", "project", "CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_document_half")),
        sa.UniqueConstraint("project_id", "doc_id", name=op.f("uq_document_half_project_id_doc_id")),
    )
    op.create_index(op.f("ix_document_half_project_id"), "document_half", ["project_id"], unique=False)
    op.create_table(
        "question_improvement",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("question_id", sa.Integer(), nullable=False),
        sa.Column("run_id", sa.Integer(), nullable=True),
        sa.Column("model", sa.String(), nullable=False),
        sa.Column("judge", sa.String(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("guidance", sa.Text(), nullable=False),
        sa.Column("decisions", sa.JSON(), nullable=False),
        sa.Column("tried", sa.JSON(), nullable=False),
        sa.Column("best", sa.Integer(), nullable=True),
        sa.Column("proof", sa.JSON(), nullable=False),
        sa.Column("proof_decided", sa.Integer(), nullable=False),
        sa.Column("proof_texts", sa.JSON(), nullable=False),
        sa.Column("calls", sa.Integer(), nullable=False),
        sa.Column("cost_usd", sa.Float(), nullable=True),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("made_by", sa.String(), nullable=False),
        sa.Column("made_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("decided_by", sa.String(), nullable=False),
        sa.Column("decided_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("taken_text", sa.Text(), nullable=False),
        sa.Column("taken_guidance", sa.Text(), nullable=False),
        _key("question_improvement", "question_id", "question", "CASCADE"),
        _key("question_improvement", "run_id", "scoring_run", "SET NULL"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_question_improvement")),
    )
    for column in ("question_id", "run_id"):
        name = op.f(f"ix_question_improvement_{column}")
        op.create_index(name, "question_improvement", [column], unique=False)


def downgrade() -> None:
    op.drop_table("question_improvement")
    op.drop_table("document_half")
