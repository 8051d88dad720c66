"""Caddy before several servers, with the very file that deploy/ ships; installed from Debian where it can be."""

import os
import shutil
import socket
import subprocess
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.support.background import PATIENCE
from tests.support.repository import ROOT

CADDYFILE = ROOT / "deploy" / "Caddyfile"


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


@contextmanager
def caddy_before(ports: Sequence[int], port: int, home: Path) -> Iterator[None]:
    """At `port`, without TLS. Skips the test, saying so, where there is no Caddy."""
    caddy = shutil.which("caddy")
    if caddy is None:
        pytest.skip("Caddy is not installed (Debian: apt-get install caddy)")
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
