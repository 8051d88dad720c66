"""Caddy before several servers, with the very file that deploy/ ships.

`python -m tests.support.caddy` takes one out of Debian's package where none is found: installing the package would
start a web server on this machine.
"""

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests.support.background import PATIENCE
from tests.support.repository import ROOT

CADDYFILE = ROOT / "deploy" / "Caddyfile"
UNPACKED = Path(sys.prefix) / "caddy"


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


@contextmanager
def caddy_before(ports: Sequence[int], port: int, home: Path) -> Iterator[None]:
    """At `port`, without TLS. Skips the test, saying so, where there is no Caddy."""
    caddy = find_caddy()
    if caddy is None:
        pytest.skip("There is no Caddy here, and none could be taken out of Debian's package")
    variables = {
        "SITE": f"http://127.0.0.1:{port}",
        "SERVERS": " ".join(f"127.0.0.1:{one}" for one in ports),
        "STICKY_SECRET": "of the test",
        "HOME": str(home),
    }
    config = home / "Caddyfile"
    # Its own administration would take a fixed port.
    config.write_text("{\n\tadmin off\n}\n" + CADDYFILE.read_text(encoding="utf-8"), encoding="utf-8")
    with (home / "caddy.log").open("wb") as log:
        command = [caddy, "run", "--config", str(config), "--adapter", "caddyfile"]
        process = subprocess.Popen(command, env={**os.environ, **variables}, stdout=log, stderr=log)
    try:
        deadline = time.monotonic() + PATIENCE
        while True:
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=1).close()
                break
            except OSError:
                assert process.poll() is None and time.monotonic() < deadline, (home / "caddy.log").read_text()
                time.sleep(0.2)
        yield
    finally:
        process.terminate()
        process.wait(20)


def find_caddy() -> str | None:
    return shutil.which("caddy") or shutil.which("caddy", path=str(UNPACKED / "usr" / "bin"))


def unpack() -> None:
    with TemporaryDirectory() as folder:
        apt = shutil.which("apt-get")
        if apt and shutil.which("dpkg-deb") and _run(folder, apt, "-qq", "download", "caddy"):
            _run(folder, "dpkg-deb", "-x", *map(str, Path(folder).glob("*.deb")), str(UNPACKED))


def _run(folder: str, *command: str) -> bool:
    return subprocess.run(command, cwd=folder, capture_output=True, check=False).returncode == 0


def main() -> int:
    """The tests that need it are skipped without it, so that this never fails."""
    if find_caddy() is None:
        unpack()
    found = find_caddy()
    print(f"Caddy for the tests: {found}" if found else "No Caddy for the tests; what needs it is skipped")
    return 0


if __name__ == "__main__":
    sys.exit(main())
