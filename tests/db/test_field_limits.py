"""What people write into a field is bounded where it is stored, whichever way it comes in."""

import pytest
from sqlalchemy.dialects import sqlite
from sqlmodel import SQLModel

import db.models  # noqa: F401 (declares the tables)
from app.errors import InputError
from app.limits import LONGEST_FIELD
from db.models.columns import FieldText

WRITTEN = {
    "attribute": {"text", "original_text"},
    "component": {"name", "description"},
    "contributor": {"role", "background"},
    "decision": {"why", "wording", "guidance", "guided"},
    "dimension": {"rubric"},
    "expert_answer": {"note"},
    "preference": {"reason"},
    "project": {"description", "notice", "text_name", "source_name", "writer_name", "language"},
    "question": {"text", "original_text", "guidance", "not_apply_reason", "grade"},
    "question_comment": {"text"},
    "question_improvement": {"text", "guidance", "taken_text", "taken_guidance"},
    "room": {"agreed"},
    "room_member": {"line"},
    "side_by_side_answer": {"text"},
}
"""Names of projects, dimensions and people have a smaller limit, at the use case (checked_name)."""


def bounded(table: str) -> dict[str, FieldText]:
    columns = SQLModel.metadata.tables[table].columns
    return {column.name: column.type for column in columns if isinstance(column.type, FieldText)}


@pytest.mark.parametrize(("table", "columns"), WRITTEN.items())
def test_each_written_field_takes_the_longest_text_and_no_longer(table: str, columns: set[str]) -> None:
    found = bounded(table)
    assert set(found) == columns
    for kind in found.values():
        assert kind.process_bind_param("x" * LONGEST_FIELD, sqlite.dialect()) == "x" * LONGEST_FIELD
        with pytest.raises(InputError):
            kind.process_bind_param("x" * (LONGEST_FIELD + 1), sqlite.dialect())
