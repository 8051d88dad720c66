"""Whatever text comes as far as the database is kept: what it can't hold stands there as U+FFFD."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
from sqlalchemy import JSON, Boolean, Column, Engine, Float, Integer, LargeBinary, Text, insert, select
from sqlmodel import AutoString, SQLModel

from app.domain.model_call import RecordedCall
from app.domain.project import Dimension, Task
from db.engine import open_engines, upgrade
from db.models.columns import FieldText, UtcDateTime
from db.unit_of_work import Database

TEXT = (AutoString, FieldText, Text)
DAMAGED, KEPT = "half \ud83d, NUL \0, pair \ud83d\ude00", "half \ufffd, NUL \ufffd, pair 😀"


def _value(column: Column[Any]) -> Any:
    match column.type:
        case JSON():
            return {DAMAGED: [DAMAGED]}
        case AutoString() | FieldText() | Text():
            return DAMAGED
        case LargeBinary():
            return b"\0"
        case Boolean():
            return False
        case Integer() | Float():
            return 1
        case UtcDateTime():
            return datetime.now(UTC)
    raise AssertionError(f"{column} is of a type that this test doesn't know")


@pytest.fixture
def writer(address: str) -> Iterator[Engine]:
    writer, reader = open_engines(address)
    upgrade(writer, reader, lambda _: None)
    reader.dispose()
    yield writer
    writer.dispose()


def test_every_text_column_takes_any_text(writer: Engine) -> None:
    """In the order in which tables refer to one another, a row each."""
    text_columns = 0
    for table in SQLModel.metadata.sorted_tables:
        row = {column.name: _value(column) for column in table.columns}
        with writer.begin() as connection:
            connection.execute(insert(table), [row])
            found = connection.execute(select(table)).mappings().one()
        for column in table.columns:
            if isinstance(column.type, JSON):
                assert found[column.name] == {KEPT: [KEPT]}, column
            elif isinstance(column.type, TEXT):
                assert found[column.name] == KEPT, column
            text_columns += isinstance(column.type, (JSON, *TEXT))
    assert text_columns > 150


def test_a_damaged_name_is_looked_for_and_not_found(database: Database) -> None:
    with database.read() as work:
        assert work.projects.find(DAMAGED) is None


def test_rows_that_are_added_together_are_kept(database: Database) -> None:
    with database.write() as work:
        project = work.projects.add("News", Task())
        for name in ("first", "second"):
            work.projects.add_dimension(project.id, Dimension(name, rubric=DAMAGED))
        call = RecordedCall(
            "d", "m", "p", "pd", reply=DAMAGED, rationales={"q": DAMAGED}, logprobs=[[DAMAGED, 0.0, {}]]
        )
        work.calls.add([call, call])
    with database.read() as work:
        assert [dimension.rubric for dimension in work.projects.dimensions(project.id)] == [KEPT, KEPT]
        found = work.calls.find("d")
    assert found is not None
    assert (found.reply, found.rationales, found.logprobs) == (KEPT, {"q": KEPT}, [[KEPT, 0.0, {}]])


@pytest.mark.parametrize("text", ["plain", "漢字 🙂"])
def test_sound_text_is_kept_to_the_letter(database: Database, text: str) -> None:
    with database.write() as work:
        work.projects.add(text, Task(description=text))
    with database.read() as work:
        assert work.projects.get(text).task.description == text
