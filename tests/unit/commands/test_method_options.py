"""Options of a method as they are written on the command line."""

import pytest

from app.commands.scoring import read_settings
from app.errors import InputError


def test_name_and_value_are_divided_at_the_first_sign() -> None:
    assert read_settings(["aspects=20", "variant=random"]) == (("aspects", "20"), ("variant", "random"))
    assert read_settings([]) == ()


@pytest.mark.parametrize("written", ["aspects", "=5", "aspects=", ""])
def test_anything_else_says_how_to_write_it(written: str) -> None:
    with pytest.raises(InputError, match="name=value"):
        read_settings([written])
