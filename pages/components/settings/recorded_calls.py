"""A run's calls as a file that answers again without a network."""

import streamlit as st

from app.domain.run import RunSummary
from app.errors import WorkbenchError
from app.services.runtime.workbench import Workbench
from app.services.scoring.recordings import keep_recording_of, recordable_runs, recording_of
from pages.components.shell.runs.run_words import title
from pages.components.shell.words import plain, show_error


def recorded_calls(workbench: Workbench) -> None:
    st.markdown(
        "A run’s calls can be kept as a file. Keep it here, and it stands among the judges as `replay:` and its name: "
        "the same texts are scored again with the same answers, without a network, a key or a cost. The file holds "
        "what was answered, not your texts. On the command line `replay:` takes a file’s path."
    )
    runs = {run.id: run for run in recordable_runs(workbench)}
    if not runs:
        st.caption("No run has called an LLM yet. What “rules” answers needs no recording: it is the same each time.")
        return
    with st.container(horizontal=True, vertical_alignment="bottom", key="recording"):
        chosen = st.selectbox("Run", list(runs), format_func=lambda run: _named(runs[run]), key="run_to_record")
        kept = st.button(
            "Keep it here", key="keep_recording", help="In the workbench’s folder for recordings, for all projects."
        )
        prepared = st.button("Prepare the file", key="prepare_recording", help="Long runs take some seconds.")
    if kept:
        _keep(workbench, runs[chosen])
    if prepared:
        _offer(workbench, runs[chosen])


def _named(run: RunSummary) -> str:
    return f"{run.project}: {title(run)}"


def _keep(workbench: Workbench, run: RunSummary) -> None:
    try:
        with st.spinner("Collecting the calls"):
            name = keep_recording_of(workbench, run.id)
    except WorkbenchError as error:
        show_error(error)
        return
    st.success(f"{plain(name)} can be chosen as a judge from now on.")


def _offer(workbench: Workbench, run: RunSummary) -> None:
    try:
        with st.spinner("Collecting the calls"):
            content = recording_of(workbench, run.id)
    except WorkbenchError as error:
        show_error(error)
        return
    calls = content.count(b"\n")
    st.download_button(
        f"Download {calls:,} calls",
        content,
        file_name=f"run-{run.id}-calls.jsonl",
        mime="application/jsonl",
        key="download_recording",
        icon=":material/download:",
        on_click="ignore",
    )
    st.caption(plain(f"interacteval runs record {run.id} --output FILE.jsonl does the same on the command line."))
