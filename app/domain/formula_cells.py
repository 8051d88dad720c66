"""Cells of CSV files that a spreadsheet would run as formulas: marked where we write them, restored where we read."""

import re

# A cell that starts like this is a formula to a spreadsheet, also in the wide forms of East Asian keyboards; a signed
# number is only a number. Apostrophes before it were there already: one more keeps the mark apart from them.
_FORMULA = re.compile(r"'*(?:[=@＝＠＋－\t\r\n]|[-+](?!\d+([.,]\d+)?$))")


def harmless(value: object) -> object:
    """Text that a spreadsheet would run as a formula is marked as text."""
    return f"'{value}" if isinstance(value, str) and _FORMULA.match(value) else value


def restored(cell: str) -> str:
    """A cell as it was before `harmless` marked it."""
    return cell[1:] if cell.startswith("'") and _FORMULA.match(cell[1:]) else cell
