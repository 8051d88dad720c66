"""Asking of models in the background; what they answer is saved as it comes."""

from collections.abc import Sequence

import streamlit as st

from app.domain.project import Project
from app.domain.task import Dimension
from app.errors import WorkbenchError
from app.services.runtime.jobs import JOBS, JobStatus, Progress
from app.services.runtime.workbench import Workbench
from app.services.think_aloud.llm_think_aloud import ThinkAloudAnswer, ask_models
from pages.components.shell.words import model_label, number, plain, show_error


def think_aloud_job_keys(project: Project, dimensions: Sequence[Dimension]) -> list[str]:
    """The keys of the jobs that ask about this project: about all dimensions, or one."""
    return [f"ask-{project.id}-all", *(f"ask-{project.id}-{d.id}" for d in dimensions)]


def ask_button(workbench: Workbench, project: Project, dimensions: Sequence[Dimension], models: Sequence[str]) -> None:
    """The button. Asking about all dimensions is one job, about one dimension another."""
    key = f"ask-{project.id}-{dimensions[0].id if len(dimensions) == 1 else 'all'}"
    state = JOBS.state(key)
    running = state is not None and state.status is JobStatus.RUNNING
    label = f"Ask {number(len(models), 'model')}"
    if st.button(label, key="ask", type="primary", disabled=running or not models):
        try:
            JOBS.start(key, label, lambda progress: _work(workbench, project, dimensions, models, progress))
        except WorkbenchError as error:
            show_error(error)
            return
        st.rerun()


def _work(
    workbench: Workbench, project: Project, dimensions: Sequence[Dimension], models: Sequence[str], progress: Progress
) -> str:
    planned = len(models) * len(dimensions)
    answers: list[ThinkAloudAnswer] = []

    def listen(asked: ThinkAloudAnswer) -> None:
        answers.append(asked)
        done = sum(len(dimensions) if not a.dimension else 1 for a in answers)
        progress.report(f"{model_label(asked.model)} {_outcome(asked)}", min(done, planned), planned)

    progress.report("waiting for the first answer", 0, planned)
    ask_models(workbench, project, dimensions, models, listen)
    failed = sum(1 for asked in answers if asked.error)
    if failed:
        progress.fell_short()
    said = f"{number(sum(asked.attributes for asked in answers), 'consideration')} came in."
    repeated = sum(asked.repeated for asked in answers)
    if repeated:
        said += f" {repeated:,} left out: the same model said the same before."
    return f"{said} {number(failed, 'answer')} did not come: the reasons are below the list." if failed else said


def _outcome(asked: ThinkAloudAnswer) -> str:
    if asked.error:
        return "did not answer"
    again = f" and {asked.repeated:,} it gave before" if asked.repeated else ""
    return f"gave {number(asked.attributes, 'consideration')}{again} on {plain(asked.dimension)}"
