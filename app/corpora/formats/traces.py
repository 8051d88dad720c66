"""Traces of calls to models, as other tools export them. Formats as published: Langfuse's export of traces and
observations; OpenTelemetry's conventions for generative AI in OTLP's JSON; OpenInference's in Phoenix' spans; OpenAI's
evals (the log of a run, and the platform's items)."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from app.corpora.formats.conversations import Exchange, conversation_reader, first_of, given_and_reply, opened, rest_of
from app.corpora.formats.known_format import KnownFormat
from app.corpora.rows import BadCellError
from app.domain.conversation import ROLES

# Langfuse: traces, or observations of which the generations are read; names in one of two spellings.

_TRACE = ("trace_id", "traceId")
_OWN = frozenset({
    "htmlPath", "bookmarked", "sessionId", "session_id", "projectId", "project_id", "totalCost", "observations",
    "userId", "user_id", "startTime", "start_time", "providedModelName", "provided_model_name", "usageDetails",
    "usage_details",
    "parentObservationId", "parent_observation_id", "environment", "release", "tags", "level", "type",
})  # fmt: skip
"""Fields that tell an export from a table that also has columns for input and output."""


def _is_langfuse(record: Mapping[str, Any]) -> bool:
    if isinstance(record.get("trace"), Mapping) and isinstance(record.get("observations"), list):
        return True
    named = any(name in record for name in _TRACE) or "timestamp" in record
    return named and len(_OWN & record.keys()) >= 2 and "input" in record and "output" in record


def _read_langfuse(row: int, record: dict[str, Any]) -> Iterator[Exchange | str]:
    trace = {**record, **record["trace"]} if isinstance(record.get("trace"), Mapping) else record
    observations = _objects(opened(trace.get("observations")))
    if any(name in record for name in _TRACE) and not observations:
        if str(record.get("type", "GENERATION")).upper() not in ("GENERATION", "AGENT", "CHAIN"):
            yield f"It is a {str(record.get('type')).lower()[:30]} of a trace, not a call of a model."
            return
        name = first_of(record, *_TRACE)
        yield _langfuse_exchange(record, name, first_of(record, "id"))
        return
    name = first_of(trace, "id", *_TRACE) or f"row-{row}"
    if trace.get("output") not in (None, ""):
        models = {_model(o) for o in observations} - {""}
        yield replace(_langfuse_exchange(trace, name, ""), model=models.pop() if len(models) == 1 else _model(trace))
        return
    calls = [o for o in observations if str(o.get("type", "")).upper() == "GENERATION"]
    if not calls:
        raise BadCellError("The trace has no output and no call of a model.")
    for call in calls:
        yield _langfuse_exchange(call, name, first_of(call, "id"))


def _model(record: Mapping[str, Any]) -> str:
    return first_of(record, "providedModelName", "provided_model_name", "model", "modelId")


def _langfuse_exchange(record: Mapping[str, Any], name: str, item: str) -> Exchange:
    turns, words = given_and_reply(record.get("input"), record.get("output"))
    extra = rest_of(record, "input", "output", "observations", "trace", "id", *_TRACE)
    return Exchange(turns, words, name, _model(record), item, extra)


LANGFUSE = KnownFormat(
    "langfuse",
    "input and output with a trace's id (traceId), or a trace with its observations",
    _is_langfuse,
    conversation_reader("langfuse", _read_langfuse, "scores"),
    conversation=True,
)


# OpenTelemetry and Phoenix: spans, whose attributes hold the messages whole or spread over numbered names.

_GEN_AI = ("gen_ai.input.messages", "gen_ai.output.messages")
_OPEN_INFERENCE = ("llm.input_messages", "llm.output_messages")


def _value(value: Any) -> Any:
    """Return a value of OTLP's JSON as a plain value."""
    if not isinstance(value, Mapping):
        return value
    if isinstance(held := value.get("arrayValue"), Mapping):
        return [_value(one) for one in held.get("values") or []]
    if isinstance(held := value.get("kvlistValue"), Mapping):
        return _attributes(held.get("values"))
    return next((value[key] for key in ("stringValue", "intValue", "doubleValue", "boolValue") if key in value), None)


def _attributes(pairs: Any) -> dict[str, Any]:
    """Return name -> value of OTLP's list of pairs."""
    return {str(pair.get("key")): _value(pair.get("value")) for pair in _objects(pairs)}


def _objects(value: Any) -> list[Mapping[str, Any]]:
    """Return the objects of a list; none of what isn't a list."""
    return [one for one in value if isinstance(one, Mapping)] if isinstance(value, list) else []


def _nested(flat: Mapping[str, Any]) -> dict[str, Any]:
    """Return `a.0.b` as {"a": {"0": {"b": ...}}}; nested values stay so."""
    whole: dict[str, Any] = {}
    for name, value in flat.items():
        *way, last = name.split(".")
        place = whole
        for part in way:
            inner = place.get(part)
            if not isinstance(inner, dict):
                inner = place[part] = {}
            place = inner
        old = place.get(last)
        place[last] = {**old, **_nested(value)} if isinstance(old, dict) and isinstance(value, Mapping) else value
    return whole


def _listed(value: Any) -> Any:
    """Return names with dots as objects, and {"0": ..., "1": ...} as lists, at every level."""
    if isinstance(value, Mapping):
        value = _nested(value)
        if value and all(str(key).isdecimal() for key in value):
            return [_listed(value[key]) for key in sorted(value, key=lambda key: int(str(key)))]
        return {key: _listed(entry) for key, entry in value.items()}
    return [_listed(entry) for entry in value] if isinstance(value, list) else value


def _at(tree: Any, path: str) -> Any:
    for part in path.split("."):
        tree = tree.get(part) if isinstance(tree, Mapping) else None
    return opened(tree)


def _call_of(flat: Mapping[str, Any], events: Any) -> tuple[Any, Any, str] | None:
    """Return input, output and model of a span that calls a model; None for any other span."""
    tree = _listed(flat)
    model = next((str(m) for m in (_at(tree, p) for p in _MODELS) if m), "")
    given, reply = (_at(tree, path) for path in _GEN_AI)
    if reply:
        told = _at(tree, "gen_ai.system_instructions")
        system = [{"role": "system", "content": told}] if told else []
        return [*system, *(given if isinstance(given, list) else [given] if given else [])], reply, model
    given, reply = (_at(tree, path) for path in _OPEN_INFERENCE)
    if reply:
        return given, reply, model
    given, reply = _at(tree, "gen_ai.prompt"), _at(tree, "gen_ai.completion")
    if reply:
        return given, reply, model
    given, reply = _of_events(events)
    if reply:
        return given, reply, model
    kind = str(_at(tree, "openinference.span.kind") or "").upper()
    if (kind == "LLM" or model) and _at(tree, "output.value"):
        return _at(tree, "input.value"), _at(tree, "output.value"), model
    return None


_MODELS = ("gen_ai.response.model", "gen_ai.request.model", "llm.model_name")


def _of_events(events: Any) -> tuple[list[Any], list[Any]]:
    """Return the messages of the earlier convention: an event a message, named by its role."""
    given: list[Any] = []
    reply: list[Any] = []
    for event in _objects(events):
        name = str(event.get("name", ""))
        if not name.startswith("gen_ai."):
            continue
        found = {key: opened(value) for key, value in _attributes(event.get("attributes")).items()}
        role = name.removeprefix("gen_ai.").removesuffix(".message")
        if role == "choice":
            message = found.get("message")
            reply.append(
                message if isinstance(message, Mapping) else {"role": "assistant", "content": found.get("content")}
            )
        elif role in ROLES:
            given.append({"role": role, "content": found.get("content")})
    return given, reply


def _read_otlp(row: int, record: dict[str, Any]) -> Iterator[Exchange | str]:
    resources = record.get("resourceSpans", [record])
    calls = 0
    for resource in _objects(resources):
        for scope in _objects(resource.get("scopeSpans")):
            for span in _objects(scope.get("spans")):
                flat = _attributes(span.get("attributes"))
                call = _call_of(flat, span.get("events"))
                if call is None:
                    continue
                calls += 1
                yield _span_exchange(
                    call,
                    first_of(flat, "gen_ai.conversation.id", "session.id") or first_of(span, "traceId"),
                    first_of(span, "spanId"),
                    {"span": first_of(span, "name")},
                    row,
                )
    if not calls:
        yield "None of its spans is a call of a model with its messages."


def _span_exchange(
    call: tuple[Any, Any, str], name: str, span: str, extra: Mapping[str, Any], row: int
) -> Exchange | str:
    given, reply, model = call
    try:
        turns, words = given_and_reply(given, reply)
    except BadCellError as error:
        return f"Span {span}: {error}"
    return Exchange(turns, words, name or f"row-{row}", model, span, extra)


OTLP = KnownFormat(
    "otlp",
    "resourceSpans with scopeSpans, as OTLP's JSON has them",
    lambda record: "scopeSpans" in record or "resourceSpans" in record,
    conversation_reader("otlp", _read_otlp),
    conversation=True,
)


def _is_phoenix(record: Mapping[str, Any]) -> bool:
    return "context.span_id" in record or (
        isinstance(record.get("context"), Mapping) and "span_id" in record["context"] and "attributes" in record
    )


def _read_phoenix(row: int, record: dict[str, Any]) -> Iterator[Exchange | str]:
    tree = _nested(record)
    held = opened(tree.get("attributes"))
    attributes = {key: opened(value) for key, value in held.items()} if isinstance(held, Mapping) else {}
    kind = str(record.get("span_kind") or "LLM").upper()
    call = _call_of(attributes, None) if kind in ("LLM", "UNKNOWN") else None
    if call is None:
        yield f"It is a span of the kind {kind.lower()[:30]} without messages of a model."
        return
    context = tree.get("context")
    where = context if isinstance(context, Mapping) else {}
    yield _span_exchange(
        call, first_of(where, "trace_id"), first_of(where, "span_id"), {"span": first_of(record, "name")}, row
    )


PHOENIX = KnownFormat(
    "phoenix",
    "context.span_id and attributes, as Phoenix exports spans",
    _is_phoenix,
    conversation_reader("phoenix", _read_phoenix),
    conversation=True,
)


# OpenAI's evals: the log of a run (an event a line), or the items that the platform exports.


def _is_eval(record: Mapping[str, Any]) -> bool:
    log = {"run_id", "event_id", "sample_id", "type", "data"} <= record.keys() or {"spec"} == record.keys()
    item = isinstance(record.get("sample"), Mapping) and any(k in record for k in ("item", "datasource_item"))
    return log or item


def _read_eval(row: int, record: dict[str, Any]) -> Iterator[Exchange | str]:
    if isinstance(record.get("sample"), Mapping):
        sample = record["sample"]
        item = next((record[key] for key in ("item", "datasource_item") if key in record), None)
        given = sample.get("input") or (item.get("input") if isinstance(item, Mapping) else None)
        reply = sample.get("output_text") or sample.get("output") or sample.get("outputs")
        turns, words = given_and_reply(given, reply)
        name = first_of(record, "datasource_item_id", "id") or f"row-{row}"
        yield Exchange(turns, words, name, first_of(sample, "model"), extra={"item": item})
        return
    data = record.get("data")
    if record.get("type") != "sampling" or not isinstance(data, Mapping):
        kind = str(record.get("type", "specification"))[:30]
        yield f"It is an event of the kind {kind}, not a reply of a model."
        return
    sampled = data.get("sampled")
    reply = sampled[0] if isinstance(sampled, list) and sampled else sampled
    turns, words = given_and_reply(data.get("prompt"), reply)
    sample_id = first_of(record, "sample_id") or f"row-{row}"
    yield Exchange(turns, words, sample_id, first_of(data, "model"), first_of(record, "event_id"))


OPENAI_EVALS = KnownFormat(
    "openai-evals",
    "run_id, sample_id, type and data, as a log of OpenAI's evals, or item and sample",
    _is_eval,
    conversation_reader("openai-evals", _read_eval),
    conversation=True,
)
FORMATS = (OTLP, PHOENIX, LANGFUSE, OPENAI_EVALS)
