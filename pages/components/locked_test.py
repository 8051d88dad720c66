"""Locked test: the agreement on texts that nothing was tuned on."""

import streamlit as st

from app.domain.project import Project
from app.services.data.held_out_split import held_out_runs, state_of
from app.services.results.results import DimensionResult, Level, open_held_out_results
from app.services.runtime.workbench import Workbench
from app.services.scoring.runs import list_runs
from pages.components.shell.browser.page_scripts import saved_typing
from pages.components.shell.current import own_name, was_pressed
from pages.components.shell.frame import nothing_yet
from pages.components.shell.held_out_split import look_list, split_sentence
from pages.components.shell.labels import ShownErrors, plain
from pages.components.shell.navigation.screens import link
from pages.components.shell.runs.result_choices import cautions
from pages.components.shell.runs.run_comparison import COEFFICIENTS
from pages.components.shell.runs.run_words import interval, title
from pages.components.shell.tables import show_table


def locked_results(workbench: Workbench, project: Project, level: Level) -> None:
    state = state_of(workbench, project.id)
    if state is None:
        st.markdown("**No held-out split is locked.** Lock a share of the documents on Texts before you tune anything.")
        link("texts", parameters={"section": "Test split"})
        return
    st.markdown(split_sentence(state))
    runs = {run.id: run for run in list_runs(workbench, project.id) if run.id in held_out_runs(workbench, project.id)}
    if not runs:
        nothing_yet("locked", "None of its texts has been scored yet. Choose **Held-out split** on Scores.")
        link("scores")
        return
    with st.form("look_form", border=False):
        chosen = st.multiselect(
            "Runs", list(runs), format_func=lambda run: title(runs[run]), default=next(iter(runs)), key="look_runs"
        )
        who = own_name("look_who", width=300)
        pressed = was_pressed(
            "Look at the result",
            "look_now",
            form=True,
            type="primary",
            help="This look is counted, with the time and your name. Each look makes the test worth less.",
        )
    shown = f"looked_at_{project.id}_{state.split.id}"
    if pressed:
        with ShownErrors():
            st.session_state[shown] = open_held_out_results(workbench, project.id, chosen, who, level)
            saved_typing("look_who")
            st.rerun()
    if found := st.session_state.get(shown):
        st.subheader("On the held-out split", anchor=False)
        show_table([_row(result) for result in found], "locked_results")
        for result in found:
            st.caption(
                f"**{plain(result.dimension.name)}, run {result.run.id}**: {plain(result.meta.caption)}.  \n"
                f"`{result.meta.signature}`"
            )
            reason = result.meta.figures["spearman"].reason
            if reason:
                st.markdown(f"**{plain(result.dimension.name)}**: {plain(reason)}")
        cautions(found)
    look_list(state)


def _row(result: DimensionResult) -> dict[str, object]:
    shown = {
        label: interval(figure.value, figure.low, figure.high)
        for name, label in COEFFICIENTS.items()
        for figure in [result.meta.figures[name]]
    }
    return {"Dimension": result.dimension.name, "Run": result.run.id, **shown, "Texts": result.meta.basis.n_used}
