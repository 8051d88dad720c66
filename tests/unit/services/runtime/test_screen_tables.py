"""Tables of the screens hold what people and LLMs wrote: a spreadsheet must not run it."""

import pandas as pd

from app.services.runtime.output_file import table_csv


def test_a_formula_becomes_text_and_numbers_stay_numbers() -> None:
    rows = pd.DataFrame(
        {"Attribute": ["=1+1", "clear", None], "Share": [-0.5, float("nan"), 1.0], "@who": ["a", "-b", "é"]}
    )
    assert table_csv(rows).decode("utf-8-sig").splitlines() == [
        "Attribute,Share,'@who",
        "'=1+1,-0.5,a",
        "clear,,'-b",
        ",1.0,é",
    ]


def test_a_spreadsheet_is_told_the_encoding() -> None:
    assert table_csv(pd.DataFrame({"a": ["é"]})).startswith(b"\xef\xbb\xbf")
