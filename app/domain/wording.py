"""Words in questions and answers: abstentions, answers in a reply, quotations, and differences between wordings."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache
from typing import Literal

from rapidfuzz import fuzz

from app.domain.checklist import CANNOT_TELL, Answer
from app.domain.storable_text import storable

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

Span = tuple[int, int]


def answer_part(text: str) -> str:
    """Return the text with everything but the answer blanked by spaces, in equal length; all spaces if there is no
    answer.

    A thought without an end tag has no answer after it; text before an end tag without a start tag is a thought. Of
    gpt-oss' channels the final one is the answer, else what was written to a tool. If the rest holds tags that name the
    answer (<answer>, <score>), their content is the answer.
    """
    kept = _channels(text)
    kept = _only(kept, _outside_thoughts(kept))
    spans: list[Span] = []
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


def _only(text: str, kept: list[Span]) -> str:
    parts, at = [], 0
    for start, end in kept:
        parts += [" " * (start - at), text[start:end]]
        at = end
    return "".join([*parts, " " * (len(text) - at)])


def _outside_thoughts(text: str) -> list[Span]:
    kept: list[Span] = []
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
    final: list[Span] = []
    to_a_tool: list[Span] = []
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


NOT_APPLICABLE = Answer.NOT_APPLICABLE.value
_LONGEST = 400  # characters; a longer cell or line says more than that a question does not apply
_NOT_APPLICABLE = re.compile(
    r"(?:(?:it|this|that)\s)?(?:doesn't|does\snot)\s(?:really\s)?apply|(?:is\s)?(?:not|non)\sapplicable"
    r"|inapplicable|n\s?/\s?a|n\.\s?a\.?|na$"
)
_VERBS = r"(?:tell|told|say|said|determined?|judged?|decided?|assess(?:ed)?|answer(?:ed)?|evaluated?|rated?|know|known)"
_CANNOT_TELL = re.compile(
    r"(?:(?:i|it|this|that)\s)?"
    r"(?:(?:can\s?not|can't|couldn't|could\snot)\s(?:be\s)?|(?:am\s|is\s)?(?:unable|impossible|not\spossible)\sto\s)"
    rf"{_VERBS}\b"
    r"|(?:there\s(?:is|was)\s|there's\s)?(?:not\senough|insufficient|no\ssufficient|too\slittle)\s"
    r"(?:information|context|evidence|material|data)\b|unknown$|undeterminable$"
)
_LABEL = re.compile(
    r"(?:(?:the|my|final|overall|total)\s){0,2}(?:score|rating|grade|mark|answer|evaluation|verdict)s?"
    r"\s{0,3}(?::|=|\bis\b|->|→|-|–)\s{0,3}"
)
_NUMBER_LABELLED = re.compile(rf"{_LABEL.pattern}\d|\d\s{{0,3}}(?:/|out\sof)\s{{0,3}}\d")
_MARKUP = re.compile(r"[*_`\"“”\[\]{}()#]+")


def abstention(said: object) -> str:
    """Return CANNOT_TELL or "does not apply" if an answer begins with such words; else ""."""
    words = _plain(said) if isinstance(said, str) and len(said) <= _LONGEST else ""
    if _NOT_APPLICABLE.match(words):
        return NOT_APPLICABLE
    return CANNOT_TELL if _CANNOT_TELL.match(words) else ""


def abstention_in_prose(text: str) -> str:
    """Return the abstention in a prose reply that should hold a score, "" for none. The first or last line has to begin
    with it, perhaps after "Score:". A number labelled as the score overrides it."""
    lines = [plain for line in answer_part(text).splitlines() if (plain := _plain(line))]
    if not lines or any(_NUMBER_LABELLED.search(line) for line in lines):
        return ""
    for line in (lines[-1], lines[0]):
        if found := abstention(_LABEL.sub("", line, count=1) if _LABEL.match(line) else line):
            return found
    return ""


def _plain(words: str) -> str:
    """Return the words in lower case with plain apostrophes and single spaces, without markup and a final full stop."""
    usual = _MARKUP.sub(" ", words.replace("’", "'").lower()).replace("-", " ")
    return " ".join(usual.split()).removesuffix(".")


BE = frozenset(["is", "are", "was", "were"])
HAVE = frozenset(["has", "have", "had"])
# They open yes/no questions.
AUXILIARIES = (
    BE | HAVE | frozenset(["do", "does", "did", "can", "could", "will", "would", "should", "may", "might", "must"])
)
CONTRACTIONS = frozenset(
    f"{word}n't" for word in (*BE, "has", "have", "do", "does", "did", "ca", "could", "wo", "would")
)
# They open questions that ask for more than yes or no.
OPEN_WORDS = ("what", "which", "who", "why", "how", "where", "when")

QUOTES = "fit this:"
"""The words in a question before an attribute that it quotes unchanged."""

FAULTS = (
    r"errors?|mistakes?|typos?|missing|distort\w*|incorrect\w*|awkward\w*|omit(?:s|ted)?|omissions?|repeat(?:s|ed)?",
    r"repetiti\w*|redundan\w*|unnecessary|vague|incomplete|hallucinat\w*|fabricat\w*|invent(?:s|ed)?|misrepresent\w*",
    r"irrelevant|contradict\w*|bias(?:ed|es)?|fragments?|misleading|unclear|ambiguous|unsupported|lacks?|fails?|broken",
    r"poor(?:ly)?|incoheren\w*|clichés?|inconsisten\w*|misspell\w*|offensive|jargon|unrelated|run-ons?|wrong",
    r"confus(?:ing|ion|es?)",
)
# What denies.
DENIALS = (r"avoid\w*", "without", "no", "not", "never", "none")
# What turns a fault into its absence.
TURNS = (*DENIALS, r"free (?:from|of)", r"keeps? .+ from")
CONTRASTS = ("neither", "rather than", "instead of", r"leaves? out")

# They mean something else to everybody.
VAGUE = (r"good|well|proper(?:ly)?|appropriate(?:ly)?|effective(?:ly)?|adequate(?:ly)?|sufficient(?:ly)?",)

HANDLED = (
    *("admit", "acknowledg", "own", "correct", "fix", "mend", "repair", "solv", "resolv", "point", "warn", "explain"),
    *("nam(?:e|ing)", "stat(?:e|ing)", "say", "tell", "apologi[sz]", "excus", "forgiv", "handl", "treat", "report"),
    *("mention", "describ", "discuss", "not(?:e|ing)", "address", "recogni[sz]", "identif", "find", "spot", "show"),
    *("reduc", "remov", "confess", "accept", "tak(?:e|ing)", "answer", "offer", "flag", "catch", "learn", "recover"),
)
"""Stems of verbs that handle a fault, such as admitting it, for which nobody is blamed."""


LONGEST = 500  # characters that are kept of a quote; a judge is asked for the shortest passage
SHORTEST_ALIKE = 12  # characters; of fewer, some others resemble it in any text
ALIKE = 95.0  # of 100, by rapidfuzz's partial ratio
CUT = "…"
AROUND = 160  # characters before and behind a place, where not the whole text is shown
_STRETCH = 2000  # characters that are compared at a time, at least
_SPACES = re.compile(r"\s+")
_SEVERAL_SPACES = re.compile(r"\s{2,}")
_MARKS = str.maketrans(dict.fromkeys("‘’‚‛′´`", "'") | dict.fromkeys("“”„‟″«»", '"'))
_AROUND = re.compile(r"^(?:[\"' ]|\.\.\.|…)+|(?:[\"' ]|\.\.\.|…)+$")


@dataclass(frozen=True, slots=True)
class QuotedPlace:
    """The place of a quote in the text, or in its source (`in_source`), as code points of the original; `end` is
    exclusive.

    `exact`: word for word, except for spaces and the kind of quotation marks; otherwise only similar.
    """

    start: int
    end: int
    in_source: bool = False
    exact: bool = True


@dataclass(frozen=True, slots=True)
class QuoteCounts:
    """Counts of answers with a quote that was `found` (of these `nearly` only in similar words), `absent`, or not
    given."""

    found: int = 0
    nearly: int = 0
    absent: int = 0
    without: int = 0

    def __bool__(self) -> bool:
        return bool(self.found + self.absent + self.without)

    def __str__(self) -> str:
        nearly = f" ({self.nearly:,} in nearly these words)" if self.nearly else ""
        return f"{self.found:,} found{nearly}, {self.absent:,} not in the text, {self.without:,} without"

    def to_json(self) -> dict[str, int]:
        return {"found": self.found, "nearly": self.nearly, "not_in_text": self.absent, "without": self.without}


def stored_quote(said: object) -> str:
    """Return the quote as stored: cut after LONGEST characters with “…”, "" for a value that isn't a string."""
    return _cut(storable(said)) if isinstance(said, str) else ""


def find_quote(quote: str, text: str, source: str = "") -> QuotedPlace | None:
    """Return where the quote first occurs, in the text or else in its source; None if in neither, or if it is blank.

    An exact match in either of them comes before a similar one.
    """
    spellings = list(_spellings(_cut(quote)))
    documents = ((text, False), (source, True))
    for look, exact in ((_exactly, True), (_alike, False)):
        for document, in_source in documents:
            even = _even(document)
            for spelled in spellings:
                if span := look(spelled, even):
                    start, end = _original(document, span)
                    return QuotedPlace(start, end, in_source, exact)
    return None


def in_context(document: str, place: QuotedPlace) -> tuple[str, str, str]:
    """Return the words before the place, in it and after it. “…” marks where long surroundings were cut."""
    start, end = max(place.start - AROUND, 0), min(place.end + AROUND, len(document))
    before = (CUT if start else "") + document[start : place.start]
    after = document[place.end : end] + (CUT if end < len(document) else "")
    return before, document[place.start : place.end], after


def _cut(quote: str) -> str:
    quote = quote.strip()
    return quote if len(quote) <= LONGEST else quote[: LONGEST - 1].rstrip() + CUT


def _spellings(quote: str) -> Iterator[str]:
    """Yield the quote, then the quote without quotation marks and dots around it."""
    even = _even(quote).strip()
    bare = _AROUND.sub("", even)
    yield from dict.fromkeys(spelled for spelled in (even, bare) if spelled)


@lru_cache(maxsize=8)  # one text is asked about many quotes
def _even(text: str) -> str:
    """Return the text with single spaces and one kind of quotation marks; other characters stay."""
    return _SPACES.sub(" ", text.translate(_MARKS))


def _exactly(quote: str, document: str) -> Span | None:
    """Return the span of the quote as whole words if possible, else as part of a word; None if it doesn't occur."""
    start = document.find(quote)
    if start < 0:
        return None
    whole = re.search(rf"(?<!\w){re.escape(quote)}(?!\w)", document)
    start = whole.start() if whole else start
    return start, start + len(quote)


def _alike(quote: str, document: str) -> Span | None:
    small = document.lower()
    if len(small) == len(document) and (span := _exactly(quote.lower(), small)):
        return span
    if len(quote) < SHORTEST_ALIKE or not document:
        return None
    if len(quote) >= len(document):  # the other way round it would be the document that is looked for in the quote
        return _trimmed(document, 0, len(document)) if fuzz.ratio(quote, document) >= ALIKE else None
    step = max(_STRETCH, 4 * len(quote))
    for start in range(0, len(document), step):
        stretch = document[start : start + step + 2 * len(quote)]
        if start and len(stretch) <= 2 * len(quote):  # the end of the stretch before
            break
        found = fuzz.partial_ratio_alignment(quote, stretch, score_cutoff=ALIKE)
        if found is not None:
            return _trimmed(document, start + found.dest_start, start + found.dest_end)
    return None


def _trimmed(document: str, start: int, end: int) -> Span | None:
    held = document[start:end]
    words = held.strip()
    start += len(held) - len(held.lstrip())
    return (start, start + len(words)) if words else None


def _original(document: str, span: Span) -> Span:
    """Convert a span of the `_even` document, without spaces at its ends, to the span in the document itself."""
    start, last = span[0], span[1] - 1
    gone, shifts = 0, [0, 0]
    for spaces in _SEVERAL_SPACES.finditer(document):
        at = spaces.start() - gone
        if at >= last:
            break
        gone += len(spaces[0]) - 1
        shifts = [gone if at < start else shifts[0], gone]
    return start + shifts[0], last + shifts[1] + 1


# Words, marks and spaces; in scripts written without spaces every character counts for itself.
_PIECE = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff]|\w+|\s+|[^\w\s]")

LEAST_SHARED = 0.3  # of the longer wording, in characters


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of text in both wordings ("same"), only in the old one ("old"), or only in the new one ("new")."""

    kind: Literal["same", "old", "new"]
    text: str


def word_changes(before: str, after: str) -> tuple[Piece, ...]:
    """Return the stretches in reading order: "same" and "old" together give `before`, "same" and "new" give `after`.

    A space between two changed words counts as changed, so that a new phrase is one stretch. Wordings that share little
    become two stretches, because scattered common words confuse.
    """
    old, new = _PIECE.findall(before), _PIECE.findall(after)
    blocks = SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks()
    shared = sum(len(piece) for block in blocks for piece in old[block.a : block.a + block.size])
    if shared < LEAST_SHARED * max(len(before), len(after)):
        return tuple(_changed(before, after))
    found: list[Piece] = []
    gone, come = "", ""
    for what, old_from, old_to, new_from, new_to in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        was, now = "".join(old[old_from:old_to]), "".join(new[new_from:new_to])
        if what != "equal" or (was.isspace() and (gone or come) and old_to < len(old) and new_to < len(new)):
            gone, come = gone + was, come + now
            continue
        found += [*_changed(gone, come), Piece("same", was)]
        gone, come = "", ""
    return (*found, *_changed(gone, come))


def _changed(gone: str, come: str) -> list[Piece]:
    return ([Piece("old", gone)] if gone else []) + ([Piece("new", come)] if come else [])
