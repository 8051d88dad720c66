"""Log-probabilities of a run's judge, as stored with the run and as a person is told."""

from collections.abc import Mapping
from typing import Any

from app.domain.run import RunSummary
from app.evaluators.method import JudgeLogprobs

LOGPROBS = "logprobs"  # among a run's params
REFUSED = "refused"
PARTLY = "partly"  # for some texts they didn't tell how likely each score is

G_EVAL = "g-eval"


def logprobs_known(run: RunSummary) -> JudgeLogprobs:
    """For a session of the run: what earlier ones learned holds."""
    return JudgeLogprobs(False if run.params.get(LOGPROBS) == REFUSED else None)


def logprobs_param(known: JudgeLogprobs) -> str:
    """What is to be stored; "" for nothing."""
    if known.given is False:
        return REFUSED
    return PARTLY if known.untold else ""


def gives_probabilities(params: Mapping[str, Any]) -> bool:
    """Whether the judge wasn't found to refuse them."""
    return params.get(LOGPROBS) != REFUSED


def judge_in_signature(run: RunSummary) -> str:
    """The judge as a signature names it: with its reasoning effort and service tier where one was chosen, and the
    samples that G-Eval's scores rest on where they had to stand in."""
    effort = run.params.get("effort")
    judge = f"{run.judge} effort {effort}" if effort else run.judge
    judge += f" tier {run.params['tier']}" if run.params.get("tier") else ""
    found = run.params.get(LOGPROBS) if run.evaluator == G_EVAL else None
    how = {REFUSED: f" {_samples(run)} samples", PARTLY: f" partly {_samples(run)} samples"}
    return judge + how.get(str(found), "")


def logprobs_remark(run: RunSummary) -> str:
    """What became of the wish for log-probabilities, in a sentence; "" where there is nothing to say."""
    found = run.params.get(LOGPROBS)
    samples = f"{_samples(run)} samples at temperature 1"
    if run.evaluator == G_EVAL and found == REFUSED:
        return f"{run.judge} gives no log-probabilities, so each text is scored from {samples}."
    if run.evaluator == G_EVAL and found == PARTLY:
        return f"Where the log-probabilities didn't tell how likely each score is, texts are scored from {samples}."
    if found == REFUSED:
        return f"{run.judge} gives no log-probabilities, so its answers have no probability of yes."
    return ""


def _samples(run: RunSummary) -> int:
    return int(run.params.get("samples", 20))
