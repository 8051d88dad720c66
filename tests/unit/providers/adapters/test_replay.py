import asyncio
import json
from dataclasses import replace
from pathlib import Path

import pytest

from app.domain.model_call import RecordedCall, RenderedPrompt
from app.errors import FileFormatError, NotFoundError, ProviderError, UnsupportedError
from app.providers.adapters.replay import ReplayModel, write_recording
from app.providers.base import ChatReply, ChatRequest, TokenLogprob, Usage
from app.providers.credentials import Credentials
from app.providers.registry import open_model

REQUEST = ChatRequest(RenderedPrompt("judge", 2, "d", "SYSTEM", "USER", {}), schema={"type": "object"})


def recorded(request: ChatRequest, model: str, reply: str, **changes: object) -> RecordedCall:
    call = RecordedCall(request.digest(model), model, request.prompt.label, request.prompt.digest, reply)
    return replace(call, **changes)  # type: ignore[arg-type]


def ask(path: Path, request: ChatRequest = REQUEST) -> ChatReply:
    return asyncio.run(ReplayModel(path).complete(request))


def test_an_answer_comes_back_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "calls.jsonl"
    text = '{"answer":\n"yes\u2028\u0085"}'
    call = recorded(
        REQUEST,
        "openai:gpt-4o",
        text,
        input_tokens=9,
        cached_tokens=4,
        output_tokens=2,
        finish="length",
        rationales={"q": "why"},
    )
    assert write_recording(path, [call]) == 1
    assert ask(path) == ChatReply(text, "openai:gpt-4o", Usage(9, 4, 2), "length", rationales={"q": "why"})


def test_requests_are_looked_up_under_each_recorded_model(tmp_path: Path) -> None:
    path = tmp_path / "calls.jsonl"
    second = replace(REQUEST, sample=1)
    write_recording(path, [recorded(REQUEST, "openai:a", "from a"), recorded(second, "google:b", "from b")])
    assert ask(path).model == "openai:a"
    assert ask(path, second).model == "google:b"


def test_a_failed_call_fails_again_with_its_kind(tmp_path: Path) -> None:
    path = tmp_path / "calls.jsonl"
    assert write_recording(path, [recorded(REQUEST, "openai:a", "", error_kind="timeout")]) == 1
    with pytest.raises(ProviderError, match="timeout") as caught:
        ask(path)
    assert not isinstance(caught.value, UnsupportedError)  # which would end a run


@pytest.mark.parametrize("answered_first", [True, False])
def test_an_answer_counts_more_than_a_failure(tmp_path: Path, answered_first: bool) -> None:
    path = tmp_path / "calls.jsonl"
    calls = [recorded(REQUEST, "openai:a", "yes"), recorded(REQUEST, "openai:a", "", error_kind="timeout")]
    write_recording(path, calls if answered_first else calls[::-1])
    assert ask(path).text == "yes"


def test_the_last_answer_to_a_request_counts(tmp_path: Path) -> None:
    path = tmp_path / "calls.jsonl"
    write_recording(path, [recorded(REQUEST, "openai:a", "first"), recorded(REQUEST, "openai:a", "second")])
    assert ask(path).text == "second"


def test_a_request_that_is_not_recorded_says_what_is(tmp_path: Path) -> None:
    path = tmp_path / "calls.jsonl"
    write_recording(path, [recorded(replace(REQUEST, sample=n), "openai:a", "x") for n in range(3)])
    with pytest.raises(ProviderError) as caught:
        ask(path, replace(REQUEST, temperature=1.0))
    said = str(caught.value)
    assert "judge@2" in said
    assert "3 calls" in said
    assert "openai:a" in said
    assert "SYSTEM" not in said
    assert "USER" not in said


def test_log_probabilities_come_back(tmp_path: Path) -> None:
    path = tmp_path / "calls.jsonl"
    request = replace(REQUEST, top_logprobs=5)
    write_recording(path, [recorded(request, "openai:a", "x", logprobs=[["yes", -0.5, {"yes": -0.5, "no": -1}]])])
    assert ask(path, request).logprobs == (TokenLogprob("yes", -0.5, {"yes": -0.5, "no": -1.0}),)


def test_what_was_asked_is_not_in_the_file(tmp_path: Path) -> None:
    path = tmp_path / "calls.jsonl"
    write_recording(path, [recorded(REQUEST, "openai:a", "x")])
    assert "SYSTEM" not in path.read_text()
    assert "USER" not in path.read_text()


@pytest.mark.parametrize(
    "line",
    [
        "{",
        "[]",
        "3",
        "{}",
        '{"digest": 1, "model": "m", "text": "t"}',
        '{"digest": "d", "model": "m", "text": "t", "finish": "odd"}',
        '{"digest": "d", "model": "m", "text": "t", "usage": {"tokens": 1}}',
        '{"digest": "d", "model": "m", "text": "t", "usage": 5}',
        '{"digest": "d", "model": "m", "text": "t", "rationales": {"q": 1}}',
        '{"digest": "d", "model": "m", "text": "t", "logprobs": [["yes"]]}',
        '{"digest": "d", "model": "m", "text": "t", "logprobs": [["yes", -1, {"no": "x"}]]}',
        '{"digest": "d", "model": "m", "error": "Some Sentence"}',
        '{"digest": "d", "model": "m"}',
        "[" * 100_000,
    ],
)
def test_a_wrong_line_is_named(tmp_path: Path, line: str) -> None:
    path = tmp_path / "calls.jsonl"
    good = json.dumps({"digest": "d", "model": "m", "text": "t"})
    path.write_text(f"{good}\n\n{line}\n")
    with pytest.raises(FileFormatError, match="Line 3"):
        ReplayModel(path)


def test_the_registry_opens_it_by_its_file(tmp_path: Path) -> None:
    path = tmp_path / "calls.jsonl"
    write_recording(path, [recorded(REQUEST, "openai:a", "x")])
    model = open_model(f"replay:{path}", Credentials())
    assert (model.name, model.is_llm) == (f"replay:{path}", True)
    asyncio.run(model.aclose())
    with pytest.raises(NotFoundError):
        open_model(f"replay:{tmp_path}/none.jsonl", Credentials())
    (tmp_path / "binary.jsonl").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(FileFormatError):
        open_model(f"replay:{tmp_path}/binary.jsonl", Credentials())
