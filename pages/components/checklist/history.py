"""History of a draft with undo; files of a checklist: export, also for other tools, and import."""

from collections.abc import Mapping
from functools import partial

import streamlit as st

from app.domain.checklist import Change, Checklist, ChecklistStatus, Kind
from app.services.checklists.checklist_files import (
    EXPORT_FORMATS,
    IMPORT_ENDINGS,
    Holds,
    export_file,
    export_name,
    import_checklist_file,
    schema_text,
)
from app.services.checklists.checklists import ChecklistView
from app.services.checklists.draft_edits import history_of, last_change, undo, words_of
from app.services.runtime.workbench import Workbench
from pages.components.shell import labels as local_time
from pages.components.shell.checklists.publishing import show_next
from pages.components.shell.checklists.question_editor import marked
from pages.components.shell.current import one_of, was_pressed
from pages.components.shell.labels import ShownErrors, button_label, plain, show_saved_error
from pages.components.shell.tables import file_download
from pages.components.shell.upload_field import upload_field

# format -> (title, what it is for)
FORMATS = {
    "json": ("JSON", "Everything, with where each question comes from. It can be imported again."),
    "yaml": ("YAML", "The same as JSON, easier to edit by hand. It can be imported again."),
    "md": ("Markdown", "To read and to print."),
    "csv": ("CSV", "A table for a spreadsheet. It can be imported again, without its attributes."),
    "html": ("Page to print", "To print and fill in: open it and print it."),
    "docx": ("Word file", "To print and fill in, or to edit first. What is changed in it doesn't come back."),
    "promptfoo": ("promptfoo", "A configuration that promptfoo runs as it is: `promptfoo eval -c FILE -t texts.csv`."),
    "deepeval": ("DeepEval", "A metric for DeepEval that also runs by itself: `python FILE texts.csv`."),
    "inspect": ("Inspect", "A task that Inspect runs as it is: `inspect eval FILE -T texts=texts.csv`."),
    "reward": ("Reward (TRL, verifiers)", "A reward function from 0 to 1 for training with TRL or verifiers."),
    "openai-grader": (
        "OpenAI grader",
        "A grader for OpenAI's fine-tuning and evals, from 0 to 1. A question that doesn't apply passes.",
    ),
}
TOOLS = ("promptfoo", "deepeval", "inspect", "reward", "openai-grader")


def print_download(workbench: Workbench, view: ChecklistView) -> None:
    """Draw the download of the checklist to print, made on request."""
    st.caption("On paper")
    with st.container(horizontal=True):
        for format_name, icon in (("html", ":material/print:"), ("docx", ":material/description:")):
            title, purpose = FORMATS[format_name]
            file_download(
                title,
                partial(export_file, workbench, view, format_name),
                export_name(view, format_name),
                f"paper_{format_name}",
                icon=icon,
                help=purpose,
            )


def export_(workbench: Workbench, view: ChecklistView) -> None:
    """Draw a choice of format and a button, which makes the file and adds the entry to the audit log."""
    with st.expander("Export", key="export"):
        chosen = st.selectbox("Format", EXPORT_FORMATS, format_func=lambda name: FORMATS[name][0], key="export_format")
        title, purpose = FORMATS[chosen]
        st.caption(purpose)
        if chosen in TOOLS:
            st.caption("The judge is named by the variable CHECKLIST_JUDGE; texts.csv has a column “text”.")
            if not view.checklist.asked:
                st.markdown("**This version asks nothing.** Switch a question on, or add one.")
                return
        made = partial(export_file, workbench, view, chosen)
        file_download(f"Download {title}", made, export_name(view, chosen), "download")
        if chosen == "json":
            file_download(
                "Download its JSON Schema",
                schema_text(),
                "checklist.schema.json",
                "download_schema",
                type="tertiary",
                help="What a program may rely on when it reads the file.",
            )


_HOLDS: dict[Holds, str] = {"project": "Keep the project's", "file": "Take the file's"}
_BROUGHT_IN = "checklist_brought_in"
"""Session key of the message about the last import."""


def import_(workbench: Workbench, dimension_id: int) -> None:
    for sentence in st.session_state.pop(_BROUGHT_IN, ()):
        st.info(plain(sentence))
    with st.expander("Import", key="import"), st.form("import_form", border=False):
        file = upload_field(
            workbench,
            "A checklist as JSON, YAML or CSV, or one question per line",
            IMPORT_ENDINGS,
            "import_file",
            written=True,
            help="A CSV needs a column “text”; component, key_question, guidance, weight, "
            "may_not_apply, must_not, cap and grade are read too.",
        )
        holds = st.radio(
            "Where rubric or kind of text differ",
            list(_HOLDS),
            format_func=_HOLDS.__getitem__,
            key="import_holds",
            help="A judge is told the rubric and what the texts are beside the questions. What the project hasn't set "
            "yet is taken from the file.",
        )
        if was_pressed("Import as a new draft", "import_submit", form=True):
            if file is None:
                st.error("Choose a file first.")
                return
            with ShownErrors():
                found = import_checklist_file(
                    workbench, dimension_id, file.getvalue(), file.name, "file" if holds == "file" else ""
                )
                st.session_state[_BROUGHT_IN] = found.sentences
                show_next(found.checklist)
                st.rerun()


_PROBLEM = "undo_problem"
NAMELESS = "somebody without a name"
PAGE_SIZE = 20
# What people can read of a step: the field, and what it is called ("" for the wording itself).
_FIELDS = {
    "text": "",
    "name": "",
    "guidance": "How to decide:",
    "may_not_apply": "May not apply:",
    "weight": "Weight:",
    "description": "Meaning:",
    "enabled": "The judge:",
}


def undo_bar(workbench: Workbench, checklist: Checklist, who: str) -> None:
    """Draw this person's last change with Undo, and who else was here."""
    show_saved_error(_PROBLEM)
    history = history_of(workbench, checklist.id)
    mine = last_change(history, who)
    with st.container(key="undo_bar"):
        if mine is not None:
            st.button(
                f"Undo: {mine.what}",
                key="undo_last",
                type="tertiary",
                icon=":material/undo:",
                on_click=_undo,
                args=[workbench, checklist.id, mine.id, who],
            )
        if history and history[0].who != who:
            st.caption(f"Last change: {plain(_change_words(history[0]))}")


def change_history(workbench: Workbench, checklist: Checklist, who: str) -> None:
    """Draw every change of this version while it was a draft, newest first, each with its before and after."""
    show_saved_error(_PROBLEM)
    history = history_of(workbench, checklist.id)
    if not history:
        st.markdown("Nothing was changed in this version since it was made.")
        return
    words = words_of(workbench, checklist.id)
    pages = -(-len(history) // PAGE_SIZE)
    page = st.pagination(pages, key="history_page") if pages > 1 else 1
    draft = checklist.status is ChecklistStatus.DRAFT
    for change in history[(page - 1) * PAGE_SIZE : page * PAGE_SIZE]:
        with st.container(border=True, key=f"change_{change.id}"):
            _heading(workbench, checklist, change, who, draft)
            _before_and_after(change, words)


def _heading(workbench: Workbench, checklist: Checklist, change: Change, who: str, draft: bool) -> None:
    title, action = st.columns((9, 3), vertical_alignment="center")
    undone = " :gray[(undone)]" if change.undone else ""
    title.markdown(f"**{plain(_first_upper(change.what))}**{undone} :small[:gray[{plain(_when(change))}]]")
    if draft and not change.undone:
        action.button(
            button_label("Undo", change.what),
            key=f"take_back_{change.id}",
            type="tertiary",
            icon=":material/undo:",
            help="A question that was changed again since then keeps that change.",
            on_click=_undo,
            args=[workbench, checklist.id, change.id, who],
        )


def _before_and_after(change: Change, words: Mapping[tuple[Kind, int], str]) -> None:
    """Draw what a change was about and, side by side, the old and the new, with different words marked."""
    # What only made room in the order isn't what the change was about, unless nothing else changed.
    edited = [step for step in change.steps if set(step.after) - {"position"}] or list(change.steps)
    for step in edited:
        said = [
            (label, *(_spoken(name, values[name]) for values in (step.before, step.after)))
            for name, label in _FIELDS.items()
            if name in step.before
        ]
        name = words.get((step.kind, step.id), "")
        if name and not any(label == "" for label, _, _ in said):
            st.markdown(plain(name))
        for label, old, new in said:
            before, after = st.columns(2)
            for place, text in zip((before, after), marked(_worded(old), _worded(new)), strict=True):
                place.markdown(f":small[:gray[{label}]] {text}" if label else text or ":gray[nothing]")


def _spoken(name: str, value: object) -> object:
    return ("yes" if value else "no") if name == "may_not_apply" else value


def _worded(value: object) -> str:
    if isinstance(value, bool):
        return "asked" if value else "not asked"
    return f"{value:g}" if isinstance(value, int | float) else str(value or "")


def _first_upper(words: str) -> str:
    return f"{words[:1].upper()}{words[1:]}"


def _undo(workbench: Workbench, checklist_id: int, change_id: int, who: str) -> None:
    with ShownErrors(_PROBLEM):
        undo(workbench, checklist_id, change_id, who)


def _change_words(change: Change) -> str:
    return f"{change.who or NAMELESS} {change.what}, {local_time.said(change.at)}"


def _when(change: Change) -> str:
    return f"{change.who or NAMELESS}, {local_time.said(change.at)}"


PARTS = {"questions": "Questions", "try": "Try it", "compare": "Against another version", "history": "History"}


def choose_part() -> str:
    return one_of("checklist_part", PARTS, "questions", "Part")
