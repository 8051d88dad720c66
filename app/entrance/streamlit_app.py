"""Streamlit's app with our options alone; its sessions, files and uploads belong to the browsers that made them."""

from collections.abc import Mapping, Sequence
from contextvars import ContextVar
from pathlib import Path
from typing import Any

import streamlit as st
from streamlit import config
from streamlit.proto.BackMsg_pb2 import BackendOperationRequest
from streamlit.proto.ForwardMsg_pb2 import BackendOperationResponse
from streamlit.runtime import Runtime, RuntimeConfig, app_session
from streamlit.runtime.backend_operation_handler import DeferredFileHandler
from streamlit.runtime.media_file_manager import MediaFileManager
from streamlit.runtime.media_file_storage import MediaFileKind, MediaFileStorageError
from streamlit.runtime.memory_media_file_storage import MemoryMediaFileStorage
from streamlit.runtime.memory_session_storage import MemorySessionStorage
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.session_manager import SessionClient
from streamlit.runtime.state import SafeSessionState
from streamlit.runtime.uploaded_file_manager import UploadedFileRec, UploadFileUrlInfo
from streamlit.web.cache_storage_manager_config import create_default_cache_storage_manager

from app.entrance.request_checks import SessionOwners, owner_of
from app.errors import WorkbenchError
from app.limits import FILES_HELD

OWN_OPTIONS = Path(__file__).resolve().parents[1] / ".streamlit" / "config.toml"
PINNED: Mapping[str, Any] = {
    "global.developmentMode": False,
    "global.e2eTest": False,
    # A second script of the same session beside the first loses clicks: both keep the state of all fields.
    "runner.fastReruns": False,
    "client.allowedOrigins": [],  # of pages that may frame the app and send it messages
    "client.showErrorDetails": "none",
    "server.baseUrlPath": "",
    "server.customComponentBaseUrlPath": "",
    "server.enableAgentApi": False,
    "server.enableCORS": True,
    "server.enableStaticServing": False,
    "server.enableXsrfProtection": True,
    "server.headless": True,
    "server.runOnSave": False,
    "server.scriptHealthCheckEnabled": False,
    "server.trustedUserHeaders": {},
    "server.xsrfCookieSameSite": "strict",
    "secrets.files": [],
}
"""Options that neither a file nor the environment may change."""
_deferred: ContextVar[str] = ContextVar("session of a download that is made when asked for", default="")
_why_failed: dict[str, str] = {}
"""Error messages by the id of the file that wasn't made, until they are shown."""


def read_own_options_alone() -> None:
    """Make Streamlit ignore option files of the working and the home folder; it has no setting for that."""

    def own_files(file_name: str) -> list[str]:
        return [str(OWN_OPTIONS)] if file_name == OWN_OPTIONS.name else []

    config.get_config_files = own_files


def run_callbacks_whole() -> None:
    """Make Streamlit run the callbacks of a click, without interrupting them.

    Streamlit interrupts a script at its next access to the session's state as soon as another message of the browser
    arrives, and whenever the script sends the browser something, such as a changed address. Before the callbacks that
    dropped the click: Save did nothing. During them an edit was saved, and its field stayed open. The script itself is
    still interrupted.
    """
    callbacks = SafeSessionState.on_script_will_rerun

    def whole(state: SafeSessionState, *arguments: Any, **options: Any) -> None:
        interrupt = state._yield_callback
        runner = getattr(interrupt, "__self__", None)
        may_stop = bool(getattr(runner, "_execing", False))
        object.__setattr__(state, "_yield_callback", lambda: None)
        if may_stop:
            runner._execing = False  # type: ignore[union-attr]
        try:
            callbacks(state, *arguments, **options)
        finally:
            object.__setattr__(state, "_yield_callback", interrupt)
            if may_stop:
                runner._execing = True  # type: ignore[union-attr]

    SafeSessionState.on_script_will_rerun = whole  # type: ignore[method-assign, assignment]


def explain_failed_downloads() -> None:
    """Show the message of one of our errors below a download button, where Streamlit says that the download failed."""

    class Files(DeferredFileHandler):
        async def handle(self, request: BackendOperationRequest, session_id: str) -> BackendOperationResponse:
            answer = await super().handle(request, session_id)
            why = _why_failed.pop(request.deferred_file.file_id, "")
            if why and answer.error_msg:
                answer.error_msg = why
            return answer

    app_session.DeferredFileHandler = Files  # type: ignore[attr-defined]


class _Uploads(MemoryUploadedFileManager):
    def __init__(self, endpoint: str, owners: SessionOwners) -> None:
        super().__init__(endpoint)
        self._owners = owners

    def get_upload_urls(self, session_id: str, file_names: Sequence[str]) -> list[UploadFileUrlInfo]:
        found = super().get_upload_urls(session_id, file_names[:FILES_HELD])
        for one in found:
            self._owners.open_upload(session_id, one.file_id)
        return found

    def add_file(self, session_id: str, file: UploadedFileRec) -> None:
        super().add_file(session_id, file)
        self._owners.keep(session_id, file.file_id, len(file.data))

    def remove_file(self, session_id: str, file_id: str) -> None:
        super().remove_file(session_id, file_id)
        self._owners.release_file(session_id, file_id)

    def remove_session_files(self, session_id: str) -> None:
        """Forget the session. Streamlit calls this at the end of each session."""
        super().remove_session_files(session_id)
        self._owners.end(session_id)


class _Media(MemoryMediaFileStorage):
    def __init__(self, endpoint: str, owners: SessionOwners) -> None:
        super().__init__(endpoint)
        self._owners = owners

    def load_and_get_id(
        self, path_or_data: str | bytes, mimetype: str, kind: MediaFileKind, filename: str | None = None
    ) -> str:
        file_id = super().load_and_get_id(path_or_data, mimetype, kind, filename)
        context = get_script_run_ctx(suppress_warning=True)
        self._owners.share(file_id, _deferred.get() or (context.session_id if context else ""))
        return file_id

    def delete_file(self, file_id: str) -> None:
        super().delete_file(file_id)
        self._owners.forget(file_id)


class _MediaFiles(MediaFileManager):
    def execute_deferred(self, file_id: str) -> str:
        """Make the file for the session whose button was clicked; this thread has no session of its own."""
        entry = self._deferred_callables.get(file_id)
        token = _deferred.set(entry["session_id"] if entry else "")
        try:
            return super().execute_deferred(file_id)
        except MediaFileStorageError as error:
            if isinstance(error.__cause__, WorkbenchError):
                _why_failed[file_id] = str(error.__cause__)
            raise
        finally:
            _deferred.reset(token)


class _Runtime(Runtime):
    def __init__(self, found: RuntimeConfig, owners: SessionOwners) -> None:
        super().__init__(found)
        self._media_file_mgr = _MediaFiles(found.media_file_storage)
        self._owners = owners

    def connect_session(
        self,
        client: SessionClient,
        user_info: dict[str, Any],
        existing_session_id: str | None = None,
        session_id_override: str | None = None,
    ) -> str:
        """Continue a session only in the browser that began it; other browsers get a new one."""
        context = client.client_context
        owner = owner_of(context.cookies, dict(context.headers)) if context else ()
        if existing_session_id and not self._owners.owns(owner, existing_session_id):
            existing_session_id = None
        session = super().connect_session(client, user_info, existing_session_id, session_id_override)
        self._owners.begin(session, owner)
        return session


class StreamlitApp(st.App):
    """Streamlit's app. owners: updated as sessions and files come and go."""

    def __init__(self, script: Path, owners: SessionOwners, **more: Any) -> None:
        super().__init__(script, **more)
        self._owners = owners

    def _create_runtime(self) -> Runtime:
        """Return Streamlit's runtime with our managers."""
        found = RuntimeConfig(
            script_path=str(self._resolve_script_path()),
            media_file_storage=_Media("/media", self._owners),
            uploaded_file_manager=_Uploads("/_stcore/upload_file", self._owners),
            cache_storage_manager=create_default_cache_storage_manager(),
            session_storage=MemorySessionStorage(ttl_seconds=config.get_option("server.disconnectedSessionTTL")),
            on_script_error=self._on_script_error,
        )
        return _Runtime(found, self._owners)
