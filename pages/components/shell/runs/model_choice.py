"""Choice of the model to ask."""

import streamlit as st

from app.services.runtime.models import available_models
from app.services.runtime.workbench import Workbench
from pages.components.shell.words import KEY_IN_SETTINGS, model_label, plain


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
        format_func=lambda name: f"{model_label(name)} · not set up" if name in locked else model_label(name),
        accept_new_options=True,
        key=key,
        help=f"{purpose} Choose one or type provider:name. “rules” needs no key: fixed text rules, not an LLM.",
    )
    known = models.get(chosen or "")
    if known is not None and known.obstacle:
        st.caption(plain(f"{known.obstacle} {key_hint}" if known.lacks_key else known.obstacle))
        return ""
    return chosen_model(key)


def chosen_model(key: str) -> str:
    """What the field holds now. A button's callback asks for it: pressed right after the choice, it runs before the
    screen is drawn, and what it was drawn with is the model before."""
    return str(st.session_state.get(key) or "").strip()
