"""What a wording's trial on texts that nobody had seen says, in plain sentences that promise no more than it shows."""

from typing import Literal

from app.meta_evaluation.captions import counted_of
from app.meta_evaluation.judges.mcnemar import PairedDifference
from app.meta_evaluation.verdict import p_value_words

FEWEST_PROOF = 30
"""Decided answers of the proof part below which a gain, and its absence, say next to nothing."""
ProofStanding = Literal["proven better", "not proven", "worse", "too few"]


def proof_standing(found: PairedDifference | None) -> ProofStanding:
    """None: the proof part wasn't asked, having too few decided answers."""
    if found is None or found.n < FEWEST_PROOF:
        return "too few"
    if not found.told_apart:
        return "not proven"
    return "proven better" if found.gained > found.lost else "worse"


def proof_sentence(found: PairedDifference | None, decided: int = 0) -> str:
    """decided: the answers of the proof part that a trial could rest on, where there was none."""
    standing = proof_standing(found)
    if found is None or standing == "too few":
        return too_few_sentence(found.n if found else decided)
    moved = f"right on {found.both + found.lost} of {found.n} before and on {found.both + found.gained} after"
    chance = f"exact McNemar test, {p_value_words(found.p if found.p is not None else 1.0)}"
    if standing == "proven better":
        return f"Proven better on texts that no proposal had seen: {moved} ({chance})."
    if standing == "worse":
        return f"Worse on texts that no proposal had seen: {moved} ({chance})."
    said = f"Not proven on texts that no proposal had seen: {moved}, which chance alone may do ({chance})."
    return f"{said} {smallest_sentence(found)}"


def too_few_sentence(decided: int) -> str:
    """With how many answers nothing can be said, what that is, and how many more it takes."""
    more = FEWEST_PROOF - decided
    return (
        f"Too few to say: the proof part has {counted_of(decided, 'decided answer')} that no wording of this question "
        f"was tried or edited after, and it takes {FEWEST_PROOF}. Whether a wording helps on other texts, or only on "
        f"those it was made from, can't be said. {more} more are missing there. Which part a document "
        f"is in is up to chance and can't be chosen: of the texts you decide from now on, about half come there."
    )


def smallest_sentence(found: PairedDifference) -> str:
    """What so many texts can show at all."""
    if found.smallest is None:
        return f"With {found.lost} of {found.n} answers worse, no gain could be told from chance."
    least = round(found.smallest * found.n)
    return (
        f"The smallest gain that {found.n} texts can show is {100 * found.smallest:.0f} points: {least} more answers "
        f"right, with {found.lost} for the worse."
    )
