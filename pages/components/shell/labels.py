"""Words on the screen: people's text shown literally, labels that are the same everywhere, links into the guide, and
errors with help."""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from functools import cache
from types import TracebackType
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import streamlit as st

from app.domain.build import Stage
from app.domain.checklist import Question
from app.domain.checklist_score import Answer, Judgment
from app.domain.passage import Passage
from app.domain.storable_text import shown_directions
from app.errors import MissingKeyError, NotReadyError, ProviderError, WorkbenchError, paragraph_of_kind

GUIDE = "/guide/"


def guide_link(paragraph: str, label: str = "More in the guide") -> str:
    """Return Markdown of a link that opens in a new tab. paragraph: page and anchor in the built guide."""
    return f"[{label}]({GUIDE}{paragraph})"


def more_on(error: WorkbenchError) -> str:
    """Return the link below an error's message; "" if the guide has nothing on it."""
    return f"\n\n{guide_link(error.paragraph.address)}" if error.paragraph else ""


def failure_address(kind: str) -> str:
    """Return the address of a stored kind of failure; an imported project may hold unknown kinds."""
    paragraph = paragraph_of_kind(kind)
    return paragraph.address if kind in kinds_of_failures() else f"{paragraph.page}.html"


@cache
def kinds_of_failures() -> frozenset[str]:
    return frozenset(kind.kind for kind in _with_those_below(ProviderError))


def _with_those_below(error: type[ProviderError]) -> list[type[ProviderError]]:
    return [error, *(each for child in error.__subclasses__() for each in _with_those_below(child))]


EXPLAINED: Mapping[str, str] = {
    "levels": "researchers.html#levels",
    "intervals": "researchers.html#intervals",
    "draws": "researchers.html#draws",
    "methods": "methods.html",
    "verdict": "facilitators.html#read-the-verdict",
    "correlation": "figures.html#correlation",
    "coverage": "figures.html#coverage",
    "preferences": "researchers.html#preferences",
    "ceiling": "figures.html#what-one-person-reaches",
    "alpha": "figures.html#alpha",
    "kappa": "figures.html#kappa",
    "alt-test": "figures.html#the-alternative-annotator-test",
    "corrected": "figures.html#corrected-shares",
    "failures": "figures.html#failure-rates",
    "panel": "figures.html#several-judges",
    "difference": "figures.html#differences",
    "discrimination": "figures.html#what-a-question-tells",
    "weights": "figures.html#weights",
    "scale": "figures.html#peoples-scale",
    "quotes": "figures.html#quotes",
    "drift": "figures.html#drift",
    "asking": "figures.html#one-call-or-one-each",
    "cost": "figures.html#quality-against-cost",
    "writers": "figures.html#texts-by-people-and-by-llms",
    "conditions": "researchers.html#whose-attributes",
    "enough": "figures.html#themes-and-what-is-left",
    "overlap": "figures.html#attribute-overlap",
    "likeness": "figures.html#likeness",
    "contribution": "figures.html#whose-attributes-reached-the-checklist",
    "spread": "figures.html#the-spread-over-topics",
    "trust": "figures.html#how-far-topics-can-be-trusted",
    "batches": "facilitators.html#batches",
    "team": "facilitators.html#run-a-team",
    "disagreements": "facilitators.html#settle-what-people-and-judges-see-differently",
}
OF_STAGES: Mapping[Stage, str] = {
    Stage.COMPONENTS: "facilitators.html#components",
    Stage.CLUSTERS: "facilitators.html#clusters",
    Stage.KEY_QUESTIONS: "facilitators.html#key-questions",
    Stage.SUB_QUESTIONS: "facilitators.html#sub-questions",
    Stage.VALIDATION: "facilitators.html#validation",
}


def more_in_guide(topic: str) -> str:
    """Return a link for the end of a field's or figure's help."""
    return f"\n\n{guide_link(EXPLAINED[topic])}"


def more_on_stage(stage: Stage) -> str:
    return guide_link(OF_STAGES[stage])


PARAGRAPHS: Mapping[str, str] = {
    "overview": "facilitators.html#overview",
    "texts": "facilitators.html#bring-your-texts-in",
    "think_aloud": "experts.html#think-aloud",
    "which_is_better": "facilitators.html#which-is-better",
    "ask_llms": "facilitators.html#ask-llms",
    "attributes": "facilitators.html#look-through-the-attributes",
    "how_it_was_made": "facilitators.html#make-the-checklist",
    "checklist": "facilitators.html#edit-and-publish",
    "why_these_questions": "facilitators.html#where-a-question-comes-from",
    "answer": "facilitators.html#let-experts-answer",
    "decide_together": "facilitators.html#decide-together",
    "scores": "facilitators.html#score-the-texts",
    "results": "facilitators.html#read-the-verdict",
    "disagreements": "facilitators.html#settle-what-people-and-judges-see-differently",
    "compare": "researchers.html#who-notices-what",
    "side_by_side": "experts.html#compare-two-sets",
    "conditions": "researchers.html#whose-attributes",
    "methods": "researchers.html#several-methods",
    "locked_test": "researchers.html#a-locked-test",
    "people": "facilitators.html#run-a-team",
    "prompts": "researchers.html#prompts",
    "settings": "administrators.html#models-and-keys",
}
"""Screen -> its paragraph in the built guide."""
OF_EXPERTS: Mapping[str, str] = {
    "overview": "experts.html#my-work",
    "attributes": "experts.html#review-what-came-together",
    "checklist": "experts.html#review-what-came-together",
    "why_these_questions": "experts.html#review-what-came-together",
    "answer": "experts.html#answer",
    "decide_together": "experts.html#decide-together",
    "which_is_better": "experts.html#which-is-better",
}
"""As PARAGRAPHS, for screens on which experts and facilitators do different things."""


def paragraph_on(screen: str, expert: bool) -> str:
    usual = PARAGRAPHS.get(screen, "index.html")
    return OF_EXPERTS.get(screen, usual) if expert else usual


def help_link(here: str, expert: bool = False) -> None:
    """Draw the help link. here: the open screen. expert: whether an expert sees it."""
    paragraph = paragraph_on(here, expert)
    st.link_button(
        "Help",
        GUIDE + paragraph,
        icon=":material/help:",
        type="tertiary",
        help="The guide, at what is on this screen. It opens in a tab of its own.",
    )


# What Markdown, its math, its links in brackets and Streamlit's :directives: would otherwise read as markup: anywhere,
# and at the beginning of a line (lists, headings, quotes).
_ANYWHERE = re.compile(r"([\\`*_\[\]<>~$|@&]|:(?=[\w/]))")
# What looks like an address becomes a link although its signs are escaped: links are looked for in the text that is
# left. A word joiner, which nobody sees and no line breaks at, keeps the signs from standing side by side.
_ADDRESS = re.compile(r"(?<=\w:)(?=//)|(?<=www)(?=\.)|(?<=[\w.+-]@)(?=[\w-]+\.)", re.IGNORECASE)
_WORD_JOINER = "\u2060"

# Names in scripts written from right to left would pull the words around them along.
_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff]")
_QUOTED = re.compile("“([^“”]*)”")


def plain(text: str) -> str:
    """Return untrusted text for a place that takes Markdown, so that it is shown literally. Line breaks become spaces.

    Text written from right to left is isolated; if it has quoted parts, only these.
    """
    text = shown_directions(text)
    if not _RIGHT_TO_LEFT.search(text):
        return _escaped(text)
    apart = _QUOTED.sub(lambda quoted: f"“{_isolated(quoted[1])}”", text)
    return _escaped(_isolated(text) if apart == text else apart)


def plain_piece(text: str) -> str:
    """Return a piece of a paragraph as `plain`, but without isolating it, so that pieces in a script written from right
    to left keep their order. The paragraph's direction is that of its first letter (`style.css`)."""
    return _escaped(shown_directions(text))


def _isolated(text: str) -> str:
    """Return the text between the marks of Unicode's bidirectional algorithm that isolate its direction (UAX 9)."""
    return f"\u2068{text}\u2069" if _RIGHT_TO_LEFT.search(text) else text


def _escaped(text: str) -> str:
    escaped = _ANYWHERE.sub(r"\\\1", _ADDRESS.sub(_WORD_JOINER, " ".join(text.split())))
    number = re.match(r"\d+(?=[.)])", escaped)
    if number:  # "1." would begin a list
        return f"{number[0]}\\{escaped[number.end() :]}"
    return f"\\{escaped}" if escaped[:1] in ("-", "+", "#", "=") else escaped


def button_label(verb: str, what: str) -> str:
    """Return the label of a button among others with the same verb: `verb` is Markdown and all that is seen, "" below
    an icon.

    Screen readers and voice commands also get `what` it is about, which `style.css` hides.
    """
    return f"{verb} :gray-background[{plain(what)}]".strip()


QUOTED = 160  # characters of a passage beside an attribute


def quote_words(passage: Passage) -> str:
    """Return the passage's words as Markdown in quotation marks; a long one is cut."""
    words = " ".join(passage.quote.split())
    return f"“{plain(words if len(words) <= QUOTED else f'{words[: QUOTED - 1].rstrip()}…')}”"


SAID = {Answer.YES: "Yes", Answer.NO: "No", Answer.NOT_APPLICABLE: "Does not apply"}
COLOURED = {
    Answer.YES: ":green[Yes]",
    Answer.NO: ":orange[No]",
    Answer.NOT_APPLICABLE: ":gray[Does not apply]",
    Answer.UNANSWERED: ":gray[No answer]",
}
"""Answers as coloured Markdown."""


def judged_words(judgment: Judgment) -> str:
    """Return a judge's answer, as Markdown."""
    return ":gray[Can't tell]" if judgment.cannot_tell else COLOURED[judgment.answer]


KEY_IN_SETTINGS = "A key can also be typed on the Settings screen."


def show_error(error: WorkbenchError) -> None:
    """Show what happened and what to do, literally, as messages quote names that people chose; and the guide's link, if
    any. Where something is to be done first, nothing has failed: that is not shown in red."""
    said = plain(f"{error} {KEY_IN_SETTINGS}" if isinstance(error, MissingKeyError) else str(error)) + more_on(error)
    if isinstance(error, NotReadyError):
        st.info(said, icon=":material/info:")
    else:
        st.error(said, icon=":material/error:")


class ShownErrors:
    """A context that shows a `WorkbenchError` and continues after the block. In a callback, which runs before the
    screen is drawn, the error is kept under `later` for `show_saved_error`."""

    def __init__(self, later: str = "") -> None:
        self._later = later

    def __enter__(self) -> None:
        pass

    def __exit__(
        self, _kind: type[BaseException] | None, error: BaseException | None, _trace: TracebackType | None
    ) -> bool:
        if not isinstance(error, WorkbenchError):
            return False
        if self._later:
            st.session_state[self._later] = error
        else:
            show_error(error)
        return True


def show_saved_error(key: str) -> None:
    """Show the error that `ShownErrors` kept, once."""
    if error := take_message(key):
        show_error(error)


_SHOWN, _REPORTED = "shown_messages", "messages_when_reported"


def take_message(key: str) -> Any:
    """Return what a callback kept under this key for one drawing, for two where `messages_kept` says so; None for
    nothing."""
    message, reported = st.session_state.get(key), st.session_state.get(_REPORTED)
    if reported is None or reported.get(key) is message:
        st.session_state.pop(key, None)
    st.session_state.setdefault(_SHOWN, {})[key] = message
    return message


def keep_messages() -> None:
    """Keep the messages of the last drawing for the next one. It is the callback of what the browser sends by itself:
    a person wouldn't see a message that lasts until then."""
    st.session_state[_REPORTED] = shown = dict(st.session_state.get(_SHOWN, {}))
    for key, message in shown.items():
        if message is not None:
            st.session_state.setdefault(key, message)


@contextmanager
def messages_kept() -> Iterator[None]:
    """Draw a fragment with `keep_messages`. If a person acts while the browser sends something, Streamlit draws the
    fragment twice: the message on what the person did is there both times."""
    yield
    forget_report()


def forget_report() -> None:
    """Let messages last for one drawing again. Called for each whole screen too: the person may have left the one with
    the fragment before it was drawn."""
    st.session_state.pop(_REPORTED, None)


def number(count: int, noun: str) -> str:
    """Return a count with its noun, in the plural if needed."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def dollars(amount: float | None, markdown: bool = True) -> str:
    """Return US dollars; an unknown amount says so and is never 0. In Markdown the dollar sign is escaped, as it would
    begin a formula."""
    if amount is None:
        return "unknown"
    sign = "\\$" if markdown else "$"
    return f"under {sign}0.01" if 0 < amount < 0.01 else f"{sign}{amount:,.2f}"


def paid(cost: float | None, at_least: float, markdown: bool = True) -> str:
    """Return what was paid, of which perhaps only a part is known."""
    if cost is None and at_least:
        return f"at least {dollars(at_least, markdown)}"
    return dollars(cost, markdown)


def about(amount: float) -> str:
    """Return an estimated amount, in Markdown."""
    return dollars(amount) if 0 <= amount < 0.01 else f"about {dollars(amount)}"


DAY = "%d %b %Y"
SHORT = "%d %b, %H:%M"
LONG = "%d %b %Y, %H:%M"


def local(moment: datetime) -> datetime:
    """Return the time in the browser's zone; in this computer's if the browser names no known one."""
    name = st.context.timezone
    try:
        zone = ZoneInfo(name) if name else None
    except (ZoneInfoNotFoundError, ValueError):
        zone = None
    return moment.astimezone(zone)


def clock(moment: datetime) -> datetime:
    """Return `local` time without its zone, because tables convert times that have one."""
    return local(moment).replace(tzinfo=None)


def said(moment: datetime, form: str = SHORT) -> str:
    return local(moment).strftime(form)


def example_lines(question: Question) -> None:
    """Draw the examples that the judge reads with the question."""
    if question.examples:
        st.caption("Examples that the judge reads")
        said = [f"- **{one.answer}** {plain(one.text)} :gray[{plain(one.reason)}]" for one in question.examples]
        st.markdown("\n".join(said))
