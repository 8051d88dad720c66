"""Google's Gemini API as of November 2026, in its versions v1 and v1beta: generateContent and batches of it.

v1beta: the model exists only in that version. thoughts: the reply holds its thoughts. finish=REASON with
finishevery=K: every K-th text ends for that reason, without a word.
"""

import re
from collections.abc import Mapping
from typing import Any

from tests.support.strict_vendors.account import Account, Body, RefusedRequest, tokens
from tests.support.strict_vendors.call import Batch, Call, new_id
from tests.support.strict_vendors.model import Prompt, reply_to

_MODELS = re.compile(
    r"gemini-(2\.0-flash(-lite)?|2\.5-(pro|flash|flash-lite)|3(\.\d)?-(pro|flash|flash-lite)(-preview)?"
    r"|(pro|flash)-latest|4-argon)"
)
_FIELDS_NAMES = """
    contents systemInstruction generationConfig safetySettings tools toolConfig cachedContent labels serviceTier
    store
"""
_FIELDS = frozenset(_FIELDS_NAMES.split())
_CONFIG_NAMES = """
    temperature topP topK candidateCount maxOutputTokens stopSequences responseMimeType responseSchema
    responseJsonSchema responseFormat responseLogprobs logprobs presencePenalty frequencyPenalty seed thinkingConfig
    responseModalities mediaResolution speechConfig enableEnhancedCivicAnswers
"""
_CONFIG = frozenset(_CONFIG_NAMES.split())
_RPC = "type.googleapis.com/google.rpc."
_PATH = re.compile(r"/(v1|v1beta)/models/([^/:]+):(generateContent|batchGenerateContent)")
_BATCH_PATH = re.compile(r"/(?:v1|v1beta)/(batches/[^/:]+)(:cancel)?")


def error(
    words: str,
    status: int = 400,
    name: str = "INVALID_ARGUMENT",
    details: list[Body] | None = None,
    headers: Mapping[str, str] | None = None,
) -> RefusedRequest:
    said: Body = {"code": status, "message": words, "status": name}
    return RefusedRequest(status, {"error": said | ({"details": details} if details else {})}, name, headers)


def wrong_key() -> RefusedRequest:
    detail = {"@type": f"{_RPC}ErrorInfo", "reason": "API_KEY_INVALID", "domain": "googleapis.com"}
    return error("API key not valid. Please pass a valid API key.", details=[detail])


def overloaded() -> RefusedRequest:
    return error("The model is overloaded. Please try again later.", 503, "UNAVAILABLE")


def out_of_order() -> RefusedRequest:
    return error("An internal error has occurred.", 500, "INTERNAL")


def over_the_limit(style: str, headers: Mapping[str, str]) -> RefusedRequest:
    per = "PerDay" if style == "daily" else "PerMinute"
    violation = {"quotaId": f"GenerateRequests{per}PerProjectPerModel"}
    details: list[Body] = [{"@type": f"{_RPC}QuotaFailure", "violations": [violation]}]
    if style == "info":
        details.append({"@type": f"{_RPC}RetryInfo", "retryDelay": "1.2s"})
    return error("You exceeded your current quota.", 429, "RESOURCE_EXHAUSTED", details, headers)


def answer(call: Call) -> Body | None:
    """None where nothing is served at the path."""
    account = call.account
    if found := _PATH.fullmatch(call.path):
        version, model, what = found.groups()
        if what == "generateContent":
            return _generate(account, version, model, call.body)
        return _new_batch(account, version, model, call.body["batch"])
    if (found := _BATCH_PATH.fullmatch(call.path)) and found[1] in account.batches:
        batch = account.batches[found[1]]
        if found[2] and not batch.lines:
            batch.about["state"] = "BATCH_STATE_CANCELLED"
        _end(batch)
        return _shown(batch)
    return None


def _generate(account: Account, version: str, model: str, body: Body) -> Body:
    options, config = account.options, body.get("generationConfig") or {}
    _check(account, version, model, body, config)
    system = _text(body.get("systemInstruction") or {})
    turns = [_text(content) for content in body["contents"]]
    schema = config.get("responseJsonSchema") or config.get("responseSchema")
    reasons = not re.match(r"gemini-2\.(0|5-flash-lite)", model)
    said = reply_to(account, Prompt(system, turns[0], schema, config.get("maxOutputTokens"), reasons))
    output, reasoning = tokens(said.text), said.reasoning
    candidate: Body = {"index": 0, "finishReason": "MAX_TOKENS" if said.cut else "STOP"}
    candidate["content"] = {"role": "model"} | ({"parts": _parts(said.text, options)} if said.text else {})
    if config.get("responseLogprobs"):
        candidate["logprobsResult"] = _logprobs(said.token_list)
    reply: Body = {"candidates": [candidate], "modelVersion": model, "responseId": new_id("")}
    if "finish" in options and said.ordinal % int(options.number("finishevery", 1)) == 0:
        reply["candidates"] = [{"index": 0, "finishReason": options.text("finish"), "content": {}}]
        output = 0
    elif said.outcome == "declined":
        reply["candidates"] = [{"index": 0, "finishReason": "SAFETY"}]
        output = 0
    elif said.outcome == "filtered":
        reply = {"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}, "modelVersion": model}
        output = reasoning = 0
    elif said.outcome == "empty":
        reply["candidates"] = []
    read = account.through_cache("", [system])[0]
    sent = tokens(system) + sum(map(tokens, turns))
    account.bill(input=sent, cached=read, written=0, output=output + reasoning, reasoning=reasoning)
    account.truncated += said.cut
    counts = {"candidatesTokenCount": output, "thoughtsTokenCount": reasoning, "cachedContentTokenCount": read}
    total = {"promptTokenCount": sent, "totalTokenCount": sent + output + reasoning}
    return reply | {"usageMetadata": total | {name: count for name, count in counts.items() if count}}


def _text(content: Body) -> str:
    return "".join(part.get("text", "") for part in content.get("parts", ()))


def _parts(text: str, options: Any) -> list[Body]:
    thought = [{"text": 'Weighing it: {"q1": "no"}?', "thought": True}] if "thoughts" in options else []
    return [*thought, {"text": text, "thoughtSignature": "c2lnbmVk"}]


def _logprobs(token_list: Any) -> Body:
    return {
        "chosenCandidates": [{"token": token, "logProbability": logprob} for token, logprob, _ in token_list],
        "topCandidates": [
            {"candidates": [{"token": token, "logProbability": logprob} for token, logprob in top.items()]}
            for _, _, top in token_list
        ],
    }


def _check(account: Account, version: str, model: str, body: Body, config: Body) -> None:
    """Raises RefusedRequest for what the model or this version doesn't take."""
    only_beta = "v1beta" in account.options or model.endswith(("-preview", "-latest"))
    if not _MODELS.fullmatch(model) or (version == "v1" and only_beta):
        words = f"models/{model} is not found for API version {version}, or is not supported for generateContent."
        raise error(words, 404, "NOT_FOUND")
    for name in sorted(set(body) - _FIELDS):
        raise error(f'Invalid JSON payload received. Unknown name "{name}": Cannot find field.')
    for name in sorted(set(config) - _CONFIG):
        raise error(f"Invalid JSON payload received. Unknown name \"{name}\" at 'generation_config'.")
    if config.get("responseLogprobs") and not model.startswith("gemini-2.0"):
        raise error(f"Logprobs is not enabled for models/{model}")
    if model.startswith("gemini-3") and config.get("candidateCount", 1) != 1:
        raise error("Multiple candidates is not enabled for this model")
    thinking = config.get("thinkingConfig") or {}
    if thinking.get("thinkingLevel", "").upper() == "MINIMAL" and re.match(r"gemini-3\.(8|1-pro)", model):
        raise error("Thinking level MINIMAL is not supported for this model.")
    late = re.match(r"gemini-3\.[6-9]", model)
    if late and "thinkingBudget" in thinking:
        raise error("thinking_budget is not supported for this model: use thinking_level.")
    if late and body["contents"][-1].get("role") == "model":
        raise error("The last turn must be a user's: model prefill is not supported.")


def _new_batch(account: Account, version: str, model: str, asked: Body) -> Body:
    batch = Batch(account, asked["inputConfig"]["requests"]["requests"])
    name = f"batches/{new_id('')}"
    batch.about = {"name": name, "model": model, "version": version, "state": "BATCH_STATE_PENDING"}
    batch.about["displayName"] = asked.get("displayName", "")
    account.batches[name] = batch
    return _shown(batch)


def _end(batch: Batch) -> None:
    """Answer what is due."""
    about = batch.about
    if about["state"] != "BATCH_STATE_PENDING" or not batch.is_due:
        return

    def generated(line: Body) -> Body:
        request = {name: value for name, value in line["request"].items() if name != "model"}
        return _generate(batch.account, about["version"], about["model"], request)

    for line, outcome in batch.answered(generated, out_of_order):
        written = {"metadata": line["metadata"]} if "metadata" in line else {}
        match outcome:
            case RefusedRequest():
                written["error"] = {"code": 13, "message": "Internal error."}
            case str():
                written["error"] = {"code": 4, "message": "The deadline is over."}
            case _:
                written["response"] = outcome
        batch.lines.append(written)
    expired = any(line.get("error", {}).get("code") == 4 for line in batch.lines)
    about["state"] = "BATCH_STATE_EXPIRED" if expired else "BATCH_STATE_SUCCEEDED"


def _shown(batch: Batch) -> Body:
    kind = "type.googleapis.com/google.ai.generativelanguage.v1main.GenerateContentBatch"
    about = batch.about
    metadata = {"@type": kind, "state": about["state"], "displayName": about["displayName"], "name": about["name"]}
    metadata["model"] = f"models/{about['model']}"
    if about["state"] == "BATCH_STATE_PENDING":
        return {"name": about["name"], "metadata": metadata}
    output = {"inlinedResponses": {"inlinedResponses": batch.lines}}
    done = {"done": True, "response": {"@type": f"{kind}Output"} | output}
    return {"name": about["name"], "metadata": metadata | {"output": output}} | done
