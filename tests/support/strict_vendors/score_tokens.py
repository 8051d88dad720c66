"""Scores and answers cut into tokens, each with what else might have stood there, as tokenizers of many kinds cut them.

The distribution of scores is an option, score=10:0.6;1:0.1;9:0.3. The alternatives at each token follow from it: of all
spellings that begin with what was written so far, the shares of the tokens that come next.
"""

import math
import re
from collections import defaultdict
from collections.abc import Mapping

from tests.support.strict_vendors.account import Options

Token = tuple[str, float, Mapping[str, float]]
"""A token, its log-probability, and those of the alternatives, itself included."""

_USUAL = "4:0.7;5:0.2;3:0.1"
_NAMES = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_END = "<|end|>"
_SURE = -1e-4


def score_tokens(before: str, options: Options) -> tuple[Token, ...]:
    """`before`: what stands in front of the score."""
    spellings = [
        (spelling, share * part)
        for score, share in _shares(options).items()
        for spelling, part in _spellings(score, options.text("tokens", "whole"))
    ]
    written = _spellings(_likeliest(options), options.text("tokens", "whole"))[0][0]
    head: list[Token] = [(before, _SURE, {before: _SURE})] if before else []
    return (*head, *(_token(written, place, spellings) for place in range(len(written))))


def spelled_score(options: Options) -> str:
    return "".join(_spellings(_likeliest(options), options.text("tokens", "whole"))[0][0])


def answer_tokens(text: str) -> tuple[Token, ...]:
    """An object of answers: each yes and no is a token, and might have been the other."""
    found: list[Token] = []
    for piece in re.split(r"\b(yes|no)\b", text):
        top = {"yes": {"yes": 0.8, "no": 0.15, "YES": 0.03}, "no": {"no": 0.8, "yes": 0.15, "NO": 0.03}}.get(piece)
        if top:
            found.append((piece, math.log(top[piece]), {token: math.log(share) for token, share in top.items()}))
        elif piece:
            found.append((piece, _SURE, {piece: _SURE}))
    return tuple(found)


def _token(written: tuple[str, ...], place: int, spellings: list[tuple[tuple[str, ...], float]]) -> Token:
    shares: dict[str, float] = defaultdict(float)
    for spelling, share in spellings:
        if spelling[:place] == written[:place]:
            shares[spelling[place] if len(spelling) > place else _END] += share
    whole = sum(shares.values())
    top = {token: math.log(share / whole) for token, share in shares.items()}
    return written[place], top[written[place]], top


def _shares(options: Options) -> dict[str, float]:
    pairs = (pair.split(":") for pair in options.text("score", _USUAL).split(";"))
    return {score: float(share) for score, share in pairs}


def _likeliest(options: Options) -> str:
    shares = _shares(options)
    return max(shares, key=shares.__getitem__)


def _spellings(score: str, style: str) -> list[tuple[tuple[str, ...], float]]:
    """The ways in which a score is written, each as tokens with its part of the score's share; the usual one first."""
    match style:
        case "digits" | "frac":
            return [(tuple(score), 1.0)]
        case "space":
            return [((f" {score}",), 1.0)]
        case "bold":
            return [((f"**{score}", "**"), 1.0)]
        case "wide":
            wide = "".join(chr(ord(letter) + 0xFEE0) for letter in score)
            return [((score,), 0.5), ((wide,), 0.5)]
        case "words":
            return [((score,), 0.5), ((_NAMES[int(score)],), 0.5)]
    return [((score,), 1.0)]
