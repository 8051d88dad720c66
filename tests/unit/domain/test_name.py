import pytest

from app.domain.storable_text import NAME_LIMIT, checked_name, quoted, shown_directions, suspicious_characters
from app.errors import InputError


@pytest.mark.parametrize("name", ["News", "naïve 漢字 🎈", "שלום", "x" * NAME_LIMIT, "👩‍👩‍👧‍👦 family"])
def test_names_of_every_script_are_taken(name: str) -> None:
    assert checked_name(f"  {name} ", "project") == name


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("  ", "no name"),
        ("x" * 100_000, "100,000 characters; 200 are the most"),
        ("a\x1b[31mb", "control character"),
        ("two\nlines", "control character"),
        ("a\x9bb", "control character"),
        ("a\udc80b", "damaged character"),
    ],
)
def test_other_names_are_refused_in_a_short_sentence(name: str, says: str) -> None:
    with pytest.raises(InputError, match=says) as caught:
        checked_name(name, "project")
    assert len(str(caught.value)) < 200


def test_a_long_name_that_is_looked_for_is_not_repeated_whole() -> None:
    assert quoted("News") == "“News”"
    assert len(quoted("x" * 100_000)) < 100


@pytest.mark.parametrize("name", ["\u0410na", "Ana\u200b", "ANA", "\uff21na", "\u202eAna"])
def test_name_that_looks_like_another_is_odd(name: str) -> None:
    assert any("Ana" in each for each in suspicious_characters(name, ["Ana", "Ben"]))


@pytest.mark.parametrize(
    "name",
    ["Ana", "Ben", "\u0416\u0430\u043d\u043d\u0430", "\u0391\u03bd\u03bd\u03b1", "Zo\u00eb", "\u5f20\u4f1f Zhang"],
)
def test_usual_name_is_not_odd(name: str) -> None:
    assert suspicious_characters(name, ["Ana", "Ben"]) == []


def test_direction_marks_are_written_out() -> None:
    assert shown_directions("a\u202eb") == "a⟨U+202E⟩b"
