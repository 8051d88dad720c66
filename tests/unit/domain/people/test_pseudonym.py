"""Pseudonyms: a name gives way wherever it stands by itself, and nowhere else."""

import pytest

from app.domain.condition import renamed
from app.domain.people import free_pseudonym, is_said_in, replace_name_in_json, replace_name_in_text


def test_a_pseudonym_is_one_that_nobody_has() -> None:
    assert free_pseudonym([]) == "Expert 1"
    assert free_pseudonym(["expert 1", "Expert 3", "Ana"]) == "Expert 2"


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("coherence, Ana", "coherence, Expert 1"),
        ('sh:Ana, only:"Ana",Ben', 'sh:Expert 1, only:"Expert 1",Ben'),
        ("Analysis of Anas", "Analysis of Anas"),
        ("", ""),
    ],
)
def test_words_of_their_own_give_way(text: str, after: str) -> None:
    assert replace_name_in_text(text, "Ana", "Expert 1") == after
    assert is_said_in(text, "Ana") == (text != after)


def test_a_name_is_no_pattern_and_a_pseudonym_no_template() -> None:
    assert replace_name_in_text("A.B. and AxBx", "A.B.", r"\1 \g<0>") == r"\1 \g<0> and AxBx"


@pytest.mark.parametrize(
    ("code", "after"),
    [
        ("comb", "comb"),
        ("sh:Ana", "sh:Expert 1"),
        ("without:Ana", "without:Expert 1"),
        ("sh:Ana Silva", "sh:Ana Silva"),
        ('only:Zoe,"Ana",openai:gpt', "only:Expert 1,Zoe,openai:gpt"),
        ('only:"Ana, Jr.",Ben', 'only:"Ana, Jr.",Ben'),
    ],
)
def test_a_condition_is_the_same_under_another_name(code: str, after: str) -> None:
    assert renamed(code, "Ana", "Expert 1") == after


def test_in_values_only_whole_strings_give_way() -> None:
    params = {"who": "Ana", "study": "without:Ana", "note": "Ana said so", "texts": [1, None, "Ana"], "Ana": 2.5}
    assert replace_name_in_json(params, "Ana", "Expert 1") == {
        "who": "Expert 1",
        "study": "without:Expert 1",
        "note": "Ana said so",
        "texts": [1, None, "Expert 1"],
        "Ana": 2.5,
    }
