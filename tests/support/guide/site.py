"""The site: pages by hand and by code put together, built by Zensical, and laid where the app serves it from."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from app.entrance.server_pages import BUILT, GUIDE
from tests.support.guide.borrowed_pages import server_page
from tests.support.guide.commands_page import commands_page
from tests.support.guide.data_page import formats_page, schema_page
from tests.support.guide.methods_page import figures_page, methods_page
from tests.support.guide.screens_page import failures_page, prompts_page, screens_page
from tests.support.guide.settings_page import settings_page
from tests.support.repository import ROOT

SOURCES = ROOT / "docs" / "guide"
CONFIG = ROOT / "docs" / "zensical.toml"
MADE: Mapping[str, Callable[[], str]] = {
    "server.md": server_page,
    "reference/commands.md": commands_page,
    "reference/settings.md": settings_page,
    "reference/methods.md": methods_page,
    "reference/figures.md": figures_page,
    "reference/formats.md": formats_page,
    "reference/checklist-json.md": schema_page,
    "reference/screens.md": screens_page,
    "reference/prompts.md": prompts_page,
    "reference/failures.md": failures_page,
}
_MISSING = f'''<h1>There is no such page</h1>
  <p><a href="{GUIDE}index.html">Start here</a>, or look for it with the search above.</p>'''
# Scripts that Zensical has for pages of a kind that the guide hasn't: nothing is asked of another server.
_ELSEWHERE = re.compile(r'(?:src|href|action|srcset)="((?:https?:)?//[^"]+)"')


def guide_pages() -> dict[str, str]:
    """Path below docs/guide -> Markdown, of all pages."""
    by_hand = {path.relative_to(SOURCES).as_posix(): path for path in sorted(SOURCES.rglob("*.md"))}
    return {name: path.read_text(encoding="utf-8") for name, path in by_hand.items()} | {
        name: make() for name, make in MADE.items()
    }


def build_site(work: Path, target: Path = BUILT) -> None:
    """Raises RuntimeError with what Zensical found wrong, and for a page that would load something from elsewhere."""
    shutil.rmtree(work, ignore_errors=True)
    shutil.copytree(SOURCES, work / "pages")
    for name, text in guide_pages().items():
        page = work / "pages" / name
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text(with_pictures_to_open(text), encoding="utf-8")
    shutil.copy(CONFIG, work / CONFIG.name)
    programs = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', os.defpath)}"
    zensical = shutil.which("zensical", path=programs)
    if zensical is None:
        raise RuntimeError("Zensical isn't installed: `make docs` installs it and builds the guide.")
    command = [zensical, "build", "--strict", "--config-file", str(work / CONFIG.name)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env={"NO_COLOR": "1"})
    said = done.stdout + done.stderr
    if done.returncode or "Warning" in said:
        raise RuntimeError(f"The guide has faults:\n{said}")
    site = work / "site"
    missing = (
        site / "404.html"
    )  # shown at any address, so its links are whole ones: from where the app serves the guide
    missing.write_text(of_missing_page(missing.read_text(encoding="utf-8")), encoding="utf-8")
    for page in site.rglob("*.html"):
        loaded = loaded_from_elsewhere(page.read_text(encoding="utf-8"))
        if loaded:
            raise RuntimeError(f"{page.name} would load {loaded} from another server.")
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(site, target)


def with_pictures_to_open(page: str) -> str:
    """Each picture a link to itself: beside the text it is smaller than the screen was."""
    return re.sub(r"^(!\[[^\]]*\]\(([^)]+)\))$", r"[\1](\2)", page, flags=re.MULTILINE)


def of_missing_page(page: str) -> str:
    """Zensical takes the guide for the root of its server."""
    rooted = re.sub(r'((?:href|src)=|"base":)"/(?!/)', rf'\1"{GUIDE}', page)
    return rooted.replace("<h1>404 - Not found</h1>", _MISSING)


def loaded_from_elsewhere(page: str) -> list[str]:
    """What a browser would fetch from another server to show the page; links that people may click are none."""
    tags = re.findall(r"<(?!a\b)[a-z][^>]*>", page)
    return [found for tag in tags for found in _ELSEWHERE.findall(tag)]
