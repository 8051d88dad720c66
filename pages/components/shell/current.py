"""The current workbench, project and expert, and choices kept in the address.

The expert who thinks aloud is the signed-in person. If nobody signs in, the name is asked once and kept in the session
and in the address, so that a refresh keeps it too.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

import streamlit as st
from streamlit import net_util

from app.domain.attribute import ContributorKind
from app.domain.project import Dimension, Project
from app.domain.roles_and_rights import Role
from app.errors import NotFoundError
from app.services.attributes.attributes import contributors_of
from app.services.data.projects import dimensions_named, get_project
from app.services.people.ways_to_sign_in import person_at_browser
from app.services.runtime.workbench import Workbench, open_workbench
from app.services.think_aloud.independence import add_expert, describe_expert
from pages.components.shell.browser.page_scripts import saved_typing
from pages.components.shell.labels import ShownErrors, plain

T = TypeVar("T")
Name = TypeVar("Name", bound=str)


def hold(key: str, start: object) -> None:
    """Set a field's value at each drawing, initially to `start`.

    A browser that misses the drawing in which a value was set would show the field empty: it creates a field in a
    popover when that opens, and skips a drawing that another one follows at once.
    """
    st.session_state[key] = st.session_state.get(key, start)


def prepare(key: str, options: Sequence[str], default: str) -> None:
    """Set a widget's value, before it exists, from the address, unless the person has chosen already."""
    if st.session_state.get(key) not in options:
        wanted = st.query_params.get(key)
        st.session_state[key] = wanted if wanted in options else default
    hold(key, default)


def prepare_words(key: str) -> None:
    """Set a text field's value as `prepare`."""
    if key not in st.session_state:
        st.session_state[key] = st.query_params.get(key, "")


def set_anew(key: str, value: object) -> None:
    """Give a field another value from the next drawing on. It becomes a new field, because the browser may still report
    what the old one held."""
    times, _ = st.session_state.get(f"{key}_anew", (0, None))
    st.session_state[f"{key}_anew"] = (times + 1, value)


def field_anew(key: str, start: T) -> tuple[str, T]:
    """Return the key of the field as it is now, and the value that `set_anew` gave it, at first `start`."""
    times, value = st.session_state.get(f"{key}_anew", (0, start))
    return (f"{key}_{times}" if times else key), value


def keep(key: str, value: str, default: str) -> None:
    """Write a choice into the address; the default is left out."""
    if value == default:
        st.query_params.pop(key, None)
    else:
        st.query_params[key] = value


def one_of(key: str, options: Mapping[Name, str], default: Name, label: str, help_: str = "", **more: Any) -> Name:
    """Draw a choice between few, kept in the address, and return it. `options`: each with its words; a label that is
    also a heading's is hidden without `help_`. `more`: of `st.segmented_control`."""
    prepare(key, list(options), default)
    more.setdefault("label_visibility", "visible" if help_ else "collapsed")
    chosen: Name | None = st.segmented_control(
        label, list(options), format_func=options.__getitem__, required=True, key=key, help=help_ or None, **more
    )
    assert chosen is not None  # required
    keep(key, chosen, default)
    return chosen


def one_between(key: str, options: Mapping[Name, str], default: Name, label: str, help_: str | None = None) -> Name:
    """Draw a choice as `one_of`, not kept in the address."""
    chosen: Name | None = st.segmented_control(
        label, list(options), format_func=options.__getitem__, default=default, required=True, key=key, help=help_
    )
    assert chosen is not None  # required
    return chosen


def listed_choice(
    key: str, options: Sequence[str], default: str, label: str, shown: Callable[[str], str] = str, **more: Any
) -> str:
    """Draw a choice from a list, kept in the address, and return it. `more`: of `st.selectbox`."""
    prepare(key, options, default)
    chosen: str = st.selectbox(label, options, format_func=shown, key=key, **more)
    keep(key, chosen, default)
    return chosen


def numbers(key: str) -> list[int]:
    """Return the numbers in the address, separated by commas; other parts are ignored."""
    return [int(part) for part in st.query_params.get(key, "").split(",") if part.strip().isdecimal()]


def prepare_number(key: str, default: int, low: int, high: int) -> None:
    """Set a widget's value as `prepare`, for a whole number from low to high."""
    wanted = st.query_params.get(key, "")
    hold(key, int(wanted) if wanted.isdecimal() and low <= int(wanted) <= high else default)


LOOPBACK = "127.0.0.1"  # allowed anyway


def stay_offline() -> None:
    """Answer Streamlit's question for the server's address beforehand, so that it asks nobody; there is no option for
    it."""
    net_util._external_ip = net_util._internal_ip = LOOPBACK


_KEYS = "typed_keys"


def typed_keys() -> dict[str, str]:
    """Return provider -> key typed in this session."""
    keys: dict[str, str] = st.session_state.get(_KEYS, {})
    return keys


def save_key(provider: str, key: str) -> None:
    st.session_state[_KEYS] = {**typed_keys(), provider: key.strip()}


def forget_key(provider: str) -> None:
    st.session_state[_KEYS] = {name: key for name, key in typed_keys().items() if name != provider}


PROJECT = "project"
DIMENSION = "dimension"
_CHOICE = "chosen_project_and_dimension"


def current_workbench() -> Workbench:
    """Return the workbench of the person whose browser it is, with the environment's keys and those typed for this
    session."""
    found = open_workbench(typed_keys(), any_path=False)
    return replace(found, actor=person_at_browser(found, st.context.cookies, st.context.headers))


def signed_out_redraw(workbench: Workbench) -> None:
    """Redraw the whole screen for a person who was signed out; for parts of a screen that are drawn alone."""
    if current_workbench().actor != workbench.actor:
        st.rerun()


def choose(project: str, dimension: str | None = None) -> None:
    """Make this the current project from the next rerun on, as this run's widgets exist already."""
    st.session_state[_CHOICE] = (project, dimension)


def take_choice() -> None:
    """Carry out `choose` of the last run, before the widgets exist."""
    choice = st.session_state.pop(_CHOICE, None)
    if choice is not None:
        st.session_state[PROJECT] = choice[0]
        if choice[1] is not None:
            st.session_state[DIMENSION] = choice[1]


def current_project(workbench: Workbench) -> Project | None:
    name = st.session_state.get(PROJECT)
    if not name:
        return None
    try:
        return get_project(workbench, name)
    except NotFoundError:
        return None


def current_dimension(workbench: Workbench, project: Project) -> Dimension | None:
    dimensions = dimensions_named(workbench, project.name, "all")
    name = st.session_state.get(DIMENSION)
    return next((d for d in dimensions if d.name == name), dimensions[0] if dimensions else None)


_PRESS, _SCREEN = "press", "screen"


def was_pressed(label: str, key: str, *, form: bool = False, **options: Any) -> bool:
    """Draw a button and return whether it was pressed, as `st.button` does; `form`: the button that sends a form.

    Streamlit drops a press when another message of the browser interrupts the drawing before it comes to the button.
    This press waits for the next drawing of the button, as long as screen, project and dimension stay the same.
    """
    draw = st.form_submit_button if form else st.button
    draw(label, key=key, on_click=_save_press, args=[key], **options)
    if st.session_state.get(_PRESS) != _press(key):
        return False
    del st.session_state[_PRESS]
    return not options.get("disabled")


def _save_press(key: str) -> None:
    st.session_state[_PRESS] = _press(key)


def _press(key: str) -> tuple[str, ...]:
    return (key, *(str(st.session_state.get(place)) for place in (_SCREEN, PROJECT, DIMENSION)))


def take_press(here: str) -> None:
    """Forget a press on another screen than `here`, which is about to be drawn."""
    st.session_state[_SCREEN] = here
    press = st.session_state.get(_PRESS)
    if press and press[1] != here:
        del st.session_state[_PRESS]


EXPERT = "expert"
SIGNED_IN = "signed_in_as"
ROLE = "optional, for example: teacher of English"


def current_expert() -> str:
    """Return the name given in this session; "" for the project's owner, who gives none."""
    return str(st.session_state.get(EXPERT) or st.query_params.get(EXPERT, ""))


def set_expert_from_address(workbench: Workbench) -> None:
    """Take a name in the address into the session, on every screen. Signed-in people have their own."""
    if workbench.actor.person is not None:
        forget_expert()
    elif name := current_expert():
        st.session_state[EXPERT] = name


def name_expert(workbench: Workbench, project: Project | None) -> None:
    """Make a signed-in expert of the project the current expert, on every screen, once the project is known."""
    signed_in = workbench.actor.person is not None
    name = workbench.actor.name_in(project.id) if project else workbench.actor.name
    st.session_state[SIGNED_IN] = name if signed_in else ""
    if project is not None and role_in(workbench, project) is Role.EXPERT:
        st.session_state[EXPERT] = name


def signed_in_as() -> str:
    """Return the person's name in this project; "" if nobody signs in."""
    return str(st.session_state.get(SIGNED_IN, ""))


def own_name(key: str, **look: Any) -> str:
    """Return the name to record with an act: the signed-in person's, else the one typed here."""
    if name := signed_in_as():
        return name
    return str(st.text_input("Your name", value=current_expert(), key=key, **look))


def role_in(workbench: Workbench, project: Project) -> Role:
    """Return the person's role: the server's owner does what facilitators do; a person without membership changes
    nothing."""
    if workbench.actor.owner:
        return Role.FACILITATOR
    membership = workbench.actor.memberships.get(project.id)
    return membership.role if membership else Role.READER


def expert(workbench: Workbench, project: Project) -> str:
    """Ask for the expert's name and return it, "" until it is given."""
    name = current_expert() or signed_in_as()
    if name:
        with st.container(horizontal=True, vertical_alignment="center", key="who"):
            st.markdown(f"You are **{plain(name)}**.", width="content")
            _about(workbench, project, name)
        return name
    with st.container(width=480, key="who_are_you"):
        _ask(workbench, project)
    return ""


def _about(workbench: Workbench, project: Project, name: str) -> None:
    """Draw the fields for role and background, and the button for another expert."""
    known = next((c for c in contributors_of(workbench, project.id) if c.name == name), None)
    unfolded = st.popover("About you", key="about_expert", type="tertiary", on_change="rerun")
    if not unfolded.open:
        return
    with unfolded:
        with st.form("about_form", border=False):
            role = st.text_input("Your role", known.role if known else "", placeholder=ROLE, key="about_role")
            background = st.text_area("Your background", known.background if known else "", key="about_background")
            st.caption("The facilitators see it beside your name, and it goes into exports.")
            if was_pressed("Save", "about_save", form=True):
                with ShownErrors():
                    describe_expert(workbench, project.id, name, role, background)
                    saved_typing("about_role", "about_background")
                    st.success("Saved.", icon=":material/check_circle:")
        if workbench.actor.person is None:
            st.button("I am somebody else", key="change_expert", type="tertiary", on_click=forget_expert)


def _ask(workbench: Workbench, project: Project) -> None:
    st.subheader("Who are you?", anchor=False)
    people = [c.name for c in contributors_of(workbench, project.id) if c.kind is ContributorKind.HUMAN]
    with st.form("expert_form", border=False):
        typed = st.text_input("Your name", key="expert_typed")
        known = None
        if people:
            known = st.selectbox(
                "or one who was here before", people, index=None, placeholder="choose", key="expert_known"
            )
        role = st.text_input("Your role", placeholder=ROLE, key="expert_role")
        background = st.text_input("Your background", placeholder="optional", key="expert_background")
        start = was_pressed("Start", key="expert_start", type="primary", form=True)
    if start:
        name = typed.strip() or known or ""
        if not name:
            st.error("Type your name first.")
            return
        with ShownErrors():
            add_expert(workbench, project.id, name, role, background)
            saved_typing("expert_typed", "expert_role", "expert_background")
            st.session_state[EXPERT] = name
            st.rerun()


def forget_expert() -> None:
    """Make this session the owner's from now on, not an expert's."""
    st.session_state.pop(EXPERT, None)
    st.query_params.pop(EXPERT, None)
