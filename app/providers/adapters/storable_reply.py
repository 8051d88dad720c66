"""A model's reply as it can be kept: what was paid for is never lost over half a character in it."""

from dataclasses import replace

from app.domain.storable_text import storable, storable_value
from app.providers.base import ChatReply, TokenLogprob


def storable_reply(reply: ChatReply) -> tuple[ChatReply, bool]:
    """The reply in its storable form, and whether that differs from what came."""
    kept = replace(
        reply,
        text=storable(reply.text),
        rationales=storable_value(reply.rationales),
        logprobs=tuple(map(_token, reply.logprobs)),
    )
    return kept, kept != reply


def _token(token: TokenLogprob) -> TokenLogprob:
    """Where two alternatives can't be told apart any more, the likelier one stays."""
    top: dict[str, float] = {}
    for word, logprob in token.top.items():
        known = storable(word)
        top[known] = max(logprob, top.get(known, logprob))
    return TokenLogprob(storable(token.token), token.logprob, top)
