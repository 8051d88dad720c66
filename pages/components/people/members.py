"""Members of a project: roles, assignments, progress, invitation links, and removal."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from urllib.parse import urlsplit

import streamlit as st

from app.domain.people import InvitedPerson, LinkState, read_invited
from app.domain.project import Project
from app.domain.roles_and_rights import Role
from app.domain.sign_in import LINK_DAYS, MOST_DAYS
from app.errors import InputError, WorkbenchError
from app.services.checklists.assignments import SharedTexts, give_dimensions, move_texts, share_texts, shared_texts
from app.services.checklists.my_work import IDLE_DAYS, MemberTasks, tasks_of_members
from app.services.data.projects import dimensions_named
from app.services.people.invitations import NewInvitationLink, invite, invite_several, message_for, revoke_access
from app.services.people.ways_to_sign_in import link_of, remarks_on_link
from app.services.runtime.workbench import Workbench
from pages.components.shell import labels as local_time
from pages.components.shell.browser.page_scripts import saved_typing
from pages.components.shell.current import was_pressed
from pages.components.shell.labels import ShownErrors, number, plain, show_error, show_saved_error
from pages.components.shell.tables import show_table

_ASSIGN_PROBLEM = "assign_problem"


def assign(workbench: Workbench, project: Project, members: Sequence[MemberTasks]) -> None:
    if (problem := st.session_state.pop(_ASSIGN_PROBLEM, None)) is not None:
        show_error(problem)
    experts = [one for one in members if one.member.role is Role.EXPERT]
    _assigned_dimensions(workbench, project, experts)
    found = shared_texts(workbench, project.id)
    for shared in found:
        _overlap(workbench, shared)
    idle = [shared for shared in found if shared.unanswered]
    if idle:
        _moving(workbench, idle)
    if not found:
        st.caption("Once texts are drawn for experts, on Answer, you say here how many experts answer each of them.")


def _assigned_dimensions(workbench: Workbench, project: Project, experts: Sequence[MemberTasks]) -> None:
    st.caption("The dimensions that each expert thinks aloud about and answers. What they wrote on others stays.")
    options = {one.id: one.name for one in dimensions_named(workbench, project.name, "all")}
    columns = st.columns(2, gap="large")
    for place, one in enumerate(experts):
        key = f"given_{project.id}_{one.member.person.id}"
        st.session_state[key] = [dimension.id for dimension in one.given]
        columns[place % 2].multiselect(
            plain(one.member.name),
            list(options),
            format_func=options.__getitem__,
            key=key,
            placeholder="all dimensions",
            on_change=_give,
            args=[workbench, project.id, one.member.name, key],
        )


def _give(workbench: Workbench, project_id: int, name: str, key: str) -> None:
    with ShownErrors(_ASSIGN_PROBLEM):
        give_dimensions(workbench, project_id, name, list(st.session_state[key]))


def _overlap(workbench: Workbench, shared: SharedTexts) -> None:
    name, dimension = plain(shared.dimension.name), shared.dimension.id
    with st.form(f"overlap_form_{dimension}", border=False):
        with st.container(horizontal=True, vertical_alignment="bottom"):
            wanted = st.number_input(
                f"How many experts answer each text of {name}",
                0,
                value=shared.overlap,
                key=f"overlap_{dimension}",
                width=320,
                help="0: everybody answers every text. Texts that nobody has begun on are spread anew, as evenly as "
                "that goes; what somebody has begun stays theirs.",
            )
            pressed = was_pressed("Spread the texts", f"overlap_now_{dimension}", form=True)
        st.caption(_standing(shared))
    if pressed:
        with ShownErrors():
            share_texts(workbench, dimension, int(wanted))
            st.rerun()


def _standing(shared: SharedTexts) -> str:
    """Return in words what is drawn, and which texts the assignment leaves open."""
    if not shared.texts:
        return "No texts are drawn yet; those that are drawn will be spread so."
    said = [f"{number(shared.texts, 'text')} drawn, {number(len(shared.experts), 'expert')}."]
    if shared.short:
        said.append(f"{number(shared.short, 'text')} with fewer experts than that: spread them again.")
    if shared.without:
        said.append(f"Without a text: {', '.join(shared.without)}. Spread them again to give them theirs.")
    return plain(" ".join(said))


def _moving(workbench: Workbench, idle: Sequence[SharedTexts]) -> None:
    st.caption("Texts that an expert hasn't answered can go to another. Each answer stays with the expert who gave it.")
    names = {shared.dimension.id: shared for shared in idle}
    with st.container(horizontal=True, vertical_alignment="bottom"):
        chosen = st.selectbox(
            "Dimension", list(names), format_func=lambda id_: names[id_].dimension.name, key="move_dimension", width=200
        )
        shared = names[chosen]
        giver = st.selectbox(
            "Move the unanswered texts of",
            list(shared.unanswered),
            format_func=lambda name: f"{name} ({number(shared.unanswered[name], 'text')})",
            key="move_from",
            width=260,
        )
        taker = st.selectbox("to", [name for name in shared.experts if name != giver], key="move_to", width=200)
        pressed = was_pressed("Move them", key="move_now", disabled=taker is None)
    if pressed:
        with ShownErrors():
            moved = move_texts(workbench, chosen, giver, taker)
            left = f" {number(moved.left, 'text')} stay: {taker} has them too." if moved.left else ""
            st.toast(plain(f"{number(moved.moved, 'text')} of {giver} went to {taker}.{left}"))
            st.rerun()


_ROLES = {
    Role.EXPERT: "Expert: thinks aloud, answers, reviews the checklist once they are done",
    Role.FACILITATOR: "Facilitator: everything in this project",
    Role.READER: "Reader: the results and published checklists, no changes",
}
_LINKS, _PROBLEM, _LIST_PROBLEM = "links_made_for", "invite_problem", "invite_list_problem"
_REMOVAL = "removal_outcome"
_LINK_WORDS = {
    LinkState.OPEN: "not opened yet",
    LinkState.USED: "opened",
    LinkState.EXPIRED: "too old",
    LinkState.REVOKED: "revoked",
}


@dataclass(frozen=True, slots=True)
class _Message:
    """The message to send to somebody with their new link."""

    name: str
    email: str
    link: str
    words: str
    remarks: tuple[str, ...] = ()


def members(workbench: Workbench, project: Project) -> None:
    _show_removal()
    found = tasks_of_members(workbench, project.id)
    st.subheader("Members", anchor=False)
    if found:
        show_table(
            [_row(one) for one in found],
            "members",
            {
                # Fixed: the table keeps the widths of its first rows, which cut longer ones that come later.
                "Name": st.column_config.TextColumn(width=150),
                "Role": st.column_config.TextColumn(width=90),
                "Link": st.column_config.TextColumn(width=120),
                "Done": st.column_config.TextColumn(help="Tasks they have finished, of those that are theirs."),
                "Texts": st.column_config.TextColumn(help="Texts they have answered, of those that are theirs."),
                "Last there": st.column_config.DatetimeColumn(format="D MMM, HH:mm"),
                "Idle": st.column_config.TextColumn(help=f"Not there for {IDLE_DAYS} days or more, with work left."),
            },
            width="content",
        )
    else:
        st.markdown("Nobody was invited to this project yet.")
    left, right = st.columns(2, gap="large")
    with left:
        with st.expander("Invite somebody", key="invite_somebody", expanded=not found):
            with st.form("invite_form", border=False):
                st.text_input(
                    "Name",
                    key="invite_name",
                    help="What this person writes is shown under this name. For a new link type the same name again.",
                )
                st.radio("Role", list(_ROLES), format_func=_ROLES.__getitem__, key="invite_role")
                st.number_input(
                    "Days the link waits to be opened", 1, MOST_DAYS, LINK_DAYS, key="invite_days", width=260
                )
                st.form_submit_button(
                    "Make a link", key="invite_make", type="primary", on_click=_invite_one, args=[workbench, project]
                )
            show_saved_error(_PROBLEM)
        with st.expander("Invite several", key="invite_several"):
            _invite_several(workbench, project)
        _made_links(project, {one.member.name for one in found})
    if found:
        with right, st.expander("Remove a member", key="revoke_somebody"):
            _revoke(workbench, project, [one.member.name for one in found])
    if any(one.member.role is Role.EXPERT for one in found):
        with st.expander("Assign", key="assign"):
            assign(workbench, project, found)


def _row(one: MemberTasks) -> dict[str, object]:
    link = one.member.invitation
    open_now = [task for task in one.tasks if task.begun and not task.finished]
    return {
        "Name": one.member.name,
        "Role": one.member.role.value,
        "Link": _LINK_WORDS[link.state(datetime.now(UTC))] if link else None,
        "Dimensions": _dimensions(one),
        "Done": f"{one.finished} of {len(one.tasks)}" if one.tasks else None,
        "Texts": f"{one.texts[0]} of {one.texts[1]}" if one.texts[1] else None,
        "At work on": ", ".join(dict.fromkeys(task.dimension.name for task in open_now)) or None,
        "Last there": local_time.clock(one.member.seen_at) if one.member.seen_at else None,
        "Idle": _idle(one),
    }


def _dimensions(one: MemberTasks) -> str | None:
    if one.member.role is not Role.EXPERT:
        return None
    return ", ".join(dimension.name for dimension in one.given) or "all"


def _idle(one: MemberTasks) -> str | None:
    days = one.idle_days(datetime.now(UTC))
    if days is None:
        return None
    return number(days, "day") if one.member.seen_at else f"{number(days, 'day')}, never there"


def _invite_one(workbench: Workbench, project: Project) -> None:
    """Invite a person, in a callback, and empty the field; after an error it keeps what was typed."""
    one = InvitedPerson(str(st.session_state["invite_name"]), st.session_state["invite_role"])
    with ShownErrors(_PROBLEM):
        made = invite(workbench, project.id, one.name, one.role, int(st.session_state["invite_days"]))
        _show_links(project, [_with_link(project, one, made)])
        saved_typing("invite_name")
        st.session_state["invite_name"] = ""


def _invite_several(workbench: Workbench, project: Project) -> None:
    with st.form("invite_list_form", border=False):
        st.text_area(
            "One person a line",
            key="invite_list",
            placeholder="Ana Silva, ana@example.org\nBen Okoro, ben@example.org, reader",
            help="A name, then an email address and a role (expert, facilitator, reader) where you want to give them. "
            "Nothing is sent: you get a message for each to copy.",
        )
        st.radio("Role of those without one", list(_ROLES), format_func=_ROLES.__getitem__, key="invite_list_role")
        st.number_input("Days the links wait to be opened", 1, MOST_DAYS, LINK_DAYS, key="invite_list_days", width=260)
        st.form_submit_button(
            "Make the links", key="invite_list_make", type="primary", on_click=_invite_list, args=[workbench, project]
        )
    show_saved_error(_LIST_PROBLEM)


def _invite_list(workbench: Workbench, project: Project) -> None:
    """Invite the people of a list as `_invite_one`; lines without a link stay in the field."""
    with ShownErrors(_LIST_PROBLEM):
        people = read_invited(str(st.session_state["invite_list"]), st.session_state["invite_list_role"])
        made, refused = invite_several(workbench, project.id, people, int(st.session_state["invite_list_days"]))
        _show_links(project, [_with_link(project, one, link) for one, link in made])
        saved_typing("invite_list")
        done = {one.name for one, _ in made}
        left = [one for one in people if one.name not in done]
        st.session_state["invite_list"] = "\n".join(
            ", ".join(filter(None, (p.name, p.email, p.role.value))) for p in left
        )
        if refused:
            st.session_state[_LIST_PROBLEM] = InputError(" ".join(refused), "Correct these lines and try again.")


def _with_link(project: Project, one: InvitedPerson, made: NewInvitationLink) -> _Message:
    seen = urlsplit(st.context.url or "")
    link = link_of(made.token, f"{seen.scheme}://{seen.netloc}")
    words = message_for(made.name, project.name, one.role, link, made.expires_at)
    return _Message(made.name, one.email, link, words, made.remarks)


def _show_links(project: Project, made: list[_Message]) -> None:
    """Show new links above earlier ones, which may not be copied yet; a new link replaces an older one of the same
    person."""
    of_project, before = st.session_state.get(_LINKS, (None, []))
    names = {message.name for message in made}
    kept = [message for message in before if message.name not in names] if of_project == project.id else []
    st.session_state[_LINKS] = project.id, [*made, *kept]


def _made_links(project: Project, there: set[str]) -> None:
    """Draw links just made, for members who are still in the project: only this screen keeps links."""
    of_project, messages = st.session_state.get(_LINKS, (None, []))
    shown = [message for message in messages if message.name in there]
    if of_project != project.id or not shown:
        return
    with st.container(border=True, key="links_made"):
        st.caption("Each link lets in once and is shown only here. Was it lost? Make another under the same name.")
        for remark in remarks_on_link(shown[0].link):
            st.warning(plain(remark))
        for place, message in enumerate(shown):
            to = f"**{plain(message.name)}**" + (f" ({plain(message.email)})" if message.email else "")
            for remark in message.remarks:
                st.warning(plain(remark))
            st.markdown(f"Send this to {to}:")
            with st.container(key=f"invite_link_{place}"):
                st.code(message.link, language=None, wrap_lines=True)
            unfolded = st.expander(
                f"Message to {plain(message.name)}", key=f"invite_message_{place}", on_change="rerun"
            )
            if unfolded.open:
                unfolded.code(message.words, language=None, wrap_lines=True)


def _revoke(workbench: Workbench, project: Project, names: list[str]) -> None:
    with st.form("revoke_form", border=False):
        name = st.selectbox("Who", names, index=None, placeholder="choose", key="revoke_name")
        pressed = was_pressed("Remove", "revoke_now", form=True)
    if not pressed:
        return
    if name is None:
        show_error(InputError("Nobody is chosen.", "Choose a person first."))
        return
    _confirm_removal(workbench, project, name)


def _show_removal() -> None:
    """Tell how the removal ended. A toast of the dialog's own run would close with the dialog."""
    outcome = st.session_state.pop(_REMOVAL, None)
    if isinstance(outcome, WorkbenchError):
        show_error(outcome)
    elif outcome:
        st.toast(outcome)


@st.dialog("Remove this member?")
def _confirm_removal(workbench: Workbench, project: Project, name: str) -> None:
    st.markdown(
        f"**{plain(name)}** is signed out at the next click, and their link no longer opens. What they wrote stays. "
        "To let them in again, make a new link under the same name."
    )
    with st.container(horizontal=True):
        gone = st.button("Remove", key="revoke_for_sure", on_click=_remove, args=[workbench, project, name])
        if gone or was_pressed("Keep", key="keep_member"):
            st.rerun()


def _remove(workbench: Workbench, project: Project, name: str) -> None:
    with ShownErrors(_REMOVAL):
        revoke_access(workbench, project.id, name)
        st.session_state[_REMOVAL] = plain(f"{name} is no longer a member of this project.")
