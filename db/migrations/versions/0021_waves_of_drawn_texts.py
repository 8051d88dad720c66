"""texts for experts are drawn in waves, each text with a chance that is kept"""

import sqlalchemy as sa
from alembic import op

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None

# What was drawn so far is one wave, in which all texts were alike.
_FIRST_WAVE = """
    INSERT INTO answer_wave (draw_id, number, design, seed, tau, drawn_at)
    SELECT id, 1, 'chance', seed, 0, drawn_at FROM answer_draw
"""


def _owned(table: str, column: str, target: str) -> sa.ForeignKeyConstraint:
    name = op.f(f"fk_{table}_{column}_{target}")
    return sa.ForeignKeyConstraint([column], [f"{target}.id"], name=name, ondelete="CASCADE")


def upgrade() -> None:
    op.create_table(
        "answer_wave",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("draw_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("design", sa.String(), nullable=False),
        sa.Column("seed", sa.Integer(), nullable=False),
        sa.Column("tau", sa.Float(), nullable=False),
        sa.Column("drawn_at", sa.DateTime(timezone=True), nullable=False),
        _owned("answer_wave", "draw_id", "answer_draw"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_answer_wave")),
        sa.UniqueConstraint("draw_id", "number", name=op.f("uq_answer_wave_draw_id_number")),
    )
    op.create_table(
        "answer_chance",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("wave_id", sa.Integer(), nullable=False),
        sa.Column("text_id", sa.Integer(), nullable=False),
        sa.Column("chance", sa.Float(), nullable=False),
        _owned("answer_chance", "wave_id", "answer_wave"),
        _owned("answer_chance", "text_id", "text"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_answer_chance")),
        sa.UniqueConstraint("wave_id", "text_id", name=op.f("uq_answer_chance_wave_id_text_id")),
    )
    for table, column in (("answer_wave", "draw_id"), ("answer_chance", "wave_id"), ("answer_chance", "text_id")):
        op.create_index(op.f(f"ix_{table}_{column}"), table, [column], unique=False)
    with op.batch_alter_table("answer_draw_text", schema=None) as batch_op:
        batch_op.add_column(sa.Column("wave", sa.Integer(), nullable=False, server_default="1"))
    op.execute(_FIRST_WAVE)


def downgrade() -> None:
    with op.batch_alter_table("answer_draw_text", schema=None) as batch_op:
        batch_op.drop_column("wave")
    op.drop_table("answer_chance")
    op.drop_table("answer_wave")
