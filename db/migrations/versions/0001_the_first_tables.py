"""the first tables"""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:

    op.create_table(
        "project",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("text_name", sa.String(), nullable=False),
        sa.Column("source_name", sa.String(), nullable=False),
        sa.Column("description", sa.Text(), nullable=False),
        sa.Column("language", sa.String(), nullable=False),
        sa.Column("notice", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_project")),
        sa.UniqueConstraint("name", name=op.f("uq_project_name")),
    )
    op.create_table(
        "contributor",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("model", sa.String(), nullable=False),
        sa.Column("role", sa.String(), nullable=False),
        sa.Column("background", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["project_id"], ["project.id"], name=op.f("fk_contributor_project_id_project"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_contributor")),
        sa.UniqueConstraint("project_id", "name", name=op.f("uq_contributor_project_id_name")),
    )
    with op.batch_alter_table("contributor", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_contributor_project_id"), ["project_id"], unique=False)

    op.create_table(
        "dimension",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("rubric", sa.Text(), nullable=False),
        sa.Column("low", sa.Float(), nullable=False),
        sa.Column("high", sa.Float(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["project_id"], ["project.id"], name=op.f("fk_dimension_project_id_project"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_dimension")),
        sa.UniqueConstraint("project_id", "name", name=op.f("uq_dimension_project_id_name")),
    )
    with op.batch_alter_table("dimension", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_dimension_project_id"), ["project_id"], unique=False)

    op.create_table(
        "scoring_run",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("evaluator", sa.String(), nullable=False),
        sa.Column("judge", sa.String(), nullable=False),
        sa.Column("params", sa.JSON(), nullable=False),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("message", sa.Text(), nullable=False),
        sa.Column("writer", sa.String(), nullable=False),
        sa.Column("stop_requested", sa.Boolean(), nullable=False),
        sa.Column("heartbeat_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("finished_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["project_id"], ["project.id"], name=op.f("fk_scoring_run_project_id_project"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_scoring_run")),
    )
    with op.batch_alter_table("scoring_run", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_scoring_run_project_id"), ["project_id"], unique=False)

    op.create_table(
        "text",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("doc_id", sa.String(), nullable=False),
        sa.Column("system_id", sa.String(), nullable=False),
        sa.Column("item_id", sa.String(), nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("references", sa.JSON(), nullable=False),
        sa.Column("extra", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(
            ["project_id"], ["project.id"], name=op.f("fk_text_project_id_project"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_text")),
        sa.UniqueConstraint(
            "project_id",
            "doc_id",
            "system_id",
            "item_id",
            name=op.f("uq_text_project_id_doc_id_system_id_item_id"),
        ),
    )
    with op.batch_alter_table("text", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_text_project_id"), ["project_id"], unique=False)

    op.create_table(
        "checklist",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("dimension_id", sa.Integer(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("parent_id", sa.Integer(), nullable=True),
        sa.Column("condition", sa.String(), nullable=False),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("origin", sa.String(), nullable=False),
        sa.Column("model", sa.String(), nullable=False),
        sa.Column("max_components", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("published_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["dimension_id"],
            ["dimension.id"],
            name=op.f("fk_checklist_dimension_id_dimension"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["parent_id"],
            ["checklist.id"],
            name=op.f("fk_checklist_parent_id_checklist"),
            ondelete="SET NULL",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_checklist")),
        sa.UniqueConstraint("dimension_id", "version", name=op.f("uq_checklist_dimension_id_version")),
    )
    with op.batch_alter_table("checklist", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_checklist_dimension_id"), ["dimension_id"], unique=False)
        batch_op.create_index(batch_op.f("ix_checklist_parent_id"), ["parent_id"], unique=False)

    op.create_table(
        "model_call",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("digest", sa.String(), nullable=False),
        sa.Column("model", sa.String(), nullable=False),
        sa.Column("prompt", sa.String(), nullable=False),
        sa.Column("prompt_digest", sa.String(), nullable=False),
        sa.Column("reply", sa.Text(), nullable=False),
        sa.Column("rationales", sa.JSON(), nullable=False),
        sa.Column("logprobs", sa.JSON(), nullable=False),
        sa.Column("finish", sa.String(), nullable=False),
        sa.Column("input_tokens", sa.Integer(), nullable=False),
        sa.Column("cached_tokens", sa.Integer(), nullable=False),
        sa.Column("output_tokens", sa.Integer(), nullable=False),
        sa.Column("cost_usd", sa.Float(), nullable=True),
        sa.Column("seconds", sa.Float(), nullable=False),
        sa.Column("error_kind", sa.String(), nullable=False),
        sa.Column("run_id", sa.Integer(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["run_id"], ["scoring_run.id"], name=op.f("fk_model_call_run_id_scoring_run"), ondelete="SET NULL"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_model_call")),
    )
    with op.batch_alter_table("model_call", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_model_call_digest"), ["digest"], unique=False)
        batch_op.create_index(batch_op.f("ix_model_call_run_id"), ["run_id"], unique=False)

    op.create_table(
        "rating",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("text_id", sa.Integer(), nullable=False),
        sa.Column("dimension_id", sa.Integer(), nullable=False),
        sa.Column("rater", sa.String(), nullable=False),
        sa.Column("value", sa.Float(), nullable=False),
        sa.ForeignKeyConstraint(
            ["dimension_id"],
            ["dimension.id"],
            name=op.f("fk_rating_dimension_id_dimension"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(["text_id"], ["text.id"], name=op.f("fk_rating_text_id_text"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_rating")),
        sa.UniqueConstraint("text_id", "dimension_id", "rater", name=op.f("uq_rating_text_id_dimension_id_rater")),
    )
    with op.batch_alter_table("rating", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_rating_dimension_id"), ["dimension_id"], unique=False)
        batch_op.create_index(batch_op.f("ix_rating_text_id"), ["text_id"], unique=False)

    op.create_table(
        "score",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("run_id", sa.Integer(), nullable=False),
        sa.Column("dimension_id", sa.Integer(), nullable=False),
        sa.Column("text_id", sa.Integer(), nullable=False),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("value", sa.Float(), nullable=True),
        sa.Column("coverage", sa.Float(), nullable=True),
        sa.Column("error_kind", sa.String(), nullable=False),
        sa.Column("error", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["dimension_id"],
            ["dimension.id"],
            name=op.f("fk_score_dimension_id_dimension"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["run_id"], ["scoring_run.id"], name=op.f("fk_score_run_id_scoring_run"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["text_id"], ["text.id"], name=op.f("fk_score_text_id_text"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_score")),
        sa.UniqueConstraint("run_id", "dimension_id", "text_id", name=op.f("uq_score_run_id_dimension_id_text_id")),
    )
    with op.batch_alter_table("score", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_score_dimension_id"), ["dimension_id"], unique=False)
        batch_op.create_index(batch_op.f("ix_score_run_id"), ["run_id"], unique=False)
        batch_op.create_index(batch_op.f("ix_score_text_id"), ["text_id"], unique=False)

    op.create_table(
        "think_aloud_sample",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("dimension_id", sa.Integer(), nullable=False),
        sa.Column("text_id", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("score", sa.Float(), nullable=False),
        sa.Column("chosen_by", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(
            ["dimension_id"],
            ["dimension.id"],
            name=op.f("fk_think_aloud_sample_dimension_id_dimension"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["text_id"], ["text.id"], name=op.f("fk_think_aloud_sample_text_id_text"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_think_aloud_sample")),
        sa.UniqueConstraint("dimension_id", "position", name=op.f("uq_think_aloud_sample_dimension_id_position")),
        sa.UniqueConstraint("dimension_id", "text_id", name=op.f("uq_think_aloud_sample_dimension_id_text_id")),
    )
    with op.batch_alter_table("think_aloud_sample", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_think_aloud_sample_dimension_id"), ["dimension_id"], unique=False)
        batch_op.create_index(batch_op.f("ix_think_aloud_sample_text_id"), ["text_id"], unique=False)

    op.create_table(
        "component",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("checklist_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("description", sa.Text(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["checklist_id"],
            ["checklist.id"],
            name=op.f("fk_component_checklist_id_checklist"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_component")),
    )
    with op.batch_alter_table("component", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_component_checklist_id"), ["checklist_id"], unique=False)

    op.create_table(
        "run_dimension",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("run_id", sa.Integer(), nullable=False),
        sa.Column("dimension_id", sa.Integer(), nullable=False),
        sa.Column("checklist_id", sa.Integer(), nullable=True),
        sa.Column("prompt_digest", sa.String(), nullable=False),
        sa.Column("excluded_docs", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(
            ["checklist_id"],
            ["checklist.id"],
            name=op.f("fk_run_dimension_checklist_id_checklist"),
            ondelete="SET NULL",
        ),
        sa.ForeignKeyConstraint(
            ["dimension_id"],
            ["dimension.id"],
            name=op.f("fk_run_dimension_dimension_id_dimension"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["run_id"],
            ["scoring_run.id"],
            name=op.f("fk_run_dimension_run_id_scoring_run"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_run_dimension")),
        sa.UniqueConstraint("run_id", "dimension_id", name=op.f("uq_run_dimension_run_id_dimension_id")),
    )
    with op.batch_alter_table("run_dimension", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_run_dimension_checklist_id"), ["checklist_id"], unique=False)
        batch_op.create_index(batch_op.f("ix_run_dimension_dimension_id"), ["dimension_id"], unique=False)
        batch_op.create_index(batch_op.f("ix_run_dimension_run_id"), ["run_id"], unique=False)

    op.create_table(
        "stage_run",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("dimension_id", sa.Integer(), nullable=False),
        sa.Column("checklist_id", sa.Integer(), nullable=True),
        sa.Column("stage", sa.String(), nullable=False),
        sa.Column("model", sa.String(), nullable=False),
        sa.Column("prompt", sa.String(), nullable=False),
        sa.Column("prompt_digest", sa.String(), nullable=False),
        sa.Column("inputs_digest", sa.String(), nullable=False),
        sa.Column("inputs", sa.JSON(), nullable=False),
        sa.Column("output", sa.Text(), nullable=False),
        sa.Column("input_tokens", sa.Integer(), nullable=False),
        sa.Column("cached_tokens", sa.Integer(), nullable=False),
        sa.Column("output_tokens", sa.Integer(), nullable=False),
        sa.Column("error_kind", sa.String(), nullable=False),
        sa.Column("error", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["checklist_id"],
            ["checklist.id"],
            name=op.f("fk_stage_run_checklist_id_checklist"),
            ondelete="SET NULL",
        ),
        sa.ForeignKeyConstraint(
            ["dimension_id"],
            ["dimension.id"],
            name=op.f("fk_stage_run_dimension_id_dimension"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_stage_run")),
    )
    with op.batch_alter_table("stage_run", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_stage_run_checklist_id"), ["checklist_id"], unique=False)
        batch_op.create_index(batch_op.f("ix_stage_run_dimension_id"), ["dimension_id"], unique=False)

    op.create_table(
        "attribute",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("dimension_id", sa.Integer(), nullable=False),
        sa.Column("contributor_id", sa.Integer(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("original_text", sa.Text(), nullable=False),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("merged_into", sa.Integer(), nullable=True),
        sa.Column("round", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("stage_run_id", sa.Integer(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["contributor_id"],
            ["contributor.id"],
            name=op.f("fk_attribute_contributor_id_contributor"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["dimension_id"],
            ["dimension.id"],
            name=op.f("fk_attribute_dimension_id_dimension"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["merged_into"],
            ["attribute.id"],
            name=op.f("fk_attribute_merged_into_attribute"),
            ondelete="SET NULL",
        ),
        sa.ForeignKeyConstraint(
            ["stage_run_id"],
            ["stage_run.id"],
            name=op.f("fk_attribute_stage_run_id_stage_run"),
            ondelete="SET NULL",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_attribute")),
    )
    with op.batch_alter_table("attribute", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_attribute_contributor_id"), ["contributor_id"], unique=False)
        batch_op.create_index(batch_op.f("ix_attribute_dimension_id"), ["dimension_id"], unique=False)
        batch_op.create_index(batch_op.f("ix_attribute_merged_into"), ["merged_into"], unique=False)
        batch_op.create_index(batch_op.f("ix_attribute_stage_run_id"), ["stage_run_id"], unique=False)

    op.create_table(
        "question",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("checklist_id", sa.Integer(), nullable=False),
        sa.Column("component_id", sa.Integer(), nullable=True),
        sa.Column("parent_id", sa.Integer(), nullable=True),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("original_text", sa.Text(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("enabled", sa.Boolean(), nullable=False),
        sa.Column("weight", sa.Float(), nullable=False),
        sa.Column("origin", sa.String(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["checklist_id"],
            ["checklist.id"],
            name=op.f("fk_question_checklist_id_checklist"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["component_id"],
            ["component.id"],
            name=op.f("fk_question_component_id_component"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["parent_id"], ["question.id"], name=op.f("fk_question_parent_id_question"), ondelete="SET NULL"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_question")),
    )
    with op.batch_alter_table("question", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_question_checklist_id"), ["checklist_id"], unique=False)
        batch_op.create_index(batch_op.f("ix_question_component_id"), ["component_id"], unique=False)
        batch_op.create_index(batch_op.f("ix_question_parent_id"), ["parent_id"], unique=False)

    op.create_table(
        "component_attribute",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("component_id", sa.Integer(), nullable=False),
        sa.Column("attribute_id", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["attribute_id"],
            ["attribute.id"],
            name=op.f("fk_component_attribute_attribute_id_attribute"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["component_id"],
            ["component.id"],
            name=op.f("fk_component_attribute_component_id_component"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_component_attribute")),
        sa.UniqueConstraint(
            "component_id", "attribute_id", name=op.f("uq_component_attribute_component_id_attribute_id")
        ),
    )
    with op.batch_alter_table("component_attribute", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_component_attribute_attribute_id"), ["attribute_id"], unique=False)
        batch_op.create_index(batch_op.f("ix_component_attribute_component_id"), ["component_id"], unique=False)

    op.create_table(
        "dropped_attribute",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("checklist_id", sa.Integer(), nullable=False),
        sa.Column("attribute_id", sa.Integer(), nullable=False),
        sa.Column("stage", sa.String(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["attribute_id"],
            ["attribute.id"],
            name=op.f("fk_dropped_attribute_attribute_id_attribute"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["checklist_id"],
            ["checklist.id"],
            name=op.f("fk_dropped_attribute_checklist_id_checklist"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_dropped_attribute")),
        sa.UniqueConstraint(
            "checklist_id", "attribute_id", name=op.f("uq_dropped_attribute_checklist_id_attribute_id")
        ),
    )
    with op.batch_alter_table("dropped_attribute", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_dropped_attribute_attribute_id"), ["attribute_id"], unique=False)
        batch_op.create_index(batch_op.f("ix_dropped_attribute_checklist_id"), ["checklist_id"], unique=False)

    op.create_table(
        "judgment",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("score_id", sa.Integer(), nullable=False),
        sa.Column("question_id", sa.Integer(), nullable=False),
        sa.Column("repeat", sa.Integer(), nullable=False),
        sa.Column("answer", sa.String(), nullable=False),
        sa.Column("p_yes", sa.Float(), nullable=True),
        sa.Column("rationale", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["question_id"],
            ["question.id"],
            name=op.f("fk_judgment_question_id_question"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["score_id"], ["score.id"], name=op.f("fk_judgment_score_id_score"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_judgment")),
        sa.UniqueConstraint("score_id", "question_id", "repeat", name=op.f("uq_judgment_score_id_question_id_repeat")),
    )
    with op.batch_alter_table("judgment", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_judgment_question_id"), ["question_id"], unique=False)
        batch_op.create_index(batch_op.f("ix_judgment_score_id"), ["score_id"], unique=False)

    op.create_table(
        "question_attribute",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("question_id", sa.Integer(), nullable=False),
        sa.Column("attribute_id", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["attribute_id"],
            ["attribute.id"],
            name=op.f("fk_question_attribute_attribute_id_attribute"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["question_id"],
            ["question.id"],
            name=op.f("fk_question_attribute_question_id_question"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_question_attribute")),
        sa.UniqueConstraint("question_id", "attribute_id", name=op.f("uq_question_attribute_question_id_attribute_id")),
    )
    with op.batch_alter_table("question_attribute", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_question_attribute_attribute_id"), ["attribute_id"], unique=False)
        batch_op.create_index(batch_op.f("ix_question_attribute_question_id"), ["question_id"], unique=False)


def downgrade() -> None:

    with op.batch_alter_table("question_attribute", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_question_attribute_question_id"))
        batch_op.drop_index(batch_op.f("ix_question_attribute_attribute_id"))

    op.drop_table("question_attribute")
    with op.batch_alter_table("judgment", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_judgment_score_id"))
        batch_op.drop_index(batch_op.f("ix_judgment_question_id"))

    op.drop_table("judgment")
    with op.batch_alter_table("dropped_attribute", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_dropped_attribute_checklist_id"))
        batch_op.drop_index(batch_op.f("ix_dropped_attribute_attribute_id"))

    op.drop_table("dropped_attribute")
    with op.batch_alter_table("component_attribute", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_component_attribute_component_id"))
        batch_op.drop_index(batch_op.f("ix_component_attribute_attribute_id"))

    op.drop_table("component_attribute")
    with op.batch_alter_table("question", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_question_parent_id"))
        batch_op.drop_index(batch_op.f("ix_question_component_id"))
        batch_op.drop_index(batch_op.f("ix_question_checklist_id"))

    op.drop_table("question")
    with op.batch_alter_table("attribute", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_attribute_stage_run_id"))
        batch_op.drop_index(batch_op.f("ix_attribute_merged_into"))
        batch_op.drop_index(batch_op.f("ix_attribute_dimension_id"))
        batch_op.drop_index(batch_op.f("ix_attribute_contributor_id"))

    op.drop_table("attribute")
    with op.batch_alter_table("stage_run", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_stage_run_dimension_id"))
        batch_op.drop_index(batch_op.f("ix_stage_run_checklist_id"))

    op.drop_table("stage_run")
    with op.batch_alter_table("run_dimension", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_run_dimension_run_id"))
        batch_op.drop_index(batch_op.f("ix_run_dimension_dimension_id"))
        batch_op.drop_index(batch_op.f("ix_run_dimension_checklist_id"))

    op.drop_table("run_dimension")
    with op.batch_alter_table("component", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_component_checklist_id"))

    op.drop_table("component")
    with op.batch_alter_table("think_aloud_sample", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_think_aloud_sample_text_id"))
        batch_op.drop_index(batch_op.f("ix_think_aloud_sample_dimension_id"))

    op.drop_table("think_aloud_sample")
    with op.batch_alter_table("score", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_score_text_id"))
        batch_op.drop_index(batch_op.f("ix_score_run_id"))
        batch_op.drop_index(batch_op.f("ix_score_dimension_id"))

    op.drop_table("score")
    with op.batch_alter_table("rating", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_rating_text_id"))
        batch_op.drop_index(batch_op.f("ix_rating_dimension_id"))

    op.drop_table("rating")
    with op.batch_alter_table("model_call", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_model_call_run_id"))
        batch_op.drop_index(batch_op.f("ix_model_call_digest"))

    op.drop_table("model_call")
    with op.batch_alter_table("checklist", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_checklist_parent_id"))
        batch_op.drop_index(batch_op.f("ix_checklist_dimension_id"))

    op.drop_table("checklist")
    with op.batch_alter_table("text", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_text_project_id"))

    op.drop_table("text")
    with op.batch_alter_table("scoring_run", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_scoring_run_project_id"))

    op.drop_table("scoring_run")
    with op.batch_alter_table("dimension", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_dimension_project_id"))

    op.drop_table("dimension")
    with op.batch_alter_table("contributor", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_contributor_project_id"))

    op.drop_table("contributor")
    op.drop_table("project")
