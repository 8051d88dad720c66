"""Sums of money in words, the same on every screen."""


def dollars(amount: float | None, markdown: bool = True) -> str:
    """US dollars; what is unknown says so and is never 0. In Markdown a bare dollar sign would begin a formula."""
    if amount is None:
        return "unknown"
    sign = "\\$" if markdown else "$"
    return f"under {sign}0.01" if 0 < amount < 0.01 else f"{sign}{amount:,.2f}"


def about(amount: float) -> str:
    """An estimate, in Markdown."""
    return dollars(amount) if 0 <= amount < 0.01 else f"about {dollars(amount)}"
