"""A task as a person walks it: clicks and keys are counted, the seconds kept for the table in docs/walks.md."""

import json
import time

from playwright.sync_api import Locator, Page

from tests.e2e import screen
from tests.support.walk_table import WALKS, file_name


class Walk:
    """One task from its first screen on.

    `limit`: how many clicks it may take. Keys are counted beside them; what is typed into a field is neither.
    """

    def __init__(self, page: Page, task: str, limit: int) -> None:
        self.page, self.task, self.limit = page, task, limit
        self.clicks = self.keys = 0
        self._began = time.monotonic()

    def click(self, target: Locator, *, shows: Locator | None = None, hides: Locator | None = None) -> None:
        self.clicks += 1
        screen.click(target, shows=shows, hides=hides)

    def press(self, key: str, *, shows: Locator | None = None) -> None:
        self.keys += 1
        if shows is None:
            self.page.keyboard.press(key)
        else:
            screen.press_key(self.page, key, shows=shows)

    def done(self) -> None:
        """Fails where it took more than its limit; the seconds are kept, never judged: they are this machine's."""
        seconds = time.monotonic() - self._began
        taken = {"task": self.task, "limit": self.limit, "clicks": self.clicks, "keys": self.keys, "seconds": seconds}
        WALKS.mkdir(parents=True, exist_ok=True)
        (WALKS / file_name(self.task)).write_text(json.dumps(taken), encoding="utf-8")
        assert self.clicks <= self.limit, f"{self.task}: {self.clicks} clicks"
