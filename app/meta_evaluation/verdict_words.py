"""Words of a verdict: figures as they stand in a sentence, and what it rests on."""

from app.meta_evaluation.captions import counted_of
from app.meta_evaluation.evaluation import MetaEvaluation
from app.meta_evaluation.raters.human_ceiling import Ceiling


def decimals(value: float) -> str:
    """As papers print it: .05, -.02, 1.00. What would round to .00 keeps the digit that shows its side of 0."""
    for digits in (2, 3):
        said = f"{abs(value):.{digits}f}"
        if float(said) or value == 0:
            return f"{'-' if value < 0 else ''}{said.removeprefix('0')}"
    return "just below 0" if value < 0 else "just above 0"


def with_interval(value: float, low: float, high: float) -> str:
    return f"({decimals(value)}, between {decimals(low)} and {decimals(high)})"


def two_digits(count: int) -> int:
    """An estimate is not surer than that."""
    unit: int = 10 ** max(len(str(count)) - 2, 0)
    return -(-count // unit) * unit


def grounds(meta: MetaEvaluation, raters: int) -> str:
    """For example "Spearman inside 96 of 100 sources, averaged; 1,536 texts; 3 raters."."""
    basis = meta.basis
    match meta.design.level:
        case "per-source":
            only = "only " if 2 * basis.groups_used < basis.groups_all else ""
            how = f"Spearman inside {only}{basis.groups_used:,} of {counted_of(basis.groups_all, 'source')}, averaged"
        case "system":
            how = f"Spearman over the means of {counted_of(basis.systems_used, 'system')}: nothing about single texts"
        case _:
            how = "Spearman over all texts together"
    parts = [how, counted_of(basis.n_used or basis.n, "text")]
    if raters:
        parts.append(counted_of(raters, "rater"))
    return f"{'; '.join(parts)}."


def ceiling_grounds(ceiling: Ceiling | None) -> str:
    """What the figure of one rater rests on; "" where there is none."""
    if ceiling is None or ceiling.value is None:
        return ""
    compared = sum(value is not None for value in ceiling.by_rater)
    return (
        f"What one rater reaches, {decimals(ceiling.value)}: the mean over {compared} raters, each compared with the "
        f"mean of the others, on {counted_of(ceiling.n, 'text')}."
    )
