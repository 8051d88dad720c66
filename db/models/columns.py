"""Column types that behave alike on SQLite and PostgreSQL, and the base of tables with numbered rows."""

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import JSON, Column, DateTime, Dialect, ForeignKey, Integer, Text, text
from sqlalchemy.orm import Session
from sqlalchemy.types import TypeDecorator, TypeEngine
from sqlmodel import AutoString, Field, SQLModel

from app.errors import InputError
from app.limits import LONGEST_FIELD

# Constraints have names, so that a later migration can change them on every database.
SQLModel.metadata.naming_convention = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "fk": "fk_%(table_name)s_%(column_0_name)s_%(referred_table_name)s",
    "pk": "pk_%(table_name)s",
}


class NumberedRow(SQLModel):
    """A table whose rows the database numbers when they are inserted."""

    id: int | None = Field(default=None, primary_key=True)


class UtcDateTime(TypeDecorator[datetime]):
    """Points in time, always in UTC: SQLite drops time zones, so UTC is added when reading."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        return value.astimezone(UTC) if value is not None else None

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


class FieldText(TypeDecorator[str]):
    """What people write into one field. Raises InputError for more than LONGEST_FIELD characters, from any source."""

    impl: TypeEngine[Any] | type[TypeEngine[Any]] = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        if value is not None and len(value) > LONGEST_FIELD:
            raise InputError(
                f"One of the texts has {len(value):,} characters; {LONGEST_FIELD:,} are the most for one field.",
                "Shorten it, or divide it.",
            )
        return value


class FieldLine(FieldText):
    """As FieldText, for a name or another single line."""

    impl = AutoString
    cache_ok = True


def now() -> datetime:
    return datetime.now(UTC)


_SQLITE_CLOCK = text("SELECT strftime('%Y-%m-%dT%H:%M:%f+00:00', 'now')")
_POSTGRESQL_CLOCK = text("SELECT clock_timestamp()")


def database_now(session: Session) -> datetime:
    """Return the time of the database's clock. Heartbeats are written and compared by it, as machines' clocks may
    differ by hours."""
    if session.get_bind().dialect.name == "sqlite":
        return datetime.fromisoformat(str(session.scalar(_SQLITE_CLOCK)))
    found: datetime = session.scalar(_POSTGRESQL_CLOCK)
    return found.astimezone(UTC)


def json_column() -> Column[Any]:
    return Column(JSON, nullable=False)


def text_column(nullable: bool = False) -> Column[Any]:
    return Column(Text, nullable=nullable, default="")


def field_column() -> Column[Any]:
    """Return a column for what people write into one field."""
    return Column(FieldText, nullable=False, default="")


def time_column(nullable: bool = False) -> Column[Any]:
    return Column(UtcDateTime, nullable=nullable, default=None if nullable else now)


def owned_by(target: str, nullable: bool = False) -> Column[Any]:
    """Return a foreign key whose row is deleted with its owner."""
    return Column(Integer, ForeignKey(target, ondelete="CASCADE"), nullable=nullable, index=True)


def refers_to(target: str) -> Column[Any]:
    """Return an optional foreign key that is set to NULL when its target is deleted."""
    return Column(Integer, ForeignKey(target, ondelete="SET NULL"), nullable=True, index=True)
