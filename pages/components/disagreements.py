"""Disagreements of judge and experts: the queue, one pair at a time, and the decision."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from app.domain.checklist import Checklist
from app.domain.checklist_score import Answer, Judgment
from app.domain.improvement import Decision
from app.domain.model_call import model_label
from app.domain.project import Dimension, Project, Text, text_title
from app.domain.quotes import QuotedPlace, find_quote
from app.domain.room import MOST_ROOM_TEXTS
from app.errors import ConflictError, WorkbenchError
from app.services.data.texts import text_titles
from app.services.disagreements.decisions import decide_answer, settle_contradiction, undo_decision
from app.services.disagreements.queue import (
    DisagreementKind,
    DisagreementQueue,
    PairAnswers,
    QueuedPair,
    QueueFilter,
    QueueState,
    decidable_versions,
    sides_of_pair,
)
from app.services.disagreements.rooms import open_room
from app.services.runtime.workbench import Workbench
from pages.components.shell import labels as local_time
from pages.components.shell.browser.page_scripts import page_script, run_in_page, saved_typing
from pages.components.shell.checklists.publishing import VERSION
from pages.components.shell.checklists.question_editor import current_editor, editor_name, known_editor
from pages.components.shell.current import keep, listed_choice, one_of
from pages.components.shell.frame import empty, nothing_yet, scrolling_column
from pages.components.shell.labels import (
    COLOURED,
    SAID,
    ShownErrors,
    judged_words,
    more_in_guide,
    number,
    plain,
    show_saved_error,
)
from pages.components.shell.navigation.screens import go, link
from pages.components.shell.reading import quote_line, readable_text
from pages.components.shell.tables import WRITER, ticked_table, with_writers

PAIR = "pair"


def shown_pair(queue: DisagreementQueue, pairs: Sequence[QueuedPair]) -> QueuedPair | None:
    """Return the pair in the address, even if it was decided meanwhile; else the first of the filtered ones."""
    wanted = st.query_params.get(PAIR, "")
    return next((pair for pair in queue.pairs if pair.id == wanted), pairs[0] if pairs else None)


def place_of(pairs: Sequence[QueuedPair], pair: QueuedPair) -> int | None:
    """Return the pair's index among the filtered ones, None if it isn't one of them."""
    return next((place for place, each in enumerate(pairs) if each.id == pair.id), None)


def show_pair(pair: str | None) -> None:
    """Open this pair of a question and a text, named as in the address; None opens the first in the list."""
    keep(PAIR, pair or "", "")


def beside(pairs: Sequence[QueuedPair], pair: QueuedPair, step: int) -> str | None:
    """Return the pair `step` places further; after the last comes the first. None if there is no other."""
    place = place_of(pairs, pair)
    if place is None:
        return pairs[0].id if pairs else None
    return pairs[(place + step) % len(pairs)].id if len(pairs) > 1 else None


_KEYS = {Answer.YES: "Y", Answer.NO: "N", Answer.NOT_APPLICABLE: "A"}
_LAST = "last_decision"
_PROBLEM = "decision_problem"
_OPENED = "room_opened"


def answer_buttons(
    workbench: Workbench, queue: DisagreementQueue, pairs: Sequence[QueuedPair], pair: QueuedPair
) -> None:
    """Draw the buttons. Each sends the decision that the person saw, so that nobody overrules one they didn't see."""
    st.text_input("Why, in a line", key=_why(pair), placeholder="optional", max_chars=1_000)
    st.checkbox(
        "Make the line guidance of the question",
        key=_guide(pair),
        help="In the newest draft that holds the question, or in one that is started. Judges read it once that is "
        "published.",
    )
    with st.container(horizontal=True, key="decide"):
        for answer, letter in _KEYS.items():
            if answer is Answer.NOT_APPLICABLE and not pair.question.may_not_apply:
                continue
            st.button(
                SAID[answer],
                key=f"decide_{letter}_{pair.id}",  # typed twice, a key never decides what nobody has seen yet
                shortcut=letter,
                on_click=_decide,
                args=[workbench, queue, pair, answer, beside(pairs, pair, 1)],
            )
        st.button("Skip", key="skip_pair", shortcut="S", on_click=show_pair, args=[beside(pairs, pair, 1) or pair.id])


def _decide(workbench: Workbench, queue: DisagreementQueue, pair: QueuedPair, answer: Answer, then: str | None) -> None:
    why, as_guidance = str(st.session_state.get(_why(pair), "")), bool(st.session_state.get(_guide(pair)))
    try:
        found = decide_answer(
            workbench,
            queue.checklist.id,
            pair.question.id,
            pair.text,
            answer,
            known_editor(),
            why=why,
            seen=pair.decision.id if pair.decision else None,
            as_guidance=as_guidance,
            run_id=queue.runs[0].id if queue.runs else None,
        )
    except WorkbenchError as error:
        if isinstance(error, ConflictError) and _LAST in st.session_state and st.session_state[_LAST][1] == pair.id:
            return  # the same key once more, before the next one was there
        st.session_state[_PROBLEM] = error
        show_pair(pair.id)
        return
    saved_typing(_why(pair))
    for key in (_why(pair), _guide(pair)):
        st.session_state.pop(key, None)
    st.session_state[_LAST] = (found.decision, pair.id, found.draft)
    show_pair(then)


def last_decision(workbench: Workbench, decides: bool) -> None:
    """Draw the last error, else the session's last decision with Undo."""
    show_saved_error(_PROBLEM)
    if st.session_state.pop(_OPENED, None):
        go("decide_together")
    if not decides or _LAST not in st.session_state:
        return
    decision, pair, draft = st.session_state[_LAST]
    with st.container(horizontal=True, vertical_alignment="center", key="last_decision"):
        st.markdown(f"Decided: **{SAID[decision.answer]}**.", width="content")
        st.button(
            "Undo",
            key="undo_decision",
            icon=":material/undo:",
            type="tertiary",
            on_click=undo,
            args=[workbench, decision, pair],
        )
        if draft:
            st.markdown(f"The line is guidance in draft {draft} now.", width="content")
            link("checklist", f"Open draft {draft}", parameters={VERSION: str(draft)})


def undo(workbench: Workbench, decision: Decision, pair: str) -> None:
    """Undo the last decision, in a callback, and show its pair again."""
    st.session_state.pop(_LAST, None)
    show_pair(pair)
    with ShownErrors(_PROBLEM):
        undo_decision(workbench, decision.id, known_editor())


def settle(workbench: Workbench, queue: DisagreementQueue, decision: Decision, pair: str) -> None:
    """Keep one of contradicting decisions, in a callback."""
    st.session_state.pop(_LAST, None)
    show_pair(pair)
    with ShownErrors(_PROBLEM):
        settle_contradiction(workbench, queue.checklist.id, decision.id, known_editor())


def _why(pair: QueuedPair) -> str:
    return f"why_{pair.id}"


def _guide(pair: QueuedPair) -> str:
    return f"as_guidance_{pair.id}"


LISTED = "listed"
PARTING = {DisagreementKind.EXPERTS: "experts", DisagreementKind.JUDGE: "judge", DisagreementKind.REPEATS: "repeats"}
PAGE_SIZE = 50
# Native shortcuts take letters and digits alone.
_KEY = page_script("""(() => {
  if (window.interactevalListKey) return;
  window.interactevalListKey = true;
  document.addEventListener("keydown", (event) => {
    const typing = event.target.closest?.("input, textarea, select, [contenteditable='true']");
    if (event.key !== "?" || event.ctrlKey || event.metaKey || event.altKey || typing) return;
    const button = document.querySelector(".st-key-list_of_pairs button, .st-key-one_by_one button");
    if (!button) return;
    event.preventDefault();
    button.click();
  });
})();""")
_COLUMNS = {
    "Text": st.column_config.TextColumn(width=400),
    "No.": st.column_config.NumberColumn(width=50),
    "Question": st.column_config.TextColumn(width=280),
    "Parting": st.column_config.TextColumn(
        width=150, help="Experts among themselves, a judge from most of them, or a judge's repeats."
    ),
    "Yes": st.column_config.NumberColumn(width=50),
    "No": st.column_config.NumberColumn(width=50),
    "n/a": st.column_config.NumberColumn(width=50, help="How many experts say that it doesn't apply."),
}


def is_listed() -> bool:
    return st.query_params.get(LISTED, "") == "yes"


def pair_list(workbench: Workbench, project: Project, pairs: Sequence[QueuedPair]) -> None:
    """Draw the pairs in the order of the queue."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button("One by one (?)", key="one_by_one", icon=":material/menu_book:", on_click=_list, args=[False])
        run_in_page(_KEY)
        st.caption(
            f"{len(pairs):,} disagreements, those first that would move figures most. Tick one to open it.",
            width="content",
        )
    ticked_table(pairs, partial(_table, workbench, project), _open, _COLUMNS, "pairs", PAGE_SIZE)


def _open(pair: QueuedPair | None) -> None:
    if pair is not None:
        _list(False)
        show_pair(pair.id)


def _list(shown: bool) -> None:
    keep(LISTED, "yes" if shown else "", "")


def _table(workbench: Workbench, project: Project, page: Sequence[QueuedPair]) -> pd.DataFrame:
    titles = text_titles(workbench, project.id, [each.text for each in page])
    rows = [
        {
            "Text": titles.get(each.text, each.key[0]),
            WRITER: each.key[1],
            "No.": each.number,
            "Question": each.question.text,
            "Parting": ", ".join(word for kind, word in PARTING.items() if kind in each.kinds),
            "Yes": each.people.get(Answer.YES, 0),
            "No": each.people.get(Answer.NO, 0),
            "n/a": each.people.get(Answer.NOT_APPLICABLE, 0),
            "Judges": ", ".join(dict.fromkeys((*each.judges, *each.wavering))),
            "Decided": each.decision.answer.value if each.decision else None,
        }
        for each in page
    ]
    table = with_writers(pd.DataFrame(rows), project.task)
    empty = [name for name in ("n/a", "Judges", "Decided") if not table[name].any()]
    return table.drop(columns=empty)


KINDS = {
    DisagreementKind.EXPERTS: "Experts disagree",
    DisagreementKind.JUDGE: "Judge disagrees with experts",
    DisagreementKind.REPEATS: "Judge's repeats differ",
}
STATES: dict[QueueState, str] = {"open": "To decide", "decided": "Decided", "contradicting": "Contradicting decisions"}
ALL = "all"
VERSION_KEY = "of_version"
_FROM_THE_FIRST: dict[str, Any] = {"on_change": show_pair, "args": [None]}


def chosen_version(workbench: Workbench, dimension: Dimension) -> Checklist:
    """Return the newest published version that anybody answered; without one, say so and end the screen."""
    versions = {str(each.version): each for each in decidable_versions(workbench, dimension.id)}
    if not versions:
        empty("No version of the checklist is published yet.", "Publish one first.", "checklist", "Go to Checklist")
        st.stop()
    first = next(iter(versions))
    if len(versions) > 1:
        return versions[listed_choice(VERSION_KEY, list(versions), first, "Version", width=160, **_FROM_THE_FIRST)]
    return versions[first]


def queue_filter(queue: DisagreementQueue) -> QueueFilter:
    """Draw the filter and return it; every choice is in the address."""
    with st.container(horizontal=True, vertical_alignment="top", key="queue_filter"):
        there = {
            each: f"{words} ({queue.counted(each):,})"
            for each, words in STATES.items()
            if each != "contradicting" or queue.counted(each)
        }
        state = one_of("standing", there, "open", "Which", label_visibility="visible", **_FROM_THE_FIRST)
        kind = _one_of("kind", "Kind", {kind.value: words for kind, words in KINDS.items()})
        numbers = queue.checklist.numbers
        asked = {str(numbers[each.id]): f"{numbers[each.id]}. {each.text}" for each in queue.checklist.asked}
        question = _one_of("asked", "Question", asked)
        judge = _one_of("by_judge", "Judge", {name: model_label(name) for name in queue.judges})
        parts = dict.fromkeys(each.component for each in queue.checklist.asked if each.component)
        part = _one_of("part", "Component", {name: name for name in parts}) if len(parts) > 1 else ""
    return QueueFilter(
        DisagreementKind(kind) if kind else None, int(question) if question else None, judge, part, state
    )


def nothing_here(queue: DisagreementQueue) -> None:
    """Draw why there is nothing to decide, and what to do."""
    version = f"version {queue.checklist.version}"
    if not queue.answered and not queue.runs and not queue.pairs:
        empty(
            f"Nobody has answered {version} yet, neither an expert nor a judge.",
            "Draw texts for your experts on Answer, or score texts.",
            "answer",
            "Go to Answer",
        )
    elif not queue.pairs:
        who = [number(queue.answered, "expert")] if queue.answered else []
        who += [number(len(queue.runs), "judge")] if queue.runs else []
        alone = queue.answered + len(queue.runs) < 2
        said = "**Nobody can disagree yet.** Only" if alone else "**No disagreements.**"
        same = "" if alone else ", and agree wherever they answered the same question about the same text"
        nothing_yet("parts", f"{said} {' and '.join(who)} answered {version}{same}.")
        link("answer", "Let more experts answer")
    elif not queue.counted("open") and not queue.counted("contradicting"):
        st.markdown(
            f"**Everything is decided.** {number(queue.counted('decided'), 'decision')} can be looked at above."
        )
        link("results", "See what that does to the figures", parameters={"view": "questions"})
    else:
        st.markdown("No disagreement fits this choice. Choose another kind, question, judge or component.")


def _one_of(key: str, label: str, words: dict[str, str]) -> str:
    """Draw a choice; return "" for all."""
    options = [ALL, *words]
    chosen = listed_choice(key, options, ALL, label, lambda one: words.get(one, "All"), width=190, **_FROM_THE_FIRST)
    return "" if chosen == ALL else chosen


_BREAK = "  \n"
"""A line break within a paragraph."""
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
    with ShownErrors():
        found = sides_of_pair(workbench, queue.checklist.id, pair.question.id, pair.text)
        left, right = st.columns([3, 2], gap="large")
        with left:
            st.caption(plain(f"{project.task.text_name.capitalize()}: {text_title(found.text)}"))
            places = [place for one in found.judges for said in one.judgments if (place := _place(said, found.text))]
            here, there = ([(p.start, p.end) for p in places if p.in_source is source] for source in (False, True))
            readable_text(found.text, "text", f"parted_text_{found.text.id}", here)
            if found.text.source:
                st.caption(plain(project.task.source_name.capitalize()))
                readable_text(found.text, "source", f"parted_source_{found.text.id}", there)
        with right, scrolling_column("deciding"):
            _steps(pairs, pair)
            st.markdown(f"**{pair.number}. {plain(pair.question.text)}**")
            if pair.question.component:
                st.caption(plain(pair.question.component))
            if pair.question.guidance:
                st.markdown(plain(pair.question.guidance))
            badges = [f":blue-badge[{KINDS[kind]}]" for kind in KINDS if kind in pair.kinds]
            st.markdown(" ".join(badges) or "Nobody parts here in this version.")
            _standing(workbench, queue, pair, decides)
            if decides and not pair.contradicting:
                answer_buttons(workbench, queue, pairs, pair)
            _experts(found)
            _judges(found, project.task.source_name)
            if decides:
                editor_name(current_editor())
                _room(workbench, queue, pair)


def _room(workbench: Workbench, queue: DisagreementQueue, pair: QueuedPair) -> None:
    """Draw the buttons that open a room on this text, or on all undecided ones of the question."""
    same = [one.text for one in queue.pairs if one.question.id == pair.question.id and one.state == "open"]
    texts = list(dict.fromkeys([pair.text, *same]))[:MOST_ROOM_TEXTS]
    with st.expander("Decide together with the experts", key="open_a_room"):
        st.markdown(
            "It comes first in their list of tasks. They vote blind, see the votes, say a line each, and vote again."
        )
        for key, label, about in (
            ("room_on_text", "Open a room on this text", texts[:1]),
            ("room_on_question", f"Open a room on {len(texts)} texts of this question", texts),
        ):
            if key == "room_on_text" or len(texts) > 1:
                st.button(label, key=key, on_click=_open_room, args=[workbench, queue, pair, about])


def _open_room(workbench: Workbench, queue: DisagreementQueue, pair: QueuedPair, texts: Sequence[int]) -> None:
    with ShownErrors(_PROBLEM):
        open_room(workbench, queue.checklist.id, pair.question.id, texts, known_editor())
        st.session_state[_OPENED] = queue.checklist.id


def _steps(pairs: Sequence[QueuedPair], pair: QueuedPair) -> None:
    place = place_of(pairs, pair)
    with st.container(horizontal=True, vertical_alignment="center", key="pair_steps"):
        for key, label, shortcut, step in (
            ("previous_pair", "Previous", "Left", -1),
            ("next_pair", "Next", "Right", 1),
        ):
            to = beside(pairs, pair, step)
            st.button(label, key=key, shortcut=shortcut, disabled=to is None, on_click=show_pair, args=[to])
        st.button("List (?)", key="list_of_pairs", icon=":material/list:", type="tertiary", on_click=_list, args=[True])
        run_in_page(_KEY)
        if place is not None:
            st.caption(f"{place + 1:,} of {len(pairs):,}", help=ORDER_HELP, width="content")


def _standing(workbench: Workbench, queue: DisagreementQueue, pair: QueuedPair, decides: bool) -> None:
    """Draw the decision that stands; contradicting ones side by side."""
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


def _experts(found: PairAnswers) -> None:
    if not found.people:
        st.caption("No expert has answered this.")
        return
    st.markdown("**Experts**", help="Without names until something is decided.")
    lines = []
    for one in found.people:
        said = "Only a note" if one.answer is None else COLOURED[one.answer]
        origin = f" :small[:gray[from version {one.from_version}]]" if one.from_version else ""
        lines.append(f"{said} · {plain(one.who)}{origin}")
        if one.note:
            lines.append(_small(one.note))
    st.markdown(_BREAK.join(lines))


def _judges(found: PairAnswers, source: str) -> None:
    """Draw the judges' answers. `source`: what the project calls the texts' sources."""
    if not found.judges:
        return
    st.markdown("**Judges**")
    lines = []
    for one in found.judges:
        said = ", ".join(judged_words(judgment) for judgment in one.judgments)
        lines.append(f"{said} · {plain(model_label(one.judge))}")
        reasons = dict.fromkeys(judgment.rationale for judgment in one.judgments if judgment.rationale)
        lines.extend(_small(reason) for reason in reasons)
        quotes = {judgment.quote: _place(judgment, found.text) for judgment in one.judgments if judgment.quote}
        lines.extend(f":small[{quote_line(quote, place, source)}]" for quote, place in quotes.items())
    st.markdown(_BREAK.join(lines))


def _place(judgment: Judgment, text: Text) -> QuotedPlace | None:
    """Return the place of the quote; None without a quote, or where it is not in the text."""
    return find_quote(judgment.quote, text.text, text.source) if judgment.quote else None


def _small(words: str) -> str:
    """Draw people's or a judge's words literally, below their subject."""
    return f":small[:gray[{plain(words)}]]"
