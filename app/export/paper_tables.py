"""A paper's table made again, as a grid: below each row's published figures ours with intervals, and differences."""

from collections.abc import Sequence
from dataclasses import dataclass

from app.export.latex import interval_shown, latex_tabular

PUBLISHED, OURS, DIFFERENCE = "published", "ours", "difference"


@dataclass(frozen=True, slots=True)
class GridFigure:
    """A published figure and ours; None where there is none. mark: † or ‡ behind ours."""

    published: float | None = None
    ours: float | None = None
    low: float | None = None
    high: float | None = None
    mark: str = ""

    @property
    def lines(self) -> tuple[str, str, str]:
        """What stands under published, ours and difference; "" for what there isn't."""
        known = None not in (self.published, self.ours)
        return (
            "" if self.published is None else f"{self.published:.3f}",
            interval_shown(self.ours, self.low, self.high) + self.mark,
            f"{(self.ours or 0) - (self.published or 0):+.3f}" if known else "",
        )


@dataclass(frozen=True, slots=True)
class PaperGrid:
    """`rows`: each row's label and its figures, one a column."""

    caption: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[GridFigure, ...]], ...]
    notes: tuple[str, ...] = ()

    @property
    def headings(self) -> tuple[str, ...]:
        return ("", "", *self.columns)

    def lines(self, columns: Sequence[int] = ()) -> list[list[str]]:
        """Up to three lines a row, without those that are empty. columns: the places of some only."""
        found = []
        for label, figures in self.rows:
            shown = [figures[place].lines for place in columns] if columns else [figure.lines for figure in figures]
            three = zip((PUBLISHED, OURS, DIFFERENCE), zip(*shown, strict=True), strict=True)
            kept = [[what, *cells] for what, cells in three if any(cells)] or [["", *("" for _ in shown)]]
            found += [[label if number == 0 else "", *line] for number, line in enumerate(kept)]
        return found


def markdown(grid: PaperGrid) -> str:
    """A Markdown table with its caption above and its notes below."""

    def line(cells: Sequence[str]) -> str:
        return f"| {' | '.join(_escaped(cell) for cell in cells)} |"

    rule = f"| --- | --- |{' ---: |' * len(grid.columns)}"
    notes = [f"- {_escaped(note)}" for note in grid.notes]
    parts = [_escaped(grid.caption), "", line(grid.headings), rule, *map(line, grid.lines())]
    return "\n".join([*parts, *(["", *notes] if notes else [])]) + "\n"


def _escaped(text: str) -> str:
    """On one line, so that no name of a model or file makes a heading, a link or a cell."""
    plain = " ".join(text.split())
    return "".join(f"\\{character}" if character in "\\`*_[]<>|#" else character for character in plain)


def latex(grid: PaperGrid) -> str:
    """A booktabs table; the notes stand in its caption."""
    return latex_tabular(" ".join([grid.caption, *grid.notes]), grid.headings, grid.lines())
