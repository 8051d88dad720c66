import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.prompting.template import enclose, plain_number


@given(st.text(alphabet="= abeginend\n", max_size=80))
def test_no_content_can_end_its_own_enclosure(content: str) -> None:
    first, *inner, last = enclose(content, "summary").split("\n")
    fence = first.removesuffix(first.lstrip("=")) if first.strip("=") else first
    assert first == f"{fence} begin summary {fence}"
    assert last == f"{fence} end summary {fence}"
    assert len(fence) >= 5
    assert fence not in "\n".join(inner)


def test_a_label_stays_on_its_line_and_adds_no_signs() -> None:
    assert enclose("x", "a ===\n b").startswith("===== begin a b =====\n")


@pytest.mark.parametrize(("value", "shown"), [(1.0, "1"), (2.3333, "2.33"), (10.0, "10"), (0.5, "0.5"), (100, "100")])
def test_numbers_are_plain(value: float, shown: str) -> None:
    assert plain_number(value) == shown
