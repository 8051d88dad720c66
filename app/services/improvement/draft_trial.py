"""A draft's changed questions tried on texts of a run."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean

from app.domain.checklist_score import Judgment
from app.domain.project import Text
from app.domain.roles_and_rights import Right
from app.domain.run import RunSummary, ScoredText
from app.errors import InputError, NotReadyError, ProviderError
from app.evaluators.checklist import METHOD, ChecklistEvaluator, JudgeOptions
from app.evaluators.method import gather_all
from app.providers.model_options import ModelOptions
from app.services.checklists.checklists import ChecklistView
from app.services.results.results import cached_result
from app.services.runtime.models import model_session
from app.services.runtime.prompts import own_wordings
from app.services.runtime.workbench import Workbench, use_case
from app.services.scoring.evaluators import options_of
from app.services.scoring.reuse import earlier_answers, reuse_params
from db.unit_of_work import UnitOfWork

NEARLY = 1e-9
Earlier = Mapping[int, Sequence[Judgment]]


@dataclass(frozen=True, slots=True)
class TriedText:
    """One text, rated `human` on average by people: its score in the run and from the draft; None if the judge gave
    none."""

    row: ScoredText
    human: float
    before: float
    after: float | None

    @property
    def nearer(self) -> float:
        """Return by how much the draft's score is nearer to people's; below 0 it is further away."""
        return 0.0 if self.after is None else abs(self.before - self.human) - abs(self.after - self.human)


@dataclass(frozen=True, slots=True)
class DraftTrial:
    """A trial of a draft; `texts` in the order asked for. `failed` counts texts without a score, `why` is the first
    reason."""

    judge: str
    texts: tuple[TriedText, ...]
    failed: int = 0
    why: str = ""

    @property
    def scored(self) -> list[TriedText]:
        return [text for text in self.texts if text.after is not None]

    @property
    def distance(self) -> tuple[float, float] | None:
        """Return the mean distance from people before and after, over the same texts; None if no text has a score."""
        scored = self.scored
        if not scored:
            return None
        after = [abs(text.after - text.human) for text in scored if text.after is not None]
        return fmean(abs(text.before - text.human) for text in scored), fmean(after)

    @property
    def moved(self) -> tuple[int, int, int]:
        """Return how many scores came nearer to people, moved away, and stayed."""
        nearer = sum(text.nearer > NEARLY for text in self.scored)
        further = sum(text.nearer < -NEARLY for text in self.scored)
        return nearer, further, len(self.scored) - nearer - further


@use_case(Right.READ)
def try_draft(workbench: Workbench, view: ChecklistView, run_id: int, texts: Sequence[int]) -> DraftTrial:
    """Ask the questions of `view` about texts that the run scored before.

    Raises NotReadyError if no question is asked or no text fits, InputError for a run without a checklist, and errors
    of the model if no text could be scored.
    """
    if not view.checklist.asked:
        raise NotReadyError("This checklist asks nothing.", "Switch a question on, or add one.")
    result = cached_result(workbench, run_id, view.dimension.id)
    if result is None or result.run.evaluator != METHOD.name:
        raise InputError("That run asked no checklist on this dimension.", "Choose a checklist's run on Results.")
    rows = {row.text: row for row in result.compared}
    wanted = [rows[text] for text in texts if text in rows]
    if not wanted:
        raise NotReadyError("None of these texts has both a score and a rating.", "Choose others on Results.")
    with workbench.database.read() as work:
        found = [work.texts.get(row.text) for row in wanted]
        earlier = counting_again(work, view, result.run, [row.text for row in wanted])
    with own_wordings(workbench, view.project.id):
        scores = asyncio.run(_asked(workbench, view, result.run, found, earlier))
    errors = [error for _, error in scores if error is not None]
    if errors and len(errors) == len(scores):
        raise errors[0]
    tried = [
        TriedText(row, row.human, row.score, score)
        for row, (score, _) in zip(wanted, scores, strict=True)
        if row.human is not None and row.score is not None
    ]
    failed = sum(text.after is None for text in tried)
    return DraftTrial(result.run.judge, tuple(tried), failed, str(errors[0]) if errors else "")


def asking_of_run(run: RunSummary) -> JudgeOptions:
    """Return the judge options of a run."""
    chosen = options_of(METHOD, run.params)
    assert isinstance(chosen, JudgeOptions)  # the checklist's own
    return chosen


def counting_again(work: UnitOfWork, view: ChecklistView, run: RunSummary, texts: Sequence[int]) -> Earlier:
    """Return the answers to unchanged questions that a run of the draft would reuse."""
    part = next(part for part in work.runs.parts(run.id) if part.dimension == view.dimension.id)
    planned = replace(part, checklist=view.checklist.id, texts=tuple(texts))
    options, effort = asking_of_run(run), ModelOptions.of_run(run.params).effort
    params = reuse_params(work, view.project.id, [planned], run.judge, options, effort=effort)
    return earlier_answers(work, params, planned, options.repeats)


async def _asked(
    workbench: Workbench, view: ChecklistView, run: RunSummary, texts: Sequence[Text], earlier: Earlier
) -> list[tuple[float | None, ProviderError | None]]:
    """Return each text's score, or why the judge gave none."""
    options, asked = asking_of_run(run), ModelOptions.of_run(run.params)
    async with model_session(workbench, run.judge, project=view.project.id, options=asked) as model:
        evaluator = ChecklistEvaluator(model, view.project.task, view.dimension, view.checklist, options, earlier)

        async def score(text: Text) -> tuple[float | None, ProviderError | None]:
            try:
                return (await evaluator.score(text)).value, None
            except ProviderError as error:
                return None, error

        return await gather_all(score(text) for text in texts)
