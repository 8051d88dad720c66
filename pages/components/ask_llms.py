"""Ask LLMs: the models that think aloud, and their attributes."""

from collections.abc import Sequence
from functools import partial

import pandas as pd
import streamlit as st

from app.domain.model_call import BatchStatus, ProviderBatch, model_label
from app.domain.project import Dimension, Project
from app.errors import WorkbenchError
from app.services.attributes.pairs import begin_contrasts, contrast_job_key, contrastable, stop_contrasts
from app.services.background.jobs import is_active
from app.services.runtime.models import (
    ModelChoice,
    available_models,
    missing_settings,
    preload_providers,
    provider_access,
)
from app.services.runtime.workbench import Workbench
from app.services.scoring.last_models import RULES, last_thinkers
from app.services.scoring.scoring_jobs import sells_batches
from app.services.think_aloud.llm_think_aloud import (
    Answered,
    ThinkAloudForecast,
    answers_so_far,
    batches_out,
    forecast_think_aloud,
)
from app.services.think_aloud.think_aloud_jobs import (
    begin_collecting,
    begin_think_aloud,
    stop_think_aloud,
    think_aloud_job_key,
)
from pages.components.shell.background import POLL_SECONDS, watch
from pages.components.shell.current import hold, one_between, was_pressed
from pages.components.shell.frame import nothing_yet
from pages.components.shell.labels import KEY_IN_SETTINGS, ShownErrors, about, more_in_guide, number, plain, said
from pages.components.shell.navigation.screens import link
from pages.components.shell.runs.model_options import offer_local_servers, take_among
from pages.components.shell.runs.run_words import batch_rest_choice, typing_note
from pages.components.shell.tables import show_table


def ask_button(
    workbench: Workbench, project: Project, dimensions: Sequence[Dimension], models: Sequence[str], batch: str
) -> None:
    running = is_active(workbench, think_aloud_job_key(project.id, dimensions))
    if was_pressed(f"Ask {number(len(models), 'model')}", "ask", type="primary", disabled=running or not models):
        with ShownErrors():
            begin_think_aloud(workbench, project, dimensions, models, batch)
            st.rerun()


def contrast_button(workbench: Workbench, project: Project, dimension: Dimension, models: Sequence[str]) -> None:
    """Draw the button that asks models what the better texts of compared pairs have."""
    pairs = contrastable(workbench, dimension.id)
    if not pairs:
        return
    st.divider()
    st.markdown(f"People found one text better in {number(pairs, 'pair')}. What do the better ones have?")
    if watch(workbench, contrast_job_key(dimension.id), neutral=True):
        st.button("Stop", key="stop_contrasts", on_click=stop_contrasts, args=[workbench, dimension.id])
    elif was_pressed("Ask about pairs", "ask_contrasts", disabled=not models):
        with ShownErrors():
            begin_contrasts(workbench, project, dimension, models)
            st.rerun()


AT_ONCE, BATCH = "At once", "Batch"
HELP = (
    "A batch costs half and is answered within a day, mostly within an hour. Of several dimensions the first is asked "
    "at once, the others in the batch. You can close this page meanwhile."
)


def batch_choice(models: Sequence[str]) -> str:
    """Ask for the batch option and return it as ask_models takes it; draw nothing if no vendor sells batches."""
    sold = [name for name in models if (_known(name) and sells_batches(name))]
    if not sold:
        return ""
    ways = {way: way for way in (AT_ONCE, BATCH)}
    chosen = one_between("ask_batch", ways, AT_ONCE, "Answers", HELP + more_in_guide("batches"))
    without = [model_label(name) for name in models if name not in sold]
    if chosen == BATCH and without:
        st.caption(plain(f"{', '.join(without)} is asked at once: its vendor takes no batches."))
    return batch_rest_choice("ask_batch_rest") if chosen == BATCH else ""


def think_aloud_forecast(
    workbench: Workbench, project: Project, dimensions: Sequence[Dimension], models: Sequence[str]
) -> None:
    """Draw the forecast, a line a model, at once beside in a batch; draw nothing if asking would fail."""
    try:
        ahead = forecast_think_aloud(workbench, project, dimensions, [name for name in models if _known(name)])
    except WorkbenchError:
        return
    paid = [each for each in ahead if each.cost_usd != 0]
    for each in paid:
        st.caption(f"{plain(model_label(each.model))}: {_costs(each)}")
    for basis in dict.fromkeys(each.basis for each in paid):
        st.caption(plain(f"Answers without their reasoning are counted {basis}."))


def waiting_batches(workbench: Workbench, project: Project, busy: bool) -> None:
    """Show pending batches at providers, with a button to cancel them and, unless a job waits for them (`busy`), one to
    collect them."""
    st.fragment(_waiting, run_every=POLL_SECONDS if busy else None)(workbench, project, busy)


def _waiting(workbench: Workbench, project: Project, busy: bool) -> None:
    out = batches_out(workbench, project.id)
    if not out:
        return
    with st.container(border=True, key="waiting_batches"):
        for batch in out:
            st.markdown(_state(batch))
        nobody = "" if busy else " The program that waited for it ended: go on to collect it."
        st.caption(f"That may take a day; you can close this page.{nobody}{more_in_guide('batches')}")
        with st.container(horizontal=True):
            going_on = not busy and was_pressed("Go on", key="collect_batches", type="primary")
            cancelled = was_pressed(
                "Cancel the batch",
                key="cancel_batches",
                help="At the provider too. What was answered there until then is kept and costs its half.",
            )
    if going_on or cancelled:
        with ShownErrors():
            if not (busy and stop_think_aloud(workbench, project.id)):
                begin_collecting(workbench, project, bool(cancelled))
            st.rerun()


def _state(batch: ProviderBatch) -> str:
    name = f"**{plain(model_label(batch.model))}**"
    back = f"{batch.answered:,} of {batch.requests:,} back"
    if batch.status is BatchStatus.CANCELLED:
        return f"{name}: cancelled, {back}; the provider is still ending it."
    since = f" since {said(batch.out_at)}" if batch.out_at else ""
    return f"{name}: at the provider{since}, {back}."


def _costs(ahead: ThinkAloudForecast) -> str:
    at_once = "an unknown price" if ahead.cost_usd is None else about(ahead.cost_usd)
    batch = "" if ahead.batch_usd is None else f"; as a batch {about(ahead.batch_usd)}, answered within a day"
    return f"{number(ahead.calls, 'call')}, at once {at_once}{batch}."


def _known(name: str) -> bool:
    """Return whether the name is understood; otherwise the error is shown where the name is used."""
    try:
        sells_batches(name)
    except WorkbenchError:
        return False
    return True


def llm_answers(workbench: Workbench, dimensions: Sequence[Dimension], running: bool) -> None:
    """Draw the models' answers, reloaded every second while models are being asked."""
    st.fragment(_answers, run_every=POLL_SECONDS if running else None)(workbench, dimensions)


def _answers(workbench: Workbench, dimensions: Sequence[Dimension]) -> None:
    found = answers_so_far(workbench, dimensions)
    st.subheader("Answers", anchor=False)
    if not found:
        nothing_yet(
            "asked", "**No model has been asked yet.** Choose models and ask; each answer is listed here as it arrives."
        )
        return
    show_table(
        [_row(answer) for answer in found],
        "llm_answers",
        {
            "Outcome": st.column_config.TextColumn(width=108),
            "Said before": st.column_config.TextColumn(
                width=84, help="The same model said the same about this dimension in an earlier round: left out."
            ),
            "Round": st.column_config.TextColumn(width=54, help="How often this model was asked by then."),
            "Asked": st.column_config.DatetimeColumn(format="D MMM, HH:mm"),
        },
    )
    for failure in _failures(found):
        st.text(failure)
    st.caption("What they said is on Attributes: an expert who still wants to think aloud should do so first.")
    link("attributes", "See what they said")


def _failures(found: Sequence[Answered]) -> list[str]:
    """Return in full why models did not answer the last time they were asked."""
    newest: dict[tuple[str, str], str] = {}
    for answer in found:
        newest.setdefault((answer.model, answer.dimension), answer.error)
    reasons = {model: error for (model, _), error in newest.items() if error}
    return [f"{model_label(model)} did not answer: {error}" for model, error in reasons.items()]


def _row(answer: Answered) -> dict[str, object]:
    return {
        "Model": model_label(answer.model),
        "Dimension": answer.dimension,
        "Outcome": "no answer" if answer.error else number(answer.attributes, "attribute"),
        "Said before": str(answer.repeated) if answer.repeated else "",
        "Round": str(answer.round) if answer.round else "",
        "Asked": answer.at,
    }


CHOSEN, SUGGESTED = "ask_models", "ask_models_suggested"


def models_to_ask(workbench: Workbench, project: Project) -> list[str]:
    """Draw the choice of models and return it. It starts with the LLMs that the project asked before, else with one of
    each configured provider, else with the rules."""
    usable = [model for model in available_models(workbench) if model.usable]
    preload_providers(workbench)
    before = _asked_before(workbench, project, usable)
    if before:
        hold(CHOSEN, before)  # one that has just failed stays chosen
    else:
        _start_with([model.name for model in usable if model.suggested] or [RULES])
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
    offer_local_servers(workbench, CHOSEN, partial(take_among, CHOSEN), [model.name for model in usable])
    names = [name.strip() for name in chosen if name.strip()]
    typing_note(workbench, names)
    return names


def _asked_before(workbench: Workbench, project: Project, usable: Sequence[ModelChoice]) -> list[str]:
    """Return those of the models asked before that can be asked now."""
    providers = {model.name.partition(":")[0] for model in usable if model.name != RULES}
    before = [name for name in last_thinkers(workbench, project.id) if ":" in name]
    return [name for name in before if name.partition(":")[0] in providers]


def _start_with(suggested: list[str]) -> None:
    """Set the choice to the suggested models until somebody changes it: the endpoint's answer may come after the
    screen."""
    state = st.session_state
    if CHOSEN not in state or state[CHOSEN] == state.get(SUGGESTED):
        state[CHOSEN] = suggested
    state[SUGGESTED] = suggested


def _what_is_suggested(missing: int, providers: int) -> None:
    """Say which models are suggested; nothing if every provider is set up."""
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
    """Draw a line for each unavailable provider: what to set."""
    missing = missing_settings(workbench)
    if missing:
        with st.expander(f"Not available yet: {', '.join(missing)}", key="models_missing"):
            st.table(
                pd.DataFrame({"Provider": list(missing), "What to do": list(missing.values())}),
                hide_index=True,
                border="horizontal",
            )
            st.caption(KEY_IN_SETTINGS)
