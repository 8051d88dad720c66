"""The APIs of the vendors as they are in November 2026, strict, from a file beside the project that may be absent."""

import json
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from app.providers.credentials import Access, Credentials

SERVER = Path(__file__).resolve().parents[2].parent / "shared" / "modern_llm_server.py"
_PATHS = {"openai": "/v1", "anthropic": "", "google": "/", "llama": "/v1"}


@dataclass(frozen=True)
class ModernVendors:
    """A running server. Options are the first part of the path, as the server's own docstring lists them; what was
    asked under one set of options is counted apart."""

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

    def bodies(self, options: str, most: int = 400) -> list[dict[str, Any]]:
        """The requests made under these options, oldest first."""
        return [call["body"] for call in self._calls(options, most)]

    def paths(self, options: str, most: int = 400) -> list[str]:
        """Where they went."""
        return [call["path"] for call in self._calls(options, most)]

    def _calls(self, options: str, most: int) -> list[dict[str, Any]]:
        with urllib.request.urlopen(f"{self.url}/_last?n={most}") as answer:
            calls: list[dict[str, Any]] = json.load(answer)
        return [call for call in calls if call["path"].startswith(f"/{options}/")]


@contextmanager
def modern_vendors() -> Iterator[ModernVendors]:
    """Skips the test, saying so, where the server isn't beside the project."""
    if not SERVER.exists():
        pytest.skip(f"{SERVER.name} is not beside the project")
    with subprocess.Popen([sys.executable, str(SERVER), "--port", "0"], stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            yield ModernVendors(process.stdout.readline().strip())
        finally:
            process.terminate()
