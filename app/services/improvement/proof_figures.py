"""A proof's figures in a sentence, and what to say before there are enough texts for one."""

from app.meta_evaluation.judges.mcnemar import PairedDifference
from app.meta_evaluation.judges.proof_words import FEWEST_PROOF, smallest_sentence, too_few_sentence
from app.meta_evaluation.verdict import p_value_words

__all__ = ["FEWEST_PROOF", "figures_sentence", "too_few_sentence"]


def figures_sentence(found: PairedDifference) -> str:
    """The difference with its interval, the test, and what so many texts can show."""
    if found.difference is None or found.low is None or found.high is None or found.p is None:
        return "No text of the proof half got a reply under both wordings."
    return (
        f"{100 * found.difference:+.0f} points right, 95 % interval {100 * found.low:+.0f} to {100 * found.high:+.0f} "
        f"(Tango); {found.gained} became right, {found.lost} wrong (exact McNemar, {p_value_words(found.p)}). "
        f"{smallest_sentence(found)}"
    )
