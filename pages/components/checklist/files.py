"""A checklist as a file: out in several forms, also for other tools; in from JSON, YAML, CSV or a plain list."""

from functools import partial

import streamlit as st

from app.errors import WorkbenchError
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
from app.services.runtime.workbench import Workbench
from pages.components.shell.checklists.publishing import show_next
from pages.components.shell.current import was_pressed
from pages.components.shell.upload_field import upload_field
from pages.components.shell.words import plain, show_error

# format -> (title, media type, what it is for)
FORMATS = {
    "json": ("JSON", "application/json", "Everything, with where each question comes from. It can be imported again."),
    "yaml": ("YAML", "application/yaml", "The same as JSON, easier to edit by hand. It can be imported again."),
    "md": ("Markdown", "text/markdown", "To read and to print."),
    "csv": ("CSV", "text/csv", "A table for a spreadsheet. It can be imported again, without its attributes."),
    "html": ("Page to print", "text/html", "To print and fill in: open it and print it."),
    "docx": (
        "Word file",
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        "To print and fill in, or to edit first. What is changed in it doesn't come back.",
    ),
    "promptfoo": (
        "promptfoo",
        "application/yaml",
        "A configuration that promptfoo runs as it is: `promptfoo eval -c FILE -t texts.csv`.",
    ),
    "deepeval": (
        "DeepEval",
        "text/x-python",
        "A metric for DeepEval that also runs by itself: `python FILE texts.csv`.",
    ),
    "inspect": (
        "Inspect",
        "text/x-python",
        "A task that Inspect runs as it is: `inspect eval FILE -T texts=texts.csv`.",
    ),
}
TOOLS = ("promptfoo", "deepeval", "inspect")


def on_paper(workbench: Workbench, view: ChecklistView) -> None:
    """The rubric to print, made when asked for."""
    st.caption("On paper")
    with st.container(horizontal=True):
        for format_name, icon in (("html", ":material/print:"), ("docx", ":material/description:")):
            title, media_type, purpose = FORMATS[format_name]
            st.download_button(
                title,
                partial(export_file, workbench, view, format_name),
                export_name(view, format_name),
                media_type,
                key=f"paper_{format_name}",
                icon=icon,
                help=purpose,
                on_click="ignore",
            )


def export_(workbench: Workbench, view: ChecklistView) -> None:
    """One button for the chosen form."""
    with st.expander("Export", key="export"):
        chosen = st.selectbox("Format", EXPORT_FORMATS, format_func=lambda name: FORMATS[name][0], key="export_format")
        title, media_type, purpose = FORMATS[chosen]
        st.caption(purpose)
        if chosen in TOOLS:
            st.caption("The judge is named by the variable CHECKLIST_JUDGE; texts.csv has a column “text”.")
        try:
            data = export_file(workbench, view, chosen)
        except WorkbenchError as error:
            show_error(error)
            return
        st.download_button(
            f"Download {title}", data, export_name(view, chosen), media_type, key="download", on_click="ignore"
        )
        if chosen == "json":
            st.download_button(
                "Download its JSON Schema",
                schema_text(),
                "checklist.schema.json",
                "application/schema+json",
                key="download_schema",
                type="tertiary",
                on_click="ignore",
                help="What a program may rely on when it reads the file.",
            )


_HOLDS: dict[Holds, str] = {"project": "Keep the project's", "file": "Take the file's"}
_BROUGHT_IN = "checklist_brought_in"
"""Where the session keeps what is said about the last import."""


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
            help="A CSV needs a column “text”; component, key_question, guidance, weight and "
            "may_not_apply are read too.",
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
            try:
                found = import_checklist_file(
                    workbench, dimension_id, file.getvalue(), file.name, "file" if holds == "file" else ""
                )
                st.session_state[_BROUGHT_IN] = found.sentences
                show_next(found.checklist)
            except WorkbenchError as error:
                show_error(error)
            else:
                st.rerun()
