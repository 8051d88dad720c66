"""Check of a run to resume: what was typed beside it is as it was started, so that its scores are of one kind."""

from collections.abc import Iterator, Mapping
from typing import Any

from app.domain.people import Right
from app.errors import InputError
from app.services.runtime.use_case import use_case
from app.services.runtime.workbench import Workbench
from app.services.scoring.evaluators import NO_JUDGE, given_options, method_options_of

MAY_CHANGE = ("concurrency", "processes", "dask", "budget", "max_output_tokens", "timeout", "tier")
# What stands for the options of a run that was stored before they existed.
_USUAL = {
    "sample": 1.0,
    "seed": 1,
    "draw": None,
    "locked": False,
    "use_cache": True,
    "reuse": True,
    "effort": "",
    "batch": "",
}


@use_case(Right.FACILITATE)
def check_same_run(workbench: Workbench, run_id: int, given: Mapping[str, Any]) -> None:
    """`given`: what was typed, by the names of the command's options; `settings` are (name, value) pairs.

    Raises InputError that names the options with which the run wasn't started.
    """
    with workbench.database.read() as work:
        run, checklists = work.runs.get(run_id), [part.checklist for part in work.runs.parts(run_id)]
        asked = "checklist" in given
        versions = {work.checklists.get(each).version for each in checklists if asked and each is not None}
    started: dict[str, Any] = {name: run.params.get(name, usual) for name, usual in _USUAL.items()}
    started |= {"draw": "x".join(map(str, started["draw"])) if started["draw"] else None}
    started |= {"evaluator": run.evaluator, "dimension": set(run.dimensions), "trials": 1, "dry_run": False}
    if run.judge != NO_JUDGE:
        started["judge"] = run.judge
    started["checklist"] = versions.pop() if len(versions) == 1 else None
    other = [_option(name, started[name]) for name in started if name in given and given[name] != started[name]]
    other += _other_settings(run.evaluator, run.params, given.get("settings", ()))
    if other:
        may = ", ".join(_written(name) for name in MAY_CHANGE)
        raise InputError(
            f"Run {run_id} goes on as it was started, so it can't take {', '.join(other)}.",
            f"Leave that out, or start a new run. What can be given is {may} and --json.",
        )


def _other_settings(evaluator: str, params: Mapping[str, Any], settings: Any) -> Iterator[str]:
    given = given_options(evaluator, settings)
    usual = {option.name: option.default for option in method_options_of(evaluator)} if given else {}
    for name, value in given.items():
        has = params.get(name, usual[name])
        if has != value:
            yield f"{name}={value} (it has {has})"


def _option(name: str, started: Any) -> str:
    if isinstance(started, bool) or name == "trials" or not started:
        return _written(name)
    return f"{_written(name)} (it has {', '.join(sorted(started)) if isinstance(started, set) else started})"


def _written(name: str) -> str:
    negative = {"use_cache": "no-cache", "reuse": "no-reuse"}
    return f"--{negative.get(name, name).replace('_', '-')}"
