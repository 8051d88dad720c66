"""Variants: what tells two runs of one method apart, in labels, signatures and choices of the newest run."""

from dataclasses import asdict

from app.domain.condition import StudyCondition
from app.domain.run import RunSummary, TextFilter
from app.evaluators.method import described
from app.evaluators.registry import METHODS
from app.services.scoring.evaluators import options_of
from app.services.scoring.run_writer import G_EVAL, LOGPROBS, PARTLY, REFUSED, samples_of


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
    """Return whose texts, which of them and what was drawn, as `name=value`, where a run scores a part of the texts.

    Example: ("without=human", "new", "sample=0.2", "seed=3").
    """
    chosen = (*run.systems.words, *TextFilter.of_run(run.params).words)
    if not run.drawn:
        return chosen
    draw = run.params.get("draw")
    drawn = f"draw={'x'.join(map(str, draw))}" if draw else f"sample={run.params['sample']:g}"
    return *chosen, drawn, f"seed={run.params.get('seed', 0)}"


def method_label(run: RunSummary) -> str:
    """Return the method with its variant, its draw, and what it was made for, where that isn't a score of all texts.

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
    """Return the judge as a signature names it: with the run's variant, service tier and draw where there are any, and
    the samples that G-Eval's scores rest on where they had to stand in."""
    tier = (f"tier={run.params['tier']}",) if run.params.get("tier") else ()
    found = run.params.get(LOGPROBS) if run.evaluator == G_EVAL else None
    how = {REFUSED: (f"{samples_of(run)} samples",), PARTLY: (f"partly {samples_of(run)} samples",)}
    return " ".join((run.judge, *variant_of(run), *tier, *draw_of(run), *how.get(str(found), ())))


def _written(value: object) -> str:
    return ("yes" if value else "no") if isinstance(value, bool) else str(value)
