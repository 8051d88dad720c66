"""What came of a run that has just ended before one's eyes: its verdicts, and the way to what they rest on."""

import streamlit as st

from app.domain.project import Project
from app.services.results.results import kept_results, newest_of_each
from app.services.results.verdicts import verdict_of
from app.services.runtime.workbench import Workbench
from app.services.scoring.runs import list_runs
from app.services.scoring.scoring_jobs import ended_here
from pages.components.shell.navigation.screens import link
from pages.components.shell.words import plain

_ENDED = "scoring_ended"


def note_ending(project: Project) -> None:
    """Before the message of how it ended is shown, which is shown once."""
    if ended_here(project.id):
        st.session_state[_ENDED] = project.id


def outcome(workbench: Workbench, project: Project) -> None:
    """Nothing where no run has ended in this session."""
    if st.session_state.get(_ENDED) != project.id:
        return
    newest = newest_of_each(list_runs(workbench, project.id)[:1])  # none of the locked split or of a study
    if not newest:
        return
    with st.spinner("Comparing the judge with the raters"):
        results = kept_results(workbench, newest[0].id)
        verdicts = [(verdict_of(workbench, result), result.dimension.name) for result in results]
    with st.container(border=True, key="outcome"):
        for verdict, name in verdicts:
            st.markdown(plain(verdict.about(name)))
        link("results", "See what this rests on")
