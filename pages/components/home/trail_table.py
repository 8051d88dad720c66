"""Trail: who did what in the project and when, to be filtered and taken out as a table."""

import pandas as pd
import streamlit as st

from app.domain.project import Project
from app.services.people.invitations import TrailEntry, trail_csv, trail_of
from app.services.runtime.workbench import Workbench
from pages.components.shell import words

NO_NAME = "without a name"


def trail_table(workbench: Workbench, project: Project) -> None:
    unfolded = st.expander("Who did what", key="trail", on_change="rerun")
    if not unfolded.open:
        return
    with unfolded:
        found = trail_of(workbench, project.id)
        if not found:
            st.markdown("Nothing has been changed or taken out yet since this is kept.")
            return
        shown = _filtered(found)
        st.caption(f"{len(shown):,} of {len(found):,} entries; none is ever removed.")
        st.dataframe(
            pd.DataFrame(
                [
                    {"When": words.clock(one.at), "Who": one.who or NO_NAME, "Did": one.act, "What": one.about}
                    for one in shown
                ],
                columns=["When", "Who", "Did", "What"],
            ),
            hide_index=True,
            placeholder="–",
            key="trail_entries",
            column_config={"When": st.column_config.DatetimeColumn(format="D MMM, HH:mm:ss")},
        )
        st.download_button(
            "As a table (CSV)",
            lambda: trail_csv(shown),
            f"trail-{project.name}.csv",
            "text/csv",
            key="download_trail",
            on_click="ignore",
        )


def _filtered(found: list[TrailEntry]) -> list[TrailEntry]:
    people = sorted({one.who or NO_NAME for one in found})
    acts = sorted({one.act for one in found})
    left, right = st.columns(2)
    who = left.multiselect("Who", people, key="trail_who", placeholder="everybody")
    did = right.multiselect("Did", acts, key="trail_act", placeholder="everything")
    return [one for one in found if (not who or (one.who or NO_NAME) in who) and (not did or one.act in did)]
