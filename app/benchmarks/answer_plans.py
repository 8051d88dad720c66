"""Benchmark of plans for people's answers: what is saved by asking people where the judges are unsure.

On a table with answers of people and of several judges (`--answers FILE`, columns doc_id, human, judge, which is the
one to be corrected, and more whose names begin with judge; else on made-up documents) worlds of as many documents are
drawn with replacement. In each people answer rows drawn by chance, and rows drawn by the judges' doubts; the same
estimator corrects both, with weights for the latter.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from app.benchmarks.estimates import ANSWERED, DOCUMENT_DRAWS, DRAWS, SEED, held
from app.errors import InputError
from app.input_file import open_file
from app.meta_evaluation.judges.answer_design import TAU, chances_by_uncertainty, pivotal_draw, probabilities
from app.meta_evaluation.judges.estimate import CorrectedEstimate, estimate
from app.meta_evaluation.judges.uncertainty import judge_uncertainty
from app.meta_evaluation.score_matrix import Floats, Ints


@dataclass(frozen=True, slots=True, eq=False)
class PlannedRows:
    """Rows (N,) with the code of their document and the answers of people; `judges` is (J, N), the first corrected."""

    unit: Ints
    human: Floats
    judges: Floats

    @property
    def doubts(self) -> Floats:
        return judge_uncertainty(self.judges[:, :, None]).text


def run(answers: Path | None = None) -> dict[str, Any]:
    """By how many rows people answered: coverage, width and error of both draws, and what the plan saves."""
    if answers:
        return _measured(_table(answers))
    return {
        "doubts tell where the judge errs": _measured(_made_up(informed=True)),
        "doubts tell nothing": _measured(_made_up(informed=False)),
    }


def _measured(rows: PlannedRows) -> dict[str, Any]:
    return {
        "rows": rows.human.size,
        "judges": len(rows.judges),
        "draws": DRAWS,
        **{f"{n} answers": _of_both(rows, n) for n in ANSWERED},
    }


def _of_both(rows: PlannedRows, n: int) -> dict[str, str]:
    truth, found = float(rows.human.mean()), {tau: _draws(rows, n, tau) for tau in (0.0, TAU)}
    said = {}
    for tau, estimates in found.items():
        name = f"{tau:.0%} by doubts" if tau else "by chance"
        error = np.sqrt(_squared_errors(estimates, truth).mean())
        said[name] = f"{held([one.corrected for one in estimates], truth)}, error {error:.4f}"
        if tau:
            by_error = _saved(_squared_errors(found[0.0], truth), _squared_errors(estimates, truth))
            by_width = _saved(_squared_widths(found[0.0]), _squared_widths(estimates))
            said[f"{name} saves"] = f"by width {by_width} of the answers, by error {by_error}"
    return said


def _draws(rows: PlannedRows, n: int, tau: float) -> list[CorrectedEstimate]:
    """The same worlds for each tau."""
    documents = [np.flatnonzero(rows.unit == document) for document in range(int(rows.unit.max()) + 1)]
    doubts, found = rows.doubts, []
    for draw in range(DRAWS):
        world = np.random.default_rng([SEED, draw])
        drawn = [documents[document] for document in world.integers(len(documents), size=len(documents))]
        here, unit = np.concatenate(drawn), np.repeat(np.arange(len(drawn)), [each.size for each in drawn])
        chances = probabilities(chances_by_uncertainty(doubts[here], tau), n, np.zeros(here.size))
        people = np.full(here.size, np.nan)
        asked = list(pivotal_draw(chances, world.permutation(here.size), world))
        people[asked] = rows.human[here[asked]]
        by = chances if tau else None
        found.append(estimate(rows.judges[0, here], people, group=unit, probability=by, resamples=DOCUMENT_DRAWS))
    return found


def _squared_errors(found: list[CorrectedEstimate], truth: float) -> Floats:
    return np.array([(one.corrected.value or 0.0) - truth for one in found]) ** 2


def _squared_widths(found: list[CorrectedEstimate]) -> Floats:
    return np.array([one.corrected.width or 0.0 for one in found]) ** 2


def _saved(chance: Floats, plan: Floats) -> str:
    """The share of answers that the plan saves for equal precision, with half its 95 % interval (ratio of means)."""
    ratio = plan.mean() / chance.mean()
    error = np.std(plan - ratio * chance) / chance.mean() / np.sqrt(plan.size)
    return f"{100 * (1 - ratio):+.1f} % (± {196 * error:.1f})"


def _made_up(*, informed: bool) -> PlannedRows:
    """58 documents of 22 rows, six judges. A fifth of the rows is hard: there judges guess, elsewhere 4 % are wrong; or
    all judges err alike on rows that their doubts don't show."""
    rng = np.random.default_rng(SEED)
    unit = np.repeat(np.arange(58), 22)
    human = (rng.random(unit.size) < rng.beta(2, 2.5, 58)[unit]).astype(np.float64)
    hard = rng.random(unit.size) < 0.2
    wrong = rng.random((6, unit.size)) < np.where(hard & informed, 0.5, 0.04)
    if not informed:
        wrong |= hard & (rng.random(unit.size) < 0.5)
    return PlannedRows(unit, human, np.where(wrong, 1 - human, human))


def _table(path: Path) -> PlannedRows:
    import pandas as pd  # noqa: PLC0415 - only where a file is given

    with open_file(path) as file:
        rows = pd.read_csv(file, dtype=str)
    names = ["judge", *(name for name in map(str, rows.columns) if name.startswith("judge") and name != "judge")]
    if missing := [name for name in ("doc_id", "human", "judge") if name not in rows]:
        raise InputError(f"{path.name} has no column {missing[0]!r}.", "It needs doc_id, human, judge and more judges.")
    if len(names) < 2:
        raise InputError(
            f"{path.name} has one judge, so nobody differs.", "Name columns of others judge_2, judge_3 ..."
        )
    rows = rows[rows[["human", *names]].isin(["yes", "no"]).all(axis=1)]
    _, unit = np.unique(rows["doc_id"].to_numpy(str), return_inverse=True)
    human, *judges = (np.array(rows[name] == "yes", dtype=np.float64) for name in ("human", *names))
    return PlannedRows(unit.astype(np.int64), human, np.stack(judges))
