"""Attributes by hand or from a file, for what was said outside this program."""

from collections.abc import Sequence

import streamlit as st

from app.domain.attribute import Attribute, ContributorKind
from app.errors import WorkbenchError
from app.services.attributes import import_attributes
from app.services.workbench import Workbench
from pages.components.conditions import KINDS, number
from pages.components.words import show_error

_ADDED = "attributes_added"


def entry(workbench: Workbench, dimension_id: int, attributes: Sequence[Attribute]) -> None:
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
        text = what.text_area("One attribute a line", height=110, key="add_text")
        file = what.file_uploader(
            "or a file: one attribute a line, or a JSON list", type=["txt", "json", "md"], key="add_file"
        )
        if st.form_submit_button("Add attributes", key="add_submit"):
            data = file.getvalue() if file else None
            _add(workbench, dimension_id, name or "", kind or ContributorKind.HUMAN, text, data)


def _kind(kind: ContributorKind) -> str:
    return f"a {KINDS[kind]}" if kind is ContributorKind.HUMAN else f"an {KINDS[kind]}"


def _add(
    workbench: Workbench, dimension_id: int, name: str, kind: ContributorKind, text: str, file: bytes | None
) -> None:
    try:
        added = 0
        if text.strip() or file is None:
            added += len(import_attributes(workbench, dimension_id, name, kind, text))
        if file is not None:
            added += len(import_attributes(workbench, dimension_id, name, kind, file))
    except WorkbenchError as error:
        show_error(error)
        return
    for key in ("add_text", "add_file"):
        del st.session_state[key]
    st.session_state[_ADDED] = f"Added {number(added, 'attribute')}."
    st.rerun()
