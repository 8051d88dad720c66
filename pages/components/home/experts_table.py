"""Table of the experts: where each is on each dimension, for whoever runs the project."""

import pandas as pd
import streamlit as st

from app.services.runtime.workbench import Workbench
from app.services.think_aloud.independence import experts_progress
from pages.components.shell import words


def experts_table(workbench: Workbench, project_id: int) -> None:
    """Counts only: no word of what anybody wrote. Nothing where nobody has begun."""
    found = experts_progress(workbench, project_id)
    if not found:
        return
    with st.expander("Experts", key="experts"):
        st.dataframe(
            pd.DataFrame(
                [
                    {
                        "Expert": one.expert,
                        "Role": one.role,
                        "Background": one.background,
                        "Dimension": one.dimension,
                        "Considerations": one.attributes,
                        "State": "done" if one.done else "working on it",
                        "After seeing others": one.late,
                        "Last active": words.clock(one.last_at) if one.last_at else None,
                    }
                    for one in found
                ]
            ),
            placeholder="–",
            hide_index=True,
            key="experts_progress",
            width="content",
            column_config={
                "State": st.column_config.TextColumn(help="Who is done on a dimension sees what others wrote on it."),
                "After seeing others": st.column_config.NumberColumn(
                    help="Written after the expert had said done, when others' considerations could be seen."
                ),
                "Last active": st.column_config.DatetimeColumn(format="D MMM, HH:mm"),
            },
        )
