"""A table for a paper prints what people typed to the letter and says what it rests on."""

import re
from typing import Any

from app.export.latex import latex_escaped, latex_table

FIGURE = {"value": 0.5, "low": 0.25, "high": 0.75, "n": 28, "reason": ""}
RESULT: dict[str, Any] = {
    "dimension": "100 % & more_or_less",
    "evaluator": "checklist",
    "variant": [],
    "judge": "rules",
    "level": "per-source",
    "spearman": FIGURE,
    "kendall": {**FIGURE, "low": None, "high": None},
    "pearson": {"value": None, "low": None, "high": None, "n": 0, "reason": "All scores are equal."},
    "mae": FIGURE,
    "groups_used": 7,
    "groups_all": 10,
    "n": 40,
    "caption": "per-source, 7 of 10 sources used",
    "cautions": ["Only 10 sources to draw from."],
    "signature": "per-source|spearman|7/10",
}


def test_what_latex_would_run_is_text() -> None:
    assert latex_escaped(r"\input{x} 5 % $a_1^2$ #~&" + "\n<>") == (
        r"\textbackslash{}input\{x\} 5 \% \$a\_1\textasciicircum{}2\$ \#\textasciitilde{}\& \textless{}\textgreater{}"
    )


def test_latex_escaped_of_marks_of_direction_shows_them() -> None:
    assert latex_escaped("a\u202eb\u2066") == r"a\textless{}U+202E\textgreater{}b\textless{}U+2066\textgreater{}"


def test_a_row_has_its_intervals_its_groups_and_the_texts_compared() -> None:
    table = latex_table("Results", [], [RESULT])
    row = next(line for line in table.splitlines() if line.endswith(r"\\") and "checklist" in line)
    assert row.removesuffix(r" \\").split(" & ") == [
        r"100 \% \& more\_or\_less",
        "checklist (rules, not an LLM)",
        r"$0.500\ [0.250, 0.750]$",
        "$0.500$",
        "--",
        r"$0.500\ [0.250, 0.750]$",
        "7/10",
        "28",
    ]


def test_the_mean_over_dimensions_stands_last() -> None:
    figures = dict.fromkeys(("spearman", "kendall", "pearson", "mae"), FIGURE)
    table = latex_table("Results", [], [RESULT], [{"run": 3, "dimensions": 4, **figures}])
    *_, before, row, after = [
        line for line in table.splitlines() if line.startswith(("\\midrule", "Mean", "\\bottomrule"))
    ]
    assert (before, after) == (r"\midrule", r"\bottomrule")
    assert row.split(" & ")[:2] == ["Mean of 4 dimensions", ""]
    assert row.count("0.500") == 4


def test_the_caption_says_what_it_rests_on_once() -> None:
    table = latex_table("News_1", ["Made up."], [RESULT, RESULT])
    caption = next(line for line in table.splitlines() if line.startswith(r"\caption"))
    for said in (r"News\_1.", "level: per-source", "7 of 10 sources used", "Only 10 sources", "All scores are equal."):
        assert caption.count(said) == 1
    assert "Made up." in caption
    assert "% 100 % & more_or_less: per-source|spearman|7/10" in table
    assert len(re.findall(r"(?<!\\)\{", table)) == len(re.findall(r"(?<!\\)\}", table))
