"""People's text is shown to the letter wherever Markdown is read."""

import pytest

from app.domain.model_call import model_label
from pages.components.shell.checklists.question_editor import marked
from pages.components.shell.labels import button_label, plain


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        ("A plain sentence, with a number 1.5 (and brackets)!", "A plain sentence, with a number 1.5 (and brackets)!"),
        ("*bold* _it_ `code`", r"\*bold\* \_it\_ \`code\`"),
        ("[a](http://b)", "\\[a\\](http:\u2060//b)"),
        ("<script>alert(1)</script>", r"\<script\>alert(1)\</script\>"),
        (":red[x] $y$ ~z~ a|b", r"\:red\[x\] \$y\$ \~z\~ a\|b"),
        ("&lt; www.example.org a@b.c", "\\&lt; www\u2060.example.org a\\@\u2060b.c"),
        ("components@1", "components\\@1"),  # no address
        ("HTTPS://a.b mailto:a@b.c", "HTTPS:\u2060//a.b mailto\\:a\\@\u2060b.c"),
        ("1. first", r"1\. first"),
        ("- item", r"\- item"),
        ("# heading", r"\# heading"),
        ("two\nlines", "two lines"),
        ("back\\slash", "back\\\\slash"),
        ("", ""),
    ],
)
def test_markup_is_escaped_and_nothing_else(text: str, escaped: str) -> None:
    assert plain(text) == escaped


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("نورا", "\u2068نورا\u2069"),
        ("- *נורה* -", "\u2068- \\*נורה\\* -\u2069"),
        ("There is no project “نورا 2”. Check “News”.", "There is no project “\u2068نورا 2\u2069”. Check “News”."),
        ("Zoë 日本", "Zoë 日本"),
    ],
)
def test_what_runs_from_right_to_left_is_set_apart(text: str, shown: str) -> None:
    assert plain(text) == shown


def test_what_is_no_llm_says_so() -> None:
    assert "not an LLM" in model_label("rules")
    assert model_label("none") == "–"
    assert "recorded" in model_label("replay:calls.jsonl")
    assert model_label("openai:gpt-4o") == "openai:gpt-4o"


def test_differing_words_are_marked_and_markup_in_them_stays_text() -> None:
    before, after = marked("Is the *text* clear?", "Is the summary clear?")
    assert before == r"Is the :red[~~\*text\*~~] clear?"
    assert after == "Is the :green[**summary**] clear?"
    assert marked("Is it clear?", "Is it very clear?") == ("Is it clear?", "Is it :green[**very**] clear?")


def test_a_button_says_what_it_is_about_and_no_name_can_be_more_than_a_name() -> None:
    assert button_label("Edit", "question 3") == "Edit :gray-background[question 3]"
    assert button_label("", "Move up") == ":gray-background[Move up]"
    assert button_label("Delete", "a] :red[b") == r"Delete :gray-background[a\] \:red\[b]"
