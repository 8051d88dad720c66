"""A table for a paper prints what people typed to the letter and says what it rests on."""

import re

from app.export.latex import GridBlock, GridCell, latex_escaped, latex_grid

CELL = GridCell(0.5, 0.25, 0.75)
BLOCK = GridBlock("", [("100 % & more_or_less", [CELL, GridCell(None)]), ("g-eval", [GridCell(0.4), CELL])])


def test_what_latex_would_run_is_text() -> None:
    assert latex_escaped(r"\input{x} 5 % $a_1^2$ #~&" + "\n<>") == (
        r"\textbackslash{}input\{x\} 5 \% \$a\_1\textasciicircum{}2\$ \#\textasciitilde{}\& \textless{}\textgreater{}"
    )


def test_latex_escaped_of_marks_of_direction_shows_them() -> None:
    assert latex_escaped("a\u202eb\u2066") == r"a\textless{}U+202E\textgreater{}b\textless{}U+2066\textgreater{}"


def test_latex_grid_has_figures_in_one_line_and_intervals_below() -> None:
    table = latex_grid("Results", ["coherence", "Average"], [BLOCK], [])
    lines = [line.removesuffix(r" \\").split(" & ") for line in table.splitlines() if line.endswith(r"\\")]
    small = r"{\scriptsize $[0.250, 0.750]$}"
    assert lines == [
        ["Method", "coherence", "Average"],
        [r"100 \% \& more\_or\_less", "$0.500$", "--"],
        [f"& {small}", ""],
        ["g-eval", "$0.400$", "$0.500$"],
        ["& ", small],
    ]


def test_latex_grid_with_differences_marks_them_in_a_line_below() -> None:
    apart = GridBlock("", [("g-eval", [GridCell(0.4, difference=-0.1, mark="‡"), GridCell(0.4)])])
    table = latex_grid("Results", ["coherence", "fluency"], [apart], [])
    assert r"& {\scriptsize $-0.100$\ddag{}} &  \\" in table.splitlines()


def test_latex_grid_of_several_figures_has_a_heading_for_each() -> None:
    blocks = [GridBlock(heading, BLOCK.rows) for heading in (r"Spearman $\rho$", r"Pearson $r$")]
    table = latex_grid("Results", ["coherence", "Average"], blocks, [])
    assert table.count("\\midrule") == 2
    assert r"\multicolumn{3}{l}{\emph{Pearson $r$}} \\" in table


def test_latex_grid_says_notes_once_below_and_comments_last() -> None:
    table = latex_grid("News_1", ["coherence"], [GridBlock("", [("g-eval", [CELL])])], ["n = 40 & more."], ["a\nb"])
    lines = table.splitlines()
    assert r"\caption{News\_1.}" in lines
    assert lines.index(r"n = 40 \& more.") > lines.index(r"\end{tabular}}")
    assert lines[-2:] == [r"\end{table}", "% a b"]
    assert len(re.findall(r"(?<!\\)\{", table)) == len(re.findall(r"(?<!\\)\}", table))


def test_latex_grid_sets_a_long_name_in_lines_beside_its_figures() -> None:
    long = "checklist · a model with a long name · version 2"
    rows = [(long, [CELL]), (long, [GridCell(None)])]
    table = latex_grid("Results", ["coherence"], [GridBlock("", rows)], [])
    first, second = (line for line in table.splitlines() if "long name" in line)
    assert (first.startswith(r"\smash{\parbox"), second.startswith(r"\parbox")) == (True, True)
