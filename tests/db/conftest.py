"""Every test here runs on SQLite and on PostgreSQL (a real server, from pip)."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from db.unit_of_work import Database
from tests.support.postgres import new_postgres, postgres_server


@pytest.fixture(scope="session")
def postgres(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a PostgreSQL server of this test session's own."""
    with postgres_server(tmp_path_factory.mktemp("runtime")) as address:
        yield address


@pytest.fixture(scope="session")
def migrated_postgres(postgres: str) -> str:
    """The name of a database with all tables, which others are copied from."""
    address = new_postgres(postgres)
    Database(address).close()
    return address.partition("?")[0].rsplit("/", 1)[1]


@pytest.fixture(params=["sqlite", "postgresql"])
def server(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def empty_address(server: str, request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A database that nobody has opened yet."""
    if server == "sqlite":
        return f"sqlite:///{tmp_path}/test.db"
    return new_postgres(request.getfixturevalue("postgres"))


@pytest.fixture
def address(server: str, request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A database that opens without a migration."""
    if server == "sqlite":
        return f"sqlite:///{tmp_path}/test.db"
    return new_postgres(request.getfixturevalue("postgres"), request.getfixturevalue("migrated_postgres"))


@pytest.fixture
def database(address: str) -> Iterator[Database]:
    opened = Database(address)
    yield opened
    opened.close()
