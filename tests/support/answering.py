"""Experts' answers by the hundred, kept as the screen keeps them: in one transaction."""

from collections.abc import Mapping

from app.domain.checklist_score import Answer
from app.domain.expert_answer import AnswerDraw, SheetEntry
from app.services.checklists.expert_answers import save_entries
from app.services.runtime.workbench import Workbench


def answer_all(workbench: Workbench, draw: AnswerDraw, expert: str, given: Mapping[tuple[int, int], Answer]) -> None:
    """given: (text, question) -> answer."""
    entries = [SheetEntry(n, text, question, said) for n, ((text, question), said) in enumerate(given.items(), 1)]
    assert save_entries(workbench, draw, expert, entries) == 0
