"""Troubles that a request meets before anybody reads it, as options name them.

over=N, e500=N: the first N find the vendor overloaded or out of order. limit=N:STYLE: the first N go beyond a limit;
STYLE is how the vendor says when to come back: seconds, ms, date, reset, info (in Google's details), none; daily holds
for ever.
"""

import time
from email.utils import formatdate
from types import ModuleType

from tests.support.strict_vendors.account import Account


def meet(account: Account, vendor: ModuleType) -> None:
    """Raises RefusedRequest in the vendor's words."""
    if account.is_due("over"):
        raise vendor.overloaded()
    if account.is_due("e500"):
        raise vendor.out_of_order()
    style = account.options.text("limit").partition(":")[2]
    if account.is_due("limit") or style == "daily":
        raise vendor.over_the_limit(style, _when(style))


def _when(style: str) -> dict[str, str]:
    match style:
        case "seconds":
            return {"retry-after": "1"}
        case "ms":
            return {"retry-after-ms": "300"}
        case "date":
            return {"retry-after": formatdate(time.time() + 2, usegmt=True)}
        case "reset":
            return {"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "1s"}
        case "daily":
            return {"retry-after": str(24 * 60 * 60)}
    return {}
