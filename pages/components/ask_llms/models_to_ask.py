"""Models that think aloud, and what others need before they can."""

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from app.domain.project import Project
from app.services.runtime.access import provider_access
from app.services.runtime.models import ModelChoice, available_models, missing_settings, preload_providers
from app.services.runtime.workbench import Workbench
from app.services.scoring.last_models import RULES, last_thinkers
from pages.components.shell.runs.served_models import typing_note
from pages.components.shell.words import KEY_IN_SETTINGS, model_label

CHOSEN, SUGGESTED = "ask_models", "ask_models_suggested"


def models_to_ask(workbench: Workbench, project: Project) -> list[str]:
    """Any number of models; it starts with the LLMs that the project asked before, else with one of each provider that
    is set up, else with the rules."""
    usable = [model for model in available_models(workbench) if model.usable]
    preload_providers(workbench)
    before = _asked_before(workbench, project, usable)
    if before:
        st.session_state.setdefault(CHOSEN, before)  # one that has just failed stays chosen
    else:
        _start_with(_suggested(usable))
    chosen = st.multiselect(
        "Models",
        [model.name for model in usable],
        format_func=model_label,
        accept_new_options=True,
        wrap=True,
        placeholder="choose models, or type provider:name",
        key=CHOSEN,
        help="The method asks four LLMs, one of each vendor. Others can be typed, for example llama:NAME for a model "
        "of your own endpoint. The rules need no key: fixed text rules, not an LLM.",
    )
    if not before:
        _what_is_suggested(len(missing_settings(workbench)), len(provider_access(workbench)))
    names = [name.strip() for name in chosen if name.strip()]
    typing_note(workbench, names)
    return names


def _asked_before(workbench: Workbench, project: Project, usable: Sequence[ModelChoice]) -> list[str]:
    """Those of them that can be asked now."""
    providers = {model.name.partition(":")[0] for model in usable if model.name != RULES}
    before = [name for name in last_thinkers(workbench, project.id) if ":" in name]
    return [name for name in before if name.partition(":")[0] in providers]


def _suggested(usable: Sequence[ModelChoice]) -> list[str]:
    return [model.name for model in usable if model.suggested] or [RULES]


def _start_with(suggested: list[str]) -> None:
    """A choice nobody has touched follows what is suggested: the endpoint's answer may come after the screen."""
    state = st.session_state
    if CHOSEN not in state or state[CHOSEN] == state.get(SUGGESTED):
        state[CHOSEN] = suggested
    state[SUGGESTED] = suggested


def _what_is_suggested(missing: int, providers: int) -> None:
    """Nothing where every provider is set up: then the choice speaks for itself."""
    if missing == providers:
        st.caption(
            "No LLM is set up yet, so the choice starts with the rules, which are not an LLM. What each provider needs "
            "is listed below."
        )
    elif missing:
        st.caption(
            f"The choice starts with one model of each provider that is set up: {providers - missing} of {providers}. "
            "What the others need is listed below."
        )


def not_available(workbench: Workbench) -> None:
    """One line a provider: what to set."""
    missing = missing_settings(workbench)
    if missing:
        with st.expander(f"Not available yet: {', '.join(missing)}", key="models_missing"):
            st.table(
                pd.DataFrame({"Provider": list(missing), "What to do": list(missing.values())}),
                hide_index=True,
                border="horizontal",
            )
            st.caption(KEY_IN_SETTINGS)
