"""Evaluator: what every way of scoring a text has in common."""

from typing import Protocol

from app.domain.judgment import Evaluation
from app.domain.text import Text


class Evaluator(Protocol):
    """Scores one text after another on one dimension. Raises ProviderError where a text can't be scored."""

    async def score(self, text: Text) -> Evaluation: ...
