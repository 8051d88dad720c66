"""CheckEval: a checklist that a model widens from seed questions, scored as the share of yes (Lee et al. 2024).

The share is put on the dimension's scale, as for the checklist, so that both compare. Answers are read by the checklist
judge: a question without an answer is neither yes nor no, and lowers the coverage.
"""

from dataclasses import dataclass, field

from app.domain.judgment import ABSTAINED, CANNOT_TELL, Evaluation, checklist_score
from app.domain.text import Text
from app.evaluators.check_eval_questions import Seeds, seeds_of, write_questions
from app.evaluators.checklist import PROMPT, judge
from app.evaluators.method import EvaluatorContext, Method, RequestCounts
from app.evaluators.options import shown
from app.evaluators.stages import SharedCalls


@dataclass(frozen=True, slots=True)
class CheckEvalOptions:
    """seeds: proposed by the model, written by a person, or the key questions of the published checklist."""

    seeds: Seeds = field(
        default="proposed",
        metadata=shown(
            "Seed questions",
            "Where the sub-aspects and their first questions come from, which the judge then widens, refines and "
            "filters.",
            {
                "proposed": "proposed by the judge",
                "checklist": "the published checklist's key questions",
                "own": "your own",
            },
        ),
    )


class CheckEval:
    """Raises NotReadyError where seeds are to come from a checklist that isn't there."""

    def __init__(self, setting: EvaluatorContext) -> None:
        options: CheckEvalOptions = setting.options
        self._setting = setting
        if options.seeds == "checklist":
            seeds_of(setting)
        self._questions = SharedCalls(lambda: write_questions(setting, options.seeds))

    async def score(self, text: Text) -> Evaluation:
        here, questions = self._setting, await self._questions.get()
        judged = await judge(here.model, here.task, here.dimension, questions, text)
        answers = [judgment.answer for judgment in judged.judgments]
        score = checklist_score(answers, here.dimension.low, here.dimension.high)
        # These questions are no part of a checklist, so their answers are kept by their wording.
        said = [CANNOT_TELL if judgment.cannot_tell else judgment.answer.value for judgment in judged.judgments]
        given = [{"question": q.text, "answer": word} for q, word in zip(questions, said, strict=True)]
        silent = not all(judgment.settled for judgment in judged.judgments)
        why = {ABSTAINED: CANNOT_TELL} if CANNOT_TELL in said and not silent else {}
        return Evaluation(score.value, score.coverage, details={"answers": given, **why})


def _calls(options: CheckEvalOptions, _: bool) -> RequestCounts:
    return RequestCounts(1, 4 if options.seeds == "proposed" else 3)


METHOD = Method(
    "check-eval",
    "CheckEval: a checklist widened from seed questions",
    CheckEval,
    options=CheckEvalOptions,
    prompt=lambda _: PROMPT,
    calls=_calls,
    checklist=lambda options: options.seeds == "checklist",
)
