"""Ways of asking a judge the same checklist: what a comparison of them sets beside each other."""

from enum import StrEnum


class AskingWay(StrEnum):
    """In the order in which they are asked and shown."""

    TOGETHER = "together"
    ALONE = "alone"
    REVERSED = "reversed"

    @property
    def words(self) -> str:
        """In the middle of a sentence or label."""
        match self:
            case AskingWay.TOGETHER:
                return "all questions in one call"
            case AskingWay.ALONE:
                return "one call for each question"
            case AskingWay.REVERSED:
                return "one call, last question first"
