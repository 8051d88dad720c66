"""Fields for files and recordings, all here, so that the same limits hold for every upload.

A refused or processed file is released: the server's memory no longer holds it, and the field is redrawn empty.
"""

from collections.abc import Callable, Sequence

import streamlit as st
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.uploaded_file_manager import UploadedFile

from app.errors import WorkbenchError
from app.services.people.upload_limits import LARGEST_WRITTEN, count_upload, largest_upload
from app.services.runtime.workbench import Workbench
from pages.components.shell.labels import show_error


def upload_field(
    workbench: Workbench,
    label: str,
    endings: Sequence[str],
    key: str,
    help: str | None = None,  # noqa: A002 - Streamlit's word
    written: bool = False,
    on_change: Callable[[], None] | None = None,
) -> UploadedFile | None:
    """Draw a field for a file and return the file. written: people write such files themselves, and none is large."""
    file = st.file_uploader(
        label,
        type=list(endings),
        key=field_key(key),
        help=help,
        max_upload_size=min(LARGEST_WRITTEN, largest_upload()) if written else largest_upload(),
        on_change=on_change,
    )
    refused = f"{key}_refused"
    if file is not None:
        st.session_state.pop(refused, None)
        try:
            _count(workbench, file)
        except WorkbenchError as error:
            st.session_state[refused] = error
            empty_field(key, file.file_id)
            st.rerun()
    if refused in st.session_state:
        show_error(st.session_state[refused])
    return file


def recording_field(workbench: Workbench, label: str, key: str, help: str) -> UploadedFile | None:  # noqa: A002
    """Draw a field for a recording and return it. It counts but is never refused, as it can't be repeated."""
    sound = st.audio_input(label, key=key, help=help)
    if sound is not None:
        _count(workbench, sound, irreplaceable=True)
    return sound


def field_key(key: str) -> str:
    """Return the field's key in the session's state; a new one each time it is emptied."""
    turn = st.session_state.get(f"{key}_turn", 0)
    return f"{key}_{turn}" if turn else key


def empty_field(key: str, file_id: str) -> None:
    """Empty the field from the next rerun on; its file is released at once."""
    st.session_state[f"{key}_turn"] = st.session_state.get(f"{key}_turn", 0) + 1
    context = get_script_run_ctx()
    # Streamlit itself keeps the bytes until the session ends.
    if context is not None and isinstance(context.uploaded_file_mgr, MemoryUploadedFileManager):
        context.uploaded_file_mgr.remove_file(context.session_id, file_id)


def _count(workbench: Workbench, file: UploadedFile, irreplaceable: bool = False) -> None:
    """Count the file once, however often the screen is drawn with it."""
    counted: set[str] = st.session_state.setdefault("counted_uploads", set())
    if file.file_id not in counted:
        count_upload(workbench, file.name, file.size, irreplaceable)
        counted.add(file.file_id)
