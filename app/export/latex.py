"""Tables for a paper (booktabs): methods by dimensions with notes below, and rows of plain cells."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from app.domain.storable_text import shown_directions

_ESCAPES = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "[": "{[}",
    "]": "{]}",
    "†": r"\dag{}",
    "‡": r"\ddag{}",
    "–": "--",
    "−": "$-$",
    "·": r"\textperiodcentered{}",
}
_SPECIAL = re.compile("|".join(map(re.escape, _ESCAPES)))
_NONE = "--"


def latex_escaped(text: str) -> str:
    """Escape text for LaTeX, on one line. Marks that turn its direction are written as codes, such as U+202E."""
    shown = shown_directions(text).replace("⟨", "<").replace("⟩", ">")
    return _SPECIAL.sub(lambda found: _ESCAPES[found[0]], " ".join(shown.split()))


@dataclass(frozen=True, slots=True)
class GridCell:
    """A figure with the ends of its interval, and the difference to another row with its mark († or ‡)."""

    value: float | None
    low: float | None = None
    high: float | None = None
    difference: float | None = None
    mark: str = ""


@dataclass(frozen=True, slots=True)
class GridBlock:
    """One figure of all methods: its heading ("" for a table of one block), and row by row a label and its cells."""

    heading: str
    rows: Sequence[tuple[str, Sequence[GridCell]]]


def latex_grid(
    title: str, columns: Sequence[str], blocks: Sequence[GridBlock], notes: Sequence[str], comments: Sequence[str] = ()
) -> str:
    """Methods by dimensions: the figures of a method in one line, their intervals and differences below in small print.

    The notes stand once below the table, the comments as such after it. It needs \\usepackage{booktabs}.
    """
    lines = [
        "% needs \\usepackage{booktabs}",
        "\\begin{table}",
        "\\centering",
        "\\small",
        f"\\caption{{{latex_escaped(title)}.}}",
        f"\\begin{{tabular}}{{l{'r' * len(columns)}}}",
        "\\toprule",
        " & ".join(["Method", *map(latex_escaped, columns)]) + r" \\",
    ]
    for block in blocks:
        lines.append("\\midrule")
        if block.heading:
            lines.append(f"\\multicolumn{{{len(columns) + 1}}}{{l}}{{\\emph{{{block.heading}}}}} \\\\")
        for label, cells in block.rows:
            lines.append(" & ".join([latex_escaped(label), *map(_value, cells)]) + r" \\")
            below = list(map(_interval, cells)), list(map(_difference, cells))
            lines += [" & ".join(["", *each]).lstrip() + r" \\" for each in below if any(each)]
    lines += ["\\bottomrule", "\\end{tabular}"]
    if notes:
        lines += ["", "\\smallskip", "\\begin{minipage}{\\linewidth}", "\\footnotesize"]
        lines += [*map(latex_escaped, notes), "\\end{minipage}"]
    lines += ["\\end{table}", *(f"% {' '.join(comment.split())}" for comment in comments)]
    return "\n".join(lines) + "\n"


def _value(cell: GridCell) -> str:
    return _NONE if cell.value is None else f"${cell.value:.3f}$"


def _interval(cell: GridCell) -> str:
    known = cell.value is not None and cell.low is not None and cell.high is not None
    return _small(f"$[{cell.low:.3f}, {cell.high:.3f}]$") if known else ""


def _difference(cell: GridCell) -> str:
    return "" if cell.difference is None else _small(f"${cell.difference:+.3f}${latex_escaped(cell.mark)}")


def _small(text: str) -> str:
    return f"{{\\scriptsize {text}}}" if text else ""


def latex_tabular(caption: str, headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table of plain cells, which are escaped; the first two columns are text, the others figures. An empty cell has
    a dash."""

    def line(cells: Sequence[str]) -> str:
        return " & ".join(latex_escaped(cell) or _NONE for cell in cells) + r" \\"

    lines = [
        "\\begin{table}",
        "\\centering",
        "\\small",
        f"\\caption{{{latex_escaped(caption)}}}",
        f"\\begin{{tabular}}{{ll{'r' * (len(headings) - 2)}}}",
        "\\toprule",
        line(headings),
        "\\midrule",
        *map(line, rows),
        "\\bottomrule",
        "\\end{tabular}",
        "\\end{table}",
    ]
    return "\n".join(lines) + "\n"


def interval_shown(value: float | None, low: float | None, high: float | None) -> str:
    """A figure with its interval in brackets, as a cell of latex_tabular; "" without a figure."""
    if value is None:
        return ""
    return f"{value:.3f}" + ("" if low is None or high is None else f" [{low:.3f}, {high:.3f}]")
