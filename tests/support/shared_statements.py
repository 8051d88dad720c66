"""Engines that share what SQLAlchemy compiles: each test has a database of its own, and would compile anew."""

from typing import Any

from sqlalchemy import Engine
from sqlalchemy import create_engine as plain_create_engine

STATEMENTS = 5_000
"""More than all tests together run, so that none is compiled again."""

_first: dict[str, Engine] = {}
"""Kind of database -> the engine whose statements the later ones use."""


def create_engine(url: Any, **options: Any) -> Engine:
    """Return what `sqlalchemy.create_engine` does. Compiled statements are found by dialect, so that is shared too."""
    engine = plain_create_engine(url, query_cache_size=STATEMENTS, **options)
    first = _first.get(engine.dialect.name)
    if first is None or first.dialect.server_version_info is None:  # a dialect learns it with its first connection
        _first[engine.dialect.name] = engine
    else:
        engine.dialect = first.dialect
        engine._compiled_cache = first._compiled_cache
    return engine
