"""The button that starts the runs, or what keeps it away."""

from collections.abc import Sequence

import streamlit as st

from app.domain.project import Project
from app.domain.task import Dimension
from app.errors import WorkbenchError
from app.services.drift.drift_jobs import anchors_ahead, begin_anchored_scoring
from app.services.drift.looks import Asking
from app.services.runtime.judges import JudgeAbility
from app.services.runtime.workbench import Workbench
from app.services.scoring.forecast import Forecast
from app.services.scoring.runs import RunOptions
from app.services.scoring.scoring_jobs import begin_scoring, is_scoring, running_run
from pages.components.shell.navigation.screens import link
from pages.components.shell.words import number, plain, show_error

ANCHORS_HELP = (
    "Anchors are texts that experts answered. If the judge no longer answers them as it did, its new scores don't "
    "compare with old ones. One request for each anchor."
)


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
    busy = running_run(workbench, project.id) is not None or is_scoring(workbench, project.id)
    asked = _anchors_first(workbench, wishes)
    if st.button(
        f"Score {number(ahead[0].texts, 'text')}{by}",
        type="primary",
        key="start_scoring",
        disabled=busy,
        help="A project has one run at a time: wait until the one above ends, or stop it." if busy else None,
    ):
        try:
            if asked:
                begin_anchored_scoring(workbench, project.id, asked, wishes)
            else:
                begin_scoring(workbench, project.id, *wishes)
        except WorkbenchError as error:
            show_error(error)
        else:
            st.rerun()


def _anchors_first(workbench: Workbench, wishes: Sequence[RunOptions]) -> list[tuple[Dimension, Asking]]:
    """Where anchors are frozen and the judge knows them: whom to ask about which ahead of the texts, if so wished."""
    asked = anchors_ahead(workbench, wishes)
    if not asked:
        return []
    names = ", ".join(dict.fromkeys(dimension.name for dimension, _ in asked))
    first = st.toggle("Ask first whether the judge has changed", value=True, key="anchors_first", help=ANCHORS_HELP)
    st.caption(plain(f"By the anchors of {names}; Results, Details shows all looks."))
    return asked if first else []
