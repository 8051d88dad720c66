"""Warnings about a judge whose answers don't depend on the text, after its first texts and beside results."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass

from app.domain.judgment import Answer
from app.domain.people import Right
from app.domain.run import WARN_AFTER, RunDimension, RunSummary
from app.services.runtime.use_case import use_case
from app.services.runtime.workbench import Workbench
from db.unit_of_work import UnitOfWork

FEWEST_QUESTIONS = 3
"""With fewer, ten texts that deserve the same answers are nothing unusual."""
SAME_ANSWERS = "same_answers"
_WORDS = {Answer.YES: "yes", Answer.NO: "no", Answer.NOT_APPLICABLE: "does not apply"}


@dataclass(frozen=True, slots=True)
class AnswerWarning:
    """kind: SAME_ANSWERS. dimension: its name. message: a sentence for people."""

    kind: str
    dimension: str
    message: str

    def to_json(self) -> dict[str, str]:
        return asdict(self)


@use_case(Right.READ)
def answer_warnings(workbench: Workbench, run_id: int, after: int = WARN_AFTER) -> list[AnswerWarning]:
    """Return what is wrong with the answers of a run so far, at most one warning a dimension.

    after: texts that a dimension needs before anything is said of it.
    """
    with workbench.database.read() as work:
        run = work.runs.get(run_id)
        found = [warning_of(work, run, part, after) for part in work.runs.parts(run_id)]
    return [warning for warning in found if warning is not None]


def warning_of(work: UnitOfWork, run: RunSummary, part: RunDimension, after: int = WARN_AFTER) -> AnswerWarning | None:
    """Return the warning of one dimension of a run; None for most, and for methods without questions."""
    repeats = max(1, int(run.params.get("repeats", 1)))
    pattern = same_answers(work.every_result.answer_counts(run.id, part.dimension), after * repeats)
    if pattern is None:
        return None
    given = " and ".join(f"{_WORDS[answer]} to {count}" for answer, count in pattern.items())
    message = (
        f"{run.judge} gives every text the same answers on {part.name}: {given} questions, whatever the text says."
    )
    return AnswerWarning(SAME_ANSWERS, part.name, message)


def same_answers(counts: Mapping[int, Mapping[Answer, int]], fewest: int) -> dict[Answer, int] | None:
    """Return how many questions have which answer, where each has one answer for all texts; else None.

    counts: question -> answer -> how often. Unanswered ones tell nothing and are left out. fewest: answers that every
    question needs.
    """
    given = [{answer: n for answer, n in one.items() if answer in _WORDS} for one in counts.values()]
    if len(given) < FEWEST_QUESTIONS or any(len(one) != 1 or min(one.values()) < fewest for one in given):
        return None
    return dict(Counter(answer for one in given for answer in one).most_common())
