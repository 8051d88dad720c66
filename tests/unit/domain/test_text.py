import pytest

from app.domain.project import Text, dialogue_history, dialogue_source, text_title


@pytest.mark.parametrize("history", ["Hello.\n Oh?", "", "Two\n\nparts"])
@pytest.mark.parametrize("fact", ["Ferries float.", "", "Line\n\nline"])
def test_the_history_comes_apart_from_the_fact_again(history: str, fact: str) -> None:
    source = dialogue_source(history, fact)
    assert dialogue_history(source) == history
    assert ("Fact to talk about" in source, fact in source) == (bool(fact), True)


def test_a_source_of_another_making_is_the_history() -> None:
    assert dialogue_history("A: Hello. B: Oh?") == "A: Hello. B: Oh?"


def test_title_is_the_beginning_of_source_writer_and_text() -> None:
    text = Text("source-6068dd9af3", "Thank you.", "Ada", source="My parcel has not arrived although it was sent")
    assert text_title(text) == "My parcel has not arrived although it… · Ada · Thank you."


def test_title_without_a_source_names_the_document() -> None:
    assert text_title(Text("T1", "One two three.", item_id="4")) == "T1 · One two three."


def test_title_of_a_dialogue_begins_with_what_was_said() -> None:
    assert text_title(Text("d", "Hello.", source=dialogue_source("Hi there", "A fact"))) == "Hi there · Hello."


def test_title_of_a_language_without_spaces_is_short() -> None:
    assert len(text_title(Text("d", "語" * 400))) < 60
