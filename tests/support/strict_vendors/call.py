"""One request as a vendor's module sees it."""

import time
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from tests.support.strict_vendors.account import Account, Body, RefusedRequest

Answered = Body | bytes
"""Bytes are lines of JSON."""


@dataclass(frozen=True)
class Call:
    """`path` is the part behind the options, `base` the address up to there. `body`: {} where none was sent as JSON."""

    account: Account
    method: str
    path: str
    base: str
    headers: Mapping[str, str]
    sent: bytes
    body: Body


def new_id(kind: str) -> str:
    return f"{kind}{uuid.uuid4().hex[:16]}"


def text_of(content: str | list[Any] | None) -> str:
    """The text of a message, whether it is given as one string or in parts."""
    return content if isinstance(content, str) else "".join(part.get("text", "") for part in content or ())


class Batch:
    """Requests that are answered together once the time of the option batch=SECONDS is over (1 by default).

    Every so-manyth expires or fails where bexpire=K or berror=K says so; of a cancelled one the second half is not
    asked."""

    def __init__(self, account: Account, requests: list[Any]) -> None:
        self.account, self.requests = account, requests
        self.cancelled = False
        self.about: Body = {}
        self.lines: list[Body] = []
        self._due = time.monotonic() + account.options.number("batch", 1)

    @property
    def is_due(self) -> bool:
        return time.monotonic() >= self._due

    def answered(
        self, answer: Callable[[Any], Body], failed: Callable[[], RefusedRequest]
    ) -> list[tuple[Any, Body | RefusedRequest | str]]:
        """Each request with its reply, its refusal, "expired" or "cancelled". Last to first: order says nothing."""
        asked = len(self.requests) // 2 if self.cancelled else len(self.requests)
        return [
            (request, self._outcome(place, request, answer, failed) if place <= asked else "cancelled")
            for place, request in enumerate(self.requests, 1)
        ][::-1]

    def _outcome(
        self, place: int, request: Any, answer: Callable[[Any], Body], failed: Callable[[], RefusedRequest]
    ) -> Body | RefusedRequest | str:
        if self.account.options.chooses("bexpire", place):
            return "expired"
        if self.account.options.chooses("berror", place):
            return failed()
        self.account.batched += 1
        try:
            return answer(request)
        except RefusedRequest as refusal:
            return refusal
