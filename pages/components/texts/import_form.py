"""Import of a file: the file, its format, the project, and the report of every row left out."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TypeVar

import pandas as pd
import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from app.domain.job import JobStatus
from app.domain.project import Project, Task
from app.errors import NotFoundError, WorkbenchError
from app.services.attributes.preference_import import PAIR_FORMATS, import_pairs_upload
from app.services.background.jobs import job_state
from app.services.data.imports import (
    TEMPLATE_FORMATS,
    ImportReport,
    forget_report,
    import_key,
    last_report,
    preset_template,
    project_template,
    start_import,
)
from app.services.data.projects import dimensions_named, get_project, overview, papers_with_definitions, preset_names
from app.services.data.uploads import (
    UPLOAD_FORMATS,
    ImportPlan,
    MappedColumns,
    Upload,
    UploadPreview,
    check_upload,
    feasibility_words,
    preview_upload,
    upload_sheets,
    without_ratings_words,
)
from app.services.data.workflow_steps import next_step
from app.services.runtime.workbench import Workbench
from pages.components.shell.background import watch
from pages.components.shell.browser.page_scripts import page_script, run_in_page, saved_typing
from pages.components.shell.current import DIMENSION, choose, was_pressed
from pages.components.shell.labels import ShownErrors, button_label, more_in_guide, number, plain, show_error
from pages.components.shell.navigation.screens import go
from pages.components.shell.tables import csv_download, file_download, show_table
from pages.components.shell.upload_field import field_key, upload_field
from pages.components.texts.column_mapping import (
    ChosenUpload,
    ColumnChoice,
    ImportTarget,
    choose_upload,
    column_choice,
    forget_upload,
    import_target,
    release_upload,
    save_choices,
    starting_with,
)

_INTO_VIEW = page_script("""(() => {
  let tries = 0;
  const look = () => {
    const report = document.querySelector(".st-key-import_report");
    if (!report) return ++tries < 100 && setTimeout(look, 50);
    report.style.scrollMarginTop = "4.5rem"; // below the bar over the top of a narrow screen
    report.scrollIntoView({ block: "start" });
  };
  look();
})();""")
ROLES = {
    "text": "the text",
    "source": "its source",
    "doc_id": "what belongs together",
    "system_id": "who wrote it",
    "item_id": "its number",
    "reference": "a model answer",
}


def import_report(workbench: Workbench, project: Project, open_section: Callable[[str], None]) -> None:
    """Draw the last import's report, with the next action, until it is dismissed; nothing without one."""
    report = last_report(workbench, project.name)
    if report is None:
        return
    task, progress = project.task, overview(workbench, project.id)
    with st.container(border=True, key="import_report"):
        title, action = st.columns([5, 1], vertical_alignment="center")
        title.markdown(_summary(report, task))
        with action.container(horizontal_alignment="right"):
            if was_pressed("Close", key="close_report", type="tertiary"):
                forget_report(workbench, project.name)
                st.rerun()
        if report.dimensions:
            frame = _dimensions(report)
            show_table(frame, "imported_dimensions", width="content")
        if report.columns:
            uses = (_use(use.column, use.role, use.dimension) for use in report.columns)
            st.caption(f"Columns: {', '.join(uses)}.")
        if report.ungrouped:
            st.markdown(
                "**No two texts share a source,** so agreement with people can't be taken per source, only over the "
                "whole dataset. If some belong together, import them into a new project and say which column says "
                "what belongs together."
            )
        if report.few_sources:
            st.markdown(
                f"**{number(report.texts, 'text')} of {number(report.sources, 'source')}:** only the samples, which "
                "people read while thinking aloud, will be left out of scoring. Leaving out all texts of their sources "
                "would lose too many."
            )
        if not report.ratings:
            st.markdown("\n".join(f"- {plain(line)}" for line in without_ratings_words(task)))
        for note in report.notes:
            st.markdown(plain(note))
        if report.skipped:
            _left_out(report)
        todo = next_step(progress)
        with st.container(horizontal=True, vertical_alignment="center"):
            if todo.screen == "texts":
                st.button(todo.verb, key="report_next", type="primary", on_click=open_section, args=[todo.section])
            elif was_pressed(todo.verb, key="report_next", type="primary"):
                go(todo.screen, {DIMENSION: todo.dimension, **todo.parameters} if todo.dimension else todo.parameters)
            st.markdown(plain(todo.why))


def show_report() -> None:
    """Scroll to the new report, as the import's button is further down. The browser may draw the report later than
    this."""
    run_in_page(_INTO_VIEW)


def _summary(report: ImportReport, task: Task) -> str:
    new = f"{number(report.added_texts, 'text')} and {number(report.added_ratings, 'rating')} came in"
    if not (report.added_texts or report.added_ratings):
        new = "Nothing new came in: all that could be read was here already"
    writers = f" by {_counted(report.systems, task.writer_name, task.writers_name)}" if report.systems else ""
    return (
        f"**{new}** from {plain(report.file)}, read as {plain(report.format)}. The project now has "
        f"{number(report.texts, 'text')} of {_counted(report.sources, task.source_name, task.sources_name)}{writers}."
    )


def _counted(count: int, one: str, several: str) -> str:
    return f"{count:,} {plain(one if count == 1 else several)}"


def _use(column: str, role: str, dimension: str) -> str:
    taken_for = f"a rating of {plain(dimension)}" if role == "rating" else ROLES[role]
    return f"“{plain(column)}” as {taken_for}"


def _dimensions(report: ImportReport) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "Dimension": list(report.dimensions),
            "Ratings": [d.ratings for d in report.dimensions.values()],
            "Raters": [d.raters for d in report.dimensions.values()],
            "Range": [f"{d.low:g} to {d.high:g}" for d in report.dimensions.values()],
        }
    )


def _left_out(report: ImportReport) -> None:
    rows = pd.DataFrame({"Row": [s.row for s in report.skipped], "Reason": [s.reason for s in report.skipped]})
    st.markdown(f"**{number(len(rows), 'remark')}** on rows, or single ratings of them, that stayed out:")
    show_table(
        rows,
        "skipped_rows",
        {
            "Row": st.column_config.NumberColumn(
                width=60, help="Counted from 1 as in the file; in a workbook the number beside the row."
            ),
            "Reason": st.column_config.TextColumn(width=720),
        },
        height=min(260, 38 + 35 * len(rows)),
    )
    csv_download("Download the list", rows, "rows-left-out")


OTHER_KIND = "something else"
TEMPLATES = {"xlsx": "Excel", "csv": "CSV"}


def import_template(workbench: Workbench, project: Project | None) -> None:
    """Draw the download of a template with the columns of the open project, or of a kind of texts, and an example
    row."""
    with st.expander("Download a template to fill in", key="import_template"):
        if project is None:
            kinds = [*preset_names(), OTHER_KIND]
            kind = st.selectbox("What are your texts?", kinds, key="template_kind")
            make = partial(preset_template, "" if kind == OTHER_KIND else kind)
        else:
            make = partial(project_template, workbench, project)
        with st.container(horizontal=True):
            for format_name in TEMPLATE_FORMATS:
                file_download(
                    button_label(TEMPLATES[format_name], "template"),
                    partial(make, format_name),
                    f"template.{format_name}",
                    f"template_{format_name}",
                )


IMPORTING = "importing"


def watch_import(workbench: Workbench, project: Project | None) -> bool:
    """Draw the progress of this session's import, or of one into the current project; at the end its project is opened.

    Returns True if the import into the current project has just brought its texts.
    """
    target = st.session_state.get(IMPORTING, project.name if project else None)
    if target is None:
        return False
    state = job_state(workbench, import_key(target))
    if state is None or not state.active:
        mine = st.session_state.pop(IMPORTING, None) == target
        if mine and state is not None and state.status is JobStatus.DONE:
            forget_upload()
        if (project is None or project.name != target) and _is_there(workbench, target):
            choose(target)
            st.rerun()
    watch(workbench, import_key(target))
    return state is not None and state.status is JobStatus.DONE


def _is_there(workbench: Workbench, name: str) -> bool:
    try:
        get_project(workbench, name)
    except NotFoundError:
        return False
    return True


NAMED = "“auto” works it out by itself. The others are published data sets, read as they were published."
T = TypeVar("T")
_SHEETS, _PREVIEW, _CHECK = "upload_sheets", "upload_preview", "upload_check"
LARGE = 20 * 2**20
"""Bytes; a larger file is checked for feasibility only on request, as that takes longer than a click should."""


def import_form(workbench: Workbench, project: Project | None) -> None:
    """Draw the import; it starts in the background, and the screen shows its progress and result."""
    left, right = st.columns([3, 2], gap="large")
    with left:
        kept = choose_upload(workbench)
    if kept is None:
        with right:
            st.caption("One row per text: the text, what it was written from, who wrote it, and one column per rating.")
            import_template(workbench, project)
        return
    with right:
        reading = _reading(kept)
    if reading is None:
        return
    preview, plan = reading
    target = import_target(workbench, project, kept, preview.kind)
    choice, key = ColumnChoice(), f"{kept.id}_{plan.format}_{plan.sheet}"
    if preview.guess is None:
        st.markdown(f"This is a file of the format **{plain(preview.format)}**, so no columns have to be named.")
    else:
        choice = column_choice(key, preview, preview.guess, target)
    task = target.task
    if target.new and choice.mapped is not None:
        task = _named(key, preview, choice.mapped, task)
    writer = task.writer_name if target.new else ""
    part = _part(key) if preview.conversations else ""
    references = _references(key)
    definitions = _definitions(key) if target.new else ""
    plan = ImportPlan(plan.format, plan.sheet, choice.mapped, target.preset, writer, references, part, definitions)
    save_choices()
    if not choice.missing:
        _feasible(kept, plan, task)
    _button(workbench, kept, plan, target, choice)


def _named(key: str, preview: UploadPreview, mapped: MappedColumns, task: Task) -> Task:
    """Draw and return the words of a new project; those for writers are asked if a column names them."""
    task = preview.worded(task, mapped.fields)
    if "system_id" not in mapped.fields:
        return task
    writer = st.text_input(
        "What is the writer called?",
        key=starting_with(f"import_writer_{key}_{mapped.fields['system_id']}", task.writer_name),
        placeholder="system, agent, student",
        help="Screens name those who wrote the texts so. You can change it later.",
        width=320,
    )
    return replace(task, writer_name=writer.strip() or task.writer_name)


_PARTS = {"last": "The last reply", "each": "Each reply of the model", "whole": "The whole conversation"}


def _part(key: str) -> str:
    options = list(_PARTS)
    return st.selectbox(
        "What is judged",
        options,
        format_func=_PARTS.__getitem__,
        key=starting_with(f"import_part_{key}", "last", options),
        help="The turns before a reply are its source: people and judges read both.",
        width=320,
    )


_REFERENCES = {"file": "As in the file", "source": "The source of each text", "system": "The texts of a system"}


def _references(key: str) -> str:
    """Draw and return the references that metrics such as ROUGE compare with, as in `with_references`."""
    options = list(_REFERENCES)
    kind = st.selectbox(
        "References",
        options,
        format_func=_REFERENCES.__getitem__,
        key=starting_with(f"import_references_{key}", "file", options),
        help="What metrics such as ROUGE compare a text with. A system's texts serve those of the same source; leave "
        "that system out when you score.",
        width=320,
    )
    if kind != "system":
        return "source" if kind == "source" else ""
    name = st.text_input("System", key=starting_with(f"import_reference_system_{key}", ""), width=320)
    return f"system={name.strip()}"


def _definitions(key: str) -> str:
    """Draw and return the paper whose definitions new dimensions get, "" for none."""
    papers = {
        "": "As in the workbench",
        **{name: f"As in {title}" for name, title in papers_with_definitions().items()},
    }
    return st.selectbox(
        "Definitions",
        list(papers),
        format_func=papers.__getitem__,
        key=starting_with(f"import_definitions_{key}", "", list(papers)),
        help="What each dimension means, in our words. A dimension that the paper doesn't have keeps the words here.",
        width=320,
    )


def _reading(kept: ChosenUpload) -> tuple[UploadPreview, ImportPlan] | None:
    """Return the file read in the chosen format and sheet; None, with the error shown, if it can't be read."""
    format_name = st.selectbox(
        "Format", UPLOAD_FORMATS, key=starting_with("import_format", "auto", UPLOAD_FORMATS), help=NAMED
    )
    try:
        sheets = _once(_SHEETS, (kept.id,), lambda: upload_sheets(kept.upload))
        sheet = ""
        if len(sheets) > 1:
            sheet = st.selectbox("Sheet", sheets, key=starting_with(f"import_sheet_{kept.id}", sheets[0], sheets))
        wanted = (kept.id, format_name, sheet)
        preview = _once(_PREVIEW, wanted, lambda: preview_upload(kept.upload, format_name, sheet))
    except WorkbenchError as error:
        save_choices()
        show_error(error)
        return None
    return preview, ImportPlan(format_name, sheet)


def _once(place: str, about: tuple[object, ...], make: Callable[[], T]) -> T:
    """Return the cached result for `about`, else make it: a file isn't read again at every click."""
    known = st.session_state.get(place)
    if known is None or known[0] != about:
        known = (about, make())
        st.session_state[place] = known
    found: T = known[1]
    return found


def _feasible(kept: ChosenUpload, plan: ImportPlan, task: Task) -> None:
    """Draw what could be done with these texts, before they are imported."""
    about = (kept.id, plan.format, plan.sheet, repr(plan.mapped), plan.references, plan.part)
    is_known = st.session_state.get(_CHECK, ("",))[0] == about
    if len(kept.upload.data) > LARGE and not is_known and not was_pressed("Check what can be computed", key="check"):
        return
    with ShownErrors():
        found = _once(_CHECK, about, lambda: check_upload(kept.upload, plan))
        with st.container(border=True, key="feasibility"):
            st.markdown("**What you will be able to do with them**")
            st.markdown("\n".join(f"- {plain(line)}" for line in feasibility_words(found, task)))


def _button(
    workbench: Workbench, kept: ChosenUpload, plan: ImportPlan, target: ImportTarget, choice: ColumnChoice
) -> None:
    missing = choice.missing or target.missing
    if missing:
        st.caption(f":material/info: {plain(missing)}")
    into = plain(target.name) or "the project"
    if not was_pressed(f"Import into {into}", "start_import", type="primary", disabled=bool(missing)):
        return
    with ShownErrors():
        with st.spinner("Beginning the import"):
            handed = start_import(workbench, kept.upload, target.name, plan)
        if handed:
            release_upload(kept)
        st.session_state[IMPORTING] = target.name
        st.rerun()


_PAIRS_SAID, _PAIRS_SHOWN = "pairs_said", 5


def preferences_form(workbench: Workbench, project: Project) -> None:
    """Draw the import of pairs of texts, with who preferred which one and why, into an existing project."""
    unfolded = st.expander("Preferences: which of two texts is better", key="import_pairs")
    if said := st.session_state.pop(_PAIRS_SAID, ""):
        st.success(said, icon=":material/check_circle:")
    with unfolded, st.form("pairs_form", border=False, clear_on_submit=False):
        st.caption(
            "One row per comparison: two texts of one source, who won (a, b or tie), by whom, and why. The usual "
            "columns of preference data sets are recognised. Each reason becomes its author's attribute."
            + more_in_guide("preferences")
        )
        file = upload_field(workbench, "Table", PAIR_FORMATS, "pairs_file")
        about, who = st.columns(2)
        names = [each.name for each in dimensions_named(workbench, project.name, "all")]
        dimension = about.selectbox(
            "Dimension",
            names,
            index=0 if len(names) == 1 else None,
            accept_new_options=True,
            placeholder="choose or type a name",
            key="pairs_dimension",
            help="Of rows that name none.",
        )
        rater = who.text_input("Compared by", key="pairs_rater", help="Of rows that name nobody.")
        if was_pressed("Import preferences", "pairs_submit", form=True):
            _import_pairs(workbench, project, file, dimension or "", rater)


def _import_pairs(
    workbench: Workbench, project: Project, file: UploadedFile | None, dimension: str, rater: str
) -> None:
    if file is None:
        st.warning("Choose a file first.")
        return
    with ShownErrors():
        upload = Upload(file.name, file.getvalue())
        with st.spinner("Keeping pairs and texts"):
            report = import_pairs_upload(workbench, project, upload, dimension, rater)
        said = (
            f"New: {number(report.pairs, 'pair')}, {number(report.texts, 'text')}, "
            f"{number(report.attributes, 'attribute')}. {report.known:,} pairs were there already."
        )
        said += "".join(f" Row {row.row} was left out: {row.reason}" for row in report.skipped[:_PAIRS_SHOWN])
        if len(report.skipped) > _PAIRS_SHOWN:
            said += f" So were {len(report.skipped) - _PAIRS_SHOWN:,} more."
        st.session_state[_PAIRS_SAID] = plain(said)
        saved_typing("pairs_rater")
        del st.session_state[field_key("pairs_file")]
        st.rerun()
