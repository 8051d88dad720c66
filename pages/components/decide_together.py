"""A room to decide together: votes, discussion and end, for experts and facilitators."""

from collections.abc import Callable, Sequence
from functools import partial

import streamlit as st

from app.domain.checklist_score import Answer
from app.domain.expert_answer import FEWEST_MEMBERS
from app.domain.improvement import LONGEST_REASON
from app.domain.project import Project, Text, text_title
from app.domain.room import LONGEST_LINE, Room, RoomStage
from app.errors import WorkbenchError
from app.services.disagreements.rooms import (
    Agreement,
    ClosedRoom,
    RoomView,
    close_room,
    join_room,
    room_view,
    say_line,
    set_room_stage,
    vote,
)
from app.services.runtime.workbench import Workbench
from pages.components.shell import labels as local_time
from pages.components.shell.browser.page_scripts import saved_typing
from pages.components.shell.checklists.publishing import VERSION
from pages.components.shell.checklists.question_editor import known_editor
from pages.components.shell.current import hold
from pages.components.shell.frame import empty, nothing_yet, scrolling_column
from pages.components.shell.labels import COLOURED, SAID, ShownErrors, number, plain, show_error, show_saved_error
from pages.components.shell.navigation.screens import link
from pages.components.shell.reading import readable_text

_PROBLEM, _CLOSED = "room_problem", "room_closed"
_STAGES = {
    RoomStage.VOTE: "Vote",
    RoomStage.DISCUSS: "Discuss",
    RoomStage.VOTE_AGAIN: "Vote again",
    RoomStage.DECIDE: "Decide",
}
_WAITING = {
    RoomStage.VOTE: "You have voted. Nobody sees a vote until the facilitator reveals them all; until then you can "
    "change yours.",
    RoomStage.DISCUSS: "These are the first votes. Say in one line why you voted so.",
    RoomStage.VOTE_AGAIN: "You have voted again. Until the votes are revealed you can change yours.",
    RoomStage.DECIDE: "These are the second votes. The facilitator writes down what the room agrees on.",
}
_BREAK = "  \n"


def no_room(for_expert: bool) -> None:
    _closed_now()
    if for_expert:
        nothing_yet("room", "**No room is open.** It shows here when the facilitator opens one.")
    else:
        empty("No room is open.", "Open one from a disagreement.", "disagreements", "Go to Disagreements")


def one_room(workbench: Workbench, project: Project, room: Room, name: str) -> None:
    """Draw an open room. name: the expert at the screen, "" for a facilitator."""
    try:
        view = room_view(workbench, room.id, name)
    except WorkbenchError as error:
        show_error(error)
        return
    show_saved_error(_PROBLEM)
    joined = name in room.lines
    left, right = st.columns([3, 2], gap="large")
    with right, scrolling_column("room"):
        names = [f"**{plain(word)}**" if stage is view.room.stage else word for stage, word in _STAGES.items()]
        st.markdown(" → ".join(names))
        st.markdown(f"**{plain(view.question.text)}**")
        if view.question.guidance:
            st.markdown(plain(view.question.guidance))
        text = _choose_text(view, name)
        if name and not joined:
            st.markdown(
                "You vote without seeing what others vote. Then all votes are shown with names, and you discuss them."
            )
            st.button(
                "Join the room",
                key="join_room",
                type="primary",
                on_click=_press,
                args=[partial(join_room, workbench, room.id, name)],
            )
        elif name and room.stage.round and text is not None:
            _vote_buttons(workbench, view, name, text)
        if text is not None:
            _votes_on(view, text)
        _members(view)
        _lines(workbench, view, name)
        if not name:
            _facilitator(workbench, view)
    with left:
        if text is None:
            st.markdown("The texts of this room are no longer there.")
        else:
            st.caption(plain(f"{project.task.text_name.capitalize()}: {text_title(text)}"))
            readable_text(text, "text", f"room_reading_{text.id}")
            if text.source:
                st.caption(plain(project.task.source_name.capitalize()))
                readable_text(text, "source", f"room_source_{text.id}")


def _choose_text(view: RoomView, name: str) -> Text | None:
    """Return the text to show. If there are several, draw the choice: it begins with one that this expert hasn't voted
    on, and a tick marks those that they have."""
    if len(view.texts) < 2:
        return next(iter(view.texts), None)
    key, room = _text_key(view.room), view.room
    given = {text for who, text in room.said(room.stage.round or 0) if who == name}
    places = range(len(view.texts))
    if st.session_state.get(key) not in places:
        open_ = (place for place in places if view.texts[place].id not in given)
        st.session_state[key] = next(open_, 0) if name in room.lines else 0
    hold(key, 0)
    chosen = st.segmented_control(
        "Text",
        list(places),
        format_func=lambda place: f"{place + 1}{' ✓' if view.texts[place].id in given else ''}",
        key=key,
        required=True,
    )
    return view.texts[chosen or 0]


def _text_key(room: Room) -> str:
    """Return the key of the chosen text; it differs by stage, so that a new stage starts without a choice."""
    return f"room_text_{room.id}_{room.stage.name.lower()}"


def _vote_buttons(workbench: Workbench, view: RoomView, name: str, text: Text) -> None:
    room = view.room
    said = room.said(room.stage.round or 0)
    mine = said.get((name, text.id))
    with st.container(horizontal=True, key="room_vote"):
        for answer, label in SAID.items():
            if answer is Answer.NOT_APPLICABLE and not view.question.may_not_apply:
                continue
            st.button(
                label,
                key=f"vote_{answer.name.lower()}_{room.id}_{room.stage.round}_{text.id}",
                type="primary" if answer is mine else "secondary",
                on_click=_vote,
                args=[workbench, view, name, text.id, answer],
            )
    left = sum((name, one.id) not in said for one in view.texts)
    st.caption(f"{number(left, 'text')} left to vote on." if left else _WAITING[room.stage])


def _vote(workbench: Workbench, view: RoomView, name: str, text: int, answer: Answer) -> None:
    """Save a vote, in a callback, and choose the next text without one."""
    if not _do(partial(vote, workbench, view.room.id, name, text, answer)) or len(view.texts) < 2:
        return
    given = {of for who, of in view.room.said(view.room.stage.round or 0) if who == name} | {text}
    ids = [one.id for one in view.texts]
    after = ids[ids.index(text) :] + ids
    st.session_state[_text_key(view.room)] = ids.index(next((one for one in after if one not in given), text))


def _votes_on(view: RoomView, text: Text) -> None:
    """Draw the revealed votes on this text, and the agreement over all texts of the room."""
    room = view.room
    if not room.revealed:
        return
    rounds = [room.said(round_) for round_ in range(1, room.revealed + 1)]
    lines = []
    for member in room.members:
        votes = [said.get((member, text.id)) for said in rounds]
        if any(votes):
            shown = " → ".join(COLOURED[one] if one else ":gray[no vote]" for one in votes)
            lines.append(f"{shown} · {plain(member)}")
    with st.container(key="revealed"):
        st.markdown("**Votes**" + ("" if len(rounds) == 1 else ", first → second"))
        st.markdown(_BREAK.join(lines) or "Nobody voted on this text.")
        st.caption(_agreement_words(view))


def _agreement_words(view: RoomView) -> str:
    said = [_one_agreement(found, alike) for found, alike in _rounds(view)]
    return "Agreement: " + ", then ".join(said) + "."


def _rounds(view: RoomView) -> list[tuple[Agreement, float | None]]:
    found = ((view.before, view.alike_before), (view.after, view.alike_after))
    return [(agreement, alike) for agreement, alike in found if agreement is not None]


def _one_agreement(found: Agreement, alike: float | None) -> str:
    """Return the share of equal pairs of votes in words, and alpha where it is defined."""
    share = "no pair of votes" if alike is None else f"{alike:.0%} of pairs of votes alike"
    return share if found.value is None else f"{share}, alpha {found.value:.2f}"


def _members(view: RoomView) -> None:
    room = view.room
    if not room.members:
        st.caption("Nobody has joined yet. It comes first in the experts' list of tasks.")
        return
    all_ = len(room.texts)
    words = []
    for member in room.members:
        given = room.voted.get(member, 0)
        how = "" if not room.stage.round else " ✓" if given == all_ else f" {given} of {all_}"
        words.append(f"{plain(member)}{how}")
    st.markdown(f":small[In the room: {' · '.join(words)}]")


def _lines(workbench: Workbench, view: RoomView, name: str) -> None:
    """Draw members' lines and, during the discussion, the field for one's own line."""
    room = view.room
    if room.stage is RoomStage.DISCUSS and name in room.lines:
        key = f"room_line_{room.id}"
        st.text_input(
            "Your line",
            room.lines[name],
            key=key,
            max_chars=LONGEST_LINE,
            placeholder="why you voted so",
            on_change=_say,
            args=[workbench, room.id, name, key],
            help="Everybody in the room sees it with your name, and it stays in the audit log.",
        )
    said = [(member, room.lines[member]) for member in room.members if room.lines[member]]
    if said:
        with st.container(key="room_lines", gap="xsmall"):
            st.markdown("**What was said**")
            for member, line in said:
                st.markdown(f"{plain(line)} :small[:gray[{plain(member)}]]")


def _say(workbench: Workbench, room_id: int, name: str, key: str) -> None:
    if str(st.session_state[key]).strip() and _do(
        partial(say_line, workbench, room_id, name, str(st.session_state[key]))
    ):
        saved_typing(key)


def _facilitator(workbench: Workbench, view: RoomView) -> None:
    room = view.room
    if room.stage is RoomStage.DECIDE:
        _end(workbench, view)
        return
    whole = len(room.whole())
    if room.stage.round:
        label, ready = "Reveal the votes", whole >= FEWEST_MEMBERS
        hint = f"{whole} of {number(len(room.members), 'member')} have voted on every text."
    else:
        label, ready = "Let them vote again", True
        hint = f"{sum(map(bool, room.lines.values()))} of {number(len(room.members), 'member')} have said a line."
    st.caption(hint)
    with st.container(horizontal=True, key="room_moves"):
        st.button(
            label,
            key=f"move_room_{room.stage.name.lower()}",
            type="primary",
            disabled=not ready,
            on_click=_press,
            args=[partial(set_room_stage, workbench, room.id, room.stage.next)],
        )
        _close_early(workbench, room)


def _close_early(workbench: Workbench, room: Room) -> None:
    closing = partial(close_room, workbench, room.id, "", known_editor())
    st.button("Close without deciding", key="close_room_early", type="tertiary", on_click=_press, args=[closing])


def _end(workbench: Workbench, view: RoomView) -> None:
    room = view.room
    line, guide, decide = (f"room_{what}_{room.id}" for what in ("agreed", "guide", "decide"))
    st.text_area(
        "What the room agrees on, in a line",
        key=line,
        max_chars=LONGEST_REASON,
        height=80,
        placeholder="how to answer this question from now on",
    )
    st.checkbox(
        "Make the line guidance of the question",
        value=True,
        key=guide,
        help="In the newest draft that holds the question, or in one that is started. Judges read it once that is "
        "published.",
    )
    st.checkbox(
        "Decide each text as most voted",
        value=True,
        key=decide,
        help="More than half of the second votes. Other texts stay on Disagreements.",
    )
    with st.container(horizontal=True, key="room_moves"):
        st.button("Close the room", key="close_room", type="primary", on_click=_close, args=[workbench, room.id])
        _close_early(workbench, room)


def _close(workbench: Workbench, room_id: int) -> None:
    line, guide, decide = (st.session_state.get(f"room_{what}_{room_id}") for what in ("agreed", "guide", "decide"))
    found: list[ClosedRoom] = []

    def close() -> None:
        done = close_room(
            workbench, room_id, str(line or ""), known_editor(), decide=bool(decide), as_guidance=bool(guide)
        )
        found.append(done)

    if _do(close):
        saved_typing(f"room_agreed_{room_id}")
        st.session_state[_CLOSED] = found[0]


def _closed_now() -> None:
    """Tell once, after a room was closed, how many texts were decided and which draft has the line."""
    done: ClosedRoom | None = st.session_state.pop(_CLOSED, None)
    if done is None:
        return
    split = f" {number(done.split, 'text')} stayed open, for the votes were split." if done.split else ""
    st.success(f"The room is closed. {number(done.decided, 'text')} decided.{split}", icon=":material/check_circle:")
    if done.draft:
        link(
            "checklist", f"Open draft {done.draft}, whose question has the line", parameters={VERSION: str(done.draft)}
        )


def earlier_rooms(workbench: Workbench, rooms: Sequence[Room], name: str) -> None:
    """Draw closed rooms, newest first: votes, lines and the outcome."""
    if not rooms:
        return
    st.subheader("Earlier rooms", anchor=False)
    for room in rooms:
        view = room_view(workbench, room.id, name)
        when = local_time.said(room.opened_at, local_time.DAY)
        with st.expander(f"{when}: {plain(view.question.text)}", key=f"earlier_room_{room.id}"):
            about = [number(len(room.texts), "text"), number(len(room.members), "expert"), f"version {view.version}"]
            st.caption(" · ".join(about))
            if room.revealed:
                st.markdown(_agreement_words(view))
            for member in room.members:
                if room.lines[member]:
                    st.markdown(f"{plain(room.lines[member])} :small[:gray[{plain(member)}]]")
            if room.agreed:
                became = f" It is guidance in draft {room.draft}." if room.draft else ""
                st.markdown(f"**Agreed:** {plain(room.agreed)}{became}")


def _press(action: Callable[[], object]) -> None:
    _do(action)


def _do(action: Callable[[], object]) -> bool:
    """Return whether the action was carried out; an error is shown with the next drawing."""
    with ShownErrors(_PROBLEM):
        action()
        return True
    return False
