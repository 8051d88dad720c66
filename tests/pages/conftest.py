"""Screens as a person meets them: the whole app on a database of the test's own."""

import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import cache, partial
from pathlib import Path

import pytest
from streamlit import config
from streamlit.components.v2 import manifest_scanner
from streamlit.runtime.scriptrunner.script_cache import ScriptCache
from streamlit.testing.v1 import AppTest, app_test, local_script_runner
from streamlit.testing.v1.local_script_runner import LocalScriptRunner

from app.services.runtime.workbench import Workbench, open_workbench
from app.settings import settings
from pages.components.shell import undo
from pages.components.shell.navigation.screens import HOME
from tests.support.background import PATIENCE
from tests.support.demo.small import shared_demo

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session", autouse=True)
def _streamlit_works_as_in_a_server() -> Iterator[None]:
    """A server looks for components once, compiles each screen once, has one runtime and measures no use of commands.
    An AppTest does all of that at each run, and asks a thousand times a second whether the run has ended."""
    compiled = cache(ScriptCache)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(manifest_scanner, "scan_component_manifests", cache(manifest_scanner.scan_component_manifests))
        patch.setattr(local_script_runner, "ScriptCache", compiled)
        patch.setattr(app_test, "ScriptCache", compiled)
        patch.setattr(app_test, "MagicMock", cache(app_test.MagicMock))
        config.set_option("browser.gatherUsageStats", False)
        patch.setattr(local_script_runner, "require_widgets_deltas", _wait_for_the_script)
        yield


def _wait_for_the_script(runner: LocalScriptRunner, timeout: float) -> None:
    assert runner._script_thread is not None
    runner._script_thread.join(timeout)
    if not runner.script_stopped():
        runner.request_stop()
        runner.join()
        pytest.fail(f"the screen took more than {timeout} s")


@pytest.fixture(autouse=True)
def in_browser(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Names the browser that screens are opened in from now on; before that it takes no cookie."""

    def named(name: str) -> None:
        monkeypatch.setattr(undo, "browser", lambda: name)

    named("")
    return named


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty data folder, used by everything that opens the workbench."""
    folder = tmp_path / "home"
    folder.mkdir(exist_ok=True)
    monkeypatch.setenv("INTERACTEVAL_HOME", str(folder))
    settings.cache_clear()
    return folder


@pytest.fixture
def workbench(home: Path) -> Workbench:
    return open_workbench()


@pytest.fixture(scope="session")
def finished_demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder after the demo; copied by the tests that need one, for it takes seconds to make."""
    return shared_demo(tmp_path_factory)


@pytest.fixture
def demo(finished_demo: Path, home: Path) -> Workbench:
    """The finished demo, free to be changed."""
    shutil.copytree(finished_demo, home, dirs_exist_ok=True)
    return open_workbench()


@pytest.fixture(scope="session")
def _read_folder(finished_demo: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return shutil.copytree(finished_demo, tmp_path_factory.mktemp("read") / "home")


@pytest.fixture
def read_demo(_read_folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Workbench]:
    """The finished demo for tests that change nothing: they share it, and the results that the app keeps of it."""
    monkeypatch.setenv("INTERACTEVAL_HOME", str(_read_folder))
    settings.cache_clear()
    with closing(sqlite3.connect(_read_folder / "workbench.db")) as connection:
        before = connection.execute("PRAGMA data_version").fetchone()
        yield open_workbench()
        assert connection.execute("PRAGMA data_version").fetchone() == before, "the test changed what others read"


@pytest.fixture
def open_screen() -> Callable[..., AppTest]:
    """Opens a screen by its file's name as a browser does: through the app's entry, with choices in the address."""

    def opened(name: str, **address: str) -> AppTest:
        app = AppTest.from_file(str(ROOT / "app" / "main.py"), default_timeout=PATIENCE)
        # Before the first run a page is known by its file's name, which is its address; but for the first screen's.
        if name != HOME.name:
            app.switch_page(f"../pages/{name}.py")
        for key, value in address.items():
            app.query_params[key] = value
        return app.run()

    return opened


@pytest.fixture
def open_results(open_screen: Callable[..., AppTest]) -> Callable[..., AppTest]:
    """Opens Results with choices in the address, as a link that somebody sent does."""
    return partial(open_screen, "results")
