"""A pasted list of people to invite."""

import pytest

from app.domain.people import InvitedPerson, read_invited
from app.domain.roles_and_rights import Role
from app.errors import InputError


def test_read_invited_each_line_is_one_person() -> None:
    pasted = "Ana Silva, ana@example.org\n\nBen\tben@example.org\tReader\nCara; facilitator\nDan <dan@example.org>\nEve"
    assert read_invited(pasted, Role.EXPERT) == [
        InvitedPerson("Ana Silva", Role.EXPERT, "ana@example.org"),
        InvitedPerson("Ben", Role.READER, "ben@example.org"),
        InvitedPerson("Cara", Role.FACILITATOR),
        InvitedPerson("Dan", Role.EXPERT, "dan@example.org"),
        InvitedPerson("Eve", Role.EXPERT),
    ]


@pytest.mark.parametrize(
    ("pasted", "named"),
    [
        ("Ana\nBen, boss", "Line 2"),
        ("ana@example.org", "Line 1"),
        ("Ana\nAna", "Line 2"),
        (", ana@example.org", "Line 1"),
        (" \n", "nobody"),
    ],
)
def test_read_invited_names_the_line_that_is_wrong(pasted: str, named: str) -> None:
    with pytest.raises(InputError, match=named):
        read_invited(pasted, Role.EXPERT)


def test_read_invited_of_an_endless_line_names_it() -> None:
    with pytest.raises(InputError):
        read_invited(f"Ana\n{'x' * 200_000}\n", Role.EXPERT)
