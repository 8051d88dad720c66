"""The list of all disagreements that were chosen; ticking one opens it. The key ? leads to the list and back."""

from collections.abc import Sequence
from functools import partial

import pandas as pd
import streamlit as st

from app.domain.judgment import Answer
from app.domain.project import Project
from app.services.data.projects import text_titles
from app.services.disagreements.queue import PartedKind, QueuedPair
from app.services.runtime.workbench import Workbench
from pages.components.disagreements.place import show_pair
from pages.components.shell.browser.page_scripts import page_script, run_in_page
from pages.components.shell.tables import WRITER, ticked_table, with_writers

LISTED = "listed"
PARTING = {PartedKind.EXPERTS: "experts", PartedKind.JUDGE: "judge", PartedKind.REPEATS: "repeats"}
PAGE_SIZE = 50
# Native shortcuts take letters and digits alone.
_KEY = page_script("""(() => {
  if (window.interactevalListKey) return;
  window.interactevalListKey = true;
  document.addEventListener("keydown", (event) => {
    const typing = event.target.closest?.("input, textarea, select, [contenteditable='true']");
    if (event.key !== "?" || event.ctrlKey || event.metaKey || event.altKey || typing) return;
    const button = document.querySelector(".st-key-list_of_pairs button, .st-key-one_by_one button");
    if (!button) return;
    event.preventDefault();
    button.click();
  });
})();""")
_COLUMNS = {
    "Text": st.column_config.TextColumn(width=400),
    "No.": st.column_config.NumberColumn(width=50, help="The question's number."),
    "Question": st.column_config.TextColumn(width=280),
    "Parting": st.column_config.TextColumn(
        width=150, help="Experts among themselves, a judge from most of them, or a judge's repeats."
    ),
    "Yes": st.column_config.NumberColumn(width=50, help="How many experts say so."),
    "No": st.column_config.NumberColumn(width=50, help="How many experts say so."),
    "n/a": st.column_config.NumberColumn(width=50, help="How many experts say that it doesn't apply."),
}


def is_listed() -> bool:
    return st.query_params.get(LISTED, "") == "yes"


def list_button() -> None:
    st.button("List (?)", key="list_of_pairs", icon=":material/list:", type="tertiary", on_click=_list, args=[True])
    run_in_page(_KEY)


def pair_list(workbench: Workbench, project: Project, pairs: Sequence[QueuedPair]) -> None:
    """In the order of the queue."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(
            "One by one (?)",
            key="one_by_one",
            icon=":material/menu_book:",
            on_click=_list,
            args=[False],
        )
        run_in_page(_KEY)
        st.caption(
            f"{len(pairs):,} disagreements, those first that would move figures most. Tick one to open it.",
            width="content",
        )
    ticked_table(pairs, partial(_table, workbench, project), _open, _COLUMNS, "pairs", PAGE_SIZE)


def _open(pair: QueuedPair | None) -> None:
    if pair is not None:
        _list(False)
        show_pair(pair.id)


def _list(shown: bool) -> None:
    if shown:
        st.query_params[LISTED] = "yes"
    else:
        st.query_params.pop(LISTED, None)


def _table(workbench: Workbench, project: Project, page: Sequence[QueuedPair]) -> pd.DataFrame:
    titles = text_titles(workbench, project.id, [each.text for each in page])
    rows = [
        {
            "Text": titles.get(each.text, each.key[0]),
            WRITER: each.key[1],
            "No.": each.number,
            "Question": each.question.text,
            "Parting": ", ".join(word for kind, word in PARTING.items() if kind in each.kinds),
            "Yes": each.people.get(Answer.YES, 0),
            "No": each.people.get(Answer.NO, 0),
            "n/a": each.people.get(Answer.NOT_APPLICABLE, 0),
            "Judges": ", ".join(dict.fromkeys((*each.judges, *each.wavering))),
            "Decided": each.decision.answer.value if each.decision else None,
        }
        for each in page
    ]
    table = with_writers(pd.DataFrame(rows), project.task)
    empty = [name for name in ("n/a", "Judges", "Decided") if not table[name].any()]
    return table.drop(columns=empty)
