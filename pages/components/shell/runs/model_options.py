"""Options of models, how long and how far they may think; left alone, that is right for most."""

from collections.abc import Sequence

import streamlit as st

from app.errors import UnknownModelError
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
from pages.components.shell.words import KEY_IN_SETTINGS, model_label, plain


def model_options(key: str) -> ModelOptions:
    """`key`: what the keys of the widgets begin with."""
    st.session_state.setdefault(f"{key}_timeout", TIMEOUT)
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
    workbench: Workbench, label: str, key: str, purpose: str, key_hint: str = KEY_IN_SETTINGS, first: str = ""
) -> str:
    """A known model or one typed as provider:name; "" while the one chosen can't be used, which is said.

    first: the model that is chosen at first, where it can be asked; the rules otherwise.
    """
    models = {model.name: model for model in available_models(workbench)}
    usable = [model.name for model in models.values() if model.usable]
    locked = [model.name for model in models.values() if not model.usable]
    if first and first not in models and first.partition(":")[0] in {name.partition(":")[0] for name in usable}:
        usable.append(first)
    chosen = st.selectbox(
        label,
        [*usable, *locked],
        index=usable.index(first) if first in usable else 0,
        format_func=lambda name: chooser_label(name, set_up=name not in locked),
        accept_new_options=True,
        key=key,
        help=f"{purpose} Choose one or type provider:name. “rules” needs no key: fixed text rules, not an LLM.",
    )
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
