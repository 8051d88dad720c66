import pytest

from app.domain.text import dialogue_history, dialogue_source


@pytest.mark.parametrize("history", ["Hello.\n Oh?", "", "Two\n\nparts"])
@pytest.mark.parametrize("fact", ["Ferries float.", "", "Line\n\nline"])
def test_the_history_comes_apart_from_the_fact_again(history: str, fact: str) -> None:
    source = dialogue_source(history, fact)
    assert dialogue_history(source) == history
    assert ("Fact to talk about" in source, fact in source) == (bool(fact), True)


def test_a_source_of_another_making_is_the_history() -> None:
    assert dialogue_history("A: Hello. B: Oh?") == "A: Hello. B: Oh?"
