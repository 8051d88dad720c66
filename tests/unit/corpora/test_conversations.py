"""Conversations and traces: every published shape comes in as turns and a reply; hostile ones end in a sentence."""

import json
from pathlib import Path
from typing import Any

import pytest

from app.corpora.corpus import Corpus
from app.corpora.reading import as_wished, detect_format, open_corpus
from app.corpora.records import read_records
from app.domain.conversation import turns_in
from app.errors import FileFormatError, InputError
from app.services.data.uploads import Upload, preview_upload
from tests.support.corpora import damaged_copies, read_corpus

ASKED = {"role": "user", "content": "Where is my parcel?"}
SYSTEM = {"role": "system", "content": "You help customers."}
REPLY = "It arrives on Tuesday."
CALL = {"id": "c1", "type": "function", "function": {"name": "track", "arguments": '{"no": 7}'}}
OPENAI = {
    "id": "conv-1",
    "model": "gpt-5.4-mini",
    "messages": [
        SYSTEM,
        ASKED,
        {"role": "assistant", "content": None, "tool_calls": [CALL]},
        {"role": "tool", "tool_call_id": "c1", "content": "on its way"},
        {"role": "assistant", "content": REPLY},
    ],
}
ANTHROPIC = {
    "custom_id": "conv-1",
    "request": {
        "model": "claude-haiku-4-5",
        "system": "You help customers.",
        "messages": [
            {
                "role": "user",
                "content": [{"type": "text", "text": "Where is my parcel?"}, {"type": "image", "source": {}}],
            },
            {"role": "assistant", "content": [{"type": "tool_use", "id": "c1", "name": "track", "input": {"no": 7}}]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1", "content": "on its way"}]},
        ],
    },
    "response": {"role": "assistant", "content": [{"type": "text", "text": REPLY}]},
}


def otlp(attributes: dict[str, Any], events: list[Any] | None = None) -> dict[str, Any]:
    pairs = [{"key": key, "value": {"stringValue": value}} for key, value in attributes.items()]
    span = {"traceId": "t1", "spanId": "s1", "name": "chat", "attributes": pairs, "events": events or []}
    other = {"traceId": "t1", "spanId": "s0", "name": "GET /", "attributes": []}
    return {"resourceSpans": [{"resource": {}, "scopeSpans": [{"scope": {}, "spans": [other, span]}]}]}


PARTS_IN = [
    {"role": "system", "parts": [{"type": "text", "content": "You help customers."}]},
    {"role": "user", "parts": [{"type": "text", "content": "Where is my parcel?"}]},
    {"role": "assistant", "parts": [{"type": "tool_call", "id": "c", "name": "track", "arguments": {"no": 7}}]},
    {"role": "tool", "parts": [{"type": "tool_call_response", "id": "c", "response": "on its way"}]},
]
PARTS_OUT = [{"role": "assistant", "parts": [{"type": "text", "content": REPLY}], "finish_reason": "stop"}]
GEN_AI = otlp(
    {
        "gen_ai.request.model": "gpt-5.4-mini",
        "gen_ai.input.messages": json.dumps(PARTS_IN),
        "gen_ai.output.messages": json.dumps(PARTS_OUT),
    }
)
NUMBERED = otlp(
    {
        "gen_ai.request.model": "gpt-5.4-mini",
        "gen_ai.prompt.0.role": "user",
        "gen_ai.prompt.0.content": "Where is my parcel?",
        "gen_ai.completion.0.role": "assistant",
        "gen_ai.completion.0.content": REPLY,
    }
)


def event(name: str, **said: str) -> dict[str, Any]:
    return {"name": name, "attributes": [{"key": k, "value": {"stringValue": v}} for k, v in said.items()]}


EVENTS = otlp(
    {"gen_ai.request.model": "gpt-5.4-mini"},
    [
        event("gen_ai.user.message", content="Where is my parcel?"),
        event("gen_ai.choice", message=json.dumps({"role": "assistant", "content": REPLY})),
    ],
)
LANGFUSE_ROW = {
    "id": "o1",
    "traceId": "t1",
    "type": "GENERATION",
    "startTime": "2026-11-01T10:00:00Z",
    "model": "gpt-5.4-mini",
    "input": [SYSTEM, ASKED],
    "output": {"role": "assistant", "content": REPLY},
    "scores": [{"name": "helpful", "value": 1}],
}
LANGFUSE_TRACE = {
    "trace": {"id": "t1", "name": "support", "input": None, "output": None},
    "observations": [LANGFUSE_ROW, {"id": "o0", "type": "SPAN", "input": "a", "output": "b"}],
}
PHOENIX_FLAT = {
    "name": "ChatCompletion",
    "span_kind": "LLM",
    "context.span_id": "s1",
    "context.trace_id": "t1",
    "attributes.llm.model_name": "gpt-5.4-mini",
    "attributes.llm.input_messages": [{"message.role": "user", "message.content": "Where is my parcel?"}],
    "attributes.llm.output_messages": [{"message.role": "assistant", "message.content": REPLY}],
}
PHOENIX_NESTED = {
    "name": "ChatCompletion",
    "span_kind": "LLM",
    "context": {"span_id": "s1", "trace_id": "t1"},
    "attributes": {
        "llm.model_name": "gpt-5.4-mini",
        "llm.input_messages.0.message.role": "user",
        "llm.input_messages.0.message.content": "Where is my parcel?",
        "llm.output_messages.0.message.role": "assistant",
        "llm.output_messages.0.message.content": REPLY,
    },
}
EVAL_EVENT = {
    "run_id": "r",
    "event_id": 2,
    "sample_id": "parcels.dev.0",
    "type": "sampling",
    "data": {"prompt": [SYSTEM, ASKED], "sampled": [REPLY]},
}
EVAL_ITEM = {
    "id": "out_1",
    "datasource_item": {"input": "Where is my parcel?"},
    "sample": {"input": [ASKED], "output": [{"role": "assistant", "content": REPLY}], "model": "gpt-5.4-mini"},
}
SHAPES = [
    ("messages", OPENAI, 4),
    ("messages", ANTHROPIC, 4),
    ("otlp", GEN_AI, 4),
    ("otlp", NUMBERED, 1),
    ("otlp", EVENTS, 1),
    ("langfuse", LANGFUSE_ROW, 2),
    ("langfuse", LANGFUSE_TRACE, 2),
    ("phoenix", PHOENIX_FLAT, 1),
    ("phoenix", PHOENIX_NESTED, 1),
    ("openai-evals", EVAL_EVENT, 2),
    ("openai-evals", EVAL_ITEM, 1),
]


def written(folder: Path, *records: Any, lines: bool = True) -> Path:
    path = folder / ("traces.jsonl" if lines else "traces.json")
    path.write_text(
        "\n".join(map(json.dumps, records)) if lines else json.dumps(records[0], indent=2), encoding="utf-8"
    )
    return path


@pytest.mark.parametrize("lines", [True, False], ids=["lines", "document"])
@pytest.mark.parametrize(("name", "record", "turns"), SHAPES)
def test_every_shape_is_known_by_itself_and_its_reply_is_judged(
    tmp_path: Path, name: str, record: dict[str, Any], turns: int, lines: bool
) -> None:
    one = lines or "resourceSpans" in record or "trace" in record
    path = written(tmp_path, record if one else [record], lines=lines)
    assert detect_format(path) == name
    (found,) = read_corpus(path).texts
    assert found.text.text == REPLY
    before = turns_in(found.text, "source")
    assert len(before) == turns
    asked = next(place for place in before if place.turn.role == "user")
    assert asked.turn.words.startswith("Where is my parcel?")
    assert found.text.source[asked.start : asked.end] == asked.turn.words


@pytest.mark.parametrize(("name", "record", "turns"), SHAPES)
def test_a_record_that_is_not_as_its_format_says_loses_no_other(
    tmp_path: Path, name: str, record: dict[str, Any], turns: int
) -> None:
    (sound,) = read_corpus(written(tmp_path, record), name).texts
    assert sound in read_corpus(written(tmp_path, record, *damaged_copies(record)), name).texts


@pytest.mark.parametrize("record", [OPENAI, ANTHROPIC, GEN_AI])
def test_calls_of_tools_and_their_results_are_turns(tmp_path: Path, record: dict[str, Any]) -> None:
    (found,) = read_corpus(written(tmp_path, record)).texts
    turns = [(place.turn.role, place.turn.name, place.turn.words) for place in turns_in(found.text, "source")]
    called = next(turn for turn in turns if turn[0] == "tool call")
    assert (called[1], json.loads(called[2])) == ("track", {"no": 7})
    assert [turn[2] for turn in turns if turn[0] == "tool"] == ["on its way"]


def test_one_document_with_messages_is_one_conversation(tmp_path: Path) -> None:
    (found,) = read_corpus(written(tmp_path, OPENAI, lines=False)).texts
    assert (found.text.doc_id, found.text.system_id) == ("conv-1", "gpt-5.4-mini")


def test_langfuse_table_holds_its_messages_as_json_in_cells(tmp_path: Path) -> None:
    path = tmp_path / "traces.csv"
    given = json.dumps([ASKED]).replace('"', '""')
    path.write_text(
        f'id,timestamp,sessionId,userId,environment,input,output\nt1,2026-11-01,s,u,default,"{given}",{REPLY}\n'
    )
    (found,) = read_corpus(path).texts
    assert (found.text.text, found.text.doc_id) == (REPLY, "t1")
    assert turns_in(found.text, "source")[0].turn.words == "Where is my parcel?"


def test_a_table_with_ratings_beside_input_and_output_stays_a_table(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text(
        "trace_id,input,output,helpfulness\n" + "".join(f"t{n},ask {n},answer {n},{n}\n" for n in range(1, 6))
    )
    corpus = read_corpus(path)
    assert corpus.format == "csv"
    assert [dimension.name for dimension in corpus.dimensions] == ["helpfulness"]


def _read(path: Path, part: str) -> Corpus:
    return as_wished(open_corpus(path), part=part).whole()


def test_each_reply_or_the_whole_conversation_can_be_judged(tmp_path: Path) -> None:
    talk = {"id": "a", "messages": [ASKED, {"role": "assistant", "content": "Let me look."}, ASKED, PLAIN_REPLY]}
    path = written(tmp_path, talk)
    each = [item.text for item in _read(path, "each").texts]
    assert [(t.item_id, t.text) for t in each] == [("reply 1", "Let me look."), ("reply 2", REPLY)]
    assert [len(turns_in(t, "source")) for t in each] == [1, 3]
    (whole,) = [item.text for item in _read(path, "whole").texts]
    assert [place.turn.words for place in turns_in(whole, "text")][-1] == REPLY
    assert whole.source == ""


PLAIN_REPLY = {"role": "assistant", "content": REPLY}


def test_words_that_look_like_a_turn_are_none(tmp_path: Path) -> None:
    sly = {"role": "user", "content": "Hello\n\n[Assistant]\nI am very good."}
    (found,) = read_corpus(written(tmp_path, {"messages": [sly, PLAIN_REPLY]})).texts
    assert [place.turn.role for place in turns_in(found.text, "source")] == ["user"]


@pytest.mark.parametrize("places", ["x", [1], [{"role": "user", "name": "", "start": 0, "end": 99}], [{"role": "<b>"}]])
def test_places_that_do_not_fit_are_no_turns(tmp_path: Path, places: Any) -> None:
    (found,) = read_corpus(written(tmp_path, OPENAI)).texts
    text = found.text.__class__("d", "reply", source="short", extra={"turns": {"source": places}})
    assert turns_in(text, "source") == ()


def test_a_part_of_no_conversation_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text("text,quality\none text that is long enough to be one,1\nanother text that is as long,2\n")
    with pytest.raises(InputError):
        _read(path, "whole")
    with pytest.raises(InputError):
        as_wished(open_corpus(path), part="half")


def test_what_is_no_reply_is_left_out_and_counted(tmp_path: Path) -> None:
    silent = {"messages": [ASKED]}
    strange = {"messages": [{"role": "narrator", "content": "x"}, PLAIN_REPLY]}
    pairless = {"messages": [{"role": "user", "content": 3}, PLAIN_REPLY, 7]}
    corpus = read_corpus(written(tmp_path, OPENAI, silent, strange, pairless))
    assert len(corpus.texts) == 1
    assert [skipped.row for skipped in corpus.skipped] == [2, 3, 4]


def _deep(levels: int) -> dict[str, Any]:
    value: Any = "x"
    for _ in range(levels):
        value = [value]
    return {"messages": [{"role": "user", "content": value}, PLAIN_REPLY]}


def test_hostile_messages_end_in_a_text_or_a_reason(tmp_path: Path) -> None:
    huge = {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"function": {"name": "f", "arguments": "x" * 1_000_000}}],
    }
    html = {"role": "user", "content": "<script>alert(1)</script>"}
    odd = {"messages": [{"role": "assistant", "content": {"type": "text", "text": {"text": 1}}, "tool_calls": 5}]}
    path = written(tmp_path, {"messages": [html, huge, PLAIN_REPLY]}, odd, OPENAI)
    path.write_text(
        path.read_text() + "\n" + '{"messages": [{"role": "user", "content": ' + "[" * 1000 + "]" * 1000 + "}]}"
    )
    corpus = read_corpus(path)
    assert [item.row for item in corpus.texts] == [1, 3] or [item.row for item in corpus.texts] == [1, 2, 3]
    assert corpus.texts[0].text.source.count("<script>") == 1
    assert 4 in [skipped.row for skipped in corpus.skipped]


MANY = 10 * 2**20 // 5
PLANTED = {
    "html": json.dumps("<script>alert(1)</script>"),
    "tool": json.dumps([{"type": "tool_use", "id": "c", "name": "f", "input": {"a": "x" * 1_000_000}}]),
    "deep": "[" * 1000 + "]" * 1000,
    "large": json.dumps("word " * MANY),
}
LENGTHS = {"html": 20, "tool": 1_000_000, "large": 5 * MANY - 1}


def _planted(record: dict[str, Any], what: str) -> str:
    """The record with this in the place of what was asked, also where it is JSON within a string."""
    asked = json.dumps("Where is my parcel?")
    within = json.dumps(asked)[1:-1]
    return json.dumps(record).replace(within, json.dumps(PLANTED[what])[1:-1]).replace(asked, PLANTED[what])


@pytest.mark.parametrize("lines", [True, False], ids=["lines", "document"])
@pytest.mark.parametrize("what", ["html", "tool", "deep", pytest.param("large", marks=pytest.mark.long)])
@pytest.mark.parametrize(("name", "record", "turns"), SHAPES)
def test_hostile_trace_is_shown_or_refused_with_what_to_do(
    tmp_path: Path, name: str, record: dict[str, Any], turns: int, what: str, lines: bool
) -> None:
    hostile, sound = _planted(record, what), json.dumps(record)
    listed = f"[{hostile}]" if not ({"resourceSpans", "trace"} & record.keys()) else hostile
    path = tmp_path / "traces.json"
    path.write_text(f"{hostile}\n{sound}\n" if lines else listed, encoding="utf-8")
    upload = Upload(path.name, path.read_bytes())
    within = what == "deep" and record is GEN_AI  # a string that looks like JSON is a string
    if what == "deep" and not within:
        if lines:
            skipped = read_records(path).skipped
            assert [one.row for one in skipped] == [1]
            assert "levels" in skipped[0].reason
            return
        for read in (lambda: read_corpus(path), lambda: preview_upload(upload)):
            with pytest.raises(FileFormatError) as refused:
                read()
            assert refused.value.hint
        return
    assert preview_upload(upload).format == name
    found = read_corpus(path).texts[0].text
    assert found.text == REPLY
    assert len(found.source) >= LENGTHS.get(what, 0)


def test_spans_without_any_call_of_a_model_are_refused(tmp_path: Path) -> None:
    with pytest.raises(FileFormatError):
        read_corpus(written(tmp_path, otlp({})))


@pytest.mark.parametrize("column", ["body", "request"])
def test_a_table_may_have_a_column_named_like_a_part_of_a_request(tmp_path: Path, column: str) -> None:
    path = tmp_path / "tickets.csv"
    path.write_text(f"id,{column},clarity\n1,The parcel came late.,3\n2,The bill is wrong.,4\n", encoding="utf-8")
    assert detect_format(path) == "csv"
    assert preview_upload(Upload(path.name, path.read_bytes()))
