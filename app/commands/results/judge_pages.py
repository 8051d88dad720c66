"""How a figure's interval and a whole finding are printed."""

from collections.abc import Sequence


def interval_cell(low: float | None, high: float | None) -> str | None:
    return None if low is None or high is None else f"{low:.3f} to {high:.3f}"


def page(verdict: str, cells: str, remarks: Sequence[str], last: str) -> str:
    """What follows, the table it rests on, what weakens it, and how it was computed; without the parts that are ""."""
    said = "\n".join(f"- {remark}" for remark in remarks)
    return "\n\n".join(part for part in (verdict, cells, said, last) if part)
