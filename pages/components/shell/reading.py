"""A text to read, shown literally; quotes are highlighted at their places, or reported as not found.

Texts and quotes are untrusted: nothing is shown as HTML, and only the Markdown that `safe_markdown` allows.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from typing import Literal
from zlib import crc32

import streamlit as st

from app.domain.attribute import Sample
from app.domain.conversation import Part, part_of, turns_in
from app.domain.project import Dimension, Task, Text, Verdict
from app.domain.quotes import QuotedPlace, Span
from app.errors import WorkbenchError
from app.services.data.uploads import samples_words
from app.services.runtime.workbench import Workbench
from app.services.think_aloud.samples import SampleExclusionCounts, ensure_samples, give_verdict
from pages.components.shell.current import current_expert, hold, was_pressed
from pages.components.shell.labels import number, plain, plain_piece, show_error
from pages.components.shell.navigation.screens import go

WORDS = {Verdict.GOOD: "Good", Verdict.NOT_GOOD: "Not good", Verdict.CANT_SAY: "Can't say"}
HELP = "Your rating of this text, kept at once. Nobody who is still reading sees it. You can change it."
_PROBLEM = "verdict_problem"


def verdict_choice(
    workbench: Workbench, dimension: Dimension, expert: str, text_id: int, given: Verdict | None, prompts: str = ""
) -> None:
    """Ask for a verdict, on a binary dimension only; show why the last one was not saved.

    given: the present verdict. prompts: the key of a field that names the sample which prompted an attribute; it is set
    to this one.
    """
    text, problem = st.session_state.get(_PROBLEM, (0, None))
    if problem is not None and text == text_id:
        del st.session_state[_PROBLEM]
        show_error(problem)
    if not dimension.binary:
        return
    key = f"verdict_{dimension.id}_{text_id}_{expert}"
    hold(key, given)
    st.segmented_control(
        f"On {plain(dimension.name)}, this is",
        list(Verdict),
        format_func=WORDS.__getitem__,
        key=key,
        help=HELP,
        on_change=partial(_keep, workbench, dimension.id, expert, text_id, given, key, prompts),
    )


def _keep(
    workbench: Workbench, dimension_id: int, expert: str, text_id: int, given: Verdict | None, key: str, prompts: str
) -> None:
    chosen: Verdict | None = st.session_state[key]
    if chosen is None:  # pressed once more: it stays
        st.session_state[key] = given
        return
    try:
        give_verdict(workbench, dimension_id, expert, text_id, chosen)
    except WorkbenchError as error:
        st.session_state[key], st.session_state[_PROBLEM] = given, (text_id, error)
        return
    if prompts:
        st.session_state[prompts] = text_id


LONG = 1500  # characters: about what fits on a screen beside the rest
HEIGHT = 420
NOT_IN_TEXT = "not in the text"
_INDENT = "\u00a0"  # spaces that Markdown keeps
# They would turn round what is written after them (UAX 9).
_DIRECTIONS = re.compile("[\u202a-\u202e\u2066-\u2069]")


MOST_MATCHES = MOST_HEADINGS = 500
_HEADING = re.compile(r"^(#{1,6})[ \t]+(?=\S)", re.MULTILINE)
_FENCE = re.compile(r"^[ ]{0,3}(```+|~~~+)", re.MULTILINE)
_ITEM = re.compile(r"^([ \t]*)([-*+]|\d{1,3}[.)])[ \t]+(?=\S)")
_EMPHASIS = re.compile(r"(`[^`\n]+`|\*\*[^*\n]+\*\*|(?<!\w)\*[^*\s][^*\n]*\*(?!\w))")
_OWN_FENCE = "~" * 20


@dataclass(frozen=True, slots=True)
class TextView:
    """How somebody views a text: the words they search, the chosen part (None for all), and whether Markdown is
    rendered."""

    words: str = ""
    part: Span | None = None
    formatted: bool = False


def readable_text(text: Text, part: Part, key: str, places: Iterable[Span] = ()) -> None:
    """Draw the text or its source, with these spans highlighted; a long one scrolls in its own container."""
    view = _text_tools(part_of(text, part), key)
    long = len(part_of(text, part)) > LONG
    with st.container(height=HEIGHT if long else "content", border=long, key=key):
        _viewed(text, part, key, list(places), view)


def part_with_places(text: Text, part: Part, key: str, places: Iterable[Span] = ()) -> None:
    """Draw a conversation turn by turn, another text as it is. Turns of neither person nor model are folded, unless
    something in them is highlighted."""
    _viewed(text, part, key, list(places), _text_tools(part_of(text, part), key))


def _text_tools(content: str, key: str) -> TextView:
    """Draw contents and search for a long text, and the switch for one with Markdown; return how it is viewed."""
    formatted = has_markdown(content)
    if not (formatted or len(content) > LONG):
        return TextView()
    which = f"{key}_{crc32(content.encode('utf-8', 'surrogatepass'))}"
    with st.container(horizontal=True, vertical_alignment="bottom", key=f"tools_{key}"):
        view = find_tools(content, which)
        if formatted:
            view = replace(view, formatted=st.toggle("Formatted", value=True, key=f"formatted_{which}"))
    return view


def find_tools(content: str, which: str, label: str = "Find") -> TextView:
    """Draw search for a long text, and contents where it has headings; return how it is viewed."""
    if len(content) <= LONG:
        return TextView()
    chosen, sections = None, headings(content)
    words = st.text_input(label, key=f"find_in_{which}", max_chars=100, width=200, placeholder="words").strip()
    if len(sections) > 1:
        place = st.selectbox(
            "Contents",
            range(-1, len(sections)),
            format_func=lambda at: "The whole text" if at < 0 else sections[at][0],
            key=f"contents_{which}",
            width=260,
        )
        chosen = sections[place][1] if place >= 0 else None
    return TextView(words, chosen)


def headings(content: str) -> list[tuple[str, Span]]:
    """Return each Markdown heading outside of code, and the span from there to the next one of its rank or above."""
    lines = ((line, _heading(line.words)) for line in _lines(content) if line.kind == "words")
    found = [(line, one) for line, one in lines if one][:MOST_HEADINGS]
    sections = []
    for place, (line, (rank, start, end)) in enumerate(found):
        after = (other.start for other, (theirs, _, _) in found[place + 1 :] if theirs <= rank)
        title = f"{_INDENT * 2 * (rank - 1)}{line.words[start:end][:80]}"
        sections.append((title, (line.start, next(after, len(content)))))
    return sections


def _heading(line: str) -> tuple[int, int, int] | None:
    """Return a heading's rank and its title's place in the line; None for another line."""
    found = _HEADING.match(line)
    if found is None:
        return None
    whole = len(line.rstrip())
    bare = len(line[:whole].rstrip("#").rstrip())
    return len(found[1]), found.end(), bare if bare > found.end() else whole


def has_markdown(content: str) -> bool:
    """Return whether the text has a heading, a block of code, two list items or two words in bold."""
    if _HEADING.search(content) or _FENCE.search(content):
        return True
    items = sum(_ITEM.match(line) is not None for line in content.splitlines())
    return items > 1 or content.count("**") >= 4


def safe_markdown(content: str, spans: Iterable[Span] = ()) -> str:
    """Return the content with headings, lists, quotes, code, bold and italics kept as Markdown and all else escaped, so
    that no HTML, link, image, formula or colour of the text takes effect. These spans are highlighted outside of blocks
    of code."""
    marked = list(spans)
    lines: list[str] = []
    for line in _lines(content):
        if line.kind == "fence":
            lines.append(_OWN_FENCE)
        elif line.kind == "code":
            lines.append(re.sub(f"{_OWN_FENCE}+", _OWN_FENCE[1:], line.words))
        else:
            lines.append(_formatted(line.words, _within(marked, (line.start, line.start + len(line.words)))))
    return "\n".join([*lines, _OWN_FENCE] if lines.count(_OWN_FENCE) % 2 else lines)


@dataclass(frozen=True, slots=True)
class _Line:
    """One line, without and with its end: its start, and whether it is a fence, code between fences, or text."""

    kind: Literal["fence", "code", "words"]
    start: int
    words: str
    whole: str


def _lines(content: str) -> Iterator[_Line]:
    fence, start = "", 0
    for whole in content.splitlines(keepends=True):
        line = whole.splitlines()[0]
        sign = found[1] if (found := _FENCE.match(line)) else ""
        if fence and sign.startswith(fence) and not line.strip().strip(fence[0]):
            fence = ""
            yield _Line("fence", start, line, whole)
        elif fence:
            yield _Line("code", start, line, whole)
        else:
            fence = sign
            yield _Line("fence" if sign else "words", start, line, whole)
        start += len(whole)


FormatSpan = tuple[int, int, str]
"""Start, end and kind: `sign` for characters that only format, else heading, bold, italic, code or quote."""


def format_spans(content: str) -> list[FormatSpan]:
    """Return what `safe_markdown` shows as formatted, as spans of the unchanged content, by their start. No character
    is lost: a passage of the formatted text has the same place in the plain one."""
    spans: list[FormatSpan] = []
    for line in _lines(content):
        end = line.start + len(line.words)
        if line.kind == "fence":
            spans.append((line.start, line.start + len(line.whole), "sign"))
        elif line.kind == "code":
            spans.append((line.start, line.start + len(line.whole), "code"))
        elif heading := _heading(line.words):
            title, after = (line.start + at for at in heading[1:])
            spans += [(line.start, title, "sign"), (title, after, "heading"), (after, end, "sign")]
        elif line.words.lstrip().startswith(">"):
            spans.append((line.start, end, "quote"))
        if line.kind == "words":
            spans += _emphasis_spans(line)
    return sorted(span for span in spans if span[0] < span[1])


def _emphasis_spans(line: _Line) -> Iterator[FormatSpan]:
    """Yield spans of inline code, bold and italics of one line."""
    item = _ITEM.match(line.words)
    for found in _EMPHASIS.finditer(line.words, item.end() if item else 0):
        width = 2 if found[0].startswith("**") else 1
        start, end = (line.start + at for at in found.span())
        kind = "bold" if width == 2 else "code" if found[0].startswith("`") else "italic"
        yield from ((start, start + width, "sign"), (start + width, end - width, kind), (end - width, end, "sign"))


def _formatted(line: str, spans: Sequence[Span]) -> str:
    """Return one line outside of code as safe Markdown."""

    def emphasised(start: int, end: int) -> str:
        return _emphasised(line[start:end], _within(spans, (start, end)))

    if heading := _heading(line):
        rank, start, end = heading
        return f"\n{'#' * min(6, rank + 3)} {emphasised(start, end)}\n"
    if item := _ITEM.match(line):
        sign = "-" if item[2] in "-*+" else f"{item[2][:-1]}."
        return f"{' ' * min(len(item[1]), 8)}{sign} {emphasised(item.end(), len(line))}"
    if line.lstrip().startswith(">"):
        return f"> {emphasised(len(line) - len(line.lstrip().lstrip('> ')), len(line))}"
    return f"{emphasised(0, len(line))}  " if line.strip() else ""


def _emphasised(line: str, spans: Sequence[Span]) -> str:
    """Return inline code, bold and italics as Markdown; the rest escaped. Highlighted parts of inline code are text."""
    said, at = "", 0
    for place, piece in enumerate(_EMPHASIS.split(line)):
        sign = "" if place % 2 == 0 else "**" if piece.startswith("**") else piece[0]
        here = _within(spans, (at + len(sign), at + len(piece) - len(sign)))
        at += len(piece)
        if sign == "`" and not here:
            said += piece
            continue
        words = piece[len(sign) : len(piece) - len(sign)]
        around = sign.replace("`", "")
        inside = ""
        for part, marked in _pieces(words, _together(here)):
            inside += _inline(part, marked, said + around + inside)
        said += f"{around}{inside}{around}"
    return said.strip()


def matches(content: str, words: str) -> list[Span]:
    """Return the places of these words, in any case; at most MOST_MATCHES."""
    found = re.finditer(re.escape(words), content, re.IGNORECASE) if words else iter(())
    return [one.span() for one in islice(found, MOST_MATCHES)]


def _viewed(text: Text, part: Part, key: str, spans: Sequence[Span], view: TextView) -> None:
    turns, content = turns_in(text, part), part_of(text, part)
    found = matches(content, view.words)
    if view.words:
        st.caption(number(len(found), "place") + (" or more" if len(found) == MOST_MATCHES else ""))
    if not turns:
        _passage_of(content, [*spans, *found], view, bool(found))
    for number_of, turn in enumerate(turns):
        inside = _within([*spans, *found], (turn.start, turn.end))
        if found and not _within(found, (turn.start, turn.end)):
            continue
        folded = turn.turn.role not in ("user", "assistant") and not inside
        with st.expander(plain(turn.turn.heading)) if folded else st.container(key=f"{key}_turn_{number_of}"):
            if not folded:
                st.caption(f"**{plain(turn.turn.heading)}**")
            _passage_of(turn.turn.words, inside, replace(view, part=None), bool(found))


def _passage_of(content: str, spans: Sequence[Span], view: TextView, only_found: bool) -> None:
    """Draw the chosen part; of a text with search results, the paragraphs that have them."""
    start, end = view.part or (0, len(content))
    shown, inside = content[start:end], _within(spans, (start, end))
    if only_found:
        for paragraph in re.finditer(r"[^\n]+", content):
            if here := _within(spans, paragraph.span()):
                text_with_places(paragraph[0], here)
    elif view.formatted and not _in_code(shown, inside):
        st.markdown(safe_markdown(shown, inside))
    else:
        text_with_places(shown, inside)


def _in_code(content: str, spans: Sequence[Span]) -> bool:
    """Whether a span reaches into a block of code, in which nothing can be highlighted."""
    code = ((line.start, line.start + len(line.words)) for line in _lines(content) if line.kind == "code")
    return any(_within(spans, place) for place in code)


def _within(spans: Iterable[Span], place: Span) -> list[Span]:
    """Return the spans that overlap the place, counted from its start and cut at its ends."""
    start, end = place
    return [(max(at, start) - start, min(to, end) - start) for at, to in spans if at < end and to > start]


def text_with_places(text: str, places: Iterable[Span]) -> None:
    """Draw a text with these spans highlighted; overlapping spans are merged. Without spans the text is shown
    literally."""
    spans = _together(places)
    if spans:
        st.markdown(highlighted(text, spans))
    else:
        st.text(text, width="stretch")


def quote_line(quote: str, place: QuotedPlace | None, source_name: str = "source") -> str:
    """Return the quote as Markdown, with its place if that isn't obvious; `place` is None if it wasn't found."""
    said = f"“{plain(_DIRECTIONS.sub('', quote))}”"
    if place is None:
        return f"{said} · :orange[{NOT_IN_TEXT}]"
    words = ([f"in the {plain(source_name)}"] if place.in_source else []) + ([] if place.exact else ["nearly"])
    return f"{said} · :gray[{', '.join(words)}]" if words else said


def highlighted(text: str, spans: Iterable[Span]) -> str:
    """Return the text as Markdown, line by line, with these spans on a yellow background. They don't overlap."""
    pieces = list(_pieces(text, spans))
    lines: list[str] = [""]
    for words, marked in pieces:
        first, *others = words.split("\n")
        lines[-1] += _inline(first, marked, lines[-1])
        lines += [_inline(other, marked, "") for other in others]
    return "  \n".join(lines)


def _inline(words: str, marked: bool, before: str) -> str:
    """Return one piece of a line as Markdown; `before` is the line up to there."""
    core = words.strip()
    if not core:
        return " " if words and before else ""
    lead = len(words) - len(words.lstrip())
    start = (" " if lead else "") if before else _INDENT * lead
    shown = f":yellow-background[{plain_piece(core)}]" if marked else plain_piece(core)
    if shown.endswith(":") and not marked:  # what is marked may follow, and two colons would make it something else
        shown = f"{shown[:-1]}\\:"
    return start + shown + (" " if words[-1].isspace() else "")


def _pieces(text: str, spans: Iterable[Span]) -> Iterator[tuple[str, bool]]:
    at = 0
    for start, end in spans:
        yield text[at:start], False
        yield text[start:end], True
        at = end
    yield text[at:], False


def _together(places: Iterable[Span]) -> list[Span]:
    found: list[Span] = []
    for start, end in sorted(places):
        if found and start <= found[-1][1]:
            found[-1] = found[-1][0], max(found[-1][1], end)
        else:
            found.append((start, end))
    return found


def rubric(dimension: Dimension) -> None:
    """Draw the dimension's rubric literally, and its range."""
    scale = "good or not good" if dimension.binary else f"{dimension.low:g} to {dimension.high:g}"
    st.subheader(f"{plain(dimension.name)}, {scale}", anchor=False)
    if dimension.rubric:
        st.text(dimension.rubric)
    else:
        todo = "Ask the project's facilitator for one" if current_expert() else "Write one on Texts"
        st.caption(f"It has no rubric yet. {todo}, so that everybody means the same.")


def left_out(task: Task, samples: Sequence[Sample], held: SampleExclusionCounts) -> None:
    """Draw how the samples were chosen, their documents, and what scoring leaves out because of them."""
    said = "" if all(sample.chosen_by == "hand" for sample in samples) else f"{_chosen(samples)} "
    said += samples_words(task, len(samples), held.documents, held.texts)
    if held.alone and held.texts < held.all:
        said += f" Other texts of the same {task.sources_name} are scored, so keep what you say general."
    st.caption(plain(f"{said} {held.all - held.texts:,} of {number(held.all, 'text')} are left to score."))


def _chosen(samples: Sequence[Sample]) -> str:
    rated = [sample for sample in samples if sample.score is not None]
    how = "to be unlike each other" if any(sample.chosen_by == "diverse" for sample in samples) else "at random"
    if not rated:
        return f"Nobody has rated these texts: the samples were drawn {how}."
    if len(rated) < len(samples):
        return f"Few texts are rated: the other samples were drawn {how}."
    return "Chosen across the range of scores that people gave."


def score_words(score: float | None) -> str:
    """Return the mean rating of a sample in words."""
    return "not rated" if score is None else f"score {score:.2f}"


def needed_samples(workbench: Workbench, dimension: Dimension) -> list[Sample]:
    """Return the samples of a screen that needs some. Without texts the screen ends here, with a button to import."""
    try:
        return ensure_samples(workbench, dimension.id)
    except WorkbenchError as error:
        st.markdown(plain(str(error)))
        if was_pressed("Import texts", key="samples_need_texts", type="primary"):
            go("texts", {"section": "Import"})
        st.stop()


def samples_side_by_side(
    task: Task, dimension: Dimension, samples: Sequence[Sample], shown: Callable[[Sample], None] | None = None
) -> None:
    """Draw text and score of each sample, lowest score first and unrated ones last, beside its source if it has one.
    shown: draws text and source instead."""
    for place, sample in enumerate(samples, start=1):
        with st.container(key=f"sample_{sample.position}"):
            by_hand = " · chosen by hand" if sample.chosen_by == "hand" else ""
            scale = "" if sample.score is None else f" of {dimension.low:g} to {dimension.high:g}"
            st.markdown(f"**Sample {place} · {score_words(sample.score)}**{scale}{by_hand}")
            if shown is not None:
                shown(sample)
            elif sample.text.source:
                judged, key = sample.text, f"of_sample_{sample.position}"
                short_source = 2 * len(judged.source) < len(judged.text)
                source, text = st.columns([1, 2] if short_source else 2, gap="medium")
                with source:
                    st.caption(plain(task.source_name))
                    readable_text(judged, "source", f"source_{key}")
                with text:
                    st.caption(plain(task.text_name))
                    part_with_places(judged, "text", f"text_{key}")
            else:
                part_with_places(sample.text, "text", f"text_of_sample_{sample.position}")
