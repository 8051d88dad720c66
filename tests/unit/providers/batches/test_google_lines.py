"""Lines of Gemini's files: what is written stands where the wire has it, what is read is what the SDK knows."""

import json

from app.providers.batches.google import answer_lines, known_part, written_line


def test_what_is_no_generation_setting_stands_beside_them() -> None:
    config = {
        "systemInstruction": "Judge.",
        "temperature": 0.0,
        "safetySettings": [{"x": 1}],
        "thinkingConfig": {"y": 2},
    }
    line = json.loads(written_line("d1", {"contents": [{"parts": [{"text": "A"}]}], "config": config}))
    assert line == {
        "key": "d1",
        "request": {
            "contents": [{"parts": [{"text": "A"}]}],
            "systemInstruction": {"role": "user", "parts": [{"text": "Judge."}]},
            "safetySettings": [{"x": 1}],
            "generationConfig": {"temperature": 0.0, "thinkingConfig": {"y": 2}},
        },
    }


def test_what_is_no_line_is_passed_over() -> None:
    assert answer_lines(b'{"key": "a"}\n\nnot json\n[1]\n{"key": "b"}\n') == [{"key": "a"}, {"key": "b"}]


def test_fields_newer_than_the_sdk_are_left_out_at_any_depth() -> None:
    answer = {
        "candidates": [{"finishReason": "STOP", "content": {"parts": [{"text": "A", "new": 1}]}, "newer": 2}],
        "usageMetadata": {"promptTokenCount": 3, "newestTokenCount": 4},
        "newest": 5,
    }
    assert known_part(answer) == {
        "candidates": [{"finishReason": "STOP", "content": {"parts": [{"text": "A"}]}}],
        "usageMetadata": {"promptTokenCount": 3},
    }
    assert known_part({"candidates": []}) == {"candidates": []}
    assert known_part({"candidates": "odd"}) == {"candidates": "odd"}
