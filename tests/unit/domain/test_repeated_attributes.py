import pytest

from app.domain.repeated_attributes import without_repeats


@pytest.mark.parametrize(
    "again",
    ["Whether it flows.", "whether it flows", "  Whether  it\nflows ! ", "WHETHER IT FLOWS…", "Whether it flows?"],
)
def test_case_spaces_and_final_marks_make_no_new_point(again: str) -> None:
    assert without_repeats([again], ["Whether it flows."]) == ((), (again,))


@pytest.mark.parametrize("other", ["Whether it flows well.", "Whether it flow.", "It flows.", "Whether, it flows"])
def test_other_words_are_another_point(other: str) -> None:
    assert without_repeats([other], ["Whether it flows."]) == ((other,), ())


def test_a_point_made_twice_in_one_answer_counts_once_in_its_first_wording() -> None:
    assert without_repeats(["B?", "A.", "b", "C"], ["a"]) == (("B?", "C"), ("A.", "b"))


def test_marks_alone_are_told_apart_from_nothing() -> None:
    assert without_repeats(["مرحبا؟", "مرحبا"], []) == (("مرحبا؟",), ("مرحبا",))
