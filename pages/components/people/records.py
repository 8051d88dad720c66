"""Records of the project's people and programs: experts' progress, the audit log, API tokens, and pseudonyms."""

from datetime import UTC, datetime

import pandas as pd
import streamlit as st

from app.domain.people import ApiToken, LinkState
from app.domain.project import Project
from app.domain.sign_in import MOST_DAYS, TOKEN_DAYS
from app.services.people.api_tokens import MOST_USD, TOKEN_USD, api_tokens_of, make_api_token, revoke_api_token
from app.services.people.audit_log import audit_log_csv, project_audit_log
from app.services.pseudonyms import people_named, proposed_pseudonym, remaining_mentions, replace_name
from app.services.runtime.workbench import Workbench
from app.services.think_aloud.independence import experts_progress
from pages.components.shell import labels
from pages.components.shell.browser.page_scripts import saved_typing
from pages.components.shell.current import was_pressed
from pages.components.shell.labels import ShownErrors, plain, show_saved_error
from pages.components.shell.tables import file_download, show_table


def experts_table(workbench: Workbench, project_id: int) -> bool:
    """Draw counts only, nothing that anybody wrote. Return False if nobody has begun."""
    found = experts_progress(workbench, project_id)
    if not found:
        return False
    st.subheader("Experts", anchor=False)
    with st.container(key="experts"):
        show_table(
            [
                {
                    "Expert": one.expert,
                    "Role": one.role,
                    "Background": one.background,
                    "Dimension": one.dimension,
                    "Attributes": one.attributes,
                    "State": "done" if one.done else "working on it",
                    "After seeing others": one.late,
                    "Last active": labels.clock(one.last_at) if one.last_at else None,
                }
                for one in found
            ],
            "experts_progress",
            {
                "State": st.column_config.TextColumn(help="Who is done on a dimension sees what others wrote on it."),
                "After seeing others": st.column_config.NumberColumn(
                    help="Written after the expert had said done, when others' attributes could be seen."
                ),
                "Last active": st.column_config.DatetimeColumn(format="D MMM, HH:mm"),
            },
            width="content",
        )
    return True


NO_NAME = "without a name"


def audit_log_table(workbench: Workbench, project: Project) -> None:
    unfolded = st.expander("Who did what", key="trail", on_change="rerun")
    if not unfolded.open:
        return
    with unfolded:
        found = project_audit_log(workbench, project.id)
        if not found:
            st.markdown("Nothing has been changed or taken out yet since this is kept.")
            return
        people = sorted({one.who or NO_NAME for one in found})
        acts = sorted({one.act for one in found})
        left, right = st.columns(2)
        who = left.multiselect("Who", people, key="trail_who", placeholder="everybody")
        did = right.multiselect("Did", acts, key="trail_act", placeholder="everything")
        shown = [one for one in found if (not who or (one.who or NO_NAME) in who) and (not did or one.act in did)]
        st.caption(f"{len(shown):,} of {len(found):,} entries; none is ever removed.")
        show_table(
            pd.DataFrame(
                [
                    {"When": labels.clock(one.at), "Who": one.who or NO_NAME, "Did": one.act, "What": one.about}
                    for one in shown
                ],
                columns=["When", "Who", "Did", "What"],
            ),
            "trail_entries",
            {"When": st.column_config.DatetimeColumn(format="D MMM, HH:mm:ss")},
        )
        file_download("As a table (CSV)", lambda: audit_log_csv(shown), f"trail-{project.name}.csv", "download_trail")


_MADE_TOKEN, _TOKEN_PROBLEM = "api_token_made", "api_token_problem"
_TOKEN_WORDS = {LinkState.OPEN: "good", LinkState.EXPIRED: "too old", LinkState.REVOKED: "revoked"}


def api_tokens(workbench: Workbench, project: Project) -> None:
    """Draw the tokens of programs that use this project. A token is shown once made, until the section is closed."""
    unfolded = st.expander("API tokens", key="api_tokens", on_change="rerun")
    if not unfolded.open:
        st.session_state.pop(_MADE_TOKEN, None)
        return
    with unfolded:
        st.caption(
            "A program sends a token to judge texts with a published checklist, up to the token's budget. "
            "[HTTP API](/guide/api.html) says how."
        )
        found = api_tokens_of(workbench, project.id)
        if found:
            show_table(
                [_token_row(token) for token in found],
                "api_tokens_made",
                {
                    "Spent": st.column_config.NumberColumn(format="$ %.4f"),
                    "Budget": st.column_config.NumberColumn(format="$ %.2f"),
                    "Until": st.column_config.DatetimeColumn(format="D MMM YYYY"),
                    "Last used": st.column_config.DatetimeColumn(format="D MMM, HH:mm"),
                },
                width="content",
            )
        show_saved_error(_TOKEN_PROBLEM)
        of_project, secret = st.session_state.get(_MADE_TOKEN, (None, ""))
        if of_project == project.id:
            st.markdown("Copy the token now: once this section is closed, it is shown nowhere.")
            st.code(secret, language=None, wrap_lines=True)
        row = st.form("api_token_form", border=False).container(horizontal=True, vertical_alignment="bottom")
        row.text_input("What it is for", key="api_token_name", placeholder="nightly", width=240)
        row.number_input("Budget in US dollars", 0.0, MOST_USD, TOKEN_USD, key="api_token_budget", width=180)
        row.number_input("Days", 1, MOST_DAYS, TOKEN_DAYS, key="api_token_days", width=120)
        row.form_submit_button("Make a token", key="api_token_make", on_click=_make, args=[workbench, project])
        if good := [token.name for token in found if token.state(datetime.now(UTC)) is LinkState.OPEN]:
            with st.container(horizontal=True, vertical_alignment="bottom"):
                st.selectbox("Token", good, key="api_token_chosen", width=240)
                st.button("Revoke", key="api_token_revoke", on_click=_revoke, args=[workbench, project])


def _token_row(token: ApiToken) -> dict[str, object]:
    return {
        "Token": token.name,
        "State": _TOKEN_WORDS[token.state(datetime.now(UTC))],
        "Spent": token.spent_usd,
        "Budget": token.budget_usd,
        "Until": labels.clock(token.expires_at),
        "Last used": labels.clock(token.used_at) if token.used_at else None,
    }


def _make(workbench: Workbench, project: Project) -> None:
    """Make a token, in a callback, and empty the field; after an error it keeps what was typed."""
    state = st.session_state
    budget, days = float(state["api_token_budget"]), int(state["api_token_days"])
    with ShownErrors(_TOKEN_PROBLEM):
        made = make_api_token(workbench, project.id, str(state["api_token_name"]), budget, days)
        state[_MADE_TOKEN] = project.id, made.secret
        saved_typing("api_token_name")
        state["api_token_name"] = ""


def _revoke(workbench: Workbench, project: Project) -> None:
    with ShownErrors(_TOKEN_PROBLEM):
        revoke_api_token(workbench, project.id, str(st.session_state["api_token_chosen"]))


_DONE = "pseudonym_done"


def pseudonyms(workbench: Workbench, project: Project) -> None:
    """Draw the pseudonyms; draw nothing if nobody has a name yet."""
    names = people_named(workbench, project.id)
    if not names:
        return
    unfolded = st.expander("Replace a name by a pseudonym", key="pseudonyms", on_change="rerun")
    if not unfolded.open:
        return
    with unfolded:
        for line in st.session_state.pop(_DONE, []):
            st.markdown(plain(line))
        with st.form("pseudonym_form", border=False, clear_on_submit=True):
            name = st.selectbox("Who", names, key="pseudonym_name", index=None, placeholder="choose a name")
            new = st.text_input(
                "What to call them instead", proposed_pseudonym(workbench, project.id), key="pseudonym_new"
            )
            st.caption(
                "It takes the place of the name beside all they wrote and did, and in who did what. This can't be "
                "undone. Backups and exported files keep the name."
            )
            pressed = was_pressed("Replace the name", key="pseudonym_now", form=True)
        if pressed and name is None:
            st.error("Choose whose name is to go.")
        elif pressed:
            _replace(workbench, project, str(name), new)


def _replace(workbench: Workbench, project: Project, name: str, new: str) -> None:
    with ShownErrors():
        done = replace_name(workbench, project.id, name, new)
        saved_typing("pseudonym_new")
        st.session_state[_DONE] = [f"{name} is {done.pseudonym} now.", *remaining_mentions(done)]
        st.rerun()
