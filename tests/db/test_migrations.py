"""Databases are made, brought up to date, and refused when they come from a newer program."""

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import text
from sqlmodel import SQLModel

import db.models  # noqa: F401  registers the tables
from app.errors import DatabaseError
from db.engine import open_engines
from db.unit_of_work import Database


def test_the_migrations_make_exactly_the_tables_of_the_models(address: str) -> None:
    Database(address).close()
    writer, _ = open_engines(address)
    with writer.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, SQLModel.metadata) == []
    writer.dispose()


def test_opening_twice_changes_nothing(address: str) -> None:
    Database(address).close()
    Database(address).close()


def test_a_database_of_a_newer_program_is_refused_and_left_alone(address: str) -> None:
    Database(address).close()
    writer, _ = open_engines(address)
    with writer.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(DatabaseError, match="newer version"):
        Database(address)
    with writer.connect() as connection:
        assert connection.execute(text("SELECT version_num FROM alembic_version")).scalar() == "9999"
    writer.dispose()


def test_an_address_that_names_no_database_is_one_sentence() -> None:
    with pytest.raises(DatabaseError, match="address can't be used"):
        Database("nonsense")
