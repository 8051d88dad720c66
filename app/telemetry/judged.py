"""The conventions' evaluation event for each answer of a judge and for each score, once they are kept."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from app.domain.judgment import Answer, Judgment
from app.domain.run import Outcome, RunSummary
from app.telemetry.signals import SCOPE, signals

EVENT = "gen_ai.evaluation.result"
_VALUES = {Answer.YES: 1.0, Answer.NO: 0.0}


def report_outcomes(
    run: RunSummary, judge: tuple[str, str] | None, named: Callable[[], Mapping[int, str]], outcomes: Sequence[Outcome]
) -> None:
    """Nothing where no address is set. judge: provider and model as the requests' spans name them, None where there is
    none. named: gives each dimension's name, and is asked only then.

    Answers that count again from an earlier run were reported by it.
    """
    found = signals()
    if found is None:
        return
    names = named()
    for outcome in outcomes:
        about: dict[str, Any] = {
            f"{SCOPE}.run": run.id,
            f"{SCOPE}.text": outcome.planned.text,
            f"{SCOPE}.method": run.evaluator,
            **({"gen_ai.provider.name": judge[0], "gen_ai.request.model": judge[1]} if judge else {}),
        }
        for event in _events(outcome, names.get(outcome.planned.dimension, ""), found.texts):
            found.logger.emit(event_name=EVENT, attributes=about | event)


def _events(outcome: Outcome, dimension: str, texts: bool) -> Iterator[dict[str, Any]]:
    if outcome.evaluation is None:
        yield {"gen_ai.evaluation.name": dimension, "error.type": outcome.error_kind}
        return
    for judgment in outcome.evaluation.judgments:
        if judgment.origin is None:
            yield _answer(judgment, dimension, texts)
    if outcome.evaluation.value is not None:
        yield {"gen_ai.evaluation.name": dimension, "gen_ai.evaluation.score.value": outcome.evaluation.value}


def _answer(judgment: Judgment, dimension: str, texts: bool) -> dict[str, Any]:
    event: dict[str, Any] = {
        "gen_ai.evaluation.name": f"{dimension}: question",
        "gen_ai.evaluation.score.label": judgment.answer.value,
        f"{SCOPE}.question": judgment.question,
        f"{SCOPE}.repeat": judgment.repeat,
    }
    if judgment.answer in _VALUES:
        event["gen_ai.evaluation.score.value"] = _VALUES[judgment.answer]
    if texts and judgment.rationale:
        event["gen_ai.evaluation.explanation"] = judgment.rationale
    return event
