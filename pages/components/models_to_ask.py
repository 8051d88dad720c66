"""Which models think aloud, and what others need before they can."""

import pandas as pd
import streamlit as st

from app.services.models import available_models, obstacles, without_known_models
from app.services.workbench import Workbench
from pages.components.words import KEY_IN_SETTINGS, model_label


def models_to_ask(workbench: Workbench) -> list[str]:
    """Any number of models; it starts with one of each provider that has a key, or with the rules."""
    usable = [model for model in available_models(workbench) if model.usable]
    suggested = [model.name for model in usable if model.suggested]
    chosen = st.multiselect(
        "Models",
        [model.name for model in usable],
        default=suggested or ["rules"],
        format_func=model_label,
        accept_new_options=True,
        wrap=True,
        placeholder="choose models, or type provider:name",
        key="ask_models",
        help="The method asks four LLMs, one of each vendor. Others can be typed, for example llama:NAME for a model "
        "of your own endpoint. The rules need no key: fixed text rules, not an LLM.",
    )
    names = [name.strip() for name in chosen if name.strip()]
    for prefix in without_known_models(workbench):
        if not any(name.startswith(f"{prefix}:") for name in names):
            st.caption(f"Your {prefix} endpoint is set up too: type {prefix}:NAME above, with the name of its model.")
    return names


def not_available(workbench: Workbench) -> None:
    """One line a provider: what to set."""
    missing = obstacles(workbench)
    if missing:
        with st.expander(f"Not available yet: {', '.join(missing)}", key="models_missing"):
            st.table(
                pd.DataFrame({"Provider": list(missing), "What to do": list(missing.values())}),
                hide_index=True,
                border="horizontal",
            )
            st.caption(KEY_IN_SETTINGS)
