"""The distribution over scores at the place of a reply where the score is given (G-Eval, section 2.3), from the
probabilities of its tokens."""

import math
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from app.errors import UnreadableScoreError
from app.evaluators.score_reading import NUMBER_WORDS, FoundScore, find_score, usual_signs
from app.providers.base import TokenLogprob

UNKNOWN = 0.01  # the share of the probability that may lie on beginnings of unknown scores; it is left out


_JOINED = 3


_MARKUP_BEFORE = " \t\r\n*_`\"'“”([{<#$"


_NUMBER_START = re.compile(r"(?P<signs>[-−+]?\d*(?:[.,]\d*)?)(?P<rest>.*)", re.DOTALL)


_WORD = re.compile(r"([a-z]+)(?![a-z])", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ScoreProbabilities:
    """A distribution over scores. `of` maps each possible score to its share; the shares add up to 1.

    `outside` is the probability of no score, 0 to 1, before the shares were computed.
    """

    of: dict[float, float]
    outside: float

    @property
    def expected(self) -> float:
        """Return the sum of p(s) * s."""
        return sum(score * p for score, p in self.of.items())


def probabilities_of_scores(
    tokens: Sequence[TokenLogprob], value: float, low: float, high: float
) -> ScoreProbabilities | None:
    """Return the distribution over scores at the place where the answer in `tokens` gives its score, `value`.

    None if the tokens spell another answer than the one that was read, or too much of the probability is unknown.
    Alternatives that spell the same score ("4", " 4", "**4", "４", "four") are added up.
    """
    spelled = "".join(token.token for token in tokens)
    try:
        found = find_score(spelled, low, high)
    except UnreadableScoreError:
        return None
    if found.value != value:
        return None
    steps = _steps(tokens, spelled, found)
    return _followed(steps, _Scale.of(steps, low, high)) if steps else None


class _Piece(NamedTuple):
    """The part of a score that a token spells; `ended` if the token shows that the score ends with it."""

    signs: str
    ended: bool


class _Step(NamedTuple):
    """A token from the score's first character to the token after its last one: what it and its alternatives spell
    (None: no part of a score), each with its probability. `piece` is None at the end."""

    piece: _Piece | None
    probability: float
    others: Sequence[tuple[_Piece | None, float]]


class _Scale(NamedTuple):
    """Possible scores, and how the judge writes numbers: with fractions or not, whether a token has several digits, and
    how many single-digit tokens follow the point."""

    low: float
    high: float
    fractions: bool
    joins_digits: bool
    joins_fractions: bool
    decimals: int

    @classmethod
    def of(cls, steps: Sequence[_Step], low: float, high: float) -> "_Scale":
        first = [steps[0].piece, *(piece for piece, _ in steps[0].others)]
        at_once = [piece.signs for piece in first if piece]
        later = [(s.piece, s.probability) for s in steps[1:]] + [other for s in steps[1:] for other in s.others]
        return cls(
            low,
            high,
            any("." in signs for signs in at_once) or any("." in x.signs for x, p in later if x and p > UNKNOWN),
            any(len(re.sub(r"\D", "", signs.partition(".")[0])) > 1 for signs in at_once),
            any(re.search(r"\.\d", signs) for signs in at_once),
            _decimals(steps),
        )

    def goes_on(self, signs: str) -> bool:
        """Return whether these characters may be the beginning of another number of the scale."""
        whole, dot, fraction = signs.partition(".")
        digits = whole.lstrip("+-")
        if not digits or dot:
            return len(fraction) < self.decimals
        number = int(digits)
        low, high = (-self.high, -self.low) if whole.startswith("-") else (self.low, self.high)
        fractional = self.fractions and not self.joins_fractions and low < number + 1 and number < high
        joined = self.joins_digits and len(digits) < _JOINED
        longer = (10**more for more in range(1, 7)) if number and not joined else ()
        return fractional or any(number * ten <= high and (number + 1) * ten > low for ten in longer)


def _decimals(steps: Sequence[_Step]) -> int:
    """Return the most digits of a fraction written digit by digit, at least 1; a fraction in one token ends with it."""
    most, signs = 1, ""
    for step in steps:
        there = len(signs.partition(".")[2])
        likely = [piece for piece, probability in step.others if piece and probability > UNKNOWN]
        for piece in (*([step.piece] if step.piece else []), *likely):
            reached = len((signs + piece.signs).partition(".")[2])
            most = max(most, reached) if reached == there + 1 else most
        signs += step.piece.signs if step.piece else ""
    return most


def _followed(steps: Sequence[_Step], scale: _Scale) -> ScoreProbabilities | None:
    masses: dict[str, float] = defaultdict(float)
    unknown, so_far, signs = 0.0, 1.0, ""

    def lands(spelled: str, ended: bool, mass: float) -> float:
        """Add the mass to what is spelled; return the part whose continuation is unknown."""
        if not ended and scale.goes_on(spelled):
            return mass
        masses[spelled] += mass
        return 0.0

    for step in steps:
        for piece, probability in step.others:
            if piece:
                unknown += lands(signs + piece.signs, piece.ended, so_far * probability)
            elif signs:  # the number ends here
                masses[signs] += so_far * probability
        if step.piece is None:
            masses[signs] += so_far * step.probability
            break
        signs, so_far = signs + step.piece.signs, so_far * step.probability
        if step.piece.ended or not scale.goes_on(signs):
            masses[signs] += so_far
            break
    else:
        unknown += so_far
    return _shares(masses, unknown, scale)


def _shares(masses: Mapping[str, float], unknown: float, scale: _Scale) -> ScoreProbabilities | None:
    of: dict[float, float] = defaultdict(float)
    for signs, mass in masses.items():
        if re.search(r"\d", signs) and scale.low <= float(signs) <= scale.high:
            of[float(signs)] += mass
    total = sum(of.values())
    if total <= 0 or unknown > UNKNOWN * (total + unknown):
        return None
    return ScoreProbabilities({score: mass / total for score, mass in sorted(of.items())}, max(0.0, 1.0 - total))


def _steps(tokens: Sequence[TokenLogprob], spelled: str, found: FoundScore) -> list[_Step]:
    """Return the tokens of the score; [] if it is written in several words or in parts of words."""
    steps: list[_Step] = []
    start = 0
    for token in tokens:
        end = start + len(token.token)
        if end > found.start or steps:
            before = token.token[: max(0, found.start - start)]
            own = usual_signs(spelled[max(start, found.start) : min(end, found.end)])
            piece = _path_piece(own, end > found.end) if own else None
            if own and piece is None:
                return []
            probability, others = _alternatives(token)
            steps.append(_Step(piece, probability, [(_piece(other, before, not steps), p) for other, p in others]))
            if not own:
                break
        start = end
    return steps


def _path_piece(own: str, ended: bool) -> _Piece | None:
    if own.lower() in NUMBER_WORDS:
        return _Piece(str(NUMBER_WORDS[own.lower()]), ended=True)
    return _Piece(own.replace("−", "-").replace(",", "."), ended) if not re.search(r"[^\d.,+−-]", own) else None


def _alternatives(token: TokenLogprob) -> tuple[float, list[tuple[str, float]]]:
    """Return the token's own probability and those of the others. A token that stands for one of the others under
    another name, as the end of a reply does, is left to that one."""
    own = math.exp(token.logprob)
    others = [(other, math.exp(logprob)) for other, logprob in token.top.items() if other != token.token]
    if token.token not in token.top and sum(p for _, p in others) + own > 1.001:
        own = 0.0
    return own, others


def _piece(alternative: str, before: str, first: bool) -> _Piece | None:
    """Return the part of a score that an alternative spells; `before` precedes the score's first character in the
    token."""
    written = usual_signs(alternative)
    if first:
        if before.strip(_MARKUP_BEFORE) and not alternative.startswith(before):
            return None
        written = written.removeprefix(usual_signs(before)).lstrip(_MARKUP_BEFORE)
        word = _WORD.match(written)
        if word and word[1].lower() in NUMBER_WORDS:
            return _Piece(str(NUMBER_WORDS[word[1].lower()]), ended=True)
    number = _NUMBER_START.match(written)
    assert number is not None  # all its parts may be empty
    signs, rest = number["signs"].replace("−", "-").replace(",", "."), number["rest"]
    if rest and signs.endswith("."):
        signs = signs[:-1]
    if not re.search(r"\d", signs) and ((first and signs not in "+-") or (not first and signs != ".")):
        return None
    return _Piece(signs, bool(rest)) if signs and not (rest[:1].isalnum() or rest[:1] == "%") else None
