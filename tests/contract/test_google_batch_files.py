"""Gemini's batches that are too large to travel inline: a file goes in, a file comes out, through the real SDK."""

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from pydantic import SecretStr

from app.errors import ProviderError
from app.providers.batches import google
from app.providers.batches.batch import BatchLine, parts
from app.providers.credentials import Access, Credentials
from app.providers.registry import open_batches, open_model
from tests.support.adapter_cases import a_request
from tests.support.google_batch_files import GoogleBatchFiles, google_batch_files

REQUESTS = {
    f"digest{number}": replace(
        a_request(effort="low"), prompt=replace(a_request().prompt, user=f"Text {number}: feu à Ölten.")
    )
    for number in range(12)
}


@pytest.fixture
def vendor() -> Iterator[GoogleBatchFiles]:
    with google_batch_files() as running:
        yield running


def with_batches(vendor: GoogleBatchFiles, work: Any) -> Any:
    async def run() -> Any:
        access = Access(SecretStr("sk-local"), vendor.url, "a test")
        model: Any = open_model("google:gemini-2.5-flash", Credentials({"google": access}), 20.0)
        try:
            return await work(open_batches(model))
        finally:
            await model.aclose()

    return asyncio.run(run())


async def submitted(batches: Any) -> str:
    (part,) = parts(batches, REQUESTS)
    handle: str = await batches.submit(part, "token-1")
    return handle


async def answered(batches: Any) -> dict[str, BatchLine]:
    handle = await submitted(batches)
    progress = await batches.look(handle)
    assert progress.ended
    assert not progress.problem
    return {line.digest: line async for line in batches.lines(handle, REQUESTS)}


def test_what_is_too_large_goes_as_a_file_and_its_answers_are_read_by_their_keys(
    vendor: GoogleBatchFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(google, "INLINE", 100)
    lines = with_batches(vendor, answered)
    assert list(lines) == list(reversed(REQUESTS))
    assert [line["key"] for line in vendor.uploaded["files/in-1"]] == list(REQUESTS)
    (asked,) = vendor.asked
    assert asked["displayName"] == "token-1"
    assert asked["inputConfig"] == {"fileName": "files/in-1"}
    replies = [line.reply for line in lines.values() if line.reply]
    assert len(replies) == 6
    assert all(reply.text.startswith('{"') and reply.usage.known and reply.usage.output_tokens for reply in replies)
    expired = [line for line in lines.values() if line.reply is None and line.failure is None]
    failed = [line.failure for line in lines.values() if line.failure]
    assert (len(expired), len(failed)) == (4, 2)
    assert all(isinstance(failure, ProviderError) for failure in failed)


def test_a_request_in_a_file_is_the_one_that_would_go_inline(
    vendor: GoogleBatchFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_batches(vendor, submitted)
    assert not vendor.uploaded
    monkeypatch.setattr(google, "INLINE", 100)
    with_batches(vendor, submitted)
    inline = vendor.asked[0]["inputConfig"]["requests"]["requests"]
    filed = vendor.uploaded["files/in-1"]
    thought = [each["request"]["generationConfig"].pop("thinkingConfig") for each in inline]
    filed_thought = [each["request"]["generationConfig"].pop("thinkingConfig") for each in filed]
    assert [each["request"] for each in inline] == [each["request"] for each in filed]
    assert [each["metadata"] for each in inline] == [{"digest": each["key"]} for each in filed]
    assert thought == [{"thinking_budget": 1024}] * 12  # as the SDK leaves it, which the vendor reads too
    assert filed_thought == [{"thinkingBudget": 1024}] * 12
    assert filed[0]["request"]["generationConfig"]["responseJsonSchema"] == a_request().schema
    assert filed[0]["request"]["systemInstruction"]["parts"]


def test_a_file_that_can_not_be_handed_over_ends_in_a_sentence(
    vendor: GoogleBatchFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(google, "INLINE", 100)
    reply = vendor.reply
    monkeypatch.setattr(vendor, "reply", lambda *asked: (reply(*asked)[0], {}))  # says no address
    with pytest.raises(ProviderError) as caught:
        with_batches(vendor, submitted)
    assert caught.value.__context__ is None or caught.value.__suppress_context__
    assert not vendor.asked
