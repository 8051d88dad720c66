"""Plain tables: containers, encodings, delimiters, identities, scales and ratings."""

import json
from datetime import date

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from app.corpora.corpus import ColumnUse
from app.corpora.mapping import ColumnMapping
from app.corpora.own_score_tables import load_table
from app.corpora.scale import whole_scale
from app.domain.project import Rating
from tests.support.corpora import read_corpus


@pytest.fixture
def written(tmp_path):
    def write(content: str | bytes, name: str = "data"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


def texts_of(corpus):
    return [entry.text.text for entry in corpus.texts]


PLAIN = "text,doc_id,system_id,coherence\nA cat sat.,d1,s1,4\nA dog ran.,d1,s2,2.5\n"


def test_a_csv_with_telling_names_needs_no_mapping(written):
    corpus = read_corpus(written(PLAIN))
    assert corpus.format == "csv"
    assert [(entry.row, entry.text.key) for entry in corpus.texts] == [(1, ("d1", "s1", "")), (2, ("d1", "s2", ""))]
    assert [entry.ratings for entry in corpus.texts] == [
        (Rating("coherence", "coherence", 4.0),),
        (Rating("coherence", "coherence", 2.5),),
    ]
    assert [(d.name, d.low, d.high) for d in corpus.dimensions] == [("coherence", 1, 5)]


@pytest.mark.parametrize("delimiter", [";", "\t", "|"])
def test_other_delimiters_are_found(written, delimiter):
    assert texts_of(read_corpus(written(PLAIN.replace(",", delimiter)))) == ["A cat sat.", "A dog ran."]


def test_commas_inside_texts_dont_mislead_about_the_delimiter(written):
    path = written("text;coherence\nOne, two, three;3\nFour, five;4,5\n")
    corpus = read_corpus(path)
    assert texts_of(corpus) == ["One, two, three", "Four, five"]
    assert [entry.ratings[0].value for entry in corpus.texts] == [3.0, 4.5]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252", "utf-16"])
def test_encodings_are_told_apart(written, encoding):
    assert texts_of(read_corpus(written("text,score\nCafé “déjà vu”,3\n".encode(encoding)))) == ["Café “déjà vu”"]


def test_one_damaged_byte_in_utf_8_costs_one_row(written):
    corpus = read_corpus(written("text,score\nCafé,3\nÜber,4\n".encode() + b"na\xefve,2\n"))
    assert texts_of(corpus) == ["Café", "Über"]
    assert [(entry.row, "damaged" in entry.reason) for entry in corpus.skipped] == [(3, True)]


def test_quoted_cells_hold_newlines_quotes_and_delimiters(written):
    corpus = read_corpus(written('text,score\n"Line one\nline ""two"", end",3\nPlain,4\n'))
    assert texts_of(corpus) == ['Line one\nline "two", end', "Plain"]
    assert [entry.row for entry in corpus.texts] == [1, 2]


def test_a_text_longer_than_the_csv_module_allows_by_default(written):
    corpus = read_corpus(written(f"text,score\n{'word ' * 100_000},3\n"))
    assert len(corpus.texts[0].text.text) == 5 * 100_000 - 1


def test_json_lines_and_json_lists_and_wrapped_lists_are_the_same(written):
    records = [{"text": "A", "scores": {"fluency": 1}}, {"text": "B", "scores": {"fluency": 0.5}}]
    contents = [
        "\n".join(map(json.dumps, records)),
        json.dumps(records),
        json.dumps({"v": 1, "data": records}, indent=1),
    ]
    corpora = [read_corpus(written(content)) for content in contents]
    assert [corpus.format for corpus in corpora] == ["jsonl", "json", "json"]
    for corpus in corpora:
        assert texts_of(corpus) == ["A", "B"]
        assert [(d.name, d.low, d.high) for d in corpus.dimensions] == [("fluency", 0, 1)]


def test_one_json_line_is_json_lines(written):
    assert read_corpus(written('{"text": "Alone", "notes": [{"by": "me"}]}\n')).format == "jsonl"


def test_other_line_separators_inside_a_json_line_dont_split_it(written):
    corpus = read_corpus(written('{"text": "one\u2028two\u0085three"}\n{"text": "four"}\n'))
    assert texts_of(corpus) == ["one\u2028two\u0085three", "four"]


def test_parquet_with_missing_numbers_and_dates(written, tmp_path):
    table = pa.table(
        {"text": ["A", "B"], "clarity": [3.0, float("nan")], "day": [date(2024, 5, 1), None], "doc_id": [7.0, 8.0]}
    )
    pq.write_table(table, tmp_path / "data")
    corpus = read_corpus(tmp_path / "data")
    assert corpus.format == "parquet"
    assert [entry.text.doc_id for entry in corpus.texts] == ["7", "8"]
    assert [len(entry.ratings) for entry in corpus.texts] == [1, 0]
    assert corpus.texts[0].text.extra == {"day": "2024-05-01"}
    assert corpus.skipped == ()


def test_several_columns_of_a_dimension_are_several_raters(written):
    path = written("essay,anna,ben\nGood.,4,5\nBad.,1,\n")
    mapping = ColumnMapping.parse(["text=essay"], ["clarity=anna", "clarity=ben"])
    corpus = read_corpus(path, "csv", mapping)
    assert [entry.ratings for entry in corpus.texts] == [
        (Rating("clarity", "anna", 4.0), Rating("clarity", "ben", 5.0)),
        (Rating("clarity", "anna", 1.0),),
    ]
    assert len(corpus.dimensions) == 1
    assert corpus.skipped == ()


def test_a_list_of_numbers_in_one_cell_is_one_rating_a_rater(written):
    corpus = read_corpus(written('{"text": "A", "clarity": [1, 2, null]}\n{"text": "B", "clarity": [5, 4, 3]}'))
    assert corpus.texts[0].ratings == (Rating("clarity", "clarity 1", 1.0), Rating("clarity", "clarity 2", 2.0))


@pytest.mark.parametrize("blank", ["", "  ", "NA", "n/a", "null", "None"])
def test_a_blank_rating_is_no_rating_and_no_error(written, blank):
    corpus = read_corpus(written(f"text,clarity\nA,3\nB,{blank}\n"))
    assert [len(entry.ratings) for entry in corpus.texts] == [1, 0]
    assert corpus.skipped == ()


def test_unmapped_columns_are_kept(written):
    mapping = ColumnMapping.parse(["text=body"], ["clarity=c"])
    corpus = read_corpus(written("body,c,place,empty\nHello.,3,Kim,\n"), mapping=mapping)
    assert corpus.texts[0].text.extra == {"place": "Kim"}


def test_what_is_not_named_is_guessed_and_each_use_is_told(written):
    path = written("text,system_id,doc_id,clarity,depth\nHello.,s1,d1,3,4\n")
    corpus = read_corpus(path, mapping=ColumnMapping.parse([], ["quality=depth"]))
    assert corpus.texts[0].text.key == ("d1", "s1", "")
    assert corpus.texts[0].ratings == (Rating("quality", "depth", 4.0),)
    assert corpus.columns == (
        ColumnUse("text", "text", guessed=True),
        ColumnUse("doc_id", "doc_id", guessed=True),
        ColumnUse("system_id", "system_id", guessed=True),
        ColumnUse("depth", "rating", "quality"),
    )


def test_a_mapping_chosen_whole_is_taken_as_it_is(written):
    path = written("text,system_id,clarity\nHello.,s1,3\n")
    corpus = read_corpus(path, mapping=ColumnMapping({"text": "text"}))
    assert (corpus.texts[0].text.system_id, corpus.texts[0].ratings) == ("", ())


class TestIdentity:
    def test_texts_about_an_equal_source_share_a_document_also_across_files(self, written):
        first = read_corpus(written("source,text,system\nDoc,one,a\nDoc,two,b\nOther,three,a\n", "first"))
        second = read_corpus(written("source,text,system\nDoc,four,c\n", "second"))
        ids = [entry.text.doc_id for entry in first.texts]
        assert ids[0] == ids[1] != ids[2]
        assert second.texts[0].text.doc_id == ids[0]

    def test_without_source_the_row_names_the_document(self, written):
        corpus = read_corpus(written("text\nA\nB\n"))
        assert [entry.text.doc_id for entry in corpus.texts] == ["row-1", "row-2"]

    def test_texts_only_their_row_tells_apart_get_it_as_item(self, written):
        corpus = read_corpus(written("doc_id,text\nd1,one\nd1,two\nd2,three\n"))
        assert [entry.text.key for entry in corpus.texts] == [("d1", "", "1"), ("d1", "", "2"), ("d2", "", "")]

    def test_a_whole_repetition_counts_once(self, written):
        corpus = read_corpus(written("doc_id,text,clarity\nd1,one,3\nd1,two,4\nd1,one,3\n"))
        assert texts_of(corpus) == ["one", "two"]
        assert [(entry.row, entry.reason) for entry in corpus.skipped] == [(3, "It repeats row 1.")]

    def test_a_repeated_key_with_another_text_is_left_out(self, written):
        corpus = read_corpus(written("doc_id,system_id,text\nd1,s1,one\nd1,s1,two\n"))
        assert texts_of(corpus) == ["one"]
        assert corpus.skipped[0].row == 2
        assert "Row 1 has the same document, system and item (d1, s1)" in corpus.skipped[0].reason

    def test_a_repeated_key_with_other_ratings_is_left_out(self, written):
        corpus = read_corpus(written("doc_id,system_id,text,clarity\nd1,s1,one,1\nd1,s1,one,2\n"))
        assert corpus.texts[0].ratings[0].value == 1
        assert "other ratings" in corpus.skipped[0].reason


@pytest.mark.parametrize(
    ("values", "scale"),
    [
        ([1, 3], (1, 5)),
        ([1.5, 5], (1, 5)),
        ([0, 0.25], (0, 1)),
        ([0, 1], (0, 1)),
        ([1, 6], (1, 6)),
        ([2, 7], (1, 7)),
        ([1, 8], (1, 10)),
        ([0, 5], (0, 5)),  # a scale of its own, not a corner of 0-100
        ([0, 80], (0, 100)),
        ([2, 55.5], (0, 100)),
        ([-1, 1], (-1, 1)),
        ([250, 900], (250, 900)),
        ([-3], (-3, -2)),
        ([], (1, 5)),
    ],
)
def test_the_scale_is_the_usual_one_that_holds_all_values(values, scale):
    assert whole_scale(values) == scale


def test_a_table_flattens_nested_objects(written):
    path = written('{"a": {"b": 1, "c": {"d": 2}}, "e": [1]}\n\n{"e": null, "f": {}}\n')
    table = load_table(path)
    assert table.columns == ("a.b", "a.c.d", "e", "f")
    assert table.numbers == (1, 3)
    assert table.rows[1] == {"a.b": None, "a.c.d": None, "e": None, "f": {}}


def test_blank_and_doubled_column_names_get_names_of_their_own(written):
    assert load_table(written('"a\nb",c\x01\n1,2\n')).columns == ("a b", "c")
    assert load_table(written("text,,x,x\na,b,c,d\n")).columns == ("text", "column 2", "x", "x (2)")
