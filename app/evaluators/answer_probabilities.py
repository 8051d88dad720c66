"""P(yes) for each answer, read from the log-probabilities of the tokens that spell it."""

import math
import re
from collections.abc import Sequence

from app.domain.judgment import Answer
from app.domain.wording.answer_text import answer_part
from app.providers.base import TokenLogprob


def probabilities_of_yes(tokens: Sequence[TokenLogprob], keys: Sequence[str]) -> dict[str, float]:
    """Key -> P(yes) / (P(yes) + P(no)) at the token where the answer to that key begins.

    `tokens` spell the whole reply in order; what was thought before the answer doesn't count. Alternatives that begin
    neither word are left out of both sides; a key whose answer isn't found, or whose token has neither alternative, is
    missing from the result.
    """
    text = answer_part("".join(token.token for token in tokens))
    found = {}
    for key in keys:
        places = list(re.finditer(rf'"{re.escape(key)}"\s*:\s*(?:\{{.*?"answer"\s*:\s*)?"', text, re.DOTALL))
        if places:
            p = _at(tokens, places[-1].end())
            if p is not None:
                found[key] = p
    return found


def _at(tokens: Sequence[TokenLogprob], position: int) -> float | None:
    """P(yes) at the token that holds the character at `position`, the first letter of the answer."""
    start = 0
    for token in tokens:
        end = start + len(token.token)
        if start <= position < end:
            return _share_of_yes(token, position - start)
        start = end
    return None


def _share_of_yes(token: TokenLogprob, offset: int) -> float | None:
    alternatives = {**token.top, token.token: token.logprob}
    before = token.token[:offset]
    yes = no = 0.0
    for alternative, logprob in alternatives.items():
        if not alternative.startswith(before):
            continue
        word = alternative[offset:].strip().lower().rstrip('",}')
        if word and Answer.YES.value.startswith(word):
            yes += math.exp(logprob)
        elif word and Answer.NO.value.startswith(word):
            no += math.exp(logprob)
    return yes / (yes + no) if yes + no > 0 else None
