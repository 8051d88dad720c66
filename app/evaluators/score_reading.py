"""A score from a judge's reply: read from its text, or the mean of several samples."""

import asyncio
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import Any

from app.domain.abstentions import abstention_in_prose
from app.domain.checklist_score import Evaluation
from app.domain.model_thoughts import answer_part
from app.domain.project import Dimension, Task, Text
from app.errors import AbstainedError, CutOffError, NoAnswerError, ProviderError, RefusedError, UnreadableScoreError
from app.evaluators.method import gather_all
from app.prompting import dimension_variables, load_prompt, task_variables
from app.providers.base import ATTEMPTS, ChatModel, ChatReply, ChatRequest, Turn, discard
from app.providers.structured import no_answer, with_more_room

_NAMES = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
NUMBER_WORDS = {name: number for number, name in enumerate(_NAMES)}
# Runs of spaces are bounded, so that no answer, however long, takes long to read.
_GAP = r"\s{1,6}"
_NAMED = rf"\b(?:{'|'.join(NUMBER_WORDS)})(?:{_GAP}and{_GAP}a{_GAP}half)?\b"
_N = rf"(?<![\w.,/#])(?:[-−+]?\d{{1,6}}(?:\.\d{{1,6}}|,\d{{1,2}})?(?!\d)|{_NAMED})"
_END = r"(?![\w%]|[.,]\d|\s{0,3}(?:%|per\s?cent\b))"
_NUMBER = re.compile(_N + _END, re.IGNORECASE)
_JOIN = r"\s{0,6}(?:-|–|—|−|\bto\b|\bor\b|\band\b|\bthrough\b|~)\s{0,6}(?:\ban?\s{1,6})?"
_SCALE = re.compile(
    rf"(?:\b(?:on|using|in|within|from|between|along)\b\s{{1,6}})?(?:\b(?:a|an|the|this|our)\b\s{{1,6}})?"
    rf"(?:\b(?:scale|range)\b\s{{0,6}}(?:\b(?:of|from|is|being|between)\b|:)?\s{{0,6}}\(?\s{{0,6}})(?P<low>{_N}){_JOIN}(?P<high>{_N})"
    rf"{_END}\)?"
    rf"|\(\s{{0,6}}(?P<low2>{_N}){_JOIN}(?P<high2>{_N})(?:\s{{1,6}}scale)?\s{{0,6}}\)"
    rf"|\b(?:from|between)\s{{1,6}}(?P<low3>{_N}){_JOIN}(?P<high3>{_N}){_END}"
    rf"|(?P<low4>{_N}){_JOIN}(?P<high4>{_N})\s{{1,6}}scale\b"
    rf"|\b(?:on|using)\s{{1,6}}a\s{{1,6}}(?P<only>{_N})[- ]point\s{{1,6}}scale\b"
    rf"|(?<![\w/] )(?<!\w)out\s{{1,6}}of\s{{1,6}}{_N}(?!\w)"
    rf"|\bwhere\s{{1,6}}{_N}\s{{1,6}}(?:is|means|being|indicates|represents)\b[^.;:\n]*"
    rf"|(?:^|[?:.…–—-])\s{{0,6}}/\s{{0,6}}{_N}"
    rf"|(?<![\w.]){_N}\s{{0,6}}(?:=|being)\s{{0,6}}(?:the\s{{1,6}})?(?:lowest|highest|worst|best|poor|bad|excellent|perfect|good)\b",
    re.IGNORECASE,
)
_OUT_OF = re.compile(
    rf"(?P<value>{_N})\s{{0,6}}(?:points?|stars?)?\s{{0,6}}(?:/|\bout\s{{1,6}}of\b|\bof\b)\s{{0,6}}(?:a\s{{1,6}}(?:possible|maximum)\s{{1,6}})?"
    rf"(?P<top>\d+(?:\.\d+)?|{'|'.join(NUMBER_WORDS)})\b",
    re.IGNORECASE,
)
_RANGE = re.compile(rf"(?:\bbetween\s{{1,6}})?{_N}{_JOIN}{_N}{_END}", re.IGNORECASE)
_LABEL = r"(?:score|rating|grade|mark|evaluation|verdict|answer|result)"
_LABELLED = re.compile(
    rf"(?P<final>\b(?:final|overall|total)\b[^.\n:=]{{0,40}}?)?\b{_LABEL}s?\b(?:\s{{0,6}}\([^)\d]*\))?"
    rf"(?:\s{{1,6}}(?:for|of)\s{{1,6}}(?:the\s{{1,6}}|this\s{{1,6}})?[a-z][a-z -]{{0,40}}?)?"
    rf"\s{{0,6}}(?::|=|\bis\b|\bwould\s{{1,6}}be\b|\bof\b|->|→|-|–)?\s{{0,6}}(?:\ba\b\s{{1,6}})?(?P<value>{_N}){_END}",
    re.IGNORECASE,
)
_GIVEN = re.compile(
    rf"\b(?:rate|rated|give|gave|assign|assigned|score|scored|award|awarded|deserves|gets|earns|receives)\b"
    rf"(?:\s{{1,6}}(?:it|this|that|the|a|an|as|at|with|text|summary|response|essay|"
    rf"story|score|rating|of|solid|strong|be)){{0,6}}"
    rf"\s{{0,6}}:?\s{{0,6}}(?P<value>{_N}){_END}",
    re.IGNORECASE,
)
_HEDGED = re.compile(
    r"(?:\b(?:no|not|never|cannot|without|(?:less|more|lower|higher|better|worse|rather)\s{1,6}than|"
    r"at\s{1,6}(?:least|most)|almost|nearly|above|below|under|over|instead\s{1,6}of|barely|short\s{1,6}of)\b|n['’]t\b)[^,.;:\n]{0,40}$",
    re.IGNORECASE,
)
_DOUBT_BEFORE = re.compile(
    r"(?:[~≈±≤≥]|\b(?:around|about|approximately|approx|roughly|circa)\b\.?)\s{0,3}(?:\ban?\s{1,3})?$", re.IGNORECASE
)
_DOUBT_AFTER = re.compile(
    r"\s{0,2}\?|\.{2,3}\s{0,2}\d|…|[+±]|-(?=\s*$|ish)|\s{0,2}-?ish\b|\s{1,3}or\s{1,3}so\b"
    rf"|\s{{0,3}}[,;(.]?\s{{0,3}}\b(?:or|maybe|perhaps|possibly|no|rather|actually)\b,?\s{{1,3}}(?:(?:even|rather|an?)\s{{1,3}}){{0,2}}"
    rf"{_N}{_END}",
    re.IGNORECASE,
)
# Around a number by itself: what it counts, or what it numbers.
_COUNTS = re.compile(
    r"[ \t]{1,3}(?!(?:points?|stars?|out|of|for|on|in|because|since|as|overall|and|but|due|given|with|at|based|though|"
    r"although|considering|is|here|from|to|according|if|while|by|when|where|using)\b)[a-z]",
    re.IGNORECASE,
)
_NUMBERED = (
    "sentence|step|point(?!s)|paragraph|criterion|criteria|option|level|rank|ranks|position|number|nr|no|top|version|"
    "section|item|question|line|page|chapter|aspect|part|day|reason|example|figure|table|case|type|class|category|"
    "summary|text|response|essay|story|article|system|model|candidate|choice|bullet|rule|note|attempt|round|turn"
)
_ABBREVIATED = re.compile(r"\b(?:nr|no|vs|approx|ca|fig|p|pp|v|sec|ch|eq|vol)\.\s{0,6}$", re.IGNORECASE)
_NUMBERS = re.compile(rf"(?:(?<!\bthis )\b(?:{_NUMBERED})s?\b[.:]?|№)\s{{0,3}}$", re.IGNORECASE)
_SEVERAL = re.compile(rf"\[\s*{_N}\s*,\s*{_N}|\b[Ss](?i:core|core of)\s{{1,3}}(?:[A-Z]|\d)\s{{0,3}}[:=]")
_LAST = re.compile(r"(?:[.!?][\"')]?\s|\n)\s{0,6}$")
_NOTHING_MORE = re.compile(r"\s*\.?\s*\Z")
# Signs as wide as a Chinese letter, each to its usual form.
_WIDE = {0xFF01 + n: 0x21 + n for n in range(94)} | {0x3000: 0x20}
_MARKUP = re.compile(r"(?:[*_`\"“”\[\]{}|]|#(?!\d))+|\\boxed")


@dataclass(frozen=True, slots=True)
class FoundScore:
    """A score and the place of its digits in the text."""

    value: float
    start: int
    end: int


def find_score(text: str, low: float, high: float) -> FoundScore:
    """Return the one score from `low` to `high` that the text gives. Raises UnreadableScoreError.

    Thoughts and markup are blanked out, character for character, so places don't shift.
    """
    answer = usual_signs(answer_part(text))
    if _SEVERAL.search(answer):
        raise UnreadableScoreError("The judge's answer holds several numbers, and which is the score is not said.")
    plain = _MARKUP.sub(lambda found: " " * len(found[0]), answer)
    plain = _without_scale(plain, low, high)
    found = _candidates(plain, high)
    values = {candidate.value for candidate in found}
    if not values:
        raise UnreadableScoreError("The judge's answer holds no score.")
    if len(values) > 1:
        raise UnreadableScoreError("The judge's answer holds several numbers, and which is the score is not said.")
    chosen = found[-1]
    if any(_doubtful(plain, candidate) for candidate in found):
        raise UnreadableScoreError("The judge says what the score is not, or what it is near.")
    if not low <= chosen.value <= high:
        raise UnreadableScoreError(f"The judge's score is outside the scale of {low:g} to {high:g}.")
    return chosen


def usual_signs(text: str) -> str:
    """Return the text with full-width digits and signs as ASCII; places don't shift."""
    return text.translate(_WIDE)


def _candidates(plain: str, high: float) -> list[FoundScore]:
    """Return the possible scores of the most reliable form there is."""
    fractions = [(m, _number(m["top"])) for m in _OUT_OF.finditer(plain)]
    if any(top != high for m, top in fractions if "/" in m[0] or "out" in m[0].lower()):
        raise UnreadableScoreError("The judge's score is on another scale than the one asked for.")
    fractions = [(m, top) for m, top in fractions if top == high]
    blank = plain
    for m, _ in fractions:  # the top of a fraction is no number of its own
        blank = blank[: m.end("value")] + " " * (m.end() - m.end("value")) + blank[m.end() :]
    ranges = [m.span() for m in _RANGE.finditer(blank)]
    if any(_touches(m.span("value"), ranges) for m, _ in fractions):
        raise UnreadableScoreError("The judge gives a range, not a score.")
    labelled = list(_LABELLED.finditer(blank))
    final = [m for m in labelled if m["final"]]
    for kind in (final, labelled, [m for m, _ in fractions], list(_GIVEN.finditer(blank))):
        if any(_touches(m.span("value"), ranges) for m in kind):
            raise UnreadableScoreError("The judge gives a range, not a score.")
        if kind:
            return [FoundScore(_number(m["value"]), *m.span("value")) for m in kind]
    if ranges:
        raise UnreadableScoreError("The judge gives a range, not a score.")
    alone = list(_NUMBER.finditer(blank))
    if alone and _ends(blank, alone[-1]):
        alone = [*(m for m in alone[:-1] if not _counted(blank, m)), alone[-1]]
    elif any(_counted(blank, m) for m in alone):
        raise UnreadableScoreError("The judge's answer holds a number that counts something, and no score.")
    return [FoundScore(_number(m[0]), *m.span()) for m in alone]


def _doubtful(plain: str, found: FoundScore) -> bool:
    before = plain[max(0, found.start - 60) : found.start]
    return bool(_HEDGED.search(before) or _DOUBT_BEFORE.search(before) or _DOUBT_AFTER.match(plain, found.end))


def _counted(plain: str, number: re.Match[str]) -> bool:
    """Return whether a bare number is a count or the number of something."""
    before = plain[max(0, number.start() - 30) : number.start()]
    return bool(_COUNTS.match(plain, number.end()) or _NUMBERS.search(before))


def _ends(blank: str, number: re.Match[str]) -> bool:
    """Return whether a bare number is the last thing the answer says, after a full stop or on a line of its own."""
    before = blank[max(0, number.start() - 30) : number.start()]
    after_all = bool(_NOTHING_MORE.match(blank, number.end()))
    return after_all and bool(_LAST.search(before)) and not _ABBREVIATED.search(before)


def _touches(span: tuple[int, int], ranges: list[tuple[int, int]]) -> bool:
    return any(start <= span[0] < end for start, end in ranges)


def _without_scale(plain: str, low: float, high: float) -> str:
    """Return the text with mentions of the scale blanked out. Raises UnreadableScoreError for another scale."""

    def blank(found: re.Match[str]) -> str:
        groups = found.groupdict()
        for a, b in (("low", "high"), ("low2", "high2"), ("low3", "high3"), ("low4", "high4")):
            if groups[a] is not None and (_number(groups[a]), _number(groups[b])) != (low, high):
                if a in ("low", "low4"):
                    raise UnreadableScoreError("The judge's score is on another scale than the one asked for.")
                return found[0]
        if groups["only"] is not None and _number(groups["only"]) != high:
            raise UnreadableScoreError("The judge's score is on another scale than the one asked for.")
        return " " * len(found[0])

    return _SCALE.sub(blank, plain)


def _number(written: str) -> float:
    word = written.lower().split()
    if word[0] in NUMBER_WORDS:
        return NUMBER_WORDS[word[0]] + (0.5 if len(word) > 1 else 0.0)
    return float(written.replace(",", ".").replace("−", "-"))


def score_request(
    prompt: str, task: Task, dimension: Dimension, item: Text, more: Mapping[str, Any] | None = None, **how: Any
) -> ChatRequest:
    """Return a prompt's request about one text; `more` are its further variables, `how` further fields."""
    variables = {
        "task": task_variables(task),
        "dimension": dimension_variables(dimension),
        "item": {"source": item.source, "text": item.text},
    }
    return ChatRequest(load_prompt(prompt).render(**variables, **(more or {})), **how)


async def ask_score(
    model: ChatModel, request: ChatRequest, dimension: Dimension, attempts: int = ATTEMPTS
) -> tuple[FoundScore, ChatReply]:
    """Return the score on the dimension's scale, its place in the reply, and the reply.

    An answer without a readable score is requested again with the reason, one that was cut off with twice the room,
    which doesn't count as an attempt. Raises RefusedError at once, of which AbstainedError if the judge says that it
    can't tell or that it doesn't apply, CutOffError if no more room is possible, NoAnswerError or UnreadableScoreError
    after the last attempt, and whatever the model raises.
    """
    asked: list[ChatRequest] = []
    try:
        return await _insist(model, request, dimension, attempts, asked)
    except (RefusedError, CutOffError, NoAnswerError, UnreadableScoreError):
        await discard(model, asked)
        raise


async def _insist(
    model: ChatModel, request: ChatRequest, dimension: Dimension, attempts: int, asked: list[ChatRequest]
) -> tuple[FoundScore, ChatReply]:
    attempt = 1
    while attempt <= attempts:
        asked.append(request)
        reply = await model.complete(request)
        if reply.finish == "refused":
            raise RefusedError(f"{model.name} declined to answer.")
        if reply.finish == "length":
            request = with_more_room(model.name, request, reply)
            continue
        if why := abstention_in_prose(reply.text):
            raise AbstainedError(why)
        try:
            return find_score(reply.text, dimension.low, dimension.high), reply
        except UnreadableScoreError as error:
            if attempt == attempts and reply.silent:
                raise no_answer(model, reply) from None
            if attempt == attempts:
                raise
            correction = f"{error.message} Answer once more: one number from {dimension.low:g} to {dimension.high:g}."
            request = replace(request, turns=(*request.turns, Turn(reply.text.strip() or "(empty)", correction)))
            attempt += 1
    raise AssertionError("the last attempt returns or raises")


# What befalls one sample and says nothing of the others. Anything else may be gone when the text is tried again.
_LOST = (AbstainedError, RefusedError, CutOffError, NoAnswerError, UnreadableScoreError)


async def sampled_score(model: ChatModel, requests: Sequence[ChatRequest], dimension: Dimension) -> Evaluation:
    """Return the mean of the samples that have a score; the details say how many of how many do.

    The first sample goes first, so that the others find their common prompt in the provider's cache. If no sample has a
    score, raises the most common of their errors (AbstainedError if most say so); also whatever else fails.
    """

    lost: list[ProviderError] = []
    ahead = asyncio.Event()

    async def one(request: ChatRequest) -> float | None:
        if request is not requests[0]:
            await ahead.wait()
        try:
            found, _ = await ask_score(model, request, dimension, attempts=1)
        except _LOST as error:
            lost.append(error)
            return None
        finally:
            ahead.set()
        return found.value

    drawn = await gather_all(map(one, requests))
    values = [value for value in drawn if value is not None]
    if not values:
        raise _commonest(lost)
    shares = {f"{value:g}": values.count(value) / len(values) for value in sorted(set(values))}
    counted = {"outside": 1 - len(values) / len(drawn), "samples": len(values), "asked": len(drawn)}
    return Evaluation(fmean(values), details={"probabilities": shares, **counted})


def _commonest(errors: Sequence[ProviderError]) -> ProviderError:
    kinds = Counter(error.kind for error in errors)
    kind, count = kinds.most_common(1)[0]
    error = next(error for error in errors if error.kind == kind)
    if isinstance(error, AbstainedError):
        return error
    said = f"None of {len(errors)} samples gave a score; of {count} of them: {error.message}"
    return type(error)(said, error.hint)
