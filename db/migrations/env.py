"""Alembic's entry point. It always gets an open connection, from db.engine or from `make migration`."""

from typing import Any, Literal

from alembic import context
from sqlmodel import SQLModel
from sqlmodel.sql.sqltypes import AutoString

import db.models  # noqa: F401  registers the tables
from db.engine import open_engines
from db.models.columns import UtcDateTime

connection = context.config.attributes.get("connection")


def _plain_type(kind: str, item: Any, _context: object) -> str | Literal[False]:
    """Write plain SQLAlchemy types into migrations, so that they don't change when our own types do."""
    if kind == "type" and isinstance(item, UtcDateTime):
        return "sa.DateTime(timezone=True)"
    if kind == "type" and isinstance(item, AutoString):
        return "sa.String()"
    return False


def _migrate(target: object) -> None:
    context.configure(
        connection=target,  # type: ignore[arg-type]
        target_metadata=SQLModel.metadata,
        render_as_batch=True,  # SQLite can't alter columns in place
        compare_type=True,
        render_item=_plain_type,
    )
    with context.begin_transaction():
        context.run_migrations()


if connection is not None:
    _migrate(connection)
else:
    from app.settings import settings

    with open_engines(settings().url)[0].begin() as opened:
        _migrate(opened)
