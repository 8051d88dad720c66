"""Sums of money in words, the same on every screen."""


def dollars(amount: float | None, markdown: bool = True) -> str:
    """US dollars; what is unknown says so and is never 0. In Markdown a bare dollar sign would begin a formula."""
    if amount is None:
        return "unknown"
    sign = "\\$" if markdown else "$"
    return f"under {sign}0.01" if 0 < amount < 0.01 else f"{sign}{amount:,.2f}"


def paid(cost: float | None, at_least: float, markdown: bool = True) -> str:
    """What was paid, of which perhaps only a part is known."""
    if cost is None and at_least:
        return f"at least {dollars(at_least, markdown)}"
    return dollars(cost, markdown)


def about(amount: float) -> str:
    """An estimate, in Markdown."""
    return dollars(amount) if 0 <= amount < 0.01 else f"about {dollars(amount)}"
