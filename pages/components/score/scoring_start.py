"""The button that starts the runs, or what keeps it away."""

from collections.abc import Sequence

import streamlit as st

from app.domain.project import Project
from app.errors import WorkbenchError
from app.services.runtime.judges import JudgeAbility
from app.services.runtime.workbench import Workbench
from app.services.scoring.forecast import Forecast
from app.services.scoring.runs import RunOptions
from app.services.scoring.scoring_jobs import begin_scoring, running_here, running_run
from pages.components.shell.navigation.screens import link
from pages.components.shell.words import number, plain, show_error


def scoring_start(
    workbench: Workbench,
    project: Project,
    ahead: Sequence[Forecast],
    wishes: Sequence[RunOptions],
    judges: list[JudgeAbility],
) -> None:
    """One forecast for each run; no button while a judge can't be asked."""
    missing = dict.fromkeys(judge.obstacle for judge in judges if judge.obstacle)
    if missing:
        for obstacle in missing:
            st.warning(plain(obstacle), icon=":material/key:")
        link("settings", "Keys and addresses are on Settings")
        return
    by = f" with {len(wishes)} judges" if len(wishes) > 1 else ""
    by += f", {wishes[0].trials} trials" if wishes[0].trials > 1 else ""
    busy = running_run(workbench, project.id) is not None or running_here(project.id)
    if st.button(
        f"Score {number(ahead[0].texts, 'text')}{by}",
        type="primary",
        key="start_scoring",
        disabled=busy,
        help="A project has one run at a time: wait until the one above ends, or stop it." if busy else None,
    ):
        try:
            begin_scoring(workbench, project.id, *wishes)
        except WorkbenchError as error:
            show_error(error)
        else:
            st.rerun()
