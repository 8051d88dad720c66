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
NEEDED = "% needs \\usepackage{booktabs,graphicx}"
_FITTED = "\\resizebox{\\ifdim\\width>\\linewidth\\linewidth\\else\\width\\fi}{!}{%"
_LONG, _WIDTH = 32, "4.8cm"  # characters, and the room of so many


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
    title: str,
    columns: Sequence[str],
    blocks: Sequence[GridBlock],
    notes: Sequence[str],
    comments: Sequence[str] = (),
    first: str = "Method",
) -> str:
    """Return a table of methods by dimensions: figures in one line, intervals and differences below in small print.

    The notes are below the table, the comments after it as LaTeX comments. NEEDED names the packages.
    """
    body = [" & ".join([first, *map(latex_escaped, columns)]) + r" \\"]
    for block in blocks:
        body.append("\\midrule")
        if block.heading:
            body.append(f"\\multicolumn{{{len(columns) + 1}}}{{l}}{{\\emph{{{block.heading}}}}} \\\\")
        for label, cells in block.rows:
            below = [each for each in (list(map(_interval, cells)), list(map(_difference, cells))) if any(each)]
            body.append(" & ".join([_label(label, 1 + len(below)), *map(_value, cells)]) + r" \\")
            body += [" & ".join(["", *each]).lstrip() + r" \\" for each in below]
    return _table(f"{title}.", "l" + "r" * len(columns), body, notes, comments)


def _table(caption: str, columns: str, body: Sequence[str], notes: Sequence[str], comments: Sequence[str] = ()) -> str:
    lines = [NEEDED, "\\begin{table}", "\\centering", "\\small", f"\\caption{{{latex_escaped(caption)}}}", _FITTED]
    lines += [f"\\begin{{tabular}}{{{columns}}}", "\\toprule", *body, "\\bottomrule", "\\end{tabular}}"]
    if notes:
        lines += ["", "\\smallskip", "\\begin{minipage}{\\linewidth}", "\\footnotesize"]
        lines += [*map(latex_escaped, notes), "\\end{minipage}"]
    lines += ["\\end{table}", *(f"% {' '.join(comment.split())}" for comment in comments)]
    return "\n".join(lines) + "\n"


def _label(text: str, lines: int) -> str:
    """Return a row's first cell: a long text on several lines, without room of its own beside as many of figures."""
    if len(text) <= _LONG:
        return latex_escaped(text)
    box = f"\\parbox[t]{{{_WIDTH}}}{{\\raggedright {latex_escaped(text)}}}"
    return f"\\smash{{{box}}}" if len(text) <= lines * _LONG else box


def _column(texts: Sequence[str]) -> str:
    """Return how LaTeX sets a column of these texts: long ones on several lines."""
    return "l" if max(map(len, texts), default=0) <= _LONG else f"p{{{_WIDTH}}}"


def _value(cell: GridCell) -> str:
    return _NONE if cell.value is None else f"${cell.value:.3f}$"


def _interval(cell: GridCell) -> str:
    known = cell.value is not None and cell.low is not None and cell.high is not None
    return _small(f"$[{cell.low:.3f}, {cell.high:.3f}]$") if known else ""


def _difference(cell: GridCell) -> str:
    return "" if cell.difference is None else _small(f"${cell.difference:+.3f}${latex_escaped(cell.mark)}")


def _small(text: str) -> str:
    return f"{{\\scriptsize {text}}}" if text else ""


def latex_tabular(
    caption: str, headings: Sequence[str], rows: Sequence[Sequence[str]], notes: Sequence[str] = ()
) -> str:
    """Return a table of cells, which are escaped; the first two columns are text, the others figures. Empty cells have
    a dash. The notes are below the table. NEEDED names the packages."""

    def line(cells: Sequence[str]) -> str:
        return " & ".join(latex_escaped(cell) or _NONE for cell in cells) + r" \\"

    texts = "".join(_column([row[place] for row in rows]) for place in (0, 1))
    body = [line(headings), "\\midrule", *map(line, rows)]
    return _table(caption, texts + "r" * (len(headings) - 2), body, notes)


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
    """Return a booktabs table with its notes below."""
    return latex_tabular(grid.caption, grid.headings, grid.lines(), grid.notes)
