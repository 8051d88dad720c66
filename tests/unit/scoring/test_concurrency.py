import pytest

from app.limits import texts_at_once


@pytest.mark.parametrize(("requests", "texts"), [(1, 1), (3, 3), (4, 5), (32, 40), (128, 136)])
def test_a_quarter_more_texts_are_ready_at_most_eight(requests: int, texts: int) -> None:
    assert texts_at_once(requests) == texts
