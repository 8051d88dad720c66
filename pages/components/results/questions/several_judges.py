"""Several judges of one checklist: how many votes they are worth, and which to keep."""

import pandas as pd
import streamlit as st

from app.services.results.quality_cost import JudgePanel, judge_panel, panel_verdict
from app.services.results.results import DimensionResult
from app.services.runtime.workbench import Workbench
from pages.components.shell.guide import more_in_guide
from pages.components.shell.runs.run_words import interval
from pages.components.shell.words import model_label, plain

HELP = (
    "The run with most texts of each judge with this version of the checklist, over what was decided or most "
    "experts agree on. Judges that err on the same texts repeat each other: the more their errors correlate, the fewer "
    "independent votes they are worth. In brackets: 95 % interval, answers about one text drawn together."
)


def several_judges(workbench: Workbench, project_id: int, result: DimensionResult) -> None:
    """Nothing where there is one judge, or too little to compare."""
    with st.spinner("Comparing the judges"):
        found = judge_panel(workbench, project_id, result)
    if found is None:
        return
    st.markdown("**Several judges: which to keep?**", help=HELP + more_in_guide("panel"))
    st.markdown(plain(panel_verdict(found.panel)))
    columns = {"Dollars for 1,000 texts": st.column_config.NumberColumn(format="%.2f")}
    st.dataframe(_table(found), hide_index=True, placeholder="–", key="panel", column_config=columns)
    correlation = found.panel.error_correlation
    errors = "" if correlation is None else f" Their errors correlate at {correlation:.2f}."
    st.caption(f"{found.panel.n:,} answers about {found.panel.documents:,} texts.{errors}")


def _table(found: JudgePanel) -> pd.DataFrame:
    rows = [
        {
            "Judge": model_label(judge.judge),
            "Answers as most experts": interval(judge.accuracy, judge.low, judge.high),
            "Dollars for 1,000 texts": cost.per_1000,
            "Cost": cost.reason,
        }
        for judge, cost in zip(found.panel.judges, found.costs, strict=True)
    ]
    together = {"Judge": "Majority of all", "Answers as most experts": interval(found.panel.majority)}
    table = pd.DataFrame([*rows, together])
    return table if table["Cost"].any() else table.drop(columns="Cost")
