"""Report of a bug for the log: where it happened and of what kind, never what the exception quotes."""

import traceback


def fault_report(error: BaseException) -> str:
    """Like a traceback, cause first, but without the messages: those of libraries quote keys, prompts and texts."""
    chain: list[BaseException] = []
    current: BaseException | None = error
    while current is not None and current not in chain:
        chain.append(current)
        current = current.__cause__ or (None if current.__suppress_context__ else current.__context__)
    parts = []
    for link in reversed(chain):
        stack = "".join(traceback.format_tb(link.__traceback__))
        parts.append(f"Traceback (most recent call last):\n{stack}{type(link).__module__}.{type(link).__qualname__}\n")
    return "\nwhich led to:\n\n".join(parts)
