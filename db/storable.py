"""The last border: no text reaches a driver that can't keep it. Those before it clean replies and refuse input."""

import json
from collections.abc import Mapping
from enum import StrEnum
from typing import Any, TypeVar

from sqlalchemy import Engine, event

from app.domain.storable_text import storable, storable_value

State = TypeVar("State", bound=StrEnum)


def stored_state(states: type[State], value: str, otherwise: State) -> State:
    """The state that a row has; `otherwise` for one that this program doesn't know, so that a single odd row hides
    nothing else."""
    try:
        return states(value)
    except ValueError:
        return otherwise


def json_text(value: Any) -> str:
    """JSON escapes what can't be stored, and so would hand it back."""
    return json.dumps(storable_value(value))


def keep_storable(engine: Engine) -> None:
    """Every text bound to a statement of this engine is stored, or looked for, in its storable form."""

    @event.listens_for(engine, "before_cursor_execute", retval=True)
    def _mend(_connection: Any, _cursor: Any, statement: str, parameters: Any, _context: Any, many: bool) -> Any:
        return statement, [_bound(row) for row in parameters] if many and _is_rows(parameters) else _bound(parameters)


def _is_rows(parameters: Any) -> bool:
    """Rows of values; the values of many rows in one statement come flat."""
    return isinstance(parameters, list) and all(isinstance(row, Mapping | tuple | list) for row in parameters)


def _bound(row: Any) -> Any:
    if isinstance(row, Mapping):
        return {name: _value(value) for name, value in row.items()}
    return type(row)(map(_value, row)) if isinstance(row, tuple | list) else row


def _value(value: Any) -> Any:
    return storable(value) if isinstance(value, str) else value
