import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.errors import InputError
from app.meta_evaluation.evaluation import Signature


def test_written_and_read_again() -> None:
    line = "per-source|spearman|61/96 skip|once|1000 sources|0|3|openai:gpt-4o|4f2a"
    assert str(Signature.parse(line)) == line
    assert Signature.parse(line).judge == "openai:gpt-4o"


@given(st.text(min_size=1), st.text(min_size=1))
def test_any_name_survives(judge: str, checklist: str) -> None:
    signature = Signature("dataset", "pearson", "1/1 skip", "once", "0 texts", "0", checklist, judge, "x")
    assert Signature.parse(str(signature)) == signature


def test_another_line_is_refused() -> None:
    with pytest.raises(InputError, match="9 parts"):
        Signature.parse("a|b")
