"""Answers that were given elsewhere: experts' on paper or in a spreadsheet, those of judges that other tools asked."""

from collections.abc import Sequence

import streamlit as st

from app.domain.checklist import Checklist
from app.errors import WorkbenchError
from app.services.data.uploads import SUFFIXES, Upload
from app.services.runtime.workbench import Workbench
from app.services.scoring.answers_from_file import AnswerGivers, BroughtIn, answer_columns, bring_answers_in
from pages.components.shell.tables.left_out import left_out_rows
from pages.components.shell.upload_field import upload_field
from pages.components.shell.words import number, plain, show_error

ABOUT = (
    "A row an answer: doc_id (system_id and item_id where they tell texts apart), number or question, and answer: yes, "
    "no, skip or, where a question allows it, does not apply. Or a row a question, with a column for each expert or "
    "judge in the place of “answer”. Experts' answers join their sheets; each judge's become a run."
)
EXPERT, JUDGE = "An expert", "A judge"
_BROUGHT = "answers_brought_in"
_NOBODYS = ("doc_id", "system_id", "item_id", "number", "question", "from_version")


def answer_file(workbench: Workbench, versions: Sequence[Checklist]) -> None:
    """For any of the published versions; the first is the usual one."""
    brought: BroughtIn | None = st.session_state.get(_BROUGHT)
    with st.expander("Answers from a file", key="answer_file", expanded=brought is not None):
        st.caption(ABOUT)
        file = upload_field(workbench, "A file with answers", SUFFIXES, "answers_file")
        if file is not None:
            _form(workbench, versions, file.file_id, Upload(file.name, file.getvalue()))
        if brought is not None:
            _report(brought)


def _form(workbench: Workbench, versions: Sequence[Checklist], file_id: str, upload: Upload) -> None:
    try:
        columns = answer_columns(upload)
        version = versions[0]
        if len(versions) > 1:
            version = st.selectbox(
                "Answers to", versions, format_func=lambda one: f"Version {one.version}", key=f"answers_to_{file_id}"
            )
        givers = _one_giver(columns, file_id) if "answer" in columns else _givers(columns, file_id)
        replace = False
        if givers and not (givers.judge or givers.judge_columns):
            replace = st.checkbox("They win over answers on record", key=f"answers_replace_{file_id}")
        if st.button("Bring these answers in", key="bring_answers_in", disabled=givers is None) and givers:
            with st.spinner("Finding text and question of each answer"):
                st.session_state[_BROUGHT] = bring_answers_in(workbench, version.id, upload, givers, replace)
            st.rerun()
    except WorkbenchError as error:
        show_error(error)


def _one_giver(columns: Sequence[str], file_id: str) -> AnswerGivers | None:
    """Where each row is an answer. None as long as nobody is named."""
    named = next((column for column in ("judge", "expert") if column in columns), "")
    if named:
        st.caption(f"Its column “{named}” says whose they are.")
        return AnswerGivers()
    kind, name = st.columns([1, 2], vertical_alignment="bottom")
    whose = kind.segmented_control("Who answered", [EXPERT, JUDGE], default=EXPERT, key=f"answers_whose_{file_id}")
    said = name.text_input("Name", key=f"answers_name_{file_id}", max_chars=60).strip()
    if not (whose and said):
        return None
    return AnswerGivers(expert=said) if whose == EXPERT else AnswerGivers(judge=said)


def _givers(columns: Sequence[str], file_id: str) -> AnswerGivers | None:
    """Where each who answered has a column. None as long as none is chosen."""
    choices = [column for column in columns if column not in _NOBODYS]
    left, right = st.columns(2)
    people = left.multiselect("Experts", choices, key=f"answers_experts_{file_id}", placeholder="their columns")
    others = [column for column in choices if column not in people]
    judges = right.multiselect("Judges", others, key=f"answers_judges_{file_id}", placeholder="their columns")
    if not (people or judges):
        return None
    return AnswerGivers(expert_columns=tuple(people), judge_columns=tuple(judges))


def _report(brought: BroughtIn) -> None:
    with st.container(border=True, key="answers_report"):
        heading, action = st.columns([5, 1], vertical_alignment="center")
        with action.container(horizontal_alignment="right"):
            if st.button("Close", key="close_answers_report", type="tertiary"):
                del st.session_state[_BROUGHT]
                st.rerun()
        said: list[str] = []
        skipped: list[tuple[int, str]] = []
        if people := brought.experts:
            said.append(
                f"**{number(people.kept, 'answer')}** of experts came in; {people.known:,} were known, "
                f"{people.blank:,} blank."
            )
            skipped += people.skipped
        if judges := brought.judges:
            for one in judges.judges:
                held = f"{number(one.answers, 'answer')} on {number(one.texts, 'text')}"
                said.append(f"**Run {one.run}, {plain(one.judge)}:** {held}.")
            for name, run in judges.known:
                said.append(f"Run {run} holds the answers of {plain(name)} in this file already.")
            skipped += judges.skipped
        heading.markdown("\n\n".join(said))
        if skipped:
            title = f"**{number(len(skipped), 'row')}** could not be used:"
            left_out_rows(title, skipped, "answers_left_out", "answers-left-out")
