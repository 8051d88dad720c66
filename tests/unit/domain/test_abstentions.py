import pytest

from app.domain.abstentions import NOT_APPLICABLE, abstention, abstention_in_prose
from app.domain.checklist_score import CANNOT_TELL


@pytest.mark.parametrize(
    "said",
    ["does not apply", "Doesn’t apply.", "N/A", "n.a.", "not_applicable", "Not applicable: none.", "**NA**"],
)
def test_what_does_not_apply_is_heard(said: str) -> None:
    assert abstention(said) == NOT_APPLICABLE


@pytest.mark.parametrize(
    "said",
    [
        "cannot tell",
        "Can’t tell.",
        "cannot_tell",
        "It cannot be determined from the summary.",
        "Not enough information",
        "insufficient context to decide",
        "I am unable to judge this without the article",
        "unknown",
    ],
)
def test_that_one_can_not_tell_is_heard(said: str) -> None:
    assert abstention(said) == CANNOT_TELL


@pytest.mark.parametrize(
    "said", ["", "yes", "no", "No, nothing", "maybe", "unclear", "nano", "Unknown authors are named", None, 3, ["n/a"]]
)
def test_anything_else_is_neither(said: object) -> None:
    assert abstention(said) == ""


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Score: N/A", NOT_APPLICABLE),
        ("<think>Maybe 4.</think>\nScore: cannot tell", CANNOT_TELL),
        ("I cannot tell from what was given: the 3 sources are missing.", CANNOT_TELL),
        ("The article is missing.\n\n**Rating: N/A** (1 = lowest)", NOT_APPLICABLE),
        ("I can't tell how long it took to write. Score: 4", ""),
        ("The text does not apply commas well.\nScore: 2", ""),
        ("3", ""),
        ("", ""),
    ],
)
def test_prose_abstains_where_its_first_or_last_line_says_so_and_no_score_is_labelled(text: str, found: str) -> None:
    assert abstention_in_prose(text) == found
