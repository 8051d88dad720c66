"""The APIs of the vendors as they are in November 2026: the strict stand-in, running in a process of its own."""

import json
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from pydantic import SecretStr

from app.providers.credentials import Access, Credentials

ROOT = Path(__file__).resolve().parents[2]
_PATHS = {"openai": "/v1", "anthropic": "", "google": "/", "mistral": "/mistral/v1", "llama": "/open/v1"}


@dataclass(frozen=True)
class ModernVendors:
    """A running server. `options` are those that tests/support/strict_vendors/server.py lists; what is asked under one
    set of options is counted apart."""

    url: str

    def address(self, prefix: str, options: str = "plain") -> str:
        return f"{self.url}/{options}{_PATHS[prefix]}"

    def credentials(self, options: str = "plain", key: str = "sk-local") -> Credentials:
        return Credentials({p: Access(SecretStr(key), self.address(p, options), "a test") for p in _PATHS})

    def state(self, options: str = "plain") -> dict[str, Any]:
        """What the server counted: requests, refused by status and code, tokens billed."""
        with urllib.request.urlopen(f"{self.url}/_state") as answer:
            found: dict[str, Any] = json.load(answer).get(options, {})
        return found

    def bodies(self, options: str) -> list[dict[str, Any]]:
        """The requests made under these options, oldest first; {} for what was sent without JSON."""
        return [call["body"] for call in self._calls(options)]

    def paths(self, options: str) -> list[str]:
        """Where they went."""
        return [call["path"] for call in self._calls(options)]

    def _calls(self, options: str) -> list[dict[str, Any]]:
        with urllib.request.urlopen(f"{self.url}/_calls?{quote(options)}") as answer:
            calls: list[dict[str, Any]] = json.load(answer)["calls"]
        return calls


@contextmanager
def modern_vendors() -> Iterator[ModernVendors]:
    command = [sys.executable, "-m", "tests.support.strict_vendors"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            yield ModernVendors(process.stdout.readline().strip())
        finally:
            process.terminate()
