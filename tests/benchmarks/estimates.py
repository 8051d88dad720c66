"""Benchmark of corrected estimates: how often their intervals hold the truth, and what a judge saves people.

On a table where every row has the answer of the judge and of people (`--answers FILE`, columns doc_id, judge, human;
else on made-up documents), worlds of as many documents are drawn with replacement, people answer some rows or some
whole documents, and each interval is compared with the truth of the table.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from app.errors import InputError
from app.input_file import open_file
from app.meta_evaluation.judges.estimate import CorrectedEstimate, estimate
from app.meta_evaluation.judges.powered_estimates import EstimatedFigure
from app.meta_evaluation.score_matrix import Bools, Floats, Ints

DRAWS, DOCUMENT_DRAWS, SEED = 1000, 300, 7
ANSWERED = (50, 100, 200)
COLUMNS = ("doc_id", "judge", "human")


def run(answers: Path | None = None) -> dict[str, Any]:
    """By how many rows people answered: coverage and mean width, row by row and by whole documents."""
    unit, judge, human = _table(answers) if answers else _made_up()
    return {
        "rows": judge.size,
        "documents": int(unit.max()) + 1,
        "draws": DRAWS,
        "truth": round(float(human.mean()), 4),
        "judge_alone": round(float(judge.mean()), 4),
        **{f"{n} rows one by one": _measured(unit, judge, human, n, _some_rows) for n in ANSWERED},
        **{f"{n} rows in whole documents": _measured(unit, judge, human, n, _whole_documents) for n in ANSWERED},
    }


def _measured(
    unit: Ints, judge: Floats, human: Floats, n: int, pick: Callable[[Ints, int, np.random.Generator], Bools]
) -> dict[str, object]:
    rng = np.random.default_rng(SEED)
    rows_of = [np.flatnonzero(unit == document) for document in range(int(unit.max()) + 1)]
    naive, by_document = [], []
    for _ in range(DRAWS):
        drawn = [rows_of[document] for document in rng.integers(len(rows_of), size=len(rows_of))]
        rows, documents = np.concatenate(drawn), np.repeat(np.arange(len(drawn)), [each.size for each in drawn])
        people = np.where(pick(documents, n, rng), human[rows], np.nan)
        naive.append(estimate(judge[rows], people))
        by_document.append(estimate(judge[rows], people, group=documents, resamples=DOCUMENT_DRAWS))
    truth = float(human.mean())
    return {
        "corrected, by document": held([found.corrected for found in by_document], truth),
        "corrected, row by row": held([found.corrected for found in naive], truth),
        "people alone, by document": held([found.human_only for found in by_document], truth),
        "people alone, row by row": held([found.human_only for found in naive], truth),
        "judge alone, by document": held([found.judge_only for found in by_document], truth),
        "answers saved": f"{np.median([_saved(found) for found in by_document]):.0%}",
    }


def _saved(found: CorrectedEstimate) -> float:
    """The share of people's answers that an interval as narrow would need more without the judge."""
    return 1 - found.n_human / max(found.worth or 0, found.n_human)


def held(figures: list[EstimatedFigure], truth: float) -> str:
    """In how many of the draws the interval holds the truth, and its mean width."""
    ends = [(figure.low, figure.high) for figure in figures if figure.low is not None and figure.high is not None]
    share = sum(low <= truth <= high for low, high in ends) / len(figures)
    return f"{share:.1%} hold, width {np.mean([high - low for low, high in ends]):.3f}"


def _some_rows(documents: Ints, n: int, rng: np.random.Generator) -> Bools:
    chosen: Bools = rng.permutation(documents.size) < n
    return chosen


def _whole_documents(documents: Ints, n: int, rng: np.random.Generator) -> Bools:
    """As many as come nearest to `n` rows, at least two."""
    count = int(documents.max()) + 1
    whole = max(round(n * count / documents.size), 2)
    return np.isin(documents, rng.permutation(count)[:whole])


def _made_up() -> tuple[Ints, Floats, Floats]:
    """58 documents of 22 answers that lean one way, a judge that says yes too often: like real framing questions."""
    rng = np.random.default_rng(SEED)
    unit = np.repeat(np.arange(58), 22)
    human = (rng.random(unit.size) < rng.beta(2, 2.5, 58)[unit]).astype(np.float64)
    judge = np.where(rng.random(unit.size) < np.where(human == 1, 0.85, 0.6), human, 1 - human)
    return unit, judge, human


def _table(path: Path) -> tuple[Ints, Floats, Floats]:
    import pandas as pd

    with open_file(path) as file:
        rows = pd.read_csv(file, dtype=str)
    if missing := [name for name in COLUMNS if name not in rows]:
        raise InputError(f"{path.name} has no column {missing[0]!r}.", f"It needs {', '.join(COLUMNS)}.")
    rows = rows[rows["judge"].isin(["yes", "no"]) & rows["human"].isin(["yes", "no"])]
    _, unit = np.unique(rows["doc_id"].to_numpy(str), return_inverse=True)
    judge, human = (np.array(rows[name] == "yes", dtype=np.float64) for name in ("judge", "human"))
    return unit.astype(np.int64), judge, human
