"""What is wrong is said: with the row where a row is wrong, in one sentence where the whole file is."""

import json
import math

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.corpora.formats.registry import KNOWN_FORMATS
from app.corpora.mapping import ColumnMapping, RatingColumn
from app.corpora.reading import FORMATS, detect_format
from app.corpora.records import read_records
from app.errors import FileFormatError, InputError, NotFoundError
from tests.support.corpora import damaged_copies, read_corpus
from tests.support.made_data import made_data


@pytest.fixture
def written(tmp_path):
    def write(content: str | bytes, name: str = "data"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


def lines(*records):
    return "\n".join(map(json.dumps, records))


def reasons(corpus):
    return [(entry.row, entry.reason) for entry in corpus.skipped]


SUMMARY = {
    "id": "d1",
    "model_id": "M1",
    "decoded": "A summary.",
    "expert_annotations": [{"coherence": 1, "consistency": 2, "fluency": 3, "relevance": 4}],
}
REPLY = {"source": "hi\n", "system_id": "s", "system_output": "hello", "context": "fact", "scores": {"engagingness": 2}}

HELPSTEER = {"prompt": "A river?", "response": "The Danube.", "helpfulness": 3}
HELPSTEER |= {"correctness": 4, "coherence": 4, "complexity": 1, "verbosity": 2}
PUBLISHED = {
    "summeval": "summeval_model_annotations.aligned.paired.jsonl",
    "ellipse": "ELLIPSE_Final_github_test.csv",
    "topical-chat": "topical_chat.json",
    "qags": "qags_xsum.json",
    "openmeva": "openmeva.json",
    "sfres": "sfres.json",
    "helpsteer": "",
}


class TestRows:
    def test_a_row_without_text_is_left_out(self, written):
        corpus = read_corpus(written("text,clarity\nA,3\n  ,4\n"))
        assert len(corpus.texts) == 1
        assert reasons(corpus) == [(2, "It has no text.")]

    def test_a_missing_field_is_no_text(self, written):
        corpus = read_corpus(written(lines({"text": "A"}, {"other": "B"}, {"text": None})))
        assert reasons(corpus) == [(2, "It has no text."), (3, "It has no text.")]

    def test_a_row_whose_only_rating_is_no_number_is_left_out(self, written):
        corpus = read_corpus(written("text,clarity\nA,3\nB,good\nC,4\n"))
        assert [entry.text.text for entry in corpus.texts] == ["A", "C"]
        assert reasons(corpus) == [
            (2, "No usable rating. The clarity rating by clarity is not a number ('good')."),
        ]

    def test_one_bad_rating_among_several_costs_only_itself(self, written):
        corpus = read_corpus(written("text,clarity,depth\nA,3,2\nB,4,deep\nC,1,1\n"))
        assert [len(entry.ratings) for entry in corpus.texts] == [2, 1, 2]
        assert corpus.skipped[0].row == 2
        assert "The depth rating by depth is not a number ('deep')." in corpus.skipped[0].reason
        assert "kept" in corpus.skipped[0].reason

    @pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, 10**400, True, "inf", "1e999"], ids=repr)
    def test_ratings_that_are_no_finite_number(self, written, value):
        records = [{"text": "A", "clarity": 3}, {"text": "B", "clarity": value}, {"text": "C", "clarity": 5}]
        corpus = read_corpus(written(json.dumps(records)))
        assert [entry.text.text for entry in corpus.texts] == ["A", "C"]
        assert [(d.low, d.high) for d in corpus.dimensions] == [(1, 5)]
        assert corpus.skipped[0].row == 2
        assert "number" in corpus.skipped[0].reason

    @pytest.mark.parametrize("word", ["", "NA", "n/a", "NaN", "null", "None"])
    def test_a_word_for_no_rating_leaves_the_text_unrated(self, written, word):
        corpus = read_corpus(written(f"text,clarity\nA,3\nB,{word}\nC,5\n"))
        assert [len(entry.ratings) for entry in corpus.texts] == [1, 0, 1]
        assert not corpus.skipped

    def test_a_rating_outside_a_known_scale(self, written):
        bad = {**SUMMARY, "model_id": "M2", "expert_annotations": [{"coherence": 6, "fluency": 2}]}
        corpus = read_corpus(written(lines(SUMMARY, bad)))
        assert [len(entry.ratings) for entry in corpus.texts] == [4, 1]
        assert "The coherence rating by expert-1 is 6, outside 1 to 5." in corpus.skipped[0].reason

    def test_a_rater_who_rates_the_same_twice(self, written):
        mapping = ColumnMapping(
            {"text": "text"}, (RatingColumn("clarity", "a", "kim"), RatingColumn("clarity", "b", "kim"))
        )
        corpus = read_corpus(written("text,a,b\nA,3,4\n"), mapping=mapping)
        assert [rating.value for rating in corpus.texts[0].ratings] == [3]
        assert "The clarity rating by kim is given twice." in corpus.skipped[0].reason

    def test_a_dimension_that_a_known_format_lacks(self, written):
        bad = {**SUMMARY, "expert_annotations": [{"coherence": 3, "humour": 2}]}
        corpus = read_corpus(written(lines(bad)))
        assert "humour" in corpus.skipped[0].reason

    @pytest.mark.parametrize("annotations", ["none", [1, 2], {"coherence": 1}, None])
    def test_wrong_nesting_in_summeval(self, written, annotations):
        corpus = read_corpus(written(lines({**SUMMARY, "expert_annotations": annotations}, SUMMARY)))
        assert len(corpus.texts) == 1
        assert corpus.skipped[0].row == 1
        assert "expert_annotations" in corpus.skipped[0].reason

    @pytest.mark.parametrize("scores", ["none", [1], None])
    def test_wrong_nesting_in_scored_outputs(self, written, scores):
        corpus = read_corpus(written(json.dumps([REPLY, {**REPLY, "system_id": "t", "scores": scores}])))
        assert corpus.format == "topical-chat"
        assert reasons(corpus) == [(2, "The scores are not an object with a number for each dimension.")]

    def test_one_bad_story_leaves_the_records_others(self, written):
        good = {"text": "Once.", "score": {"human": 3.5, "bleu": 0.1}}
        record = {"doc_id": "1", "prompt": "p", "gen": {"a": good, "b": "just text", "c": {"text": "", "score": {}}}}
        corpus = read_corpus(written(json.dumps([record, {"doc_id": "2", "prompt": "q", "gen": []}])))
        assert [entry.text.key for entry in corpus.texts] == [("1", "a", "")]
        assert [row for row, _ in reasons(corpus)] == [1, 1, 2]
        assert "Story by b" in corpus.skipped[0].reason

    @pytest.mark.parametrize("name", PUBLISHED)
    def test_a_record_that_is_not_as_its_format_says_loses_no_other(self, written, name):
        record = HELPSTEER if name == "helpsteer" else next(iter(read_records(made_data(PUBLISHED[name])).items))[1]
        sound = read_corpus(written(lines(record)), name).texts
        found = read_corpus(written(lines(record, *damaged_copies(record))), name).texts
        assert found[: len(sound)] == sound

    def test_a_text_that_is_a_structure(self, written):
        corpus = read_corpus(written(json.dumps([{"text": "A"}, {"text": ["B"]}])))
        assert reasons(corpus) == [(2, "The text is a nested structure, not a text.")]

    @pytest.mark.parametrize("damage", ["\\u0000", "\\ud800"])
    def test_characters_no_database_stores(self, written, damage):
        corpus = read_corpus(written('[{"text": "A"}, {"text": "B' + damage + '"}]'))
        assert reasons(corpus) == [(2, "The text holds damaged characters.")]

    def test_a_broken_json_line_costs_one_row(self, written):
        corpus = read_corpus(written('{"text": "A"}\n{"text": "B\n[1]\n\n{"text": "C"}\n'))
        assert [(entry.row, entry.text.text) for entry in corpus.texts] == [(1, "A"), (5, "C")]
        assert reasons(corpus) == [
            (2, "The line is not complete JSON."),
            (3, "It is not an object with named fields."),
        ]

    def test_a_download_that_broke_off_says_so(self, written):
        corpus = read_corpus(written('{"text": "A"}\n{"text": "B"}\n{"text": "C'))
        assert [entry.text.text for entry in corpus.texts] == ["A", "B"]
        ((row, reason),) = reasons(corpus)
        assert row == 3
        assert "cut off" in reason

    def test_a_broken_first_line_doesnt_hide_the_format(self, written):
        assert read_corpus(written('{"id": "d0", \n' + lines(SUMMARY))).format == "summeval"

    def test_a_csv_row_with_too_many_cells(self, written):
        corpus = read_corpus(written("text,clarity\nA,3\nB,4,5\nC,2,\nD\n"))
        assert [entry.text.text for entry in corpus.texts] == ["A", "C", "D"]
        assert reasons(corpus) == [(2, "It has 3 cells where the header has 2.")]

    def test_a_quotation_mark_that_is_never_closed(self, written):
        corpus = read_corpus(written('text,clarity\nA,3\n"B,4\nC,5\n'))
        assert [entry.text.text for entry in corpus.texts] == ["A"]
        assert "never closed" in corpus.skipped[0].reason

    def test_a_stray_quotation_mark_costs_one_row(self, written):
        corpus = read_corpus(written('text,clarity\n"A "nice" one",3\nB,4\n'))
        assert [entry.text.text for entry in corpus.texts] == ["B"]
        assert corpus.skipped[0].row == 1


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "is empty"),
        (b" \n\n ", "is empty"),
        (b"\x00\x01\x02\x03text", "binary"),
        (b"PK\x03\x04rest", "zip archive"),
        (b"%PDF-1.7", "PDF"),
        (b"text,\x81\x8d\xff\n", "unknown encoding"),
        (b"\xff\xfet", "UTF-16"),
        (b"\xef", "no data"),  # the start of a byte order mark
        (b"\xef\xbb", "no data"),
        (b'[{"text": "A"}, {"text": "B', "ends in the middle"),
        (b'{"text": "A",', "ends in the middle"),
        (b'[{"text": "A"}, {"text" "B"}]', "breaks at line 1, column 25"),
        (b"[]", "empty list"),
        (b'{"text": {"a": 1}, \n"b": 2}', "one object, not a list"),
        (b"[" * 100_000, "nested too deeply"),
        (b"PAR1 and then nothing", "Parquet"),
        (b"text,score\n", "no data"),
        (b",,\n1,2,3\n", "no header"),
        (b"a,b\n1,2\n", "it has: a, b"),
        (b"text\n\"\"\n", "no"),
        (b"text,score\n ,3\n ,4\n", "all 2 rows were left out. Row 1: It has no text."),
    ],
)  # fmt: skip
def test_a_file_that_is_wholly_bad_is_one_sentence(written, content, said):
    with pytest.raises(FileFormatError) as caught:
        read_corpus(written(content, "file.dat"))
    assert "file.dat" in caught.value.message
    assert said in caught.value.message
    assert caught.value.hint
    assert "\n" not in str(caught.value)


def test_a_folder_and_a_missing_file(tmp_path):
    with pytest.raises(FileFormatError, match="is a folder"):
        read_corpus(tmp_path)
    with pytest.raises(NotFoundError, match="There is no file"):
        read_corpus(tmp_path / "absent.csv")


def test_json_lines_without_any_object(written):
    with pytest.raises(FileFormatError, match="none of its 2 lines"):
        read_corpus(written("plain\nwords\n"), "jsonl")


def test_an_unknown_column_is_named_with_the_nearest(written):
    path = written("body,clarity\nA,3\n")
    with pytest.raises(FileFormatError, match=r"no column 'clarty'; it has: body, clarity\. Did you mean clarity\?"):
        read_corpus(path, mapping=ColumnMapping.parse(["text=body"], ["c=clarty"]))


def test_a_mapping_without_text_says_how_to_map_it(written):
    with pytest.raises(FileFormatError, match="--map text=COLUMN"):
        read_corpus(written("body,clarity\nA,3\n"), mapping=ColumnMapping.parse([], ["c=clarity"]))


@pytest.mark.parametrize("format_name", sorted(KNOWN_FORMATS))
def test_a_file_of_another_format_than_said(written, format_name):
    with pytest.raises(FileFormatError, match=f"is not in the {format_name} format: its records have text, clarity"):
        read_corpus(written("text,clarity\nA,3\n"), format_name)


def test_the_format_it_looks_like_is_named(written):
    with pytest.raises(FileFormatError, match="It looks like summeval"):
        read_corpus(written(lines(SUMMARY)), "qags")


def test_an_unknown_format_and_a_mapping_that_cant_apply(written):
    path = written(lines(SUMMARY))
    with pytest.raises(InputError, match="no format 'xml'"):
        read_corpus(path, "xml")
    with pytest.raises(InputError, match="can't be mapped"):
        read_corpus(path, "summeval", ColumnMapping.parse(["text=decoded"], []))


@settings(deadline=None, max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    content=st.one_of(
        st.binary(max_size=200),
        st.text(alphabet='{}[]",;\n\t:a1 \\u', max_size=120).map(str.encode),
    )
)
def test_whatever_the_file_holds_it_is_read_or_refused_in_words(tmp_path, content):
    path = tmp_path / "fuzz"
    path.write_bytes(content)
    try:
        assert detect_format(path) in FORMATS
        corpus = read_corpus(path)
    except FileFormatError as error:
        assert "\n" not in error.message
        return
    assert corpus.texts
    assert all(math.isfinite(rating.value) for entry in corpus.texts for rating in entry.ratings)
