"""Several requests about one text at once, none of them left behind: what is asked is paid, so it is waited for."""

import asyncio
from collections.abc import Awaitable, Iterable
from typing import TypeVar

Made = TypeVar("Made")


async def gather_all(work: Iterable[Awaitable[Made]]) -> list[Made]:
    """All results, in order. Raises the first failure once all have ended, where asyncio.gather would at once, with
    the others still under way and nobody there to take their replies."""
    ended = await asyncio.gather(*work, return_exceptions=True)
    results: list[Made] = []
    for result in ended:
        if isinstance(result, BaseException):
            raise result
        results.append(result)
    return results
