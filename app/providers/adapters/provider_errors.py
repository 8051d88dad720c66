"""The errors shown for a provider's rejections, from one table for all providers.

A provider's own words are read to tell causes apart and then dropped: they may quote the key, the prompt or the text.
"""

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import urlsplit

from app.errors import (
    ConnectionFailedError,
    EffortError,
    LimitReachedError,
    ModelTimeoutError,
    NoCapacityError,
    NoLogprobsError,
    OverloadedError,
    OversizedReplyError,
    ProviderError,
    QuotaError,
    RateLimitError,
    RefusedError,
    TierError,
    TooLongError,
    UnknownModelError,
    UnreadableReplyError,
    UnsupportedError,
    WrongAddressError,
    WrongKeyError,
)
from app.limits import MB, REPLY
from app.providers.base import Usage
from app.providers.model_name import ModelName
from app.providers.model_options import EFFORTS
from app.providers.rate_limit import PATIENCE
from app.providers.specs import spec_of
from app.settings import settings


@dataclass(frozen=True, slots=True, repr=False)
class Rejection:
    """An HTTP answer that isn't a success. It has no repr on purpose: `words` are the provider's.

    code: the provider's name of the cause; parameter: the part of the request it rejects. retry_after: seconds, None if
    not given. address: the request's, without what may be secret.
    """

    status: int
    code: str = ""
    parameter: str = ""
    words: str = ""
    retry_after: float | None = None
    address: str = ""

    @property
    def gist(self) -> str:
        """Return the lower-case beginning of all that was said, enough to recognise a cause."""
        return f"{self.code} {self.parameter} {self.words[:600]}".lower()


_QUOTA = re.compile(
    r"insufficient_quota|billing_hard_limit|billing_not_active|billing_error|credit balance|usage limits?\b.*regain"
    r"|prepayment|perday|out of credits|insufficient (credits?|balance)|spend(ing)? limit"
)
_WRONG_KEY = re.compile(r"api_key_invalid|invalid_api_key|api key (not valid|expired)|api_key_expired")
_UNKNOWN_MODEL = re.compile(r"model_not_found|(invalid|unknown)_model|does not have access to model|no such model")
_NAMES_A_MODEL = re.compile(r"(?!.*invalid url).*\bmodels?\b", re.DOTALL)
_ABOUT_EFFORT = re.compile(r"effort|thinking|reasoning")
_ABOUT_TIER = re.compile(r"service_?tier|\bflex\b|\bflex processing")
_NO_ROOM = re.compile(r"resource[_ ]unavailable")
_CONTENT_REFUSED = re.compile(r"content_filter|content_policy|responsibleai")
# llama-cpp-python, of a model that was loaded without them.
_NO_LOGPROBS = re.compile(r"log_?probs? .{0,20}not support")
_TOO_LONG = re.compile(
    r"context_length_exceeded|context (length|window)|prompt is too long|too many tokens|exceeds the maximum number"
    r"|request_too_large|input token count|exceed_context"
)


def provider_error(name: ModelName, rejection: Rejection) -> ProviderError:
    """Return the typed error for a rejection; its message names provider, model and status, never what was sent."""
    for applies, build in _TABLE:
        if applies(rejection):
            return build(name, rejection)
    return ProviderError(
        f"{name.title} refused the request for {name} ({_status(rejection)}).",
        "Try another model; if all fail, check the base URL.",
    )


def timed_out(name: ModelName, seconds: float) -> ProviderError:
    return lost(ModelTimeoutError(f"{name} gave no answer within {seconds:g} seconds."))


def unreachable(name: ModelName, address: str = "", sent: bool = True) -> ProviderError:
    """Return the error of a failed connection. sent: whether the request may have been sent; then its reply is lost."""
    variable = spec_of(name.provider).url_variable
    at = f" at {address}" if address else ""
    error = ConnectionFailedError(
        f"The connection to {name.title}{at} for {name} failed.",
        f"Check the network and the address ({variable}), then resume.",
    )
    return lost(error) if sent else error


def led_elsewhere(name: ModelName) -> ProviderError:
    variable = spec_of(name.provider).url_variable
    return WrongAddressError(
        f"The server asked for {name} leads to another one; nothing was sent there.",
        f"If that one is meant, put its address into {variable}.",
    )


def unreadable(name: ModelName) -> ProviderError:
    """Return the error of a success that isn't an answer: a proxy's page, an empty body. Another try often works."""
    variable = spec_of(name.provider).url_variable
    return lost(
        UnreadableReplyError(
            f"What came back for {name} is not an answer in the form of {name.title}'s API.",
            f"Check the address ({variable}): a proxy or another program may be answering.",
        )
    )


def oversized(name: ModelName) -> ProviderError:
    """Return the error of a reply that is too large to be read to its end."""
    variable = spec_of(name.provider).url_variable
    return lost(
        OversizedReplyError(
            f"What came back for {name} is larger than {REPLY.size // MB} MB, so it was not read to its end.",
            f"Check the address ({variable}): another program may be answering.",
        )
    )


def refused_effort(name: ModelName, rejection: Rejection, effort: str) -> EffortError | None:
    """Return an error if the rejection is about the reasoning effort, else None."""
    gist = rejection.gist
    if not effort or rejection.status not in (400, 404, 422) or "temperature" in gist:
        return None
    if not _ABOUT_EFFORT.search(gist):
        return None
    named = [known for known in EFFORTS if known != effort and re.search(rf"['\"`]{known}['\"`]", gist)]
    if named:
        return EffortError.of(str(name), effort, named)
    return EffortError(f"{name} doesn't take the effort “{effort}”.", "Try another one, or leave it out.")


def refused_tier(name: ModelName, rejection: Rejection, tier: str) -> TierError | None:
    """Return an error if the rejection is about the service tier, else None."""
    about = tier and rejection.status in (400, 403, 404, 422) and _ABOUT_TIER.search(rejection.gist)
    return (
        TierError(f"{name.title} doesn't sell {name} in the tier “{tier}” ({_status(rejection)}).") if about else None
    )


def asked_at(response: Any) -> str:
    """Return scheme, host, port and path of a response's address; the rest may hold a key or a password. "" where
    people sign in, as errors are shown to them and stored."""
    if settings().shared:
        return ""
    try:
        parts = urlsplit(str(response.url))
        return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}" if parts.hostname else ""
    except (AttributeError, RuntimeError, ValueError):
        return ""


def billed(error: ProviderError, usage: Usage) -> ProviderError:
    """Mark an error as about a reply that came and is billed, though useless."""
    error.usage = usage
    return error


def lost(error: ProviderError) -> ProviderError:
    """Mark an error as about a request whose reply was lost and may be billed, at an unknown cost."""
    return billed(error, Usage(known=False))


def retry_after_seconds(headers: Mapping[str, str], now: datetime | None = None) -> float | None:
    """Return the seconds to wait by `retry-after-ms` or `Retry-After` (seconds or an HTTP date; RFC 9110, 10.2.3)."""
    milliseconds = _number(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return milliseconds / 1000
    value = headers.get("retry-after")
    seconds = _number(value)
    if seconds is not None or not value:
        return seconds
    try:
        moment = parsedate_to_datetime(value)
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return max(0.0, (moment - (now or datetime.now(UTC))).total_seconds())


def _number(value: str | None) -> float | None:
    try:
        number = float(value) if value else math.nan
    except ValueError:
        return None
    return max(0.0, number) if math.isfinite(number) else None


def _status(rejection: Rejection) -> str:
    """Return the status, with the code if it is plainly a name (a key holds digits or capitals, a text has spaces)."""
    named = re.fullmatch(r"[a-z_]{3,60}", rejection.code.lower()) and not re.search(r"\d", rejection.code)
    return f"status {rejection.status}, {rejection.code.lower()}" if named else f"status {rejection.status}"


def _wrong_key(name: ModelName, rejection: Rejection) -> ProviderError:
    return WrongKeyError(f"{name.title} refuses the key ({_status(rejection)}).")


def _unknown_model(name: ModelName, rejection: Rejection) -> ProviderError:
    message = f"{name.title} offers no model {name.model} ({_status(rejection)})."
    return UnknownModelError(message, spec_of(name.provider).unknown_model_hint)


def _wrong_address(name: ModelName, rejection: Rejection) -> ProviderError:
    at = f" at {rejection.address}" if rejection.address else ""
    return WrongAddressError(
        f"{rejection.status}{at}: is the address right? What answers there is not {name.title}'s API.",
        f"Check {spec_of(name.provider).url_variable}.",
    )


def _limit_reached(name: ModelName, rejection: Rejection) -> ProviderError:
    seconds = rejection.retry_after or 0.0
    moment = datetime.now(UTC) + timedelta(seconds=seconds)
    much = f"{round(seconds / 3600)} hours" if seconds >= 5400 else f"{math.ceil(seconds / 60)} minutes"
    return LimitReachedError(
        f"A limit at {name.title} is reached ({_status(rejection)}): it takes requests again in about {much}, "
        f"at {moment:%Y-%m-%d %H:%M} UTC.",
        "Resume then; nothing done is paid again.",
    )


def connection_stalled(name: str, seconds: float) -> ProviderError:
    return LimitReachedError(f"The provider of {name} has let no request pass for {seconds / 60:g} minutes.")


def _quota(name: ModelName, rejection: Rejection) -> ProviderError:
    return QuotaError(f"The quota or credit at {name.title} is used up ({_status(rejection)}).")


def _rate_limit(name: ModelName, rejection: Rejection) -> ProviderError:
    return RateLimitError(f"{name.title} asks to slow down ({_status(rejection)}).", retry_after=rejection.retry_after)


def _no_room(name: ModelName, rejection: Rejection) -> ProviderError:
    return NoCapacityError(
        f"{name.title} has no room for {name} in the slower tier ({_status(rejection)}).",
        retry_after=rejection.retry_after,
    )


def _overloaded(name: ModelName, rejection: Rejection) -> ProviderError:
    return OverloadedError(
        f"{name.title} is overloaded or out of order ({_status(rejection)}).", retry_after=rejection.retry_after
    )


def _timeout(name: ModelName, rejection: Rejection) -> ProviderError:
    gave_up = f"{name.title} gave up waiting for {name} ({_status(rejection)})."
    return lost(ModelTimeoutError(gave_up, retry_after=rejection.retry_after))


def _refused(name: ModelName, rejection: Rejection) -> ProviderError:
    return RefusedError(f"{name.title} refuses the content ({_status(rejection)}).")


def _too_long(name: ModelName, rejection: Rejection) -> ProviderError:
    return TooLongError(f"The request is too long for {name} ({_status(rejection)}).")


def _no_logprobs(name: ModelName, rejection: Rejection) -> ProviderError:
    return no_logprobs(name)


def no_logprobs(name: ModelName) -> ProviderError:
    return NoLogprobsError(
        f"{name} gives no log-probabilities.", "Choose a model that does, or a method that needs none."
    )


def rates_no_given_text(name: str) -> ProviderError:
    """Return the error of a model that can't rate given texts; rating text of its own would be no substitute."""
    return UnsupportedError(
        f"{name} can't say how likely each token of a given text is.",
        "Use a completions endpoint with echo (llama:NAME at a vLLM or llama-cpp-python server), or a model on this "
        "computer (local:NAME, extra “local”).",
    )


def no_echo(name: ModelName) -> ProviderError:
    return UnsupportedError(
        f"{name} didn't send the given text back with the log-probability of each of its tokens.",
        "Use a server whose completions endpoint supports echo with logprobs (vLLM, llama-cpp-python), or a model on "
        "this computer (local:NAME, extra “local”).",
    )


_TABLE: tuple[tuple[Callable[[Rejection], bool], Callable[[ModelName, Rejection], ProviderError]], ...] = (
    (lambda r: r.status == 429 and (r.retry_after or 0.0) > PATIENCE, _limit_reached),
    (lambda r: r.status < 500 and bool(_QUOTA.search(r.gist)), _quota),
    (lambda r: r.status == 402, _quota),
    (lambda r: r.status < 500 and bool(_WRONG_KEY.search(r.gist)), _wrong_key),
    (lambda r: r.status in (400, 403, 404) and bool(_UNKNOWN_MODEL.search(r.gist)), _unknown_model),
    (lambda r: r.status in (401, 403), _wrong_key),
    (lambda r: r.status == 404 and bool(_NAMES_A_MODEL.match(r.gist)), _unknown_model),
    (lambda r: r.status in (404, 405), _wrong_address),
    (lambda r: r.status == 429 and bool(_NO_ROOM.search(r.gist)), _no_room),
    (lambda r: r.status == 429, _rate_limit),
    (lambda r: r.status in (408, 504), _timeout),
    (lambda r: r.status == 500 and bool(_NO_LOGPROBS.search(r.gist)), _no_logprobs),
    (lambda r: r.status >= 500 or r.status in (409, 425), _overloaded),
    (lambda r: bool(_CONTENT_REFUSED.search(r.gist)), _refused),
    (lambda r: r.status == 413 or bool(_TOO_LONG.search(r.gist)), _too_long),
    (lambda r: bool(re.search(r"log_?prob", r.gist)), _no_logprobs),
)
