"""Each provider of models: whether it can be used, and a key for it typed for this browser session."""

import streamlit as st

from app.errors import WorkbenchError
from app.services.runtime.access import ProviderAccess, key_problem, provider_access
from app.services.runtime.vendor_models import ask_vendor_models
from app.services.runtime.workbench import Workbench
from pages.components.shell.runs.served_models import served_list
from pages.components.shell.session_keys import forget_key, keep_key, typed_keys
from pages.components.shell.words import button_label, plain, show_error

SESSION_ONLY = (
    "The key stays in the memory of this browser session and is written nowhere. It is gone when you reload or close "
    "the page, or press “Forget the key”; a run that was started with it keeps it until it ends."
)


def provider_list(workbench: Workbench) -> None:
    for access in provider_access(workbench):
        with st.container(key=f"provider_{access.prefix}"):
            name, state, action = st.columns([4, 5, 2], vertical_alignment="center", gap="medium")
            name.markdown(f"**{access.title}**  \n:small[:gray[{_address(access)}]]")
            with state:
                _state(access)
                if access.lists_models:
                    served_list(workbench)
                if access.sells_models and not access.obstacle:
                    _models_of_key(workbench, access)
            with action:
                _key_action(workbench, access)


def _models_of_key(workbench: Workbench, access: ProviderAccess) -> None:
    """Asked when somebody wants to know; choices offer what was said from then on."""
    label = button_label("Which models?", f"of {access.title}")
    if not st.button(label, key=f"ask_models_{access.prefix}", type="tertiary", icon=":material/refresh:"):
        return
    try:
        with st.spinner("Asking which models the key may use"):
            names = ask_vendor_models(workbench, access.prefix)
    except WorkbenchError as error:
        show_error(error)
    else:
        st.caption(plain(f"From now on you can choose, newest first: {', '.join(names)}."))


def _address(access: ProviderAccess) -> str:
    """As code, because Markdown would make a link of it."""
    if not access.address:
        return "at an address of this server’s own" if access.own_address else "no address"
    origin = f", from {plain(access.url_variable)}" if access.own_address else ""
    return f"`{access.address.replace('`', '')}`{origin}"


def _state(access: ProviderAccess) -> None:
    if access.obstacle:
        typed = " Or type it here, for this browser session." if access.needs_key and not access.key_source else ""
        st.markdown(f":material/block: {plain(access.obstacle)}{typed}")
        return
    # Whether a server of one's own is there is said by what it answers.
    ready = "Can be chosen." if access.needs_key else "Its address is set."
    key = (
        f"Its key is set, from {access.key_source}; “Test connection” tells whether it is accepted."
        if access.key_source
        else f"No key is set; it only needs one ({access.key_variable}) if your server asks for it."
    )
    st.markdown(f":material/check_circle: {ready} {plain(key)}")


def _key_action(workbench: Workbench, access: ProviderAccess) -> None:
    if access.prefix in typed_keys():
        if st.button(
            button_label("Forget the key", f"for {access.title}"), key=f"forget_key_{access.prefix}", width="stretch"
        ):
            forget_key(access.prefix)
            st.rerun()
        return
    label = "Type another key" if access.key_source else "Type a key"
    with st.popover(button_label(label, f"for {access.title}"), key=f"type_key_{access.prefix}", width="stretch"):
        _key_form(workbench, access)


def _key_form(workbench: Workbench, access: ProviderAccess) -> None:
    with st.form(f"key_form_{access.prefix}", clear_on_submit=True, border=False):
        key = st.text_input(
            f"Key for {access.title}", type="password", key=f"typed_key_{access.prefix}", autocomplete="off"
        )
        st.caption(SESSION_ONLY)
        pressed = st.form_submit_button("Use this key", key=f"use_key_{access.prefix}")
    if pressed:
        problem = key_problem(workbench, access.prefix, key)
        if problem:
            st.error(problem)
        else:
            keep_key(access.prefix, key)
            st.rerun()
