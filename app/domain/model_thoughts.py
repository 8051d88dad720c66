"""A model's thoughts in its reply, told from its answer."""

import re

_KINDS = r"think(?:ing)?|thoughts?|reasoning|reflection|analysis|scratchpad|seed:think"
# As models and their templates write them: DeepSeek, Qwen; Magistral; Kimi; Cohere; Gemma; MedGemma; OpenThinker.
_OPENING = (
    rf"<(?:{_KINDS})(?:\s[^<>]{{0,80}})?>|\[THINK\]|◁think▷|<\|START_THINKING\|>|<\|begin_of_thought\|>"
    r"|<\|channel>\s{0,3}thought|<unused94>"
)
_CLOSING = (
    rf"</(?:{_KINDS})\s{{0,3}}>|\[/THINK\]|◁/think▷|<\|END_THINKING\|>|<\|end_of_thought\|>|<channel\|>|<unused95>"
)
_THOUGHT = re.compile(rf"(?P<opening>{_OPENING})|(?P<closing>{_CLOSING})", re.IGNORECASE)
# gpt-oss: <|channel|>analysis<|message|> ... <|end|><|start|>assistant<|channel|>final<|message|> ...
_MARK = re.compile(r"<\|(start|channel|message|constrain|end|return|call)\|>")
# The same where a server left out the marks themselves.
_UNMARKED = re.compile(r"\s*(?:<\|message\|>)?analysis(?=[^a-z]|[a-z]*\s)", re.IGNORECASE)
_UNMARKED_FINAL = "assistantfinal"
_ENVELOPE = re.compile(
    r"<(?P<end>/)?(?:final_?)?(?:answer|response|output|result|score|rating)(?:\s[^<>]{0,80})?>"
    r"|(?P<begin>\[BEGIN FINAL RESPONSE\]|<\|START_RESPONSE\|>|<\|begin_of_solution\|>)"
    r"|(?P<stop>\[END FINAL RESPONSE\]|<\|END_RESPONSE\|>|<\|end_of_solution\|>)",
    re.IGNORECASE,
)
_HEADER = 200  # characters; what names a channel is shorter
_SHORT = 60  # characters; a line that holds nothing but a score is shorter
_LAST_LINE = re.compile(
    r"[\s*_`#>-]*(?:(?:final|overall|total)\s{1,3})?(?:(?:score|rating|grade|answer)\s{0,3}[:=]?)?[\s*_`(\[]*"
    r"[-−+]?\d{1,6}(?:[.,]\d{1,6})?(?:\s{0,3}/\s{0,3}\d{1,6})?[\s*_`)\].]*",
    re.IGNORECASE,
)

_Span = tuple[int, int]


def answer_part(text: str) -> str:
    """Return the text with everything but the answer blanked by spaces, in equal length; all spaces if there is no
    answer.

    A thought without an end tag has no answer after it; text before an end tag without a start tag is a thought. Of
    gpt-oss' channels the final one is the answer, else what was written to a tool. If the rest holds tags that name the
    answer (<answer>, <score>), their content is the answer.
    """
    kept = _channels(text)
    kept = _only(kept, _outside_thoughts(kept))
    spans: list[_Span] = []
    begun: int | None = None
    for found in _ENVELOPE.finditer(kept):
        if not (found["end"] or found["stop"]):
            begun = found.end()
        elif begun is not None:
            spans.append((begun, found.start()))
            begun = None
    inside = [span for span in spans if kept[slice(*span)].strip()]
    return _only(kept, inside) if inside else kept


def answer_among_thoughts(thoughts: str) -> str:
    """Return the answer that a server filed under the model's reasoning, "" if there is none.

    Only a clear answer counts: text after the end of a thought, a score alone on the last line, or a JSON object at the
    end.
    """
    rest = answer_part(thoughts)
    behind = rest.strip()
    if behind and behind != thoughts.strip():
        return behind
    lines = behind.splitlines()
    if lines and len(lines[-1]) <= _SHORT and _LAST_LINE.fullmatch(lines[-1]):
        return lines[-1].strip()
    return behind if behind.removesuffix("```").rstrip().endswith("}") else ""


def _only(text: str, kept: list[_Span]) -> str:
    parts, at = [], 0
    for start, end in kept:
        parts += [" " * (start - at), text[start:end]]
        at = end
    return "".join([*parts, " " * (len(text) - at)])


def _outside_thoughts(text: str) -> list[_Span]:
    kept: list[_Span] = []
    at, inside = 0, False
    for found in _THOUGHT.finditer(text):
        if found["opening"]:
            if not inside:
                kept.append((at, found.start()))
            inside = True
            continue
        if not inside:  # only its end is there: all before it was thought
            kept = []
        at, inside = found.end(), False
    return kept if inside else [*kept, (at, len(text))]


def _channels(text: str) -> str:
    marks = list(_MARK.finditer(text))
    if not any(mark[1] == "message" for mark in marks):
        end = text.rfind(_UNMARKED_FINAL) if _UNMARKED.match(text) else -1
        return text if end < 0 else _only(text, [(end + len(_UNMARKED_FINAL), len(text))])
    final: list[_Span] = []
    to_a_tool: list[_Span] = []
    header = 0  # where what names the channel begins
    for mark, following in zip(marks, [*marks[1:], None], strict=True):
        if mark[1] == "message":
            span = mark.end(), following.start() if following else len(text)
            named = text[max(header, mark.start() - _HEADER) : mark.start()].strip().lower()
            if named.startswith("final"):
                final.append(span)
            elif " to=" in named:
                to_a_tool.append(span)
        if mark[1] != "constrain":
            header = mark.end()
    return _only(text, (final or to_a_tool)[-1:])
