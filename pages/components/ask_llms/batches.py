"""Batches on Ask the LLMs: the choice, what it would cost, and what is at providers."""

from collections.abc import Sequence

import streamlit as st

from app.domain.batch import BatchStatus, ProviderBatch
from app.domain.project import Project
from app.domain.task import Dimension
from app.errors import WorkbenchError
from app.services.runtime.workbench import Workbench
from app.services.scoring.run_batches import sells_batches
from app.services.think_aloud.batched_think_aloud import batches_out
from app.services.think_aloud.forecast import ThinkAloudForecast, forecast_think_aloud
from app.services.think_aloud.think_aloud_jobs import begin_collecting, stop_think_aloud
from pages.components.shell.background import POLL_SECONDS
from pages.components.shell.guide.explained import more_in_guide
from pages.components.shell.local_time import said
from pages.components.shell.money import about
from pages.components.shell.runs.batch_rest import batch_rest
from pages.components.shell.words import model_label, number, plain, show_error

AT_ONCE, BATCH = "At once", "Batch"
HELP = (
    "A batch costs half and is answered within a day, mostly within an hour. Of several dimensions the first is asked "
    "at once, the others in the batch. You can close this page meanwhile."
)


def batch_choice(models: Sequence[str]) -> str:
    """As ask_models takes it; not asked for where no vendor sells batches."""
    sold = [name for name in models if _sold(name)]
    if not sold:
        return ""
    chosen = st.segmented_control(
        "Answers",
        [AT_ONCE, BATCH],
        default=AT_ONCE,
        required=True,
        key="ask_batch",
        help=HELP + more_in_guide("batches"),
    )
    without = [model_label(name) for name in models if name not in sold]
    if chosen == BATCH and without:
        st.caption(plain(f"{', '.join(without)} is asked at once: its vendor takes no batches."))
    return batch_rest("ask_batch_rest") if chosen == BATCH else ""


def think_aloud_forecast(
    workbench: Workbench, project: Project, dimensions: Sequence[Dimension], models: Sequence[str]
) -> None:
    """A line a model, at once beside in a batch; nothing where asking would say what is wrong."""
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
    """What is at providers, whoever waits for it; with the ways on where nobody does."""
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
            going_on = not busy and st.button("Go on", key="collect_batches", type="primary")
            cancelled = st.button(
                "Cancel the batch",
                key="cancel_batches",
                help="At the provider too. What was answered there until then is kept and costs its half.",
            )
    if going_on or cancelled:
        try:
            if not (busy and stop_think_aloud(workbench, project.id)):
                begin_collecting(workbench, project, bool(cancelled))
        except WorkbenchError as error:
            show_error(error)
        else:
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


def _sold(name: str) -> bool:
    return _known(name) and sells_batches(name)


def _known(name: str) -> bool:
    """A name that isn't understood is said where it is used."""
    try:
        sells_batches(name)
    except WorkbenchError:
        return False
    return True
