"""Word by word: the stretches always add up to both wordings."""

from hypothesis import given
from hypothesis import strategies as st

from app.domain.version_changes import word_changes


def shown(before: str, after: str) -> str:
    marks = {"same": "{}", "old": "[-{}-]", "new": "[+{}+]"}
    return "".join(marks[piece.kind].format(piece.text) for piece in word_changes(before, after))


def test_words_are_marked_whole():
    assert shown("Is the text clear?", "Is the summary clear?") == "Is the [-text-][+summary+] clear?"
    assert shown("Is it clear?", "Is it very clear?") == "Is it [+very +]clear?"
    assert shown("Same?", "Same?") == "Same?"
    assert shown("", "New?") == "[+New?+]"


def test_wordings_that_share_little_are_not_woven_into_each_other():
    assert shown("Are the names right?", "Is the story told in order?") == (
        "[-Are the names right?-][+Is the story told in order?+]"
    )


def test_scripts_without_spaces_are_compared_by_character():
    assert shown("文章清楚吗？", "文章清晰吗？") == "文章清[-楚-][+晰+]吗？"


@given(st.text(max_size=80), st.text(max_size=80))
def test_the_stretches_add_up_to_both_wordings(before: str, after: str):
    pieces = word_changes(before, after)
    assert "".join(p.text for p in pieces if p.kind != "new") == before
    assert "".join(p.text for p in pieces if p.kind != "old") == after
