"""What a run has to ask for its open texts, found out without asking anybody."""

from app.domain.run import RunSummary
from app.evaluators.method import JudgeLogprobs
from app.providers.batches.batch import BatchedModel
from app.services.runtime.batch_rounds import Collect, gather_settled
from app.services.runtime.workbench import Workbench
from app.services.scoring.evaluator_stages import DatabaseStages
from app.services.scoring.evaluators import evaluators_of
from app.services.scoring.text_shelf import TextShelf

COLLECTED = 200  # texts whose requests are collected at a time


def collecting(workbench: Workbench, run: RunSummary, stages: DatabaseStages, known: JudgeLogprobs) -> Collect:
    """Scores every open text with the model it is given, which notes what it would be asked."""

    async def collect(awaiting: BatchedModel) -> None:
        with workbench.database.read() as work:
            evaluators = evaluators_of(work, run, awaiting, stages, known)
            planned = work.runs.open_scores(run.id)
        texts = TextShelf(workbench.database)
        texts.expect(score.text for score in planned)
        for start in range(0, len(planned), COLLECTED):
            some = planned[start : start + COLLECTED]
            await gather_settled(evaluators[each.dimension].score(texts[each.text]) for each in some)

    return collect
