"""The Chromium that drives the screens in tests; `python -m tests.support.browser` installs one where none is found.

In this order: one on the PATH, Playwright's own, Debian's package, a download by Playwright.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator

from playwright.sync_api import sync_playwright

# Without windows it needs a seventh less CPU.
NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
MAC_APPS = (
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
)
LAUNCH_ARGUMENTS = (
    "--no-sandbox",  # Chromium refuses to run as root with one, and it only ever sees our own pages
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1",  # screens work offline
)


def find_browser() -> str | None:
    """The path of a Chromium or Chrome that starts, or None. Ask before Playwright is started in the same thread."""
    return next((path for path in _candidates() if _starts(path)), None)


def install_browser() -> str | None:
    """Try each way to get one until it is there."""
    ways: tuple[Callable[[], bool], ...] = (_install_package, _install_playwrights_own)
    for way in ways:
        if way() and (found := find_browser()):
            return found
    return None


def _candidates() -> Iterator[str]:
    yield from (path for path in map(shutil.which, NAMES) if path)
    yield from MAC_APPS
    with sync_playwright() as playwright:
        own = playwright.chromium.executable_path
    yield own


def _starts(path: str) -> bool:
    try:
        return subprocess.run([path, "--version"], capture_output=True, timeout=60, check=False).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False


def _install_package() -> bool:
    apt = shutil.which("apt-get")
    if apt is None:
        return False
    as_root = [] if os.geteuid() == 0 else ["sudo", "-n"]
    if as_root and not shutil.which("sudo"):
        return False
    install = (*as_root, "env", "DEBIAN_FRONTEND=noninteractive", apt, "-qq", "-y", "install")
    return _run(*as_root, apt, "-qq", "update") and (
        _run(*install, "chromium-headless-shell", quiet=True) or _run(*install, "chromium")
    )


def _install_playwrights_own() -> bool:
    return _run(sys.executable, "-m", "playwright", "install", "chromium")


def _run(*command: str, quiet: bool = False) -> bool:
    """Say nothing unless it fails: then its last words say why. quiet: not even then."""
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if done.returncode and not quiet:
        last_words = "\n".join((done.stdout + done.stderr).strip().splitlines()[-5:])
        print(f"{' '.join(command)} failed:\n{last_words}", file=sys.stderr)
    return done.returncode == 0


def main() -> int:
    browser = find_browser()
    if browser is None:
        print("No browser found for the tests; installing Chromium", flush=True)
        browser = install_browser()
    if browser is None:
        print(
            "The tests need Chromium or Chrome, and installing one failed. Install it and run make test again.",
            file=sys.stderr,
        )
        return 1
    print(f"Browser for the tests: {browser}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
