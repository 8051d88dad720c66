"""Each vendor's batches through its real SDK: asked as live requests are, with the same replies in any order."""

import asyncio
import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from app.errors import ProviderError, WrongKeyError
from app.providers.base import ChatReply, ChatRequest
from app.providers.batches import google
from app.providers.batches.batch import BatchLine, parts
from app.providers.registry import open_batches, open_model
from tests.support.adapter_cases import a_request
from tests.support.modern_vendors import ModernVendors, modern_vendors

MODELS = {"openai": "gpt-5.4-mini", "anthropic": "claude-haiku-4-5", "google": "gemini-2.5-flash"}
NOW = datetime.now(UTC)


@pytest.fixture(scope="module")
def vendors() -> Iterator[ModernVendors]:
    with modern_vendors() as found:
        yield found


@pytest.fixture(params=sorted(MODELS))
def prefix(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def asked(count: int) -> dict[str, ChatRequest]:
    request = a_request()
    made = [replace(request, prompt=replace(request.prompt, user=f"Text {number}: a fire.")) for number in range(count)]
    return {each.digest("m"): each for each in made}


def opened(prefix: str, vendors: ModernVendors, options: str, key: str = "sk-local") -> Any:
    return open_model(f"{prefix}:{MODELS[prefix]}", vendors.credentials(options, key), timeout=20.0)


async def ended(batches: Any, handle: str) -> Any:
    """The server ends a batch after its time, not after so many looks."""
    last = time.monotonic() + 30
    while not (progress := await batches.look(handle)).ended:
        assert time.monotonic() < last, "the batch never ended"
        await asyncio.sleep(0.05)
    return progress


def through(prefix: str, vendors: ModernVendors, options: str, count: int) -> dict[str, BatchLine]:
    requests = asked(count)

    async def run() -> dict[str, BatchLine]:
        model = opened(prefix, vendors, options)
        try:
            batches = open_batches(model)
            (part,) = parts(batches, requests)
            handle = await batches.submit(part, "token-1")
            await ended(batches, handle)
            return {line.digest: line async for line in batches.lines(handle, requests)}
        finally:
            await model.aclose()

    return asyncio.run(run())


def live(prefix: str, vendors: ModernVendors, request: ChatRequest) -> ChatReply:
    async def run() -> ChatReply:
        model = opened(prefix, vendors, "plain")
        try:
            reply: ChatReply = await model.complete(request)
            return reply
        finally:
            await model.aclose()

    return asyncio.run(run())


def test_a_batch_is_answered_as_live_requests_are(prefix: str, vendors: ModernVendors) -> None:
    options = f"batch=0.2,mark={prefix}"
    lines = through(prefix, vendors, options, 8)
    requests = asked(8)
    assert set(lines) == set(requests)
    assert {line.failure for line in lines.values()} == {None}
    digest, request = next(iter(requests.items()))
    reply, other = lines[digest].reply, live(prefix, vendors, request)
    assert reply is not None
    assert (reply.text, reply.finish, reply.model) == (other.text, other.finish, other.model)
    assert reply.usage.known
    assert reply.usage.output_tokens > 0
    assert vendors.state(options)["batched"] == 8


def test_what_expires_or_fails_is_told_apart(prefix: str, vendors: ModernVendors) -> None:
    expired = through(prefix, vendors, f"batch=0.2,bexpire=4,mark={prefix}", 8)
    silent = [line for line in expired.values() if line.reply is None]
    assert len(expired) == 8
    assert len(silent) == 2
    assert {line.failure for line in silent} == {None}
    failed = through(prefix, vendors, f"batch=0.2,berror=4,mark={prefix}", 8)
    errors = [line.failure for line in failed.values() if line.reply is None]
    assert len(errors) == 2
    assert all(isinstance(error, ProviderError) for error in errors)


MOST = {"openai": (50_000, 200_000_000), "anthropic": (100_000, 256_000_000), "google": (None, 2_000_000_000)}
"""Requests and bytes that a vendor takes in one batch; of Google's inline ones 20 MB, else a file."""


def test_a_batch_stays_below_what_the_vendor_takes_with_what_is_wrapped_around_it(
    prefix: str, vendors: ModernVendors
) -> None:
    batches = open_batches(opened(prefix, vendors, "plain"))
    requests, size = MOST[prefix]
    assert requests is None or batches.limits.requests == requests
    assert 0.2 * size < batches.limits.bytes <= 0.95 * size
    assert google.INLINE <= 0.95 * 20_000_000
    (part,) = parts(batches, asked(40))
    (half,) = parts(batches, dict(list(asked(40).items())[:20]))
    assert sum(map(batches.size, part)) == pytest.approx(2 * sum(map(batches.size, half)), rel=0.01)


def test_a_cancelled_batch_ends_and_what_was_answered_is_read(prefix: str, vendors: ModernVendors) -> None:
    requests, options = asked(6), f"batch=2,mark=cancel-{prefix}"

    async def run() -> list[BatchLine]:
        model = opened(prefix, vendors, options)
        try:
            batches = open_batches(model)
            (part,) = parts(batches, requests)
            handle = await batches.submit(part, "token-2")
            await batches.cancel(handle)
            await ended(batches, handle)
            return [line async for line in batches.lines(handle, requests)]
        finally:
            await model.aclose()

    lines = asyncio.run(run())
    assert all(line.failure is None for line in lines)  # nothing failed: it was not asked
    assert sum(line.reply is not None for line in lines) == vendors.state(options).get("batched", 0)


def test_a_lost_handle_is_found_by_its_token(vendors: ModernVendors) -> None:
    requests = asked(3)

    async def run() -> tuple[str, str | None, str | None]:
        model = opened("openai", vendors, "batch=60,mark=found")
        try:
            batches = open_batches(model)
            (part,) = parts(batches, requests)
            handle = await batches.submit(part, "token-3")
            return handle, await batches.find("token-3", 3, NOW), await batches.find("token-4", 3, NOW)
        finally:
            await model.aclose()

    handle, found, other = asyncio.run(run())
    assert (found, other) == (handle, None)


def test_where_lists_are_not_served_nothing_is_found(prefix: str, vendors: ModernVendors) -> None:
    if prefix == "openai":
        pytest.skip("the server lists OpenAI's batches")

    async def run() -> str | None:
        model = opened(prefix, vendors, "plain")
        try:
            found: str | None = await open_batches(model).find("token", 1, NOW)
            return found
        finally:
            await model.aclose()

    assert asyncio.run(run()) is None


def test_a_wrong_key_is_said_as_for_live_requests(prefix: str, vendors: ModernVendors) -> None:
    async def run() -> None:
        model = opened(prefix, vendors, "plain", "bad")
        try:
            batches = open_batches(model)
            (part,) = parts(batches, asked(1))
            await batches.submit(part, "token-5")
        finally:
            await model.aclose()

    with pytest.raises(WrongKeyError) as caught:
        asyncio.run(run())
    assert caught.value.__context__ is None


def test_reasoning_effort_reaches_a_batch(prefix: str, vendors: ModernVendors) -> None:
    models = {"openai": "gpt-6-sol", "anthropic": "claude-opus-4-8", "google": "gemini-3.8-flash"}
    request = replace(a_request(), effort="low", temperature=None)

    async def run() -> list[BatchLine]:
        model: Any = open_model(f"{prefix}:{models[prefix]}", vendors.credentials(f"batch=0.1,mark=effort-{prefix}"))
        try:
            batches = open_batches(model)
            (part,) = parts(batches, {"d": request})
            handle = await batches.submit(part, "token-6")
            await ended(batches, handle)
            return [line async for line in batches.lines(handle, {"d": request})]
        finally:
            await model.aclose()

    (line,) = asyncio.run(run())
    assert line.failure is None
    assert line.reply is not None
