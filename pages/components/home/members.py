"""Members: who takes part in the project, what is whose, how far each is, links that let them in, and taking a part
away."""

from datetime import UTC, datetime
from urllib.parse import urlsplit

import pandas as pd
import streamlit as st

from app.domain.people.actor import Role
from app.domain.people.person import LINK_DAYS, LinkState
from app.domain.project import Project
from app.errors import WorkbenchError
from app.services.checklists.expert_tasks import IDLE_DAYS, MemberTasks, tasks_of_members
from app.services.people.invitations import invite, revoke_access
from app.services.people.ways_in import link_of
from app.services.runtime.workbench import Workbench
from pages.components.home.assign import assign
from pages.components.shell import local_time
from pages.components.shell.browser.kept_typing import saved_typing
from pages.components.shell.words import number, plain, show_error

_ROLES = {
    Role.EXPERT: "Expert: thinks aloud, answers, reviews the checklist once they are done",
    Role.FACILITATOR: "Facilitator: everything in this project",
    Role.READER: "Reader: the results and published checklists, no changes",
}
_LINK = "link_made"
_LINK_WORDS = {
    LinkState.OPEN: "not opened yet",
    LinkState.USED: "opened",
    LinkState.EXPIRED: "too old",
    LinkState.REVOKED: "taken back",
}


def members(workbench: Workbench, project: Project) -> None:
    found = tasks_of_members(workbench, project.id)
    st.subheader("People", anchor=False)
    if found:
        st.dataframe(
            pd.DataFrame([_row(one) for one in found]),
            hide_index=True,
            placeholder="–",
            width="content",
            key="members",
            column_config={
                "Done": st.column_config.TextColumn(help="Tasks they have finished, of those that are theirs."),
                "Texts": st.column_config.TextColumn(help="Texts they have answered, of those that are theirs."),
                "Last there": st.column_config.DatetimeColumn(format="D MMM, HH:mm"),
                "Idle": st.column_config.TextColumn(help=f"Not there for {IDLE_DAYS} days or more, with work left."),
            },
        )
    else:
        st.markdown("Nobody was invited to this project yet.")
    left, right = st.columns(2, gap="large")
    with left, st.expander("Invite somebody", key="invite_somebody", expanded=not found):
        _invite(workbench, project)
    if found:
        with right, st.expander("Take a part away", key="revoke_somebody"):
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


def _invite(workbench: Workbench, project: Project) -> None:
    with st.form("invite_form", border=False):
        name = st.text_input(
            "Name", key="invite_name", help="What they write stands under it. A new link: the same name."
        )
        role = st.radio("Role", list(_ROLES), format_func=_ROLES.__getitem__, key="invite_role")
        days = st.number_input("Days the link waits to be opened", 1, 365, LINK_DAYS, key="invite_days", width=260)
        pressed = st.form_submit_button("Make a link", key="invite_make", type="primary")
    if pressed:
        try:
            made = invite(workbench, project.id, name, role, int(days))
        except WorkbenchError as error:
            show_error(error)
            return
        saved_typing("invite_name")
        st.session_state[_LINK] = (project.id, made.name, link_of(made.token, _seen_at()), made.expires_at)
        st.rerun()
    of_project, who, link, until = st.session_state.get(_LINK, (None, "", "", None))
    if of_project == project.id:
        st.markdown(f"Send this to **{plain(who)}**. It lets in once, until {until:%d %b %Y}, and is shown only here.")
        st.caption("Was it lost? Make another under the same name.")
        st.code(link, language=None, wrap_lines=True)


def _seen_at() -> str:
    """The server as this browser sees it, without the screen that is open."""
    seen = urlsplit(st.context.url or "")
    return f"{seen.scheme}://{seen.netloc}"


def _revoke(workbench: Workbench, project: Project, names: list[str]) -> None:
    with st.form("revoke_form", border=False):
        name = st.selectbox("Who", names, key="revoke_name")
        st.caption("They are out at their next click, and their link no longer opens. What they wrote stays.")
        pressed = st.form_submit_button("Take their part away", key="revoke_now")
    if pressed:
        try:
            revoke_access(workbench, project.id, name)
        except WorkbenchError as error:
            show_error(error)
        else:
            st.toast(plain(f"{name} has no part in this project any more."))
            st.rerun()
