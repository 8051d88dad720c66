"""Log-probabilities of a run's judge: whether it gives any, asked once for all its texts, and remembered."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

from app.errors import NoLogprobsError

Made = TypeVar("Made")


class JudgeLogprobs:
    """One for a run, whatever its dimensions. `given` is None until the judge was asked; a refusal holds for the rest
    of the run, so that its texts are scored alike. `untold` counts the texts whose log-probabilities came and did not
    tell how likely each score is."""

    def __init__(self, given: bool | None = None) -> None:
        self.given = given
        self.untold = 0
        self._first = asyncio.Lock()

    async def ask(self, with_them: Callable[[], Awaitable[Made]], without: Callable[[], Awaitable[Made]]) -> Made:
        """Ask with log-probabilities, or without where the judge refuses them. The first request goes alone: where it
        is refused, or answered without any, the others are not asked in vain."""
        if self.given is None:
            async with self._first:
                if self.given is None:
                    try:
                        made = await with_them()
                    except NoLogprobsError:
                        self.given = False
                    else:
                        self.given = True
                        return made
        if self.given:
            try:
                return await with_them()
            except NoLogprobsError:
                self.given = False
        return await without()
