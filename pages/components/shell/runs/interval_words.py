"""A figure with its interval, the same on every screen."""


def interval(value: float | None, low: float | None = None, high: float | None = None) -> str:
    if value is None:
        return "none"
    if low is None or high is None:
        return f"{value:.3f}"
    return f"{value:.3f} [{low:.3f}, {high:.3f}]"
