"""`score --resume`: a run goes on as it was started, and what was typed beside it is never passed over."""

from collections.abc import Callable

import pytest

from app.services.runtime.workbench import open_workbench
from app.services.scoring.runs import get_run, list_runs
from tests.support.projects import ready_to_score

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def started(run: Run) -> int:
    ready_to_score(open_workbench())
    assert run("score", "--project", "Ready", "--sample", 0.5, "--seed", 3)[0] == 0
    (found,) = list_runs(open_workbench())
    return found.id


def resume(run: Run, run_id: int, *words: object) -> tuple[int, str, str]:
    return run("score", "--project", "Ready", "--resume", run_id, *words)


NOT_STARTED_WITH = (
    (("--judge", "openai:gpt-4o"), "--judge (it has rules)"),
    (("--evaluator", "rouge-1"), "--evaluator (it has checklist)"),
    (("--sample", 1), "--sample (it has 0.5)"),
    (("--seed", 1), "--seed (it has 3)"),
    (("--draw", "3x2"), "--draw"),
    (("--trials", 2), "--trials"),
    (("--locked",), "--locked"),
    (("--no-cache",), "--no-cache"),
    (("--no-reuse",), "--no-reuse"),
    (("--checklist", 7), "--checklist (it has 1)"),
    (("--repeats", 4), "repeats=4 (it has 1)"),
    (("--reasons",), "reasons=True"),
    (("--set", "per_question=yes"), "per_question=True"),
    (("--set", "reversed_order=yes"), "reversed_order=True (it has False)"),
    (("--effort", "low"), "--effort"),
    (("--dry-run",), "--dry-run"),
    (
        ("--judge", "openai:gpt-4o", "--seed", 9, "--set", "soft=yes"),
        "--seed (it has 3), --judge (it has rules), soft=True (it has False).",
    ),
)
GIVEN = "--concurrency, --processes, --dask, --budget, --max-output-tokens, --timeout, --tier and --json."


def test_what_the_run_was_not_started_with_is_refused_by_name(
    run: Run, started: int, subtests: pytest.Subtests
) -> None:
    for words, named in NOT_STARTED_WITH:
        with subtests.test(words=words):
            status, out, err = resume(run, started, "--budget", 1, *words)
            assert (status, out, err.count("\n")) == (2, "", 1)
            assert f"Run {started} goes on as it was started, so it can't take {named}" in err
            assert f"What can be given is {GIVEN}" in err
    assert get_run(open_workbench(), started).params["budget"] is None


TAKEN = (
    (),
    ("--concurrency", 1, "--timeout", 30, "--max-output-tokens", 900),
    ("--judge", "rules", "--dimension", "all", "--sample", 0.5, "--seed", 3, "--repeats", 1, "--checklist", 1),
)


def test_what_changes_nothing_or_repeats_how_it_was_started_is_taken(
    run: Run, started: int, subtests: pytest.Subtests
) -> None:
    for words in TAKEN:
        with subtests.test(words=words):
            assert resume(run, started, *words)[0] == 0
