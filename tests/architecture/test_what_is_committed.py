"""What the repository holds: no addresses of one machine or registry, no keys, no data of other people."""

import hashlib
import re
from pathlib import Path

import pytest
import yaml

from app import __version__
from tests.support.real_data import SHARED_DATA
from tests.support.repository import ROOT, name_of, project_files

MAX_BYTES = 1_000_000
FORBIDDEN = {
    "a package registry": r"index[-_]url|find[-_]links|pypi\.org|pythonhosted\.org|registry\.npm|deb\.debian\.org",
    "a path of one machine": r"file:/{3}|(?<![\w.])/(?:work|opt|root)/|/(?:home|Users)/\w",
    "a key": r"\bsk-(?:ant-|proj-)?[A-Za-z0-9_-]{32,}|\bAIza[A-Za-z0-9_-]{35}|-----BEGIN [A-Z ]*PRIVATE KEY",
}
OWN_PATTERNS = Path(__file__).name


def _texts() -> dict[str, str]:
    files = [path for path in project_files() if path.name != OWN_PATTERNS]
    return {name_of(path): path.read_bytes().decode("utf-8", errors="ignore") for path in files}


@pytest.mark.parametrize("what", FORBIDDEN)
def test_nothing_names(what: str) -> None:
    pattern = re.compile(FORBIDDEN[what])
    found = [f"{name}: {match[0]}" for name, text in _texts().items() if (match := pattern.search(text))]
    assert found == []


@pytest.mark.parametrize(
    ("what", "sample"),
    [
        ("a package registry", "--index" + "-url https://example.org"),
        ("a path of one machine", "cd /" + "opt/tool"),
        ("a key", "sk-" + "a" * 40),
    ],
)
def test_the_patterns_find_what_they_are_for(what: str, sample: str) -> None:
    assert re.search(FORBIDDEN[what], sample)


def test_nothing_is_large() -> None:
    large = {name_of(path): path.stat().st_size for path in project_files() if path.stat().st_size > MAX_BYTES}
    assert large == {}


def test_no_real_dataset_is_committed() -> None:
    if not SHARED_DATA.is_dir():
        pytest.skip("no real data beside the project")
    real = {path.stat().st_size: path for path in SHARED_DATA.iterdir() if path.name != "README.md"}
    same_size = [path for path in project_files() if path.stat().st_size in real]
    copies = [name_of(path) for path in same_size if _digest(path) == _digest(real[path.stat().st_size])]
    renamed = [name_of(path) for path in project_files() if path.name in {data.name for data in real.values()}]
    assert copies + renamed == []


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def test_the_version_stands_in_the_citation_too() -> None:
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert (cited["version"], cited["license"]) == (__version__, "Apache-2.0")
    assert all(set(author) == {"name"} for author in cited["authors"]), "no person is named who wasn't asked"
