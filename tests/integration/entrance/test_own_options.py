"""Options of Streamlit: those of the app alone count, whatever the folder or the environment wishes for."""

import asyncio
import multiprocessing
import time
from multiprocessing.connection import Connection
from pathlib import Path

import pytest
from streamlit import config
from streamlit.proto.BackMsg_pb2 import BackendOperationRequest
from streamlit.runtime import app_session
from streamlit.runtime.backend_operation_handler import DeferredFileHandler
from streamlit.runtime.secrets import secrets_singleton
from streamlit.web import bootstrap

from app.commands.workbench import check_streamlit_options
from app.entrance.request_checks import SessionOwners
from app.entrance.streamlit_app import (
    PINNED,
    _Media,
    _MediaFiles,
    explain_failed_downloads,
    read_own_options_alone,
)
from app.errors import InputError, NotReadyError
from app.limited_process import computed_apart

WISHED = """
[server]
enableXsrfProtection = false
enableCORS = false
enableStaticServing = true
cookieSecret = "known"
[client]
allowedOrigins = ["https://evil.example"]
[theme]
primaryColor = "#ff0000"
"""
OPTIONS = (
    *("server.enableXsrfProtection", "server.enableCORS", "server.enableStaticServing", "server.cookieSecret"),
    *("client.allowedOrigins", "theme.primaryColor", "browser.gatherUsageStats"),
)


def _tell_options(to: Connection, own_alone: bool) -> None:
    """Send the options as a server has them, and whether there are secrets. Changes what Streamlit has loaded."""
    if own_alone:
        read_own_options_alone()
    bootstrap.load_config_options(dict(PINNED) if own_alone else {})
    to.send(({name: config.get_option(name) for name in OPTIONS}, secrets_singleton.load_if_toml_exists()))


def options_of_a_server(own_alone: bool = True) -> tuple[dict[str, object], bool]:
    """Read in a fork, so that this process keeps its options."""
    fork = multiprocessing.get_context("fork")
    here, there = fork.Pipe()
    process = fork.Process(target=_tell_options, args=(there, own_alone))
    process.start()
    there.close()
    try:
        found: tuple[dict[str, object], bool] = here.recv()
    finally:
        process.join()
    return found


def test_options_of_a_folder_and_a_home_are_not_taken_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / ".streamlit").mkdir()
    (tmp_path / ".streamlit" / "config.toml").write_text(WISHED)
    (tmp_path / ".streamlit" / "secrets.toml").write_text('OPENAI_BASE_URL = "http://evil.example"')
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    taken_over, _ = options_of_a_server(own_alone=False)
    assert (taken_over["server.cookieSecret"], taken_over["theme.primaryColor"]) == ("known", "#ff0000")
    options, secrets = options_of_a_server()
    secret = options.pop("server.cookieSecret")
    assert options == {
        "server.enableXsrfProtection": True,
        "server.enableCORS": True,
        "server.enableStaticServing": False,
        "client.allowedOrigins": [],
        "theme.primaryColor": None,
        "browser.gatherUsageStats": False,
    }
    assert (secret != "known", secrets) == (True, False)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("STREAMLIT_SERVER_ENABLE_XSRF_PROTECTION", "false"),
        ("STREAMLIT_SERVER_ENABLE_CORS", "0"),
        ("STREAMLIT_SERVER_ENABLE_STATIC_SERVING", "true"),
        ("STREAMLIT_SERVER_ENABLE_AGENT_API", "true"),
        ("STREAMLIT_CLIENT_ALLOWED_ORIGINS", '["https://evil.example"]'),
        ("STREAMLIT_SERVER_TRUSTED_USER_HEADERS", '{"X-Who": "email"}'),
        ("STREAMLIT_GLOBAL_DEVELOPMENT_MODE", "true"),
        ("STREAMLIT_SECRETS_FILES", '["/tmp/secrets.toml"]'),
    ],
)
def test_variable_that_would_open_the_server_is_refused(name: str, value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(InputError):
        check_streamlit_options()


def test_variables_that_open_nothing_are_said_and_ignored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("STREAMLIT_SERVER_ENABLE_XSRF_PROTECTION", "true")
    monkeypatch.setenv("STREAMLIT_THEME_BASE", "dark")
    monkeypatch.chdir(tmp_path)
    file = tmp_path / ".streamlit" / "config.toml"
    file.parent.mkdir()
    file.write_text(WISHED)
    check_streamlit_options()
    said = capsys.readouterr().err
    assert all(word in said for word in ("STREAMLIT_THEME_BASE", str(file)))


def _never() -> bytes:
    return computed_apart(0.2, time.sleep, 60) or b""


def test_file_that_takes_too_long_says_so_below_its_button(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(app_session, "DeferredFileHandler", DeferredFileHandler)
    explain_failed_downloads()
    files = _MediaFiles(_Media("/media", SessionOwners(1)))
    with pytest.raises(NotReadyError) as raised:
        computed_apart(0.2, time.sleep, 60)
    request = BackendOperationRequest()
    request.deferred_file.file_id = files.add_deferred(_never, "text/html", "0.0")
    answer = asyncio.run(app_session.DeferredFileHandler(lambda: files).handle(request, "a"))
    assert answer.error_msg == str(raised.value)
