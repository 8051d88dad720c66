from hypothesis import given
from hypothesis import strategies as st
from rouge_score import tokenize as reference

from app.attribute_analysis.tokens import rouge_tokens, tokenize, unicode_tokens


@given(st.text())
def test_tokens_are_those_of_the_rouge_score_package(text: str) -> None:
    assert rouge_tokens(text) == reference.tokenize(text, None)


@given(st.text(st.characters(max_codepoint=127)))
def test_unicode_tokens_are_the_same_on_ascii(text: str) -> None:
    assert unicode_tokens(text) == rouge_tokens(text)


def test_letters_of_other_scripts_make_words() -> None:
    assert unicode_tokens("Сжатый, ясный текст.") == ["сжатый", "ясный", "текст"]
    assert unicode_tokens("नियम साफ़") == ["नियम", "साफ़"]


def test_scripts_without_spaces_are_split_into_characters() -> None:
    assert unicode_tokens("结构清晰 ok") == ["结", "构", "清", "晰", "ok"]
    assert unicode_tokens("ab结cd") == ["ab", "结", "cd"]


def test_marks_stay_with_their_letter_and_lone_marks_make_no_word() -> None:
    assert unicode_tokens("e\u0301te\u0301") == ["été"]
    assert unicode_tokens("a \u0301 b") == ["a", "b"]


def test_accented_latin_keeps_the_package_s_tokens_without_a_note() -> None:
    found = tokenize(["Für Leser gut verständlich"])
    assert found.scheme == "rouge-score"
    assert found.words == (("f", "r", "leser", "gut", "verst", "ndlich"),)
    assert not found.note


def test_one_unread_text_changes_the_scheme_of_all_and_says_so() -> None:
    found = tokenize(["Clear text", "Σαφές κείμενο"])
    assert found.scheme == "unicode"
    assert found.words == (("clear", "text"), ("σαφές", "κείμενο"))
    assert "1 of 2" in found.note


def test_no_texts_and_no_letters_are_no_reason_to_change() -> None:
    assert tokenize([]).scheme == "rouge-score"
    assert tokenize(["", "123", "!?"]).words == ((), ("123",), ())
