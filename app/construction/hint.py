"""A remark about a question while it is edited. It never blocks."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Hint:
    """`code` is stable and names the check; `span` is the place (start, end) in the question without spaces around it,
    None for all of it."""

    code: str
    message: str
    span: tuple[int, int] | None = None
