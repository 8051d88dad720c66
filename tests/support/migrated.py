"""New SQLite databases as copies of one that was migrated once, so that few tests wait for migrations."""

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from sqlalchemy import make_url

from db import engine
from db.engine import open_engines


@cache
def _template() -> bytes:
    with TemporaryDirectory() as folder:
        writer, reader = open_engines(f"sqlite:///{folder}/template.db")
        engine.upgrade(writer, reader, lambda _: None)
        reader.dispose()
        writer.dispose()  # the last connection to close writes the journal's pages into the file
        return Path(folder, "template.db").read_bytes()


def create_private_file(file: Path) -> None:
    """`db.engine.create_private_file`, which makes a file with all tables where there was none."""
    new = not file.exists()
    engine.create_private_file(file)
    if new:
        file.write_bytes(_template())


@cache
def _empty(revision: str) -> bytes:
    with TemporaryDirectory() as folder:
        file = Path(folder) / "empty.db"
        engine.create_empty(f"sqlite:///{file}", revision)
        return file.read_bytes()


def create_empty(address: str, to: str) -> None:
    """`db.engine.create_empty`, once for each revision."""
    Path(make_url(address).database or "").write_bytes(_empty(to))
