"""Comments of people on a question: for other people, never for a judge."""

from dataclasses import dataclass
from datetime import datetime

LONGEST_COMMENT = 5_000
"""Characters."""


@dataclass(frozen=True, slots=True)
class QuestionComment:
    """`question` is the one it was made on, perhaps in an earlier version. `who` is "" for somebody without a name.

    `settled_by` and `settled_at` say who resolved it last or took it up again; `settled_at` is None where nobody did.
    """

    id: int
    question: int
    version: int
    who: str
    text: str
    at: datetime
    resolved: bool = False
    settled_by: str = ""
    settled_at: datetime | None = None
