"""Links into the guide from errors, which know their paragraphs themselves, and from failures that were stored."""

from functools import cache

from app.errors import ProviderError, WorkbenchError, paragraph_of_kind
from pages.components.shell.guide.link import guide_link


def more_on(error: WorkbenchError) -> str:
    """What stands below the message; "" where the guide has nothing more."""
    return f"\n\n{guide_link(error.paragraph.address)}" if error.paragraph else ""


def failure_address(kind: str) -> str:
    """Of a failure that was stored with its kind; a project from elsewhere may hold kinds that nobody knows."""
    paragraph = paragraph_of_kind(kind)
    return paragraph.address if kind in kinds_of_failures() else f"{paragraph.page}.html"


@cache
def kinds_of_failures() -> frozenset[str]:
    return frozenset(kind.kind for kind in _with_those_below(ProviderError))


def _with_those_below(error: type[ProviderError]) -> list[type[ProviderError]]:
    return [error, *(each for child in error.__subclasses__() for each in _with_those_below(child))]
