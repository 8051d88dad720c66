"""Cells of CSV files that a spreadsheet would run as formulas, or show in another order: marked where we write them,
restored where we read."""

import re

from app.domain.name import read_directions, shown_directions

# A cell that starts like this is a formula to a spreadsheet, also in the wide forms of East Asian keyboards; a signed
# number is only a number. Apostrophes before it were there already: one more keeps the mark apart from them.
_FORMULA = re.compile(r"'*(?:[=@＝＠＋－\t\r\n]|[-+](?!\d+([.,]\d+)?$))")


def harmless(value: object) -> object:
    """Text that a spreadsheet would run as a formula is marked as text; marks that turn its direction are shown."""
    if not isinstance(value, str):
        return value
    shown = shown_directions(value)
    return f"'{shown}" if _FORMULA.match(shown) else shown


def restored(cell: str) -> str:
    """A cell as it was before `harmless` marked it."""
    return read_directions(cell[1:] if cell.startswith("'") and _FORMULA.match(cell[1:]) else cell)
