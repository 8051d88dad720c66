import codecs

import pytest

from app.attribute_analysis.attribute_reading import FileAttribute, decode_attributes, parse_attributes, parse_said
from app.domain.passage import Passage
from app.errors import FileFormatError, InputError


def test_lines_lose_their_marks_and_blank_ones_are_skipped() -> None:
    text = "- Ideas follow\r\n\n  * No jumps  \n3. Clear end\n•  Links\n-\nwell-linked - yes\n"
    assert parse_attributes(text) == ["Ideas follow", "No jumps", "Clear end", "Links", "well-linked - yes"]


def test_a_number_that_belongs_to_the_sentence_stays() -> None:
    assert parse_attributes("3 ideas at most\n1.5 lines a point") == ["3 ideas at most", "1.5 lines a point"]


def test_json_list_and_object() -> None:
    assert parse_attributes('["One idea", " ", "- Two"]') == ["One idea", "Two"]
    assert parse_attributes('{"1": "One idea", "2": "Two\\nlines"}') == ["One idea", "Two\nlines"]
    assert parse_attributes("[]") == []


def test_a_line_in_brackets_at_one_end_is_no_json() -> None:
    assert parse_attributes("[tone] stays even\nends well") == ["[tone] stays even", "ends well"]


@pytest.mark.parametrize("text", ['["Is it clear?", "Is it', '{"1": "Is it clear?", "2', '[\n  "Is it clear?",\n'])
def test_json_that_breaks_off_is_refused_and_no_attribute(text: str) -> None:
    with pytest.raises(InputError, match="not valid JSON"):
        parse_attributes(text)


@pytest.mark.parametrize(
    "text",
    [
        '["one", ["two"]]',
        '{"a": {"b": "c"}}',
        '["one", 2]',
        '["one", null]',
        '["one" "two"]',
        "[" * 100_000 + "]",
        "[" + "9" * 5_000 + "]",
    ],
)
def test_json_that_is_nested_broken_or_no_text_is_refused(text: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_attributes(text)
    assert caught.value.hint
    assert len(caught.value.message) < 200


PASSAGE = '{"text_id": 1, "start": 0, "end": 4, "quote": "Ends"}'


@pytest.mark.parametrize(
    "form",
    [
        '[{{"text": "- One", "passage": {}}}]',
        '{{"1": {{"text": "One", "passage": {}}}}}',
        '{{"text": "One", "passage": {}}}',
    ],
)
def test_json_entry_may_be_an_object_with_a_passage(form: str) -> None:
    assert parse_said(form.format(PASSAGE)) == [FileAttribute("One", Passage(1, 0, 4, "Ends"))]


@pytest.mark.parametrize(
    "text",
    ['[{"passage": null}]', '[{"text": 1}]', '[{"text": "One", "passage": {"start": 0}}]', '[{"text": {"text": "a"}}]'],
)
def test_json_entry_that_is_another_object_is_refused(text: str) -> None:
    with pytest.raises(InputError):
        parse_said(text)


def test_half_a_surrogate_pair_is_replaced() -> None:
    assert parse_attributes('["a \\ud800 b"]') == ["a \ufffd b"]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_encodings_with_marks(encoding: str) -> None:
    assert parse_attributes(decode_attributes("- Größe\n- 清晰".encode(encoding))) == ["Größe", "清晰"]


def test_utf_16_without_python_s_default_order() -> None:
    assert decode_attributes(codecs.BOM_UTF16_BE + "Größe".encode("utf-16-be")) == "Größe"


def test_windows_text_is_read() -> None:
    assert decode_attributes("“Größe”".encode("cp1252")) == "“Größe”"


@pytest.mark.parametrize("data", [b"PK\x03\x04\x00\x00", b"\x81\x8d", codecs.BOM_UTF16_LE + b"a"])
def test_what_is_no_text_is_refused(data: bytes) -> None:
    with pytest.raises(FileFormatError, match="no plain text"):
        decode_attributes(data)
