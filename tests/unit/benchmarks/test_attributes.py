import pytest

from tests.benchmarks.attributes import generated_pool, run


@pytest.mark.long
def test_measures_every_part() -> None:
    found = run(attributes=40, seeds=2)
    assert found["pairs"] == 780
    assert all(seconds > 0 for seconds in found["seconds"].values())


def test_generated_text_is_the_same_every_time() -> None:
    assert generated_pool(30).texts == generated_pool(30).texts
    assert len(generated_pool(30)) == 30
