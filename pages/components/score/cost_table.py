"""Table of costs: what a project's models were asked."""

import pandas as pd
import streamlit as st

from app.domain.project import Project
from app.services.runtime.spending import JUDGING, Spending, project_spending, total_cost
from app.services.runtime.workbench import Workbench
from pages.components.shell.money import dollars, paid
from pages.components.shell.words import plain

STAGES = {
    "think-aloud": "Thinking aloud",
    "components": "Components",
    "clusters": "Clusters",
    "key-questions": "Key questions",
    "sub-questions": "Sub-questions",
    "validation": "Validation",
    "transcript-attributes": "Attributes from speech",
    JUDGING: "Judging",
}
_COLUMNS = {
    "Calls": st.column_config.NumberColumn(
        format="localized", help="Answers that were paid for, and replies that were lost and may have been."
    ),
    "Input": st.column_config.NumberColumn(format="localized", help="Tokens sent, those from the cache included."),
    "Answered before": st.column_config.NumberColumn(
        format="localized", help="The very same request had an answer already: nothing was paid."
    ),
    "of it from cache": st.column_config.NumberColumn(
        format="localized", help="The part that the provider still remembered from an earlier request: cheaper."
    ),
    "of it to cache": st.column_config.NumberColumn(
        format="localized", help="The part that the provider keeps for the next requests; some ask more for it."
    ),
    "Output": st.column_config.NumberColumn(format="localized", help="Tokens answered."),
    "Cost": st.column_config.TextColumn(alignment="right", help="US dollars, from the prices on the Settings screen."),
}


def cost_table(workbench: Workbench, project: Project) -> None:
    """Folded; nothing where nothing was ever paid."""
    rows = project_spending(workbench, project.id)
    if not rows:
        return
    known, unknown = total_cost(rows)
    total = dollars(known if known or not unknown else None)
    if known and unknown:
        total = f"at least {total}; not all is known of {plain(', '.join(unknown))}"
    with st.expander(f"What it cost: {total}", key="what_it_cost"):
        st.dataframe(
            pd.DataFrame(map(_row, rows)), placeholder="–", hide_index=True, key="costs", column_config=_COLUMNS
        )
        st.caption(
            "Tokens as the providers counted them, useless answers included, at the prices of the day. Embeddings and "
            "transcripts of recordings are not in here."
        )


def _row(spent: Spending) -> dict[str, object]:
    return {
        "Stage": STAGES.get(spent.stage, spent.stage),
        "Run": "" if spent.run is None else str(spent.run),
        "Model": spent.model,
        "Calls": spent.calls,
        "Answered before": spent.calls_cached,
        "Input": spent.input_tokens,
        "of it from cache": spent.cached_tokens,
        "of it to cache": spent.cache_write_tokens,
        "Output": spent.output_tokens,
        "Cost": paid(spent.cost_usd, spent.at_least_usd, markdown=False),
    }
