"""Conditions: which attributes a code selects, and which code a choice of contributors makes."""

import pytest

from app.domain.attribute import Attribute, AttributeStatus, ContributorKind
from app.domain.condition import Condition, canonical, condition_of, conditions_of, named_in, of_condition
from app.errors import InputError, NotFoundError

HUMAN, LLM = ContributorKind.HUMAN, ContributorKind.LLM


def said(number: int, who: str, kind: ContributorKind, status: AttributeStatus = AttributeStatus.ACTIVE) -> Attribute:
    return Attribute("coherence", who, kind, f"Point {number}.", status, id=number)


POOL = [
    said(1, "Ada", HUMAN),
    said(2, "Ada", HUMAN),
    said(3, "Bo, Jr.", HUMAN),
    said(4, "openai:gpt-4o", LLM),
    said(5, "llama:x", LLM),
    said(6, "Cy", HUMAN, AttributeStatus.EXCLUDED),
]


@pytest.mark.parametrize(
    ("code", "ids"),
    [
        ("comb", [1, 2, 3, 4, 5]),
        ("mh", [1, 2, 3]),
        ("ml", [4, 5]),
        ("sh:Ada", [1, 2]),
        ("sh:Bo, Jr.", [3]),
        ("sl:openai:gpt-4o", [4]),
        ("only:Ada,llama:x", [1, 2, 5]),
        (' only: llama:x , "Bo, Jr." ', [3, 5]),
    ],
)
def test_a_code_selects_what_is_in_use(code: str, ids: list[int]) -> None:
    assert [a.id for a in of_condition(POOL, code)] == ids


@pytest.mark.parametrize("code", ["sh:Cy", "only:Ada,Cy", "only:Ada,Dee", "sh:llama:x", "only:Bo, Jr."])
def test_a_contributor_without_attributes_in_use_is_named(code: str) -> None:
    with pytest.raises(NotFoundError):
        of_condition(POOL, code)


@pytest.mark.parametrize("code", ["", "all", "comb:Ada", "sh", "only:", "only: , ", "sx:Ada"])
def test_what_is_no_code_is_refused_with_the_forms(code: str) -> None:
    with pytest.raises(InputError) as refused:
        of_condition(POOL, code)
    assert "only:NAME,NAME" in refused.value.hint


@pytest.mark.parametrize(
    ("ticked", "code", "size"),
    [
        (["Ada", "Bo, Jr.", "Cy", "openai:gpt-4o", "llama:x"], "comb", 5),
        (["Ada", "Bo, Jr.", "openai:gpt-4o", "llama:x"], "comb", 5),
        (["Ada", "Bo, Jr."], "mh", 3),
        (["Ada", "Cy"], "sh:Ada", 2),
        (["llama:x"], "sl:llama:x", 1),
        (["llama:x", "openai:gpt-4o"], "ml", 2),
        (["llama:x", "Bo, Jr."], 'only:"Bo, Jr.",llama:x', 2),
        (["Cy"], "", 0),
        ([], "", 0),
    ],
)
def test_a_choice_makes_the_papers_condition_where_it_is_one(ticked: list[str], code: str, size: int) -> None:
    condition = condition_of(POOL, ticked)
    assert condition == Condition(code, size)
    if code:
        assert len(of_condition(POOL, code)) == size


def test_where_all_are_people_everybody_is_all_people() -> None:
    assert condition_of(POOL[:3], ["Ada", "Bo, Jr."]).code == "mh"


def test_the_same_choice_is_written_in_one_way() -> None:
    assert (
        canonical(' only:llama:x, "Bo, Jr.",llama:x') == canonical('only:"Bo, Jr.",llama:x') == 'only:"Bo, Jr.",llama:x'
    )
    assert canonical(" sh:Ada ") == "sh:Ada"
    assert named_in('only:"Bo, Jr.",llama:x') == ("Bo, Jr.", "llama:x")
    assert (named_in("sl:openai:gpt-4o"), named_in("comb")) == (("openai:gpt-4o",), ())


def test_the_papers_conditions_are_listed_with_their_sizes() -> None:
    assert [(c.code, c.size) for c in conditions_of(POOL)] == [
        ("comb", 5),
        ("mh", 3),
        ("ml", 2),
        ("sh:Ada", 2),
        ("sh:Bo, Jr.", 1),
        ("sl:llama:x", 1),
        ("sl:openai:gpt-4o", 1),
    ]
    assert conditions_of([]) == []
