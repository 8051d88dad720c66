import pytest

from app.attribute_analysis.pool import pool_attributes
from app.domain.attribute import ContributorKind
from app.errors import InputError, NotReadyError

KINDS = {"ada": ContributorKind.HUMAN, "ben": ContributorKind.HUMAN, "m1": ContributorKind.LLM}
SAID = {"ada": ["a1", " ", "a2"], "m1": ["m"], "ben": ["b"]}


def test_texts_keep_their_owner_and_blank_ones_are_left_out() -> None:
    pool = pool_attributes(SAID)
    assert pool.texts == ("a1", "a2", "m", "b")
    assert pool.by_contributor() == {"ada": (0, 1), "m1": (2,), "ben": (3,)}


def test_conditions_are_those_of_the_paper() -> None:
    conditions = pool_attributes(SAID, KINDS).by_condition()
    assert conditions == {
        "comb": (0, 1, 2, 3),
        "mh": (0, 1, 3),
        "ml": (2,),
        "sh:ada": (0, 1),
        "sl:m1": (2,),
        "sh:ben": (3,),
    }


def test_without_kinds_only_comb_can_be_told() -> None:
    pool = pool_attributes(SAID)
    assert pool.by_kind() == {}
    assert list(pool.by_condition()) == ["comb"]


def test_nothing_said_and_unknown_names_are_refused() -> None:
    with pytest.raises(NotReadyError):
        pool_attributes({"ada": ["  "]})
    with pytest.raises(InputError, match="zoe"):
        pool_attributes(SAID, {"zoe": ContributorKind.LLM})
