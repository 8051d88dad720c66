import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.storable_text import check_storable, is_storable, storable, storable_value
from app.errors import InputError

ANY_TEXT = st.text(st.characters(exclude_categories=[]) | st.sampled_from("\0\ud83d\ude00"))


@pytest.mark.parametrize(
    ("given_text", "kept"),
    [
        ("nothing odd, 漢字 🎈", "nothing odd, 漢字 🎈"),
        ("cut off \ud83d", "cut off \ufffd"),
        ("\ude00 alone", "\ufffd alone"),
        ("half \ud83d then whole \ud83d\ude00", "half \ufffd then whole 😀"),
        ("a\0b", "a\ufffdb"),
        ("damaged byte \udcff", "damaged byte \ufffd"),
    ],
)
def test_only_what_no_database_holds_is_replaced(given_text: str, kept: str) -> None:
    assert storable(given_text) == kept


@given(ANY_TEXT)
def test_any_text_becomes_one_that_utf_8_holds_and_stays_so(text: str) -> None:
    kept = storable(text)
    assert is_storable(kept)
    assert kept.encode().decode() == kept == storable(kept)
    assert "\0" not in kept
    if is_storable(text):
        assert kept == text


def test_a_pair_written_as_two_escapes_is_one_character() -> None:
    assert is_storable(json.loads('"\\ud83d\\ude00"'))


def test_values_are_mended_at_every_depth() -> None:
    value = {"a\0": ["b\ud83d", {"c": ("d\udc00", 1, None, 2.5, True)}]}
    assert storable_value(value) == {"a\ufffd": ["b\ufffd", {"c": ["d\ufffd", 1, None, 2.5, True]}]}


def test_a_refusal_names_the_place_and_not_the_text() -> None:
    check_storable("sound", "The name")
    with pytest.raises(InputError, match="The name holds a damaged character") as caught:
        check_storable("secret\ud800", "The name")
    assert "secret" not in str(caught.value)
