"""What came of a run that has just ended before one's eyes: its verdicts, and the way to what they rest on."""

import streamlit as st

from app.domain.project import Project
from app.services.results.results import kept_results
from app.services.results.verdicts import verdict_of
from app.services.runtime.workbench import Workbench
from app.services.scoring.runs import list_runs
from app.services.scoring.scoring_jobs import just_ended
from pages.components.shell.navigation.screens import link
from pages.components.shell.runs.result_cautions import result_label
from pages.components.shell.words import plain


def note_ending(workbench: Workbench, project: Project) -> None:
    """Before the message of how the runs ended is shown, which is shown once."""
    if ended := just_ended(workbench, project.id):
        st.session_state[_key(project)] = ended


def outcome(workbench: Workbench, project: Project) -> None:
    """Nothing where no run has ended in this session; none of the locked split or of a study."""
    ended = st.session_state.get(_key(project), ())
    if not ended:
        return
    there = [run for run in list_runs(workbench, project.id) if run.id in ended and run.done]
    runs = [run for run in there if not run.locked and not run.apart]
    with st.spinner("Comparing the judge with the raters"):
        results = [result for run in runs for result in kept_results(workbench, run.id)]
        verdicts = [verdict_of(workbench, result).about(result_label(result, len(runs) > 1)) for result in results]
    if not verdicts:
        return
    with st.container(border=True, key="outcome"):
        for verdict in verdicts:
            st.markdown(plain(verdict))
        link("results", "See what this rests on")


def _key(project: Project) -> str:
    return f"scoring_ended_{project.id}"
