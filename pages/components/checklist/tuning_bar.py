"""Way back to the result a person came from, and the changed questions asked again on the texts they looked at."""

from collections.abc import Mapping

import pandas as pd
import streamlit as st

from app.domain.checklist import ChecklistStatus
from app.domain.project import Task
from app.errors import WorkbenchError
from app.services.checklists.checklists import ChecklistView
from app.services.data.projects import text_titles
from app.services.results.draft_trial import DraftTrial, try_draft
from app.services.runtime.workbench import Workbench
from pages.components.shell.checklists.build_words import WayBack, forget_way, way_back
from pages.components.shell.current import was_pressed
from pages.components.shell.navigation.screens import go
from pages.components.shell.tables import WRITER, with_writers
from pages.components.shell.words import model_label, number, plain, show_error

_TRIAL = "draft_trial"
CHANCE = (
    "These are the texts it was furthest from people on, where almost any change helps. Publish, score all texts and "
    "read the verdict before you trust it."
)


def tuning_bar(workbench: Workbench, view: ChecklistView) -> None:
    """Nothing for whoever came from elsewhere."""
    way = way_back(view.dimension.id)
    if way is None:
        return
    with st.container(border=True, key="tuning_bar"):
        with st.container(horizontal=True, vertical_alignment="center"):
            name = "Back to the text" if way.to_a_text else "Back to the result"
            if was_pressed(name, key="back_to_result", icon=":material/arrow_back:"):
                go("results", way.address)
            is_draft = view.checklist.status is ChecklistStatus.DRAFT  # once published, all texts are scored with it
            asked = (
                is_draft
                and bool(way.texts)
                and was_pressed(
                    f"Ask again on these {number(len(way.texts), 'text')}",
                    key="ask_again",
                    icon=":material/replay:",
                    help=f"The {len(way.texts)} texts of run {way.run} that you looked at, furthest from people first. "
                    "The same judge is asked the questions as they are now; answers to unchanged ones count again. "
                    "No result is made of it.",
                )
            )
            st.button(
                "Hide", key="hide_tuning", type="tertiary", on_click=forget_way, help="Not on the way back any more."
            )
        trial = _trial(workbench, view, way, asked)
        if trial is not None:
            titles = text_titles(workbench, view.project.id, [each.row.text for each in trial.texts])
            _figures(trial, titles, view.project.task)


def _trial(workbench: Workbench, view: ChecklistView, way: WayBack, asked: bool) -> DraftTrial | None:
    """For as long as it is about these very questions and texts."""
    questions = [(each.id, each.text, each.guidance, each.may_not_apply) for each in view.checklist.asked]
    about = (way.run, way.texts, questions)
    if asked:
        try:
            with st.spinner(f"Asking the judge about {number(len(way.texts), 'text')}"):
                st.session_state[_TRIAL] = about, try_draft(workbench, view, way.run, way.texts)
        except WorkbenchError as error:
            show_error(error)
    known, trial = st.session_state.get(_TRIAL, (None, None))
    return trial if known == about else None


def _figures(trial: DraftTrial, titles: Mapping[int, str], task: Task) -> None:
    if trial.distance is None:
        st.markdown("The judge gave no score for any of these texts.")
        return
    before, after = trial.distance
    nearer, further, same = trial.moved
    st.markdown(
        f"**From people on average: {before:.2f} points before, {after:.2f} now.** Nearer on {nearer}, further on "
        f"{further}, as before on {same} of {number(len(trial.scored), 'text')}."
    )
    failed = f" No score for {number(trial.failed, 'text')}: {trial.why}" if trial.failed else ""
    st.caption(plain(f"Judge: {model_label(trial.judge)}. {CHANCE}{failed}"))
    rows = [
        {
            "Text": titles.get(each.row.text, each.row.doc_id),
            WRITER: each.row.system_id,
            "People": each.human,
            "Before": each.before,
            "Now": each.after,
            "Nearer by": each.nearer if each.after is not None else None,
        }
        for each in trial.texts
    ]
    table = pd.DataFrame(rows)
    with st.expander("Text by text", key="trial_texts"):
        st.dataframe(
            with_writers(table, task),
            hide_index=True,
            placeholder="–",
            key="trial_table",
            column_config={
                **{name: st.column_config.NumberColumn(format="%.2f") for name in ("People", "Before", "Now")},
                "Nearer by": st.column_config.NumberColumn(format="%+.2f", help="Below 0: further from people."),
            },
        )
