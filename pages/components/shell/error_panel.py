"""Panel for an unhandled error, in place of Streamlit's own with its links to search engines."""

import logging
import zlib
from contextlib import suppress
from traceback import extract_tb

import streamlit as st
from streamlit.errors import StreamlitAPIException

from app.errors import WorkbenchError
from pages.components.shell.labels import show_error

_log = logging.getLogger(__name__)


def error_panel(error: Exception) -> bool:
    """Say what happened, what to do and where to report it; return True, so that Streamlit shows nothing of its own.

    Streamlit logs the traceback. The browser gets a number that the log has too, never the message: it may hold texts.
    """
    if isinstance(error, WorkbenchError):
        show_error(error)
        number = type(error).__name__
    else:
        number = _number(error)
        st.error(
            f"**An error in the program stopped this screen.** Nothing that was saved is lost.  \nPress “Try again”, "
            f"or go on with another screen. If it happens again, report **error {number}** and what you pressed to the "
            "server's owner: its log has the details under this number.",
            icon=":material/error:",
        )
    with suppress(StreamlitAPIException):  # the same error twice on a screen: one button is enough
        st.button("Try again", key=f"try_again_{number}", icon=":material/refresh:")
    return True


def _number(error: Exception) -> str:
    """Return eight hexadecimal digits for the kind of error and its place in the code: the same each time."""
    place = extract_tb(error.__traceback__)[-1] if error.__traceback__ else None
    where = f"{place.filename}:{place.lineno}" if place else "unknown place"
    number = f"{zlib.crc32(f'{type(error).__name__} {where}'.encode()):08X}"
    _log.error("Error %s: %s at %s; the traceback is logged above.", number, type(error).__name__, where)
    return number
