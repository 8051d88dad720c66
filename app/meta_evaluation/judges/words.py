"""What follows from an estimate, an alternative annotator test and a panel, each in plain sentences."""

from app.meta_evaluation.agreement_verdict import decimals
from app.meta_evaluation.judges.estimate import FEW, CorrectedEstimate
from app.meta_evaluation.judges.figures import EstimatedFigure, Z
from app.meta_evaluation.judges.panel import TEXTS_NEEDED, AltTest, Panel

FEW_DOCUMENTS = 10
"""With answers below which Student's t widens the interval by more than a seventh."""
UNEVEN = 0.5
"""Share of people's answers that unequal drawing leaves, below which that is said."""
NOT_ESTABLISHED = (
    "This holds for texts like these and takes what people answered as the truth; it doesn't say that they are right."
)


def estimate_verdict(found: CorrectedEstimate) -> str:
    """Which figure to use, how far the judge alone is off, and what the judge was worth."""
    if found.advised == "human_only":
        return (
            f"Use people's answers alone: {_shown(found, found.human_only)}. The judge's answers don't make it more "
            f"precise; alone they say {_value(found, found.judge_only.value)}."
        )
    said = [f"Use the corrected figure: {_shown(found, found.corrected)}."]
    alone, bias = found.judge_only, found.bias
    if bias is not None and found.corrected.low is not None and found.corrected.high is not None:
        inside = alone.value is not None and found.corrected.low <= alone.value <= found.corrected.high
        off = f"{gap(bias, binary=found.binary)} too {'much' if bias > 0 else 'little'}"
        said.append(f"The judge alone says {_value(found, alone.value)}, {'inside that interval' if inside else off}.")
    if found.worth is not None and found.worth > found.n_human:
        said.append(f"With the judge {found.n_human:,} answers of people tell as much as {found.worth:,} without.")
    return " ".join(said)


def estimate_forecast(found: CorrectedEstimate) -> str:
    """What more answers of people would bring; "" where nothing can be narrowed."""
    if not found.forecast:
        return ""
    each = found.forecast[min(1, len(found.forecast) - 1)]
    alone = (
        f"; without the judge that takes {each.alone:,} answers in all"
        if each.alone > found.n_human + each.more
        else ""
    )
    return f"{each.more} more answers of people: about plus or minus {gap(each.reach, binary=found.binary)}{alone}."


def half_width(found: CorrectedEstimate) -> str:
    """How far the corrected figure may be off either way; "" without an interval."""
    return gap(found.corrected.width / 2, binary=found.binary) if found.corrected.width else ""


def answers_before_any(answers: int) -> str:
    """What so many answers tell at worst, where none are there yet to forecast from."""
    reach = 100 * Z * 0.5 / answers**0.5
    return (
        f"Nobody has answered yet. {answers} answers of people alone tell a question's share of yes to plus or minus "
        f"{reach:.0f} points at worst; with a judge that is often right it is less. From {FEW} answers on this says "
        "how much."
    )


def estimate_cautions(found: CorrectedEstimate) -> list[str]:
    """What weakens the figures, and what they never say."""
    said = []
    if found.shifted and found.weighted:
        said.append(
            "The judge finds the rows that people answered unlike the others, also after weighing them by their "
            "probabilities. Are these the probabilities of the draw, and did people answer all that was drawn? If not, "
            "this correction is off."
        )
    elif found.shifted and found.method == "ppi":
        said.append(
            "The judge finds the rows that people answered unlike the others. Were they chosen, or from other sources? "
            f"Then this correction is off: {'use rogan-gladen, or ' if found.may_take_rogan_gladen else ''}have people "
            "answer a random draw."
        )
    if not found.enough:
        said.append(f"Only {found.n_human} answers of people: the intervals are rough below {FEW}.")
    if found.weighted and found.even < UNEVEN * found.n_human:
        said.append(
            f"The rows were drawn so unevenly that {found.n_human} answers of people alone tell as much as "
            f"{found.even:.0f} to rows drawn alike."
        )
    if found.documents_answered is not None and found.documents_answered < FEW_DOCUMENTS:
        answered = f"People answered texts of {found.documents_answered} of {found.documents} documents"
        if found.documents is not None and found.documents > found.documents_answered:
            said.append(f"{answered}: spread the same work over more documents, and the interval gets narrower.")
        else:
            said.append(f"{answered}: the interval is rough with fewer than {FEW_DOCUMENTS}.")
    if not found.disagreements:
        said.append(
            f"Judge and people never differ on these {found.n_human} rows, so the interval doesn't know of errors. Up "
            f"to {min(300 / found.n_human, 100):.0f} % of the judge's answers may still be wrong."
        )
    if found.n_human == found.n:
        said.append("People answered every row, so the judge has nothing to add.")
    return [*said, NOT_ESTABLISHED]


def alt_test_verdict(found: AltTest) -> str:
    """Whether the judge may stand in for one of the people, and by what."""
    if found.winning_rate is None:
        return (
            f"Too few texts to say: nobody shares {TEXTS_NEEDED} texts with the judge and somebody else. Have people "
            "answer more of the same texts, of those here or of others."
        )
    wins = sum(annotator.rejected for annotator in found.annotators)
    against = f"{wins or 'none'} of {len(found.annotators)} people"
    ahead = f"given {decimals(found.epsilon)} ahead, since it costs less,"
    if found.passes:
        return f"The judge may stand in for one of these people: {ahead} it does as well as {against} or better."
    return f"The judge should not stand in for one of these people: even {ahead} it does as well as {against}."


def panel_verdict(found: Panel) -> str:
    """Which judges to keep, and why."""
    best, (value, low, high) = found.best, found.difference
    worth = ""
    if found.effective_votes is not None:
        worth = f"These {len(found.judges)} judges are worth {found.effective_votes:.1f} independent ones. "
    apart = f"{abs(value) * 100:.1f} points {'higher' if value > 0 else 'lower'}" if value else "equal"
    gap = f"{apart}, 95 % interval {low * 100:.1f} to {high * 100:.1f}"
    if low > 0:
        return f"{worth}Keep the panel: its majority is right more often than {best.judge}, the best judge ({gap})."
    if high < 0:
        return f"{worth}Keep {best.judge} alone: the majority is right less often ({gap})."
    calls = f"costs {len(found.judges)} times the calls"
    return f"{worth}Keep {best.judge} alone: the majority is not shown to be better ({gap}) and {calls}."


def gap(difference: float, *, binary: bool) -> str:
    """How far two figures lie apart: points of percent for shares."""
    return f"{abs(difference) * 100:.1f} points" if binary else f"{abs(difference):.2f}"


def _shown(found: CorrectedEstimate, figure: EstimatedFigure) -> str:
    value = _value(found, figure.value)
    if figure.low is None or figure.high is None:
        return f"{value} (no interval)"
    return f"{value} (95 % interval {_value(found, figure.low)} to {_value(found, figure.high)})"


def _value(found: CorrectedEstimate, value: float | None) -> str:
    if value is None:
        return "nothing"
    return f"{value:.1%}".replace("%", " %") if found.binary else f"{value:.2f}"
