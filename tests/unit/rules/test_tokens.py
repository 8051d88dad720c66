"""Words, stems and sentences."""

import pytest

from app.rules.english import content_stems, sentences, stem, words


def test_words_are_lower_case_and_keep_figures_and_apostrophes() -> None:
    assert words("It didn't cost 1,200.50 euros (in 2021)!") == (
        "it",
        "didn't",
        "cost",
        "1,200.50",
        "euros",
        "in",
        "2021",
    )


def test_characters_of_unspaced_scripts_are_words() -> None:
    assert words("摘要 ok") == ("摘", "要", "ok")


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("A dog ran. It barked!", ("A dog ran.", "It barked!")),
        ("a dog ran . it barked .", ("a dog ran .", "it barked .")),
        ("Dr. Mey spoke. She left.", ("Dr. Mey spoke.", "She left.")),
        ('He said "stop." Then he left.', ('He said "stop.', "Then he left.")),
        ("first line\nsecond line", ("first line", "second line")),
        ("狗跑了。它叫了。", ("狗跑了。", "它叫了。")),
        ("", ()),
    ],
)
def test_sentences(text: str, parts: tuple[str, ...]) -> None:
    assert sentences(text) == parts


@pytest.mark.parametrize(("one", "other"), [("organized", "organizing"), ("summary's", "summary"), ("dogs", "dog")])
def test_forms_of_a_word_share_a_stem(one: str, other: str) -> None:
    assert stem(one) == stem(other)


def test_content_stems_leave_out_stop_words_and_stray_letters() -> None:
    assert content_stems(("the", "dog", "'s", "s", "n't", "barked", "7")) == ("dog", "bark", "7")
