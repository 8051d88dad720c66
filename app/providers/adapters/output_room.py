"""Room for an answer, in tokens: plenty, because reasoning counts, as far as the model goes.

Room that isn't used costs nothing; an answer that is cut off is paid and worth nothing. A model whose own limit is
smaller says so before anything is paid, and what it says is learned: the limit on output (OpenAI, Anthropic, DeepSeek,
Groq), or a window that input and output share (vLLM, text-generation-inference), of which each request takes its part.
"""

import re
from dataclasses import replace

from app.errors import CutOffError
from app.providers.adapters.rejection import Rejection
from app.providers.base import ChatReply, ChatRequest
from app.providers.pricing import estimate_input_tokens

START = 32_768
MOST = 131_072  # no model of today takes more than 128,000
LEAST = 16  # below it not even one answer fits
LOOSEST = 256  # what is asked for at least where the window seems full: our count of the input is an estimate
_REFUSED_STATUS = (400, 413, 422)

_ABOUT = re.compile(
    r"max_?(completion_|output_|new_)?tokens|maxoutputtokens|max_tokens|n_predict|in the completion|output tokens"
)
_TOO_LARGE = re.compile(r"too large|exceed|at most|maximum|less than or equal|must be|<=|range|however|context|invalid")
_WINDOWS = (
    r"(?:maximum )?context (?:length|window|size) (?:is|of)(?: only)? (\d+)",
    r"context limit: \d+ \+ \d+ > (\d+)",
    r"must be <= (\d+)",
)
_INPUTS = (
    r"(?:has|passed|given:?|with) `?(\d+)`? (?:input|prompt|`inputs`)",
    r"\((\d+) in the (?:messages|prompt)",
    r"context limit: (\d+) \+",
    r"> \d+ - (\d+)\)",
)
_LIMITS = (
    r"supports? at most (\d+)",
    r"> (\d+), which is the maximum",
    r"less than or equal to `?(\d+)",
    r"\[\s*1\s*,\s*(\d+)\s*\]",
    r"at most (\d+)",
    r"maximum (?:value|limit|number)[^.\d]{0,40}(?:is|of|:) `?(\d+)",
)
_BELOW = (r"to (\d+) \(exclusive\)",)


class OutputRoom:
    """What one client has learned about the room of its model's answers.

    most: a person's own limit, kept to. reasons: False where the model is known not to: then an answer starts with what
    it needs itself, because providers count the room against their limits on tokens a minute.
    """

    def __init__(self, most: int | None = None, reasons: bool = True) -> None:
        self._start = START if reasons else 0
        self._most = most or MOST
        self._window: int | None = None
        # Tokens by the model's own count for one of ours; the largest met so far.
        self._ratio = 1.0

    def of(self, request: ChatRequest, name: str) -> int:
        """Tokens for this request's answer. Raises CutOffError where it was cut off and no more can be given."""
        given = self._given(request)
        if request.cut_off and given <= request.cut_off[-1]:
            raise cut_off(name, request.cut_off[-1])
        return given

    def noted(self, reply: ChatReply, request: ChatRequest, room: int) -> ChatReply:
        """The reply, with the room it had. One that filled it teaches the next: they start with twice as much."""
        if reply.finish != "length":
            return replace(reply, room=room)
        if 0 < reply.usage.output_tokens < room // 2:  # something else cut it off: a server's own window, or chance
            return reply
        self._start = max(self._start, START, 2 * room)
        again = replace(request, cut_off=(*request.cut_off, room))
        return replace(reply, room=room, last_room=self._given(again) <= room)

    def _given(self, request: ChatRequest) -> int:
        more = max(START, 2 * request.cut_off[-1]) if request.cut_off else 0
        given = min(self._most, max(self._start, request.max_output_tokens, more))
        if self._window is not None:
            left = self._window - round(self._ratio * estimate_input_tokens(request)) - LEAST
            given = min(given, max(left, LOOSEST))
        return given

    def smaller(self, rejection: Rejection, request: ChatRequest, room: int) -> int | None:
        """The room to ask with instead; None where the rejection is about something else, or nothing would be left."""
        if rejection.status not in _REFUSED_STATUS:
            return None
        said = re.sub(r"(?<=\d),(?=\d{3})", "", rejection.gist)
        if not (_ABOUT.search(said) and _TOO_LARGE.search(said)):
            return None
        window, taken = _number(_WINDOWS, said), _number(_INPUTS, said)
        if window is not None and taken is not None:
            self._window = window
            self._ratio = max(self._ratio, taken / max(1, estimate_input_tokens(request)))
            left = window - taken
        else:
            limit, above = _number(_LIMITS, said), _number(_BELOW, said)
            left = limit if limit is not None else above - 1 if above is not None else room // 2
            left = min(left, room - 1)
            self._most = min(self._most, max(left, LEAST))
        return min(left, room - 1) if min(left, room - 1) >= LEAST else None


def cut_off(name: str, room: int) -> CutOffError:
    limit = f"the limit of {room:,} output tokens" if room else "the limit of output tokens"
    return CutOffError(f"The answer of {name} ended at {limit}.")


def _number(patterns: tuple[str, ...], said: str) -> int | None:
    for pattern in patterns:
        if match := re.search(pattern, said):
            return int(match[1])
    return None
