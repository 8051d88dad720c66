"""`make release-check`: what people would install works where nothing of this folder is.

Wheel and source archive are built, each is installed in an environment of its own with the versions of the lock, and
there the program says its version, goes through the demo and serves the app with its guide.
"""

import json
import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Mapping
from pathlib import Path

from app import __version__
from tests.support.repository import ROOT

PATIENCE = 300.0
"""Seconds for a server to answer, on a machine with other work."""
ASKED = {
    "/healthz": '"database"',
    "/guide/": "InteractEval Workbench",
    "/guide/reference/commands.html": "interacteval score",
    "/": "<title>",
}


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        for built in _archives(Path(folder)):
            print(f"{built.name}: {built.stat().st_size / 1e6:.1f} MB", flush=True)
            environment = Path(folder) / f"environment-{built.suffix.strip('.')}"
            check_installed(_install(built, environment), Path(folder))
            print(f"{built.name}: installed, demo and app work", flush=True)


def _archives(folder: Path) -> list[Path]:
    _run(sys.executable, "-m", "hatchling", "build", "--directory", str(folder), cwd=ROOT)
    found = sorted(path for path in folder.iterdir() if path.suffix in (".whl", ".gz"))
    if len(found) != 2:
        sys.exit(f"A wheel and a source archive were expected, and there are {[path.name for path in found]}.")
    return found


def _install(built: Path, environment: Path) -> Path:
    """The folder with its programs."""
    uv = str(ROOT / ".venv-setup" / "bin" / "uv")
    _run(uv, "venv", "--quiet", "--python", sys.executable, str(environment))
    programs = environment / ("Scripts" if os.name == "nt" else "bin")
    versions = ("--constraint", str(ROOT / "requirements.lock"))
    _run(uv, "pip", "install", "--quiet", "--python", str(programs / "python"), *versions, str(built))
    return programs


def check_installed(programs: Path, folder: Path) -> None:
    """Ends the program with what is wrong."""
    command = str(programs / "interacteval")
    with tempfile.TemporaryDirectory(dir=folder) as home:
        kept = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        environment = {**kept, "INTERACTEVAL_HOME": home}
        for each in (command, f"{command}-workbench"):
            said = _run(each, "--version", environment=environment, cwd=folder).strip()
            if said != __version__:
                sys.exit(f"It says that it is version {said}, and this is {__version__}.")
        demo = json.loads(_run(command, "demo", "--json", environment=environment, cwd=folder))
        if not all(found["texts_scored"] for found in demo["dimensions"].values()):
            sys.exit(f"The demo scored nothing: {demo}")
        _check_served(command, environment, folder)


def _check_served(command: str, environment: Mapping[str, str], folder: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = subprocess.Popen([command, "serve", "--port", str(port), "--no-token"], env=environment, cwd=folder)
    try:
        for path, words in ASKED.items():
            if words not in _answer(f"http://127.0.0.1:{port}{path}"):
                sys.exit(f"{path} doesn't show {words}.")
    finally:
        server.terminate()
        server.wait()


def _answer(address: str) -> str:
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            with urllib.request.urlopen(address, timeout=30) as answer:
                return str(answer.read().decode())
        except urllib.error.HTTPError as error:
            return f"status {error.code}"
        except OSError:
            if time.monotonic() > deadline:
                sys.exit(f"{address} doesn't answer.")
            time.sleep(0.5)


def _run(*command: str, environment: Mapping[str, str] | None = None, cwd: Path | None = None) -> str:
    done = subprocess.run(command, env=environment, cwd=cwd, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}")
    return done.stdout


if __name__ == "__main__":
    main()
