"""What an attempt at a better wording would ask and cost, at most, before anything is asked."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

from app.construction.improving import MOST_WORDINGS, improve_request
from app.domain.people.actor import Right
from app.domain.questions.improvement import ProposedWording
from app.domain.text import Text
from app.evaluators.checklist import judge_request
from app.providers.base import Usage
from app.providers.known_prices import known_prices, today
from app.providers.model_options import ModelOptions
from app.providers.pricing import estimate_input_tokens
from app.services.improvement.improve import PreparedAttempt, prepared
from app.services.improvement.wording_trial import QuestionAlone
from app.services.runtime.judges import judge_named
from app.services.runtime.prompts import own_wordings
from app.services.runtime.reasoning import reasoning_of
from app.services.runtime.use_case import use_case
from app.services.runtime.workbench import Workbench
from app.services.scoring.forecast import TOKENS_PER_ANSWER, TOKENS_PER_REASON

TOKENS_OF_PROPOSALS = 600
GUIDANCE = ProposedWording("", "Some forty words say what counts as yes and what as no. " * 3)


@dataclass(frozen=True, slots=True)
class ImprovementForecast:
    """Texts of each half, and the most that would be asked: every proposal that may come, and the best one's proof.

    `proof` texts are asked only where `provable`. `cost_usd` is None where a price is unknown; what was asked before
    costs less.
    """

    development: int
    proof: int
    provable: bool
    calls: int
    input_tokens: int
    output_tokens_estimate: int
    cost_usd: float | None

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


@use_case(Right.FACILITATE)
def forecast_improvement(
    workbench: Workbench, question_id: int, model: str, run_id: int | None = None
) -> ImprovementForecast:
    """Raises what `improve` would raise before it asks."""
    with workbench.database.read() as work:
        attempt = prepared(work, question_id, run_id)
    writer, judge = judge_named(workbench, model), judge_named(workbench, attempt.run.judge)
    with own_wordings(workbench, attempt.project.id), workbench.database.read() as work:
        calls = _judge_calls(attempt)
        thought = reasoning_of(work, judge.name, ModelOptions.of_run(attempt.run.params).effort).per_call
        thought_by_writer = reasoning_of(work, writer.name, "").per_call
    asked = improve_request(
        attempt.project.task, attempt.dimension, attempt.decided.question, attempt.decided.mistaken, attempt.others
    )
    per_answer = TOKENS_PER_REASON if attempt.alone.options.reasons else TOKENS_PER_ANSWER
    judging = Usage(sum(calls), 0, len(calls) * (per_answer + thought)) if judge.is_llm else Usage()
    writing = (
        Usage(estimate_input_tokens(asked), 0, TOKENS_OF_PROPOSALS + thought_by_writer) if writer.is_llm else Usage()
    )
    prices, day = known_prices(), today()
    costs = prices.cost(judge.name, judging, day, calls=len(calls)), prices.cost(writer.name, writing, day)
    return ImprovementForecast(
        len(attempt.decided.development),
        len(attempt.decided.proof),
        attempt.provable,
        len(calls) + 1,
        judging.input_tokens + writing.input_tokens,
        judging.output_tokens + writing.output_tokens,
        None if None in costs else sum(cost or 0.0 for cost in costs),
    )


def _judge_calls(attempt: PreparedAttempt) -> list[int]:
    """The tokens of each request."""
    alone, development = attempt.alone, attempt.texts(attempt.decided.development)
    proof = attempt.texts(attempt.decided.proof) if attempt.provable else []
    question = alone.question
    longer = alone.worded(ProposedWording(question.text, question.guidance or GUIDANCE.guidance))
    new = _sizes(longer, development) * MOST_WORDINGS + _sizes(longer, proof)
    return _sizes(alone, alone.left(development)) + new + _sizes(alone, alone.left(proof))


def _sizes(alone: QuestionAlone, texts: Iterable[Text]) -> list[int]:
    template = alone.options.template([alone.question])
    requests = (
        judge_request(template, alone.task, alone.dimension, [alone.question], text, alone.options) for text in texts
    )
    return [estimate_input_tokens(request) for request in requests] * alone.options.repeats
