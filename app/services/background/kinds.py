"""Kinds of jobs: what is done, and the values that say it, which any process can read from the database."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from pydantic import TypeAdapter, ValidationError

from app.errors import DatabaseError
from app.services.background.progress import Progress
from app.services.runtime.workbench import Workbench

P = TypeVar("P")
Work = Callable[[Workbench, P, Progress], str | None]


@dataclass(frozen=True, slots=True)
class JobKind:
    """`work` returns the job's last message. bound: it needs what only the process has that begins it."""

    name: str
    params: type
    work: Work[Any]
    bound: bool


_KINDS: dict[str, JobKind] = {}


def job_kind(params: type[P], *, bound: bool = False) -> Callable[[Work[P]], Work[P]]:
    """The decorated function does the jobs whose values are of this dataclass, by whose name the kind is known."""

    def register(work: Work[P]) -> Work[P]:
        _KINDS[params.__name__] = JobKind(params.__name__, params, work, bound)
        return work

    return register


def kind_of(params: object) -> JobKind:
    return _KINDS[type(params).__name__]


def kind_named(name: str) -> JobKind:
    """Raises DatabaseError for a kind that this version doesn't have."""
    try:
        return _KINDS[name]
    except KeyError:
        raise DatabaseError(f"This version can't do a job of the kind “{name}”.", "Begin it again.") from None


def as_kept(params: object) -> dict[str, Any]:
    kept: dict[str, Any] = TypeAdapter(type(params)).dump_python(params, mode="json")
    return kept


def as_given(kind: JobKind, kept: Mapping[str, Any]) -> Any:
    """Raises DatabaseError where another version kept other values."""
    try:
        return TypeAdapter(kind.params).validate_python(kept)
    except ValidationError as error:
        raise DatabaseError("Another version of the program began this job.", "Begin it again.") from error
