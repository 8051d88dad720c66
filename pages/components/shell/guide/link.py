"""Links into the guide."""

GUIDE = "/guide/"


def guide_link(paragraph: str, label: str = "More in the guide") -> str:
    """Markdown of a link, which opens in a tab of its own. paragraph: its page and anchor in the built guide."""
    return f"[{label}]({GUIDE}{paragraph})"
