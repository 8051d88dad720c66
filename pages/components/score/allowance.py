"""What the server still gives for the runs of the forecast."""

from collections.abc import Sequence

import streamlit as st

from app.errors import WorkbenchError
from app.services.runtime.allowance import allowances_left
from app.services.runtime.workbench import Workbench
from app.services.scoring.forecast import Forecast
from pages.components.shell.money import dollars
from pages.components.shell.words import plain, show_error


def allowance(workbench: Workbench, project_id: int, ahead: Sequence[Forecast]) -> None:
    """Nothing where nothing is asked, or nothing limits it."""
    paying = [judge for judge in ahead if judge.is_llm and judge.estimate.calls > judge.estimate.calls_cached]
    try:
        purses = allowances_left(workbench, project_id, [judge.judge for judge in paying])
    except WorkbenchError as error:
        show_error(error)
        return
    cost = sum(judge.estimate.cost_usd or 0.0 for judge in paying)
    for purse in purses:
        st.caption(f"{plain(purse.whose)}: {dollars(purse.left)} of it is left.")
        if cost > purse.left:
            st.warning(
                f"This may cost more than that: the run then ends on the way and can be resumed. {plain(purse.hint)}"
            )
