"""SQLite engines that share what SQLAlchemy compiles: each test has a database of its own, and would compile anew."""

from typing import Any

from sqlalchemy import Engine
from sqlalchemy import create_engine as plain_create_engine

from db.engine import json_text

STATEMENTS = 5_000
"""More than all tests together run, so that none is compiled again."""


def _connected_once() -> Engine:
    """A dialect learns the library's version with the first connection."""
    engine = plain_create_engine("sqlite://", json_serializer=json_text, query_cache_size=STATEMENTS)
    engine.connect().close()
    engine.dispose()
    return engine


_SHARED = _connected_once()


def create_engine(url: Any, **options: Any) -> Engine:
    """Return what `sqlalchemy.create_engine` does. Compiled statements are found by dialect, so that is shared too."""
    engine = plain_create_engine(url, **options)
    if engine.dialect.name == "sqlite":
        engine.dialect = _SHARED.dialect
        engine._compiled_cache = _SHARED._compiled_cache
    return engine
