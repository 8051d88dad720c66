"""The lock files: exact, with hashes, complete, and without the address of a package index."""

import re
import tomllib
from importlib import metadata

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.support.repository import ROOT

RUN, TEST = ((ROOT / name).read_text(encoding="utf-8") for name in ("requirements.lock", "requirements-test.lock"))
LOCK = RUN + TEST
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
LEFT_OUT = {Requirement(line).name for line in PROJECT["tool"]["uv"]["override-dependencies"]}
EXACT = re.compile(r"[a-z0-9.-]+==[^ ;]+( ; [^\\]+?)?(\s+--hash=sha256:[0-9a-f]{64})+\s*")
ADDRESS = re.compile(r"https?:|file:| @ |index|find-l" + "inks")


def _entries(lock: str) -> list[str]:
    lines = "\n".join(line for line in lock.splitlines() if not line.startswith("#"))
    return [entry.replace("\\\n", " ") for entry in re.split(r"\n(?=\S)", lines.strip())]


ENTRIES = _entries(LOCK)


def _pinned() -> dict[str, list[Requirement]]:
    pinned: dict[str, list[Requirement]] = {}
    for entry in ENTRIES:
        requirement = Requirement(entry.partition(" --hash")[0])
        pinned.setdefault(canonicalize_name(requirement.name), []).append(requirement)
    return pinned


def _asked_for() -> list[Requirement]:
    groups = PROJECT["dependency-groups"]
    lines = PROJECT["project"]["dependencies"] + groups["build"] + groups["test"]
    return [Requirement(line) for line in lines + PROJECT["build-system"]["requires"]]


def test_every_entry_is_exact_and_hashed() -> None:
    for entry in ENTRIES:
        assert EXACT.fullmatch(entry), entry[:80]


def test_no_entry_says_where_it_came_from() -> None:
    assert not ADDRESS.search(LOCK)


def test_everything_that_pyproject_asks_for_is_pinned() -> None:
    pinned = _pinned()
    for asked in _asked_for():
        versions = [next(iter(found.specifier)).version for found in pinned.get(canonicalize_name(asked.name), [])]
        assert versions, f"{asked.name} is not in requirements.lock: make lock"
        assert all(asked.specifier.contains(version) for version in versions), f"{asked}: make lock"


def test_what_a_pinned_package_needs_is_pinned_with_a_version_it_takes() -> None:
    pinned = {name: found for name, entries in _pinned().items() if (found := _chosen_here(entries))}
    pending, seen = [(name, "") for name in pinned], set[tuple[str, str]]()
    while pending:
        package, extra = pending.pop()
        if (package, extra) in seen:
            continue
        seen.add((package, extra))
        for needed in map(Requirement, metadata.requires(package) or []):
            if needed.marker and not needed.marker.evaluate({"extra": extra}):
                continue
            name = canonicalize_name(needed.name)
            if name in LEFT_OUT:
                continue
            assert name in pinned, f"{package} needs {needed}: make lock"
            assert needed.specifier.contains(pinned[name]), f"{package} needs {needed}: make lock"
            pending += [(name, wanted) for wanted in needed.extras]


def test_running_needs_nothing_of_the_tests() -> None:
    assert not _versions(RUN).keys() & _versions(TEST).keys()
    assert not {"pytest", "mypy", "playwright", "zensical"} & _versions(RUN).keys()


def test_installs_without_resolving_and_with_hashes() -> None:
    """Left to itself, pip looks for a newer google-auth[requests] on the day one comes out, and stops at its hash."""
    recipes = (ROOT / "Makefile").read_text("utf-8").replace("\\\n", " ")
    locked = [
        line for line in recipes.splitlines() if re.search(r"-r [.\w/-]*\.(lock|txt)", line) and "tests/" not in line
    ]
    assert len(locked) >= 5
    assert all("--require-hashes" in line for line in locked)
    assert "--no-deps" in (ROOT / ".tools" / "uv-install").read_text("utf-8")


def _chosen_here(entries: list[Requirement]) -> str:
    """The version of a package that this machine's environment takes, '' if none."""
    here = [found for found in entries if found.marker is None or found.marker.evaluate()]
    return next(iter(here[0].specifier)).version if here else ""


OPTIONAL = ("requirements-neural.lock", "requirements-cuda.lock")
OTHERS = (*OPTIONAL, ".tools/uv.txt", ".tools/zensical.txt")


@pytest.mark.parametrize("name", OTHERS)
def test_other_locks_are_exact_and_hashed_without_an_address(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    for entry in _entries(text):
        assert EXACT.fullmatch(entry), entry[:80]
    assert not ADDRESS.search(text.partition("\n")[2])


@pytest.mark.parametrize("name", OPTIONAL)
def test_the_optional_libraries_are_no_part_of_the_lock(name: str) -> None:
    pinned = _versions((ROOT / name).read_text(encoding="utf-8"))
    assert {"torch", "transformers"} <= pinned.keys()
    assert not {"torch", "transformers"} & _pinned().keys()


def test_with_and_without_gpus_the_versions_are_the_same() -> None:
    small, large = (_versions((ROOT / name).read_text(encoding="utf-8")) for name in OPTIONAL)
    assert small.items() <= large.items()


def _versions(lock: str) -> dict[str, str]:
    requirements = [Requirement(entry.partition(" --hash")[0]) for entry in _entries(lock)]
    return {canonicalize_name(found.name): str(found.specifier) for found in requirements}
