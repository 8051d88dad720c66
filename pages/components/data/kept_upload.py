"""The file to import and what was chosen for it, kept while the person looks elsewhere or mends what was wrong.

A widget that isn't drawn forgets its value, a file its bytes; what is kept here lasts as long as the browser session.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st

from app.services.data.uploads import SUFFIXES, Upload
from app.services.runtime.workbench import Workbench
from pages.components.shell.upload_field import empty_field, field_key, upload_field
from pages.components.shell.words import plain

_FILE = "import_file"
_UPLOAD = "kept_upload"
_CHOICES = "import_choices"


@dataclass(frozen=True, slots=True)
class KeptUpload:
    """`id` is another for every file that is chosen."""

    id: str
    upload: Upload


def choose_upload(workbench: Workbench) -> KeptUpload | None:
    """The field for a file, and the file: the one just chosen, or the one from before."""
    file = upload_field(
        workbench,
        "A file with texts and ratings",
        SUFFIXES,
        _FILE,
        help="Excel (.xlsx), CSV, TSV, JSON or Parquet. Nothing comes in before you say so.",
        on_change=_changed,
    )
    if file is not None and (st.session_state.get(_UPLOAD) is None or st.session_state[_UPLOAD].id != file.file_id):
        st.session_state[_UPLOAD] = KeptUpload(file.file_id, Upload(file.name, file.getvalue()))
    kept: KeptUpload | None = st.session_state.get(_UPLOAD)
    if file is None and kept is not None:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(f":material/description: **{plain(kept.upload.name)}** is still chosen.")
            st.button("Remove the file", key="forget_upload", type="tertiary", on_click=forget_upload)
    return kept


def forget_upload() -> None:
    for key in (_UPLOAD, _CHOICES):
        st.session_state.pop(key, None)


def release_upload(kept: KeptUpload) -> None:
    """It was handed over: neither the session nor the server's memory needs it."""
    forget_upload()
    empty_field(_FILE, kept.id)


def _changed() -> None:
    """Another file, or none any more. A field that was drawn anew hasn't changed."""
    if st.session_state.get(field_key(_FILE)) is None:
        forget_upload()


def starting_with(key: str, default: Any, options: Sequence[Any] | None = None) -> str:
    """Before the widget of this key: what was chosen there last, else the default. Returns the key.

    options: what the widget can have; of several chosen values those that are left.
    """
    kept = st.session_state.setdefault(_CHOICES, {})
    value = st.session_state[key] if key in st.session_state else kept.get(key, default)
    if options is not None and isinstance(value, list):
        value = [each for each in value if each in options]
    elif options is not None and value is not None and value not in options:
        value = default
    st.session_state[key] = kept[key] = value
    return key


def keep_choices() -> None:
    """After the widgets: what they say now."""
    kept = st.session_state.get(_CHOICES, {})
    kept.update({key: st.session_state[key] for key in kept if key in st.session_state})
