"""files that go with jobs, reports of imports, and how much people upload"""

import sqlalchemy as sa
from alembic import op

revision = "0026"
down_revision = "0025"
branch_labels = None
depends_on = None


def _whole(name: str, nullable: bool = False) -> sa.Column[int]:
    return sa.Column(name, sa.Integer(), nullable=nullable)


def _owned(table: str, column: str, target: str) -> sa.ForeignKeyConstraint:
    name = op.f(f"fk_{table}_{column}_{target}")
    return sa.ForeignKeyConstraint([column], [f"{target}.id"], name=name, ondelete="CASCADE")


def upgrade() -> None:
    op.create_table(
        "job_file",
        _whole("id"),
        _whole("job_id", nullable=True),
        sa.Column("name", sa.String(), nullable=False),
        _whole("size"),
        sa.Column("used", sa.Boolean(), nullable=False),
        sa.Column("touched_at", sa.DateTime(timezone=True), nullable=False),
        _owned("job_file", "job_id", "job"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_job_file")),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "job_file_block",
        _whole("id"),
        _whole("file_id"),
        _whole("position"),
        sa.Column("data", sa.LargeBinary(), nullable=False),
        _owned("job_file_block", "file_id", "job_file"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_job_file_block")),
        sa.UniqueConstraint("file_id", "position", name=op.f("uq_job_file_block_file_id_position")),
    )
    op.create_table(
        "import_report",
        _whole("id"),
        _whole("project_id"),
        sa.Column("report", sa.JSON(), nullable=False),
        _owned("import_report", "project_id", "project"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_import_report")),
        sa.UniqueConstraint("project_id", name=op.f("uq_import_report_project_id")),
    )
    op.create_table(
        "counted_upload",
        _whole("id"),
        _whole("person_id"),
        _whole("size"),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        _owned("counted_upload", "person_id", "person"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_counted_upload")),
    )
    for table, column in (
        ("job_file", "job_id"),
        ("job_file_block", "file_id"),
        ("import_report", "project_id"),
        ("counted_upload", "person_id"),
    ):
        op.create_index(op.f(f"ix_{table}_{column}"), table, [column], unique=False)
    # What a killed process left of an import goes with the file that it read.
    with op.batch_alter_table("text_import", schema=None, table_kwargs={"sqlite_autoincrement": True}) as batch_op:
        batch_op.add_column(_whole("job_file_id", nullable=True))
        batch_op.create_foreign_key(
            op.f("fk_text_import_job_file_id_job_file"), "job_file", ["job_file_id"], ["id"], ondelete="CASCADE"
        )
        batch_op.create_index(op.f("ix_text_import_job_file_id"), ["job_file_id"], unique=False)


def downgrade() -> None:
    with op.batch_alter_table("text_import", schema=None, table_kwargs={"sqlite_autoincrement": True}) as batch_op:
        batch_op.drop_constraint(op.f("fk_text_import_job_file_id_job_file"), type_="foreignkey")
        batch_op.drop_index(op.f("ix_text_import_job_file_id"))
        batch_op.drop_column("job_file_id")
    for table in ("counted_upload", "import_report", "job_file_block", "job_file"):
        op.drop_table(table)
