"""Options of models, how long and how far they may think; left alone, that is right for most."""

from collections.abc import Callable, Sequence
from functools import partial

import streamlit as st

from app.errors import UnknownModelError, WorkbenchError
from app.services.runtime.endpoint_models import (
    HOW_TO_GET_ONE,
    LocalServer,
    LocalServers,
    local_servers,
    look_again,
    use_local_server,
)
from app.services.runtime.judges import (
    EFFORTS,
    TIMEOUT,
    USUAL,
    ModelOptions,
    end_label,
    end_warning,
    takes_options,
)
from app.services.runtime.models import available_models
from app.services.runtime.workbench import Workbench
from pages.components.shell.address import hold
from pages.components.shell.background import POLL_SECONDS
from pages.components.shell.words import KEY_IN_SETTINGS, button_label, model_label, plain, show_error


def model_options(key: str) -> ModelOptions:
    """`key`: what the keys of the widgets begin with."""
    for name, start in (("effort", None), ("max_output_tokens", None), ("timeout", TIMEOUT)):
        hold(f"{key}_{name}", start)
    left, middle, right = st.columns(3, vertical_alignment="bottom")
    effort = left.selectbox(
        "Reasoning effort",
        EFFORTS,
        index=None,
        placeholder="the model's own",
        key=f"{key}_effort",
        help="How long a model that reasons thinks before it answers. More costs more. Not every model takes every "
        "effort; one that doesn't says so before anything is paid.",
    )
    room = middle.number_input(
        "Longest answer in tokens",
        min_value=1,
        value=None,
        step=1000,
        placeholder="as needed",
        key=f"{key}_max_output_tokens",
        help="What a model thinks counts. Without a limit answers get the room they need, and unused room costs "
        "nothing; with one, an answer that doesn't fit fails.",
    )
    timeout = right.number_input(
        "Seconds for a request",
        min_value=1.0,
        step=60.0,
        format="%g",
        key=f"{key}_timeout",
        help="What takes longer is given up, but paid all the same.",
    )
    return ModelOptions(room, timeout, effort or "")


def more_options(key: str, models: Sequence[str]) -> ModelOptions:
    """The same under “More options”, where one of the models is an LLM."""
    if not any(map(_takes_options, models)):
        return USUAL
    with st.expander("More options", key=f"{key}_more_options"):
        return model_options(key)


def preset_model_options(key: str, chosen: ModelOptions) -> None:
    """What the widgets start with, before they exist."""
    values = {"effort": chosen.effort or None, "max_output_tokens": chosen.max_output_tokens, "timeout": chosen.timeout}
    st.session_state.update({f"{key}_{name}": value for name, value in values.items()})


def _takes_options(model: str) -> bool:
    """A name that isn't understood is said where it is used."""
    try:
        return takes_options(model)
    except UnknownModelError:
        return False


def model_choice(
    workbench: Workbench,
    label: str,
    key: str,
    purpose: str,
    key_hint: str = KEY_IN_SETTINGS,
    first: str = "",
    *,
    offer: bool = True,
) -> str:
    """A known model or one typed as provider:name; "" while the one chosen can't be used, which is said.

    first: the model that is chosen at first, where it can be asked; the rules otherwise. offer: whether model servers
    of this computer are offered below.
    """
    models = {model.name: model for model in available_models(workbench)}
    usable = [model.name for model in models.values() if model.usable]
    locked = [model.name for model in models.values() if not model.usable]
    if first and first not in models and first.partition(":")[0] in {name.partition(":")[0] for name in usable}:
        usable.append(first)
    hold(key, first if first in usable else usable[0])
    chosen = st.selectbox(
        label,
        [*usable, *locked],
        format_func=lambda name: chooser_label(name, set_up=name not in locked),
        accept_new_options=True,
        key=key,
        help=f"{purpose} Choose one or type provider:name. “rules” needs no key: fixed text rules, not an LLM.",
    )
    if offer:
        alone = not any(":" in name for name in usable)
        offer_local_servers(workbench, key, partial(take_only, key), explain=alone)
    known = models.get(chosen or "")
    if known is not None and known.obstacle:
        st.caption(plain(f"{known.obstacle} {key_hint}" if known.lacks_key else known.obstacle))
        return ""
    name = chosen_model(key)
    if warning := end_warning(name):
        st.caption(plain(warning))
    return name


def chooser_label(name: str, set_up: bool = True) -> str:
    """A model in a list of choices: with the end of its life, where one is known, and whether it can be used yet."""
    return " · ".join(filter(None, (model_label(name), end_label(name), "" if set_up else "not set up")))


def chosen_model(key: str) -> str:
    """What the field holds now. A button's callback asks for it: pressed right after the choice, it runs before the
    screen is drawn, and what it was drawn with is the model before."""
    return str(st.session_state.get(key) or "").strip()


def take_only(key: str, model: str) -> None:
    st.session_state[key] = model


def take_among(key: str, model: str) -> None:
    """For a choice of several: the model stands in the place of those that another server of one's own served."""
    others = [name for name in st.session_state.get(key, []) if not name.startswith("llama:") and name != "rules"]
    st.session_state[key] = [*others, model]


_SHOWN = 3
_PROBLEM, _TAKEN = "server_problem", "server_taken"


def offer_local_servers(workbench: Workbench, key: str, take: Callable[[str], None], *, explain: bool) -> None:
    """Model servers on the owner's computer that aren't in use, each with “Use it”; `take` is called with the model
    that it suggests, before the screen is drawn anew. explain: say how to get one where none is there.

    Nothing on a team's server.
    """
    if st.session_state.pop(f"{key}_{_TAKEN}", False):
        st.rerun()  # also what stands around a part of a screen that is drawn alone
    nearby = _nearby(workbench)
    if nearby is None:
        return
    if nearby.asking:
        _awaited(workbench)
    if problem := st.session_state.pop(f"{key}_{_PROBLEM}", ""):
        st.error(plain(problem))
    for server in nearby.others:
        _offer(workbench, key, server, take)
    if explain and nearby.looked and not (nearby.found or nearby.asking or nearby.used):
        lines = "\n".join(f"- {plain(line)}" for line in HOW_TO_GET_ONE)
        st.caption(f"To get a model that runs on this computer and costs nothing:\n{lines}")
        label = button_label("Look again", f"for model servers on this computer, for {key.replace('_', ' ')}")
        st.button(
            label,
            key=f"{key}_look_again",
            type="tertiary",
            icon=":material/refresh:",
            on_click=look_again,
            args=[workbench],
        )


def _nearby(workbench: Workbench) -> LocalServers | None:
    try:
        return local_servers(workbench, patience=0)
    except WorkbenchError as error:
        show_error(error)
        return None


@st.fragment(run_every=POLL_SECONDS)
def _awaited(workbench: Workbench) -> None:
    nearby = _nearby(workbench)
    if nearby is None or not nearby.asking:
        st.rerun()
    st.caption("Looking for model servers on this computer.")


def _offer(workbench: Workbench, key: str, server: LocalServer, take: Callable[[str], None]) -> None:
    port = server.address.rpartition(":")[2].partition("/")[0]
    with st.container(horizontal=True, vertical_alignment="center", key=f"{key}_server_{port}"):
        if not server.models:
            st.markdown(f"**{server.kind}** runs on this computer, without a model yet.", width="content")
            return
        names = ", ".join(server.models[:_SHOWN]) + (" and more" if len(server.models) > _SHOWN else "")
        st.markdown(f"**{server.kind}** on this computer: {plain(names)}", width="content")
        st.button(
            button_label("Use it", f"{server.kind} on this computer"),
            key=f"{key}_use_{port}",
            on_click=_use,
            args=[workbench, key, server.address, take],
            help="It becomes your Llama endpoint, here and on the command line. Nothing leaves this computer.",
        )


def _use(workbench: Workbench, key: str, address: str, take: Callable[[str], None]) -> None:
    try:
        models = use_local_server(workbench, address)
    except WorkbenchError as error:
        st.session_state[f"{key}_{_PROBLEM}"] = error.in_full
    else:
        st.session_state[f"{key}_{_TAKEN}"] = True
        if models.suggested:
            take(models.suggested)
