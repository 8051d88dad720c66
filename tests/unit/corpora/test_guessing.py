"""What the values say where names don't: the longest column, the source that rows share, names of documents."""

from typing import Any

import pytest

from app.corpora.mapping import guess, source_label, writer_label

LONG = "It began on a quiet morning, and nobody had thought that it would end like this, number {}."


def table(**columns: list[Any]) -> list[dict[str, Any]]:
    return [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]


def guessed(rows: list[dict[str, Any]]) -> tuple[dict[str, str], dict[str, str]]:
    found = guess(list(rows[0]), rows)
    return dict(found.mapping.columns), dict(found.why)


def test_the_longest_column_is_the_text_where_no_name_says_so() -> None:
    rows = table(nummer=[1, 2, 3], aufsatz=[LONG.format(n) for n in range(3)], titel=["Eins", "Zwei", "Drei"])
    columns, why = guessed(rows)
    assert columns == {"text": "aufsatz"}
    assert why["text"].startswith("it holds the longest texts, about ")


def test_a_long_column_that_rows_share_is_the_source() -> None:
    articles = [(LONG * 4).format(n // 3, 1, 2, 3) for n in range(6)]
    rows = table(artikel=articles, kurz=[LONG.format(n) for n in range(6)])
    columns, why = guessed(rows)
    assert columns == {"text": "kurz", "source": "artikel"}
    assert why["source"] == "long, and 6 rows share 2 of them"


def test_short_words_and_numbers_are_no_text() -> None:
    assert guessed(table(a=["yes", "no"], b=[1, 2]))[0] == {}


@pytest.mark.parametrize("name", ["doc", "Document", "assignment", "prompt", "article", "topic"])
@pytest.mark.parametrize("values", [["d1", "d1", "d2", "d2"], ["Task 1", "Task 1", "Task 2", "Task 2"], [1, 1, 2, 2]])
def test_names_that_rows_share_name_the_document(name: str, values: list[Any]) -> None:
    columns, why = guessed(table(**{name: values}, text=list("abcd")))
    assert columns == {"text": "text", "doc_id": name}
    assert why["doc_id"] == "it holds 2 names for 4 rows"


@pytest.mark.parametrize("name", ["document", "assignment", "prompt", "article", "topic"])
def test_sentences_and_titles_are_the_source(name: str) -> None:
    values = ["Distance learning", "Distance learning", "Should phones be banned at school?", "A free summer"]
    assert guessed(table(**{name: values}, text=list("abcd")))[0] == {"text": "text", "source": name}


def test_names_that_no_two_rows_share_are_neither() -> None:
    assert guessed(table(document=["e1", "e2"], text=["a", "b"]))[0] == {"text": "text"}


def test_a_column_named_for_the_document_comes_first() -> None:
    columns, _ = guessed(table(doc_id=[1, 1, 2], topic=["A", "B", "A"], text=list("abc")))
    assert columns == {"text": "text", "doc_id": "doc_id"}


REPLIES = [f"Please follow the link in our help centre, number {n}." for n in range(6)]


def test_columns_of_a_help_desk_are_guessed() -> None:
    questions = [f"How do I return what I ordered, case {n // 2}?" for n in range(6)]
    tickets, agents = [f"T{n // 2}" for n in range(6)], ["Ada", "Ben"] * 3
    rows = table(ticket=tickets, question=questions, agent=agents, id=list(range(6)), reply=REPLIES)
    assert guessed(rows)[0] == {
        "text": "reply",
        "source": "question",
        "doc_id": "ticket",
        "system_id": "agent",
        "item_id": "id",
    }


def test_tickets_of_one_reply_each_name_the_source() -> None:
    columns, _ = guessed(table(ticket=[f"T{n}" for n in range(6)], reply=REPLIES))
    assert columns == {"text": "reply", "doc_id": "ticket"}


@pytest.mark.parametrize("name", ["ticket_id", "conversation_id", "thread_id", "question_id", "case_id"])
def test_columns_with_ids_of_sources_name_the_source(name: str) -> None:
    assert guessed(table(**{name: [1, 1, 2, 2, 3, 3]}, answer=REPLIES))[0] == {"text": "answer", "doc_id": name}


@pytest.mark.parametrize(
    ("column", "label"),
    [("agent", "agent"), ("Student ID", "student"), ("author_name", "author"), ("system_id", "system"), ("x", "")],
)
def test_writer_label_is_what_the_column_is_called(column: str, label: str) -> None:
    assert writer_label(column) == label


@pytest.mark.parametrize(
    ("columns", "label"),
    [({"doc_id": "ticket"}, "ticket"), ({"doc_id": "conversation_id"}, "conversation"), ({"source": "article"}, "")],
)
def test_source_label_is_what_the_column_is_called(columns: dict[str, str], label: str) -> None:
    assert source_label(columns) == label
