"""Google's generateContent as it looks on the wire."""

from collections.abc import Mapping
from typing import Any

from tests.support.fake_llm.behaviour import Answer, Trouble

Body = dict[str, Any]

PATH = ":generateContent"

_FINISH = {"stop": "STOP", "length": "MAX_TOKENS", "refused": "SAFETY"}


def schema_of(request: Body) -> Mapping[str, Any] | None:
    schema: Mapping[str, Any] | None = request.get("generationConfig", {}).get("responseJsonSchema")
    return schema


def said_by_user(request: Body) -> str:
    return str(request["contents"][-1]["parts"][0]["text"])


def answer(answer: Answer, text: str, request: Body) -> Body:
    candidate: Body = {"index": 0, "finishReason": _FINISH[answer.finish]}
    if answer.finish != "refused":
        parts = [{"text": "Let me see.", "thought": True}, {"text": text}]
        candidate["content"] = {"role": "model", "parts": parts}
    if answer.logprobs:
        candidate["logprobsResult"] = {
            "chosenCandidates": [{"token": token, "logProbability": value} for token, value, _ in answer.logprobs],
            "topCandidates": [{"candidates": _top(top)} for _, _, top in answer.logprobs],
        }
    return {"candidates": [candidate], "usageMetadata": _usage(answer), "modelVersion": f"{request['model']}-001"}


def _top(top: Mapping[str, float]) -> list[Body]:
    return [{"token": token, "logProbability": value} for token, value in top.items()]


def _usage(answer: Answer) -> Body:
    return {
        "promptTokenCount": answer.tokens.input,
        "cachedContentTokenCount": answer.tokens.cached,
        "candidatesTokenCount": answer.tokens.output - 3,
        "thoughtsTokenCount": 3,
    }


def blocked(request: Body) -> Body:
    return {"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}, "usageMetadata": {"promptTokenCount": 100}}


def failure(trouble: Trouble, key: str, request: Body) -> tuple[int, Body]:
    text = said_by_user(request)
    details: list[Body] = []
    if trouble == "wrong-key":
        details = [{"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID"}]
    if trouble in ("quota", "rate-limit"):
        quota = "PerDayPerProjectPerModel" if trouble == "quota" else "PerMinutePerProjectPerModel"
        failed = {"violations": [{"quotaId": f"GenerateRequests{quota}-FreeTier"}]}
        details = [{"@type": "type.googleapis.com/google.rpc.QuotaFailure", **failed}]
    status, name, words = {
        "wrong-key": (400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key."),
        "no-access": (403, "PERMISSION_DENIED", f"Key {key} was reported as leaked."),
        "unknown-model": (404, "NOT_FOUND", f"models/{request['model']} is not found for API version v1."),
        "quota": (429, "RESOURCE_EXHAUSTED", "You exceeded your current quota."),
        "rate-limit": (429, "RESOURCE_EXHAUSTED", "You exceeded your current quota."),
        "no-room": (503, "UNAVAILABLE", "The service is currently unavailable."),
        "no-tier": (400, "INVALID_ARGUMENT", f"Service tier FLEX is not supported for this model. {text}"),
        "too-long": (400, "INVALID_ARGUMENT", f"The input token count exceeds the maximum number of tokens. {text}"),
        "no-temperature": (400, "INVALID_ARGUMENT", "temperature is not supported for this model."),
        "no-schema-mode": (400, "INVALID_ARGUMENT", 'Unknown name "responseJsonSchema" at generation_config.'),
        "no-logprobs": (400, "INVALID_ARGUMENT", "Logprobs is not enabled for this model."),
        "no-limit-parameter": (400, "INVALID_ARGUMENT", "maxOutputTokens is not supported."),
        "bad-request": (400, "INVALID_ARGUMENT", f"Could not handle {text} with {key}."),
    }[trouble]
    return status, {"error": {"code": status, "message": words, "status": name, "details": details}}
