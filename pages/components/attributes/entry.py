"""Attributes by hand or from a file, for what was said outside this program."""

from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from app.domain.attribute import Attribute, ContributorKind
from app.domain.project import Project
from app.domain.task import Dimension
from app.errors import WorkbenchError
from app.services.attributes.attribute_table import import_attribute_table, is_table
from app.services.attributes.attributes import import_attributes
from app.services.runtime.workbench import Workbench
from pages.components.shell.browser.kept_typing import saved_typing
from pages.components.shell.runs.condition_words import KINDS
from pages.components.shell.upload_field import field_key, upload_field
from pages.components.shell.words import number, plain, show_error

_ADDED = "attributes_added"
SHOWN = 5


@dataclass(frozen=True, slots=True)
class EntryForm:
    """The form as it was sent."""

    contributor: str
    kind: ContributorKind
    text: str
    file: bytes | None


def entry(workbench: Workbench, project: Project, dimension: Dimension, attributes: Sequence[Attribute]) -> None:
    """A form that unfolds; contributors who are there already can be chosen, others typed."""
    if said := st.session_state.pop(_ADDED, ""):
        st.success(said, icon=":material/check_circle:")
    with (
        st.expander("Add attributes by hand or from a file", key="add_attributes"),
        st.form("add_form", border=False, clear_on_submit=False),
    ):
        who, what = st.columns(2, gap="large")
        known = list(dict.fromkeys(a.contributor for a in attributes))
        name = who.selectbox(
            "Contributor",
            known,
            index=None,
            accept_new_options=True,
            placeholder="choose or type a name",
            key="add_contributor",
        )
        kind = who.radio("This is", list(ContributorKind), format_func=_kind, horizontal=True, key="add_kind")
        text = what.text_area("One attribute per line", height=110, key="add_text")
        with what:
            file = upload_field(
                workbench,
                "or a file: one attribute per line, a JSON list, or a table with contributors",
                ("txt", "json", "md", "csv", "tsv"),
                "add_file",
                written=True,
                help="A CSV or JSON table with the columns text, contributor and kind, such as this screen gives out, "
                "needs no contributor beside it.",
            )
        if st.form_submit_button("Add attributes", key="add_submit"):
            written = EntryForm(name or "", kind or ContributorKind.HUMAN, text, file.getvalue() if file else None)
            _add(workbench, project, dimension, written)


def _kind(kind: ContributorKind) -> str:
    return f"a {KINDS[kind]}" if kind is ContributorKind.HUMAN else f"an {KINDS[kind]}"


def _add(workbench: Workbench, project: Project, dimension: Dimension, written: EntryForm) -> None:
    try:
        said = _kept(workbench, project, dimension, written)
    except WorkbenchError as error:
        show_error(error)
        return
    saved_typing("add_text")
    for key in ("add_text", field_key("add_file")):
        del st.session_state[key]
    st.session_state[_ADDED] = said
    st.rerun()


def _kept(workbench: Workbench, project: Project, dimension: Dimension, written: EntryForm) -> str:
    """What was added, in words."""
    added, more = 0, ""
    table = written.file is not None and is_table(written.file)
    if written.text.strip() or written.file is None:
        added += len(import_attributes(workbench, dimension.id, written.contributor, written.kind, written.text))
    if written.file is not None and table:
        report = import_attribute_table(workbench, project, written.file, dimension.name)
        added += report.added
        more = f" {report.there:,} were there already." if report.there else ""
        more += "".join(f" Row {row.row} was left out: {row.reason}" for row in report.skipped[:SHOWN])
        if len(report.skipped) > SHOWN:
            more += f" So were {len(report.skipped) - SHOWN:,} more."
    elif written.file is not None:
        added += len(import_attributes(workbench, dimension.id, written.contributor, written.kind, written.file))
    return plain(f"Added {number(added, 'attribute')}.{more}")
