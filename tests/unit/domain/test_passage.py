"""Passages: offsets count Unicode code points, and what isn't one is refused."""

import pytest

from app.domain.passage import LONGEST_PASSAGE, Passage, PassagePart, text_version
from app.errors import InputError

STRANGE = "👩‍👩‍👧 first\r\nשלום עולם, e\u0301 and 🎈 last"


@pytest.mark.parametrize("quote", ["first", "שלום", "e\u0301 and", "🎈 last", "👩‍👩‍👧", "first\r\nשלום"])
def test_passage_offsets_count_code_points(quote: str) -> None:
    start = STRANGE.index(quote)
    passage = Passage.at(STRANGE, start, start + len(quote), 7)
    assert (passage.quote, passage.version) == (quote, text_version(STRANGE))
    assert STRANGE[passage.start : passage.end] == quote
    assert Passage.from_json(passage.to_json()) == passage


@pytest.mark.parametrize(("start", "end"), [(3, 3), (5, 4), (-2, 4), (0, 500), (8, 9)])
def test_passage_without_words_of_the_text_is_refused(start: int, end: int) -> None:
    with pytest.raises(InputError):
        Passage.at("Ends now   and then", start, end, 1)


def test_passage_has_a_longest_length() -> None:
    text = "a" * (LONGEST_PASSAGE + 1)
    assert len(Passage.at(text, 0, LONGEST_PASSAGE, 1).quote) == LONGEST_PASSAGE
    with pytest.raises(InputError):
        Passage.at(text, 0, LONGEST_PASSAGE + 1, 1)


GOOD = {"text_id": 1, "start": 0, "end": 4, "quote": "Ends"}


def test_passage_of_json_is_of_the_text_unless_it_says_so() -> None:
    assert Passage.from_json(GOOD) == Passage(1, 0, 4, "Ends")
    assert Passage.from_json(GOOD | {"part": "source"}).part is PassagePart.SOURCE


@pytest.mark.parametrize(
    "odd",
    [
        {"start": "0"},
        {"start": True},
        {"end": 2**40},
        {"text_id": "1"},
        {"quote": ""},
        {"quote": "a\ud800"},
        {"quote": "a" * (LONGEST_PASSAGE + 1)},
        {"part": "title"},
        {"text_version": "a" * 17},
    ],
)
def test_passage_of_json_refuses_other_values(odd: dict[str, object]) -> None:
    with pytest.raises(InputError):
        Passage.from_json(GOOD | odd)


@pytest.mark.parametrize("raw", [None, "Ends", [], {}])
def test_passage_of_json_refuses_what_is_no_object(raw: object) -> None:
    with pytest.raises(InputError):
        Passage.from_json(raw)
