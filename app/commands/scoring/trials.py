"""Trials of one way of scoring: what they agree on, and how each draw compares with the whole before it is scored."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from app.commands.output import echo, print_json, table

if TYPE_CHECKING:
    from app.domain.project import Dimension
    from app.services.results.trials import Trials
    from app.services.runtime.workbench import Workbench
    from app.services.scoring.draws import DrawCheck
    from app.services.scoring.runs import RunOptions


_SUMS_OF_MONEY = ("cost_usd", "cache_saves_usd", "batch_usd", "at_once_usd")


def read_draw(written: str | None) -> tuple[int, int] | None:
    """Documents and systems of each from `40x4`. Raises InputError."""
    from app.errors import InputError

    if written is None:
        return None
    parts = written.lower().replace("×", "x").split("x")
    if len(parts) != 2 or not all(part.strip().isdecimal() and int(part) > 0 for part in parts):
        raise InputError(f"“{written}” is no draw.", "Write documents x systems, for example 40x4.")
    return int(parts[0]), int(parts[1])


def print_estimate(workbench: "Workbench", project_id: int, options: "RunOptions", json_: bool) -> None:
    """What a run would ask and cost; for a draw, how it compares with all texts."""
    from app.services.scoring.draws import check_draws
    from app.services.scoring.forecast import estimate

    trials = options.each_trial()
    found = [estimate(workbench, project_id, trial) for trial in trials]
    checks = check_draws(workbench, project_id, options)
    if json_:
        print_json(
            found[0].to_json()
            | {
                "calls": sum(each.calls for each in found),
                "calls_cached": sum(each.calls_cached for each in found),
                "input_tokens": sum(each.input_tokens for each in found),
                "output_tokens_estimate": sum(each.output_tokens_estimate for each in found),
                "cache_read_tokens": sum(each.cache_read_tokens for each in found),
                **{name: _together([getattr(each, name) for each in found]) for name in _SUMS_OF_MONEY},
                **({"samples": [check.to_json() for check in checks]} if options.drawn else {}),
            }
        )
        return
    for trial, each in zip(trials, found, strict=True):
        echo(f"Seed {trial.seed}: {each}" if len(trials) > 1 else str(each))
    print_checks(checks)


def _together(sums: "Sequence[float | None]") -> float | None:
    """None where one isn't known."""
    return None if None in sums else sum(each or 0.0 for each in sums)


def print_checks(checks: "Sequence[DrawCheck]") -> None:
    """How each draw compares with all texts, and what its figures will be worth."""
    for check in checks:
        ks = check.ks
        echo(
            f"{check.dimension.name}, seed {check.seed}: {ks.n_drawn} of {ks.n_all} rated texts, largest gap between "
            f"the distributions of ratings {ks.statistic:.3f} (Kolmogorov-Smirnov, p = {ks.p_value:.2f})"
        )
        for caution in check.cautions:
            echo(f"  {caution}")


def trials_of_runs(
    workbench: "Workbench", project_id: int, dimensions: "Sequence[Dimension]", runs: Sequence[int]
) -> dict[str, "Trials"]:
    """By dimension, of the runs that were made together."""
    from app.services.results.trials import trials_of

    found = {}
    for dimension in dimensions:
        for group in trials_of(workbench, project_id, dimension):
            if {run.id for run in group.runs} & set(runs):
                found[dimension.name] = group
    return found


def spread_document(groups: dict[str, "Trials"]) -> dict[str, Any]:
    from app.meta_evaluation.choices import COEFFICIENTS

    document: dict[str, Any] = {}
    for name, group in groups.items():
        document[name] = {"runs": [run.id for run in group.runs]}
        for coefficient in COEFFICIENTS:
            mean, sd = group.spread(coefficient) or (None, None)
            document[name][coefficient] = {"values": group.values(coefficient), "mean": mean, "sd": sd}
    return document


def print_spread(groups: dict[str, "Trials"]) -> None:
    rows: list[list[object]] = []
    for name, group in groups.items():
        mean, sd = group.spread("spearman") or (None, None)
        values = group.values("spearman")
        lowest, highest = (min(values), max(values)) if values else (None, None)
        rows.append([name, ", ".join(str(run.id) for run in group.runs), mean, sd, lowest, highest])
    echo(table(["dimension", "runs", "Spearman, mean", "sd over trials", "lowest", "highest"], rows))
