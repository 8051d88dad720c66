"""Tables for a paper (booktabs): methods by dimensions with notes below, and tables of plain cells."""

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
    """Return the text escaped for LaTeX, on one line. Direction marks are written as codes, such as U+202E."""
    shown = shown_directions(text).replace("⟨", "<").replace("⟩", ">")
    return _SPECIAL.sub(lambda found: _ESCAPES[found[0]], " ".join(shown.split()))


@dataclass(frozen=True, slots=True)
class GridCell:
    """A figure with the ends of its interval, and the difference from another row with its mark († or ‡)."""

    value: float | None
    low: float | None = None
    high: float | None = None
    difference: float | None = None
    mark: str = ""


@dataclass(frozen=True, slots=True)
class GridBlock:
    """One figure of all methods: its heading ("" for a table of one block), and for each row a label and its cells."""

    heading: str
    rows: Sequence[tuple[str, Sequence[GridCell]]]


def latex_grid(
    title: str, columns: Sequence[str], blocks: Sequence[GridBlock], notes: Sequence[str], comments: Sequence[str] = ()
) -> str:
    """Return a table of methods by dimensions: figures in one line, intervals and differences below in small print.

    The notes are below the table, the comments after it as LaTeX comments. It needs \\usepackage{booktabs}.
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
    """Return a table of cells, which are escaped; the first two columns are text, the others figures. Empty cells have
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
    """Return a figure with its interval in brackets, as a cell of latex_tabular; "" without a figure."""
    if value is None:
        return ""
    return f"{value:.3f}" + ("" if low is None or high is None else f" [{low:.3f}, {high:.3f}]")


PUBLISHED, OURS, DIFFERENCE = "published", "ours", "difference"


@dataclass(frozen=True, slots=True)
class GridFigure:
    """A published figure and ours; None if missing. mark: † or ‡ behind ours."""

    published: float | None = None
    ours: float | None = None
    low: float | None = None
    high: float | None = None
    mark: str = ""

    @property
    def lines(self) -> tuple[str, str, str]:
        """Return published, ours and difference as text; "" for a missing one."""
        known = None not in (self.published, self.ours)
        return (
            "" if self.published is None else f"{self.published:.3f}",
            interval_shown(self.ours, self.low, self.high) + self.mark,
            f"{(self.ours or 0) - (self.published or 0):+.3f}" if known else "",
        )


@dataclass(frozen=True, slots=True)
class PaperGrid:
    """A table of published figures and ours. `rows`: each row's label and its figures, one a column."""

    caption: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[GridFigure, ...]], ...]
    notes: tuple[str, ...] = ()

    @property
    def headings(self) -> tuple[str, ...]:
        return ("", "", *self.columns)

    def lines(self, columns: Sequence[int] = ()) -> list[list[str]]:
        """Return up to three lines a row, without empty ones. columns: the indices of the columns to show."""
        found = []
        for label, figures in self.rows:
            shown = [figures[place].lines for place in columns] if columns else [figure.lines for figure in figures]
            three = zip((PUBLISHED, OURS, DIFFERENCE), zip(*shown, strict=True), strict=True)
            kept = [[what, *cells] for what, cells in three if any(cells)] or [["", *("" for _ in shown)]]
            found += [[label if number == 0 else "", *line] for number, line in enumerate(kept)]
        return found


def markdown(grid: PaperGrid) -> str:
    """Return a Markdown table with its caption above and its notes below."""

    def line(cells: Sequence[str]) -> str:
        return f"| {' | '.join(_escaped(cell) for cell in cells)} |"

    rule = f"| --- | --- |{' ---: |' * len(grid.columns)}"
    notes = [f"- {_escaped(note)}" for note in grid.notes]
    parts = [_escaped(grid.caption), "", line(grid.headings), rule, *map(line, grid.lines())]
    return "\n".join([*parts, *(["", *notes] if notes else [])]) + "\n"


def _escaped(text: str) -> str:
    """Return a name on one line, escaped so that it makes no heading, link or cell."""
    plain = " ".join(text.split())
    return "".join(f"\\{character}" if character in "\\`*_[]<>|#" else character for character in plain)


def latex(grid: PaperGrid) -> str:
    """Return a booktabs table with the notes in its caption."""
    return latex_tabular(" ".join([grid.caption, *grid.notes]), grid.headings, grid.lines())
