"""Labels of runs: method, judge and the options in which runs differ."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from app.domain.condition import StudyCondition
from app.domain.run import RunSummary
from app.domain.text_filter import TextFilter
from app.evaluators.method import JudgeLogprobs, described
from app.evaluators.registry import METHODS
from app.services.scoring.evaluators import options_of

LOGPROBS = "logprobs"  # among a run's params
REFUSED = "refused"
PARTLY = "partly"  # for some texts they didn't tell how likely each score is

G_EVAL = "g-eval"


def logprobs_known(run: RunSummary) -> JudgeLogprobs:
    """Return what earlier sessions of the run learned about the judge's log-probabilities."""
    return JudgeLogprobs(False if run.params.get(LOGPROBS) == REFUSED else None)


def logprobs_param(known: JudgeLogprobs) -> str:
    """Return the value to store; "" for nothing."""
    if known.given is False:
        return REFUSED
    return PARTLY if known.untold else ""


def gives_probabilities(params: Mapping[str, Any]) -> bool:
    """Return whether the judge isn't known to refuse log-probabilities."""
    return params.get(LOGPROBS) != REFUSED


def logprobs_remark(run: RunSummary) -> str:
    """Return a sentence if log-probabilities were refused or missing; "" otherwise."""
    found = run.params.get(LOGPROBS)
    samples = f"{samples_of(run)} samples at temperature 1"
    if run.evaluator == G_EVAL and found == REFUSED:
        return f"{run.judge} gives no log-probabilities, so each text is scored from {samples}."
    if run.evaluator == G_EVAL and found == PARTLY:
        return f"Where the log-probabilities didn't tell how likely each score is, texts are scored from {samples}."
    if found == REFUSED:
        return f"{run.judge} gives no log-probabilities, so its answers have no probability of yes."
    return ""


def samples_of(run: RunSummary) -> int:
    """Return how many samples stand in for a G-Eval judge's probabilities."""
    return int(run.params.get("samples", 20))


def variant_of(run: RunSummary) -> tuple[str, ...]:
    """Return the options that differ from the method's defaults, as `name=value`: ("aspects=20", "variant=average").

    The judge's reasoning effort counts as one. Empty for a run with the defaults, and for imported scores.
    """
    effort = run.params.get("effort")
    changed = [f"effort={effort}"] if effort else []
    if run.evaluator not in METHODS:
        return tuple(changed)
    method = METHODS[run.evaluator]
    chosen = asdict(options_of(method, run.params))
    usual = {option.name: option.default for option in described(method.options)}
    changed += [f"{name}={_written(value)}" for name, value in chosen.items() if value != usual[name]]
    return tuple(changed)


def variant_words(run: RunSummary) -> str:
    """Return the variant as tables and documents have it: "aspects=20, variant=average", or ""."""
    return ", ".join(variant_of(run))


def draw_of(run: RunSummary) -> tuple[str, ...]:
    """Return systems, filter and draw as `name=value`, if a run scores a part of the texts.

    Example: ("without=human", "new", "sample=0.2", "seed=3").
    """
    chosen = (*run.systems.words, *TextFilter.of_run(run.params).words)
    if not run.drawn:
        return chosen
    draw = run.params.get("draw")
    drawn = f"draw={'x'.join(map(str, draw))}" if draw else f"sample={run.params['sample']:g}"
    return *chosen, drawn, f"seed={run.params.get('seed', 0)}"


def method_label(run: RunSummary) -> str:
    """Return the method with its variant, its draw, and its purpose if it isn't a score of all texts.

    Examples: `coascore, aspects=20`; `checklist, trial on 40 texts, sample=0.2, seed=1`.
    """
    if run.asking_way:
        return f"{run.evaluator}, compared: {run.asking_way.words}"
    parts = [run.evaluator, *variant_of(run)]
    if run.anchors:
        return ", ".join([*parts, "anchors"])
    if run.study:
        trial = [f"trial {run.trial}"] if run.trial else []
        return ", ".join([*parts, f"condition: {StudyCondition.parse(run.study).words}", *trial])
    if run.drawn:
        parts.append(f"trial on {run.texts:,} text{'' if run.texts == 1 else 's'}")
    return ", ".join([*parts, *draw_of(run)])


def judge_in_signature(run: RunSummary) -> str:
    """Return the judge for a signature: with the run's variant, service tier and draw, and the number of samples if
    these replace G-Eval's probabilities."""
    tier = (f"tier={run.params['tier']}",) if run.params.get("tier") else ()
    found = run.params.get(LOGPROBS) if run.evaluator == G_EVAL else None
    how = {REFUSED: (f"{samples_of(run)} samples",), PARTLY: (f"partly {samples_of(run)} samples",)}
    return " ".join((run.judge, *variant_of(run), *tier, *draw_of(run), *how.get(str(found), ())))


def _written(value: object) -> str:
    return ("yes" if value else "no") if isinstance(value, bool) else str(value)
