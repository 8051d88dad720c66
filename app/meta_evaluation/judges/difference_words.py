"""What follows from the difference of two means, in plain sentences."""

from app.meta_evaluation.judges.difference import EstimatedDifference
from app.meta_evaluation.judges.estimate import FEW
from app.meta_evaluation.judges.figures import EstimatedFigure
from app.meta_evaluation.judges.words import FEW_DOCUMENTS, NOT_ESTABLISHED, gap

BY = {
    "judge_only": "the judge alone",
    "human_only": "people's answers alone (the judge makes them no more precise)",
    "corrected": "the corrected figures",
}


def difference_verdict(found: EstimatedDifference) -> str:
    """Which side is higher and by how much, whether that may be chance, and how far the judge alone is off."""
    read = found.to_read
    if read.value is None:
        return f"Nothing can be said about the difference between {found.a} and {found.b}."
    first, second, sign = (found.a, found.b, 1) if read.value >= 0 else (found.b, found.a, -1)
    apart = f"{gap(read.value, binary=found.binary)} higher than {second}" if read.value else f"level with {second}"
    by = BY[found.advised]
    if read.low is None or read.high is None:
        said = f"By {by} {first} is {apart}; too few documents have answers for an interval."
    elif read.low <= 0 <= read.high:
        said = f"Which is higher can't be told: by {by} {first} is {apart}, but {_ends(read, sign, found)} includes 0."
    else:
        said = f"{first} is {apart} by {by}: {_ends(read, sign, found)} leaves out 0."
    return f"{said} {_judge_off(found, first, second, sign)}"


def difference_cautions(found: EstimatedDifference) -> list[str]:
    """What weakens the figures, and what they never say."""
    said = []
    if not found.paired:
        said.append("Each side is estimated by itself: too few rows or answers stand on both, or not drawn as one.")
    elif any(found.left_out):
        left_a, left_b = found.left_out
        said.append(
            f"Only the {found.n:,} pairs count: {left_a:,} of {found.a} and {left_b:,} of {found.b} have no partner."
        )
    if found.shifted:
        said.append(
            "The judge finds what people answered unlike the rest. Unless that was drawn at random, the correction is "
            "off."
        )
    if found.corrected and not found.enough:
        said.append(f"Only {found.n_human} answers of people on both sides: intervals are rough below {FEW}.")
    if found.documents_answered is not None and found.documents_answered < FEW_DOCUMENTS and found.corrected:
        said.append(f"People answered texts of {found.documents_answered} documents: more would narrow the interval.")
    return [*said, NOT_ESTABLISHED] if found.corrected else said


def _judge_off(found: EstimatedDifference, first: str, second: str, sign: int) -> str:
    bias, alone = found.bias, found.judge_only.value
    if found.corrected is None:
        many = "1 answer" if found.n_human == 1 else f"{found.n_human or 'no'} answers"
        return f"How far the judge is off nobody can say: people gave {many} to both sides; two are the least."
    if bias is None or alone is None:
        return ""
    ahead = first if sign * alone >= 0 else second
    says = f"The judge alone puts {ahead} {gap(alone, binary=found.binary)} ahead"
    low, high = found.corrected.low, found.corrected.high
    if low is not None and high is not None and low <= alone <= high:
        return f"{says}, inside the corrected interval."
    return f"{says}, {gap(bias, binary=found.binary)} too much in favour of {found.a if bias > 0 else found.b}."


def _ends(read: EstimatedFigure, sign: int, found: EstimatedDifference) -> str:
    assert read.low is not None
    assert read.high is not None
    low, high = sorted((sign * read.low, sign * read.high))
    many = 100 if found.binary else 1
    digits = 1 if found.binary else 2
    return f"the 95 % interval, {low * many:.{digits}f} to {high * many:.{digits}f},"
