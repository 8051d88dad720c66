"""experts who say done, transcripts, merged and moved attributes, blind comparisons"""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

CASCADE = "CASCADE"
TIME = sa.DateTime(timezone=True)


def _refers(table: str, column: str, target: str, ondelete: str = CASCADE) -> sa.ForeignKeyConstraint:
    name = op.f(f"fk_{table}_{column}_{target}")
    return sa.ForeignKeyConstraint([column], [f"{target}.id"], name=name, ondelete=ondelete)


def _index(table: str, *columns: str) -> None:
    with op.batch_alter_table(table, schema=None) as batch_op:
        for column in columns:
            batch_op.create_index(batch_op.f(f"ix_{table}_{column}"), [column], unique=False)


def upgrade() -> None:
    with op.batch_alter_table("attribute", schema=None) as batch_op:
        for column, target in (("original_dimension_id", "dimension"), ("prompted_by", "text")):
            batch_op.add_column(sa.Column(column, sa.Integer(), nullable=True))
            name = batch_op.f(f"fk_attribute_{column}_{target}")
            batch_op.create_foreign_key(name, target, [column], ["id"], ondelete="SET NULL")
            batch_op.create_index(batch_op.f(f"ix_attribute_{column}"), [column], unique=False)
    op.create_table(
        "think_aloud_done",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("dimension_id", sa.Integer(), nullable=False),
        sa.Column("contributor_id", sa.Integer(), nullable=False),
        sa.Column("done", sa.Boolean(), nullable=False),
        sa.Column("first_done_at", TIME, nullable=False),
        _refers("think_aloud_done", "dimension_id", "dimension"),
        _refers("think_aloud_done", "contributor_id", "contributor"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_think_aloud_done")),
        sa.UniqueConstraint(
            "dimension_id", "contributor_id", name=op.f("uq_think_aloud_done_dimension_id_contributor_id")
        ),
    )
    _index("think_aloud_done", "dimension_id", "contributor_id")
    _create_transcripts()
    _create_side_by_side()


def _create_transcripts() -> None:
    op.create_table(
        "transcript",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("dimension_id", sa.Integer(), nullable=False),
        sa.Column("contributor_id", sa.Integer(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("audio", sa.String(), nullable=False),
        sa.Column("model", sa.String(), nullable=False),
        sa.Column("error", sa.Text(), nullable=False),
        sa.Column("created_at", TIME, nullable=False),
        _refers("transcript", "dimension_id", "dimension"),
        _refers("transcript", "contributor_id", "contributor"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_transcript")),
    )
    _index("transcript", "dimension_id", "contributor_id")
    op.create_table(
        "proposed_attribute",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("transcript_id", sa.Integer(), nullable=False),
        sa.Column("attribute_id", sa.Integer(), nullable=True),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("words", sa.Text(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("declined", sa.Boolean(), nullable=False),
        _refers("proposed_attribute", "transcript_id", "transcript"),
        _refers("proposed_attribute", "attribute_id", "attribute", "SET NULL"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_proposed_attribute")),
    )
    _index("proposed_attribute", "transcript_id", "attribute_id")


def _create_side_by_side() -> None:
    op.create_table(
        "side_by_side",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("dimension_id", sa.Integer(), nullable=False),
        sa.Column("contributor_id", sa.Integer(), nullable=False),
        sa.Column("people_are_a", sa.Boolean(), nullable=False),
        sa.Column("people", sa.JSON(), nullable=False),
        sa.Column("llms", sa.JSON(), nullable=False),
        sa.Column("revealed_at", TIME, nullable=True),
        sa.Column("created_at", TIME, nullable=False),
        _refers("side_by_side", "dimension_id", "dimension"),
        _refers("side_by_side", "contributor_id", "contributor"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_side_by_side")),
        sa.UniqueConstraint("dimension_id", "contributor_id", name=op.f("uq_side_by_side_dimension_id_contributor_id")),
    )
    _index("side_by_side", "dimension_id", "contributor_id")
    op.create_table(
        "side_by_side_answer",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("side_by_side_id", sa.Integer(), nullable=False),
        sa.Column("question", sa.String(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("saved_at", TIME, nullable=False),
        _refers("side_by_side_answer", "side_by_side_id", "side_by_side"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_side_by_side_answer")),
        sa.UniqueConstraint(
            "side_by_side_id", "question", name=op.f("uq_side_by_side_answer_side_by_side_id_question")
        ),
    )
    _index("side_by_side_answer", "side_by_side_id")


def downgrade() -> None:
    for table in ("side_by_side_answer", "side_by_side", "proposed_attribute", "transcript", "think_aloud_done"):
        op.drop_table(table)
    with op.batch_alter_table("attribute", schema=None) as batch_op:
        for column, target in (("original_dimension_id", "dimension"), ("prompted_by", "text")):
            batch_op.drop_index(batch_op.f(f"ix_attribute_{column}"))
            batch_op.drop_constraint(batch_op.f(f"fk_attribute_{column}_{target}"), type_="foreignkey")
            batch_op.drop_column(column)
