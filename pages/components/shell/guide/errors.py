"""Where the guide tells of an error: a paragraph a class, or of the class above it."""

from collections.abc import Mapping
from functools import cache

from app.errors import (
    AwaitedError,
    ClusterError,
    ConflictError,
    DatabaseError,
    FileFormatError,
    InputError,
    NotAllowedError,
    NotFoundError,
    NotReadyError,
    PromptError,
    ProviderError,
    RepeatedError,
    SignInError,
    WorkbenchError,
)
from pages.components.shell.guide.link import guide_link

FAILURES = "reference/failures.html"
OF_ERRORS: Mapping[type[WorkbenchError], str] = {
    FileFormatError: "reference/formats.html#files-that-come-in",
    NotAllowedError: "facilitators.html#run-a-team",
    ConflictError: "facilitators.html#several-at-a-time",
    SignInError: "administrators.html#a-team",
    DatabaseError: "administrators.html#where-the-data-are",
    ClusterError: "administrators.html#several-computers",
    PromptError: "researchers.html#prompts",
}
"""Beside these every kind of a model's failure has a paragraph of its own, which is made from the code."""
SAID_IN_FULL = (WorkbenchError, InputError, NotFoundError, NotReadyError, RepeatedError, AwaitedError)
"""What these are about differs from case to case: the message itself says it."""


def paragraph_of(error: type[WorkbenchError]) -> str:
    """ "" where the guide has none."""
    if issubclass(error, ProviderError):
        return paragraph_of_kind(error.kind)
    return next((OF_ERRORS[kind] for kind in error.__mro__ if kind in OF_ERRORS), "")


def paragraph_of_kind(kind: str) -> str:
    """Of a failure that was stored with its kind; a project from elsewhere may hold kinds that nobody knows."""
    return f"{FAILURES}#{kind}" if kind in kinds_of_failures() else FAILURES


@cache
def kinds_of_failures() -> frozenset[str]:
    return frozenset(kind.kind for kind in _with_those_below(ProviderError))


def _with_those_below(error: type[ProviderError]) -> list[type[ProviderError]]:
    return [error, *(each for child in error.__subclasses__() for each in _with_those_below(child))]


def more_on(error: WorkbenchError) -> str:
    """What stands below the message; "" where the guide has nothing more."""
    paragraph = paragraph_of(type(error))
    return f"\n\n{guide_link(paragraph)}" if paragraph else ""
