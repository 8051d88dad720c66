"""Lines of the files that Gemini's larger batches take and give: JSON as on the wire, not in the SDK's own spelling."""

import json
from collections.abc import Mapping
from typing import Any

# They stand beside the request's settings in the SDK, and beside `generationConfig` on the wire.
_BESIDE = ("safetySettings", "tools", "toolConfig", "cachedContent", "serviceTier")

# What is read of an answer: the SDK refuses fields that are newer than it. `...` takes what is there as it is.
_TOKENS = [{"token": ..., "logProbability": ...}]
_PART = {"text": ..., "thought": ..., "functionCall": {"name": ..., "args": ...}}
_READ: Mapping[str, Any] = {
    "candidates": [
        {
            "finishReason": ...,
            "content": {
                "role": ...,
                "parts": [_PART],
            },
            "logprobsResult": {"chosenCandidates": _TOKENS, "topCandidates": [{"candidates": _TOKENS}]},
        }
    ],
    "promptFeedback": {"blockReason": ...},
    "usageMetadata": dict.fromkeys(
        ("promptTokenCount", "candidatesTokenCount", "thoughtsTokenCount", "cachedContentTokenCount"), ...
    ),
    "modelVersion": ...,
}


def written_line(digest: str, request: Mapping[str, Any]) -> bytes:
    """request: an InlinedRequest as JSON, with the names of the wire."""
    config = dict(request.get("config") or {})
    instruction = config.pop("systemInstruction", None)
    body: dict[str, Any] = {"contents": request["contents"]}
    if instruction is not None:
        body["systemInstruction"] = {"role": "user", "parts": [{"text": instruction}]}
    body |= {name: config.pop(name) for name in _BESIDE if name in config}
    body["generationConfig"] = config
    return json.dumps({"key": digest, "request": body}, ensure_ascii=False).encode()


def answer_lines(written: bytes) -> list[dict[str, Any]]:
    """What is no object is passed over."""
    found = []
    for line in written.splitlines():
        try:
            value = json.loads(line)
        except ValueError:
            continue
        if isinstance(value, dict):
            found.append(value)
    return found


def known_part(answer: Any) -> Any:
    """Of an answer what the SDK certainly knows."""
    return _known(answer, _READ)


def _known(value: Any, wanted: Any) -> Any:
    match wanted:
        case list() if isinstance(value, list):
            return [_known(each, wanted[0]) for each in value]
        case Mapping() if isinstance(value, dict):
            return {name: _known(value[name], part) for name, part in wanted.items() if name in value}
    return value
