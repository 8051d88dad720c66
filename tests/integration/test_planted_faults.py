"""A fault planted in a rule that must never break is caught by the tests of that rule."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.support.repository import PACKAGES, ROOT


class Fault(NamedTuple):
    """`right` occurs once in the file; with `wrong` in its place one of `tests` has to fail."""

    file: str
    right: str
    wrong: str
    tests: tuple[str, ...]


META = "app/meta_evaluation"
ACTOR, USE_CASE = "app/domain/roles_and_rights.py", "app/services/runtime/workbench.py"
FORMULA = ("tests/unit/domain/test_judgment.py",)
ALPHA = ("tests/unit/meta_evaluation/raters",)
STATISTICS = ("tests/unit/meta_evaluation/test_correlation.py", "tests/unit/meta_evaluation/test_coefficients.py")
TESTS_OF_DIFFERENCES = ("tests/unit/meta_evaluation/test_significance.py",)
RIGHTS = ("tests/integration/services/runtime/test_roles.py",)
LEDGER = (
    "tests/contract/test_lost_replies.py",
    "tests/integration/services/scoring/test_paid_once.py",
    "tests/integration/services/scoring/test_runs.py",
)
FAULTS = {
    "score starts at 0": Fault(
        "app/domain/checklist_score.py", "return low + (high - low) * yes", "return high * yes", FORMULA
    ),
    "unanswered counts as no": Fault(
        "app/domain/checklist_score.py",
        "if answer in (Answer.YES, Answer.NO) else None",
        "if answer is not Answer.NOT_APPLICABLE else None",
        FORMULA,
    ),
    "weights are left out": Fault(
        "app/domain/checklist_score.py", "share * each.weight for share, each", "share for share, each", FORMULA
    ),
    "a bad yes earns the point": Fault(
        "app/domain/checklist_score.py",
        "(answer is Answer.YES) is not question.must_not",
        "(answer is Answer.YES)",
        FORMULA,
    ),
    "a failed required question caps nothing": Fault(
        "app/domain/checklist_score.py", "min([value, *(cap for cap in caps if cap is not None)])", "value", FORMULA
    ),
    "kappa without chance": Fault(
        f"{META}/raters/rater_agreement.py", "(same - chance) / np.where", "same / np.where", ALPHA
    ),
    "alpha of raters of one text": Fault(
        f"{META}/raters/rater_agreement.py", "np.maximum(everything - 1, 1)", "np.maximum(everything, 1)", ALPHA
    ),
    "ranks without ties": Fault(
        f"{META}/correlation.py",
        "_moment(stats.rankdata(x), ",
        "_moment(stats.rankdata(x, method='ordinal'), ",
        STATISTICS,
    ),
    "groups of one text count": Fault(f"{META}/correlation.py", "used = sizes >= 2", "used = sizes >= 1", STATISTICS),
    "sums in another order break ties": Fault(
        f"{META}/correlation.py", "np.round(means / unit, 12) * unit", "means", STATISTICS
    ),
    "Williams with n": Fault(
        f"{META}/permutation.py", "2 * (n - 1) / (n - 3)", "2 * n / (n - 3)", TESTS_OF_DIFFERENCES
    ),
    "another expert's things": Fault(
        USE_CASE, 'if {arguments.get("expert", name), author or name} != {name}:', "if False:", RIGHTS
    ),
    "experts see others' attributes early": Fault(
        ACTOR, "WHEN_DONE = frozenset({Right.REVIEW, Right.EDIT})", "WHEN_DONE = frozenset({Right.EDIT})", RIGHTS
    ),
    "readers see drafts": Fault(USE_CASE, "if place.draft and not", "if False and not", RIGHTS),
    "readers facilitate": Fault(
        ACTOR,
        "Role.READER: frozenset({Right.ARRIVE,",
        "Role.READER: frozenset({Right.FACILITATE, Right.ARRIVE,",
        RIGHTS,
    ),
    "a kept reply is paid again": Fault("app/providers/recorded.py", "if found is None:", "if True:", LEDGER),
    "a paid reply isn't kept": Fault(
        "app/providers/recorded.py",
        "        await self._keep(answered_call(self._call(digest, request), reply, cost), key)\n",
        "",
        LEDGER,
    ),
}


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("planted")
    for name in (*PACKAGES, "tests"):
        shutil.copytree(ROOT / name, made / name, ignore=shutil.ignore_patterns("__pycache__", "guide"))
    for name in ("pyproject.toml", "README.md"):
        shutil.copy(ROOT / name, made)
    return made


def _pytest(folder: Path, tests: tuple[str, ...]) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "pytest", "-x", "-p", "no:cacheprovider", "-p", "no:xdist", *tests]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    environment |= {"PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
def test_each_planted_fault_has_its_place(fault: Fault) -> None:
    assert (ROOT / fault.file).read_text(encoding="utf-8").count(fault.right) == 1
    assert all((ROOT / tests).exists() for tests in fault.tests)


@pytest.mark.long
@pytest.mark.parametrize("tests", sorted({fault.tests for fault in FAULTS.values()}))
def test_without_a_planted_fault_the_tests_pass(copy: Path, tests: tuple[str, ...]) -> None:
    done = _pytest(copy, tests)
    assert done.returncode == 0, done.stdout


@pytest.mark.long
@pytest.mark.parametrize("name", FAULTS)
def test_a_planted_fault_is_caught(copy: Path, name: str) -> None:
    fault = FAULTS[name]
    file = copy / fault.file
    source = file.read_text(encoding="utf-8")
    file.write_text(source.replace(fault.right, fault.wrong), encoding="utf-8")
    try:
        assert _pytest(copy, fault.tests).returncode == 1
    finally:
        file.write_text(source, encoding="utf-8")
