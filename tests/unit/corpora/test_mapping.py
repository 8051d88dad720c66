"""Mappings as typed, and the guess that the import screen starts from."""

import pytest

from app.corpora.mapping import ColumnMapping, RatingColumn, guess_mapping
from app.errors import InputError


def guess(rows):
    return guess_mapping(list(rows[0]), rows)


def rated(mapping):
    return [(rating.dimension, rating.column) for rating in mapping.ratings]


def test_parses_fields_and_ratings():
    mapping = ColumnMapping.parse(["text=body", "source = the = source"], ["clarity=c1", "clarity=c2", "depth=d"])
    assert mapping.columns == {"text": "body", "source": "the = source"}
    assert mapping.ratings == (
        RatingColumn("clarity", "c1", "c1"),
        RatingColumn("clarity", "c2", "c2"),
        RatingColumn("depth", "d", "d"),
    )


@pytest.mark.parametrize(
    ("maps", "ratings", "said"),
    [
        (["text"], [], "not a mapping"),
        (["text="], [], "not a mapping"),
        ([], ["none", "clarity=a"], "not a mapping"),
        (["=body"], [], "not a mapping"),
        (["body=text"], [], "not a field"),
        (["text=a", "text=b"], [], "mapped twice"),
        ([], ["clarity"], "not a mapping"),
        ([], ["clarity=a", "clarity=a"], "given twice"),
    ],
)
def test_refuses_what_it_cant_read(maps, ratings, said):
    with pytest.raises(InputError, match=said) as caught:
        ColumnMapping.parse(maps, ratings)
    assert caught.value.hint


def test_guesses_fields_by_their_usual_names():
    row = {
        "Document": "A story of one ferry.",
        "Model Name": "m",
        "System-Output": "t",
        "doc id": "1",
        "gold": "r",
    }
    assert guess([row]).columns == {
        "text": "System-Output",
        "source": "Document",
        "doc_id": "doc id",
        "system_id": "Model Name",
        "reference": "gold",
    }


def test_text_beside_an_output_is_the_source():
    assert guess([{"text": "an article", "summary": "short"}]).columns == {"text": "summary", "source": "text"}
    assert guess([{"text": "short", "source": "long", "answer": "x"}]).columns == {"text": "text", "source": "source"}


def test_an_id_that_rows_share_is_the_documents():
    shared = [{"id": 1, "source": "s", "text": "a"}, {"id": 1, "source": "s", "text": "b"}]
    own = [{"id": 1, "source": "s", "text": "a"}, {"id": 2, "source": "s", "text": "b"}]
    assert guess(shared).columns["doc_id"] == "id"
    assert guess(own).columns["item_id"] == "id"


def test_counts_ids_and_metrics_are_no_ratings():
    row = {"text": "t", "rouge1_f": 0.3, "num_words": 40, "row": 1, "bert-score": 0.8, "year": 99, "clarity": 3, "n": 5}
    assert rated(guess([row])) == [("clarity", "clarity")]


def test_words_and_large_numbers_are_no_ratings():
    assert rated(guess([{"text": "t", "author": "Kim", "views": 12_000, "empty": ""}])) == []


@pytest.mark.parametrize(
    ("column", "dimension"),
    [
        ("scores.coherence", "coherence"),
        ("Expert 1 Fluency", "Fluency"),
        ("coherence_2", "coherence"),
        ("coherence_rater2", "coherence"),
        ("human_score", "overall"),
        ("score (2)", "overall"),
        ("mean factual accuracy", "factual_accuracy"),
    ],
)
def test_names_the_dimension_by_what_is_particular_in_the_column(column, dimension):
    assert rated(guess([{"text": "t", column: "3,5"}])) == [(dimension, column)]


def test_without_any_likely_text_it_guesses_none():
    assert "text" not in guess([{"a": "x", "b": 1}]).columns


TABLE = {"id": "a", "text": "t", "document": "All of it.", "system_id": "s", "model": "m", "clarity": 3, "depth": 4}


def around(maps, ratings=(), row=TABLE):
    named = ColumnMapping.parse(list(maps), list(ratings))
    return guess_mapping(list(row), [row], named)


def test_a_rating_that_is_named_leaves_the_fields_to_the_guess():
    mapping = around([], ["quality=depth"])
    assert mapping.columns == {"text": "text", "source": "document", "system_id": "system_id", "item_id": "id"}
    assert mapping.ratings == (RatingColumn("quality", "depth", "depth"),)


def test_a_field_that_is_named_leaves_the_others_and_the_ratings_to_the_guess():
    mapping = around(["system_id=model"])
    assert mapping.columns == {"text": "text", "source": "document", "system_id": "model", "item_id": "id"}
    assert rated(mapping) == [("clarity", "clarity"), ("depth", "depth")]


def test_a_column_that_is_named_for_one_thing_is_not_taken_for_another():
    assert around(["text=document"]).columns == {"text": "document", "system_id": "system_id", "doc_id": "id"}
    assert around([], ["quality=system_id"]).columns["system_id"] == "model"


def test_a_text_beside_a_named_output_stays_the_source():
    row = {"text": "an article", "summary": "short"}
    assert around(["text=summary"], row=row).columns == {"text": "summary", "source": "text"}
    assert around(["source=text"], row=row).columns == {"text": "summary", "source": "text"}
    assert around(["text=text"], row=row).columns == {"text": "text"}


def test_a_field_or_the_ratings_can_be_said_to_be_in_no_column():
    mapping = around(["source=", "system_id ="], ["none"])
    assert mapping.columns == {"text": "text", "doc_id": "id"}
    assert mapping.ratings == ()


@pytest.mark.parametrize("width", [5, 200])
def test_wide_tables_are_read_no_oftener_than_narrow_ones(width):
    """A file's rows are read anew each time they are asked for."""

    class Rows(list):
        asked = 0

        def __iter__(self):
            self.asked += 1
            return super().__iter__()

        def __getitem__(self, which):
            self.asked += 1
            return super().__getitem__(which)

    columns = [f"c{n}" for n in range(width)]
    rows = Rows({**dict.fromkeys(columns, "3"), "c0": f"A sentence that is long enough, number {n}."} for n in range(9))
    guessed = guess_mapping(columns, rows)
    assert guessed.columns["text"] == "c0"
    assert len(guessed.ratings) == width - 1
    assert rows.asked < 5
