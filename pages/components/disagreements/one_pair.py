"""One disagreement: the text left; right the question, what experts and judges said, and the decision."""

from collections.abc import Sequence

import streamlit as st

from app.domain.improvement import Decision
from app.domain.judgment import Answer, Judgment
from app.domain.project import Project, Text, text_title
from app.domain.wording import QuotedPlace, find_quote
from app.errors import WorkbenchError
from app.services.disagreements.queue import DisagreementQueue, QueuedPair, SidesOfPair, sides_of_pair
from app.services.runtime.workbench import Workbench
from pages.components.disagreements.deciding import SAID, answer_buttons, settle, undo
from pages.components.disagreements.pair_list import list_button
from pages.components.disagreements.place import beside, place_of, show_pair
from pages.components.disagreements.queue_filter import KINDS
from pages.components.shell import words as local_time
from pages.components.shell.checklists.question_editor import current_editor, editor_name
from pages.components.shell.frame import sticky
from pages.components.shell.guide import more_in_guide
from pages.components.shell.reading import quote_line, readable_text
from pages.components.shell.words import model_label, plain, show_error

_COLOURED = {
    Answer.YES: ":green[Yes]",
    Answer.NO: ":orange[No]",
    Answer.NOT_APPLICABLE: ":gray[Does not apply]",
    Answer.UNANSWERED: ":gray[No answer]",
}
_BREAK = "  \n"
"""A new line of the same paragraph."""
ORDER_HELP = (
    "First what would move the judges' agreement with people on a question most, if it were settled as one of those "
    "who answered says, each as likely. Without a judge, first where experts are most divided. After each decision the "
    "order is made anew, so the place of the one you see may change."
) + more_in_guide("disagreements")


def one_pair(
    workbench: Workbench,
    project: Project,
    queue: DisagreementQueue,
    pairs: Sequence[QueuedPair],
    pair: QueuedPair,
    decides: bool,
) -> None:
    try:
        found = sides_of_pair(workbench, queue.checklist.id, pair.question.id, pair.text)
    except WorkbenchError as error:
        show_error(error)
        return
    left, right = st.columns([3, 2], gap="large")
    with left:
        _reading(project, found)
    with right, sticky("deciding"):
        _steps(pairs, pair)
        _question(pair)
        _standing(workbench, queue, pair, decides)
        if decides and not pair.contradicting:
            answer_buttons(workbench, queue, pairs, pair)
        _experts(found)
        _judges(found, project.task.source_name)
        if decides:
            editor_name(current_editor())


def _reading(project: Project, found: SidesOfPair) -> None:
    st.caption(plain(f"{project.task.text_name.capitalize()}: {text_title(found.text)}"))
    places = [place for one in found.judges for said in one.judgments if (place := _place(said, found.text))]
    here, there = ([(p.start, p.end) for p in places if p.in_source is source] for source in (False, True))
    readable_text(found.text.text, f"parted_text_{found.text.id}", here)
    if found.text.source:
        st.caption(plain(project.task.source_name.capitalize()))
        readable_text(found.text.source, f"parted_source_{found.text.id}", there)


def _steps(pairs: Sequence[QueuedPair], pair: QueuedPair) -> None:
    place = place_of(pairs, pair)
    with st.container(horizontal=True, vertical_alignment="center", key="pair_steps"):
        for key, label, shortcut, step in (
            ("previous_pair", "Previous", "Left", -1),
            ("next_pair", "Next", "Right", 1),
        ):
            to = beside(pairs, pair, step)
            st.button(label, key=key, shortcut=shortcut, disabled=to is None, on_click=show_pair, args=[to])
        list_button()
        if place is not None:
            st.caption(f"{place + 1:,} of {len(pairs):,}", help=ORDER_HELP, width="content")


def _question(pair: QueuedPair) -> None:
    st.markdown(f"**{pair.number}. {plain(pair.question.text)}**")
    if pair.question.component:
        st.caption(plain(pair.question.component))
    if pair.question.guidance:
        st.markdown(plain(pair.question.guidance))
    badges = [f":blue-badge[{KINDS[kind]}]" for kind in KINDS if kind in pair.kinds]
    st.markdown(" ".join(badges) or "Nobody parts here in this version.")


def _standing(workbench: Workbench, queue: DisagreementQueue, pair: QueuedPair, decides: bool) -> None:
    """The decision that holds; those that contradict each other side by side."""
    if pair.contradicting:
        st.markdown(
            "**Decisions about versions of this question say different things.** Keep one; the others are undone."
        )
        for place, column in enumerate(st.columns(len(pair.contradicting))):
            one = pair.contradicting[place]
            with column:
                _decided(one)
                if decides:
                    st.button("Keep this", key=f"keep_{one.id}", on_click=settle, args=[workbench, queue, one, pair.id])
    elif pair.decision:
        _decided(pair.decision)
        if decides:
            st.button(
                "Undo this decision",
                key="undo_shown",
                icon=":material/undo:",
                type="tertiary",
                on_click=undo,
                args=[workbench, pair.decision, pair.id],
            )


def _decided(one: Decision) -> None:
    st.markdown(
        f"Decided: **{SAID[one.answer]}** by {plain(one.who or 'somebody without a name')} on "
        f"{local_time.said(one.at, local_time.DAY)}, version {one.version}."
    )
    if one.why:
        st.caption(plain(one.why + (" (Became guidance.)" if one.guided else "")))
    if one.wording:
        st.caption(plain(f"The question was then: “{one.wording}”"))


def _experts(found: SidesOfPair) -> None:
    if not found.people:
        st.caption("No expert has answered this.")
        return
    st.markdown("**Experts**", help="Without names until something is decided.")
    lines = []
    for one in found.people:
        said = "Only a note" if one.answer is None else _COLOURED[one.answer]
        origin = f" :small[:gray[from version {one.from_version}]]" if one.from_version else ""
        lines.append(f"{said} · {plain(one.who)}{origin}")
        if one.note:
            lines.append(_small(one.note))
    st.markdown(_BREAK.join(lines))


def _judges(found: SidesOfPair, source: str) -> None:
    """`source`: what the project calls the texts' sources."""
    if not found.judges:
        return
    st.markdown("**Judges**")
    lines = []
    for one in found.judges:
        said = ", ".join(_said(judgment) for judgment in one.judgments)
        lines.append(f"{said} · {plain(model_label(one.judge))}")
        reasons = dict.fromkeys(judgment.rationale for judgment in one.judgments if judgment.rationale)
        lines.extend(_small(reason) for reason in reasons)
        quotes = {judgment.quote: _place(judgment, found.text) for judgment in one.judgments if judgment.quote}
        lines.extend(f":small[{quote_line(quote, place, source)}]" for quote, place in quotes.items())
    st.markdown(_BREAK.join(lines))


def _place(judgment: Judgment, text: Text) -> QuotedPlace | None:
    """Where its quote stands; None for none, and for one that stands nowhere."""
    return find_quote(judgment.quote, text.text, text.source) if judgment.quote else None


def _small(words: str) -> str:
    """People's or a judge's words to the letter, below what they are about."""
    return f":small[:gray[{plain(words)}]]"


def _said(judgment: Judgment) -> str:
    return ":gray[Can't tell]" if judgment.cannot_tell else _COLOURED[judgment.answer]
