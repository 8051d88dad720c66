"""Verdict of a comparison, in one sentence that promises no more than the numbers do."""

from app.meta_evaluation.comparison import TestedDifference


def verdict(tested: TestedDifference, other: str, baseline: str, comparisons: int) -> str:
    """`tested` is other less baseline, one of so many comparisons that were corrected together."""
    figure = tested.figure
    if figure.difference is None:
        return f"Can't be compared: {figure.reason}"
    if figure.low is None or figure.high is None:
        return f"Not told apart: there is no interval. {figure.reason}".strip()
    better, worse = (other, baseline) if figure.difference > 0 else (baseline, other)
    if figure.low <= 0 <= figure.high:
        return "Not told apart: the interval of the difference includes 0."
    p = tested.p_holm if tested.p_holm is not None else tested.permutation.p
    among = f" among {comparisons} comparisons" if comparisons > 1 else ""
    if p is None:
        alone = f"{better} agrees better than {worse} by the interval alone"
        return f"{alone}; no permutation test: {tested.permutation.reason}"
    if not tested.told_apart:
        often = f"chance does as much too often{among} ({p_value_words(p)})"
        return f"Leans to {better} over {worse}: the interval leaves out 0, but {often}."
    clear = f"{better} agrees better with people than {worse}"
    return f"{clear}: the interval leaves out 0, and chance hardly does as much ({p_value_words(p)})."


def p_value_words(p: float) -> str:
    """A p-value as papers print it."""
    return "p < .001" if p < 0.001 else f"p = {p:.3f}".replace("0.", ".", 1)
