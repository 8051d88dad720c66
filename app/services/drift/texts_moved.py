"""Whether the texts changed: the mean score of the newest run beside that of an earlier one of the same judge."""

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from app.domain.expert_answer import AnchorSet
from app.domain.run import RunSummary, ScoredText
from app.meta_evaluation.choices import RESAMPLES
from app.meta_evaluation.judges.intervals import by_document
from app.meta_evaluation.judges.sums import resampled
from app.services.runtime.workbench import Workbench
from app.services.scoring.evaluators import CHECKLIST


@dataclass(frozen=True, slots=True)
class MovedScores:
    """`difference` is the mean of the run `newest` minus that of `earlier`, with its 95 % interval by document."""

    earlier: int
    newest: int
    texts_earlier: int
    texts_newest: int
    mean_earlier: float
    mean_newest: float
    difference: float
    low: float
    high: float

    @property
    def moved(self) -> bool:
        return self.low > 0 or self.high < 0

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def moved_scores(workbench: Workbench, project_id: int, found: AnchorSet, judge: str) -> MovedScores | None:
    """Of the anchors' version, anchors left out. None without two runs over different texts, or too few documents."""
    with workbench.database.read() as work:
        runs = [
            run
            for run in work.runs.all(project_id)
            if _plain(run, judge) and any(part.checklist == found.checklist for part in work.runs.parts(run.id))
        ]
        scored = ((run, work.results.scored(run.id, found.dimension)) for run in runs)
        newest: tuple[RunSummary, list[ScoredText]] | None = None
        for run, rows in scored:
            counted = [row for row in rows if row.counts() and row.text not in found.texts]
            if newest is None:
                newest = (run, counted)
            elif {row.text for row in counted} != {row.text for row in newest[1]}:
                return _moved((run, counted), newest)
    return None


def _plain(run: RunSummary, judge: str) -> bool:
    return (run.evaluator, run.judge) == (CHECKLIST, judge) and bool(run.done) and not run.apart and not run.locked


def _moved(
    earlier: tuple[RunSummary, list[ScoredText]], newest: tuple[RunSummary, list[ScoredText]]
) -> MovedScores | None:
    """Documents in both are drawn together; the interval knows as many as the run with fewer has."""
    parts = [
        [(row.doc_id or f"text {row.text}", float(row.score or 0)) for row in rows] for _, rows in (earlier, newest)
    ]
    if not all(parts):
        return None
    _, unit = np.unique([name for part in parts for name, _ in part], return_inverse=True)
    scores = np.array([score for part in parts for _, score in part])
    late = np.repeat([0.0, 1.0], [len(part) for part in parts])
    sums = resampled(np.stack([scores * (1 - late), 1 - late, scores * late, late]), unit, RESAMPLES, 0)
    with np.errstate(invalid="ignore", divide="ignore"):
        drawn = sums[2] / sums[3] - sums[0] / sums[1]
    means = [float(np.mean([score for _, score in part])) for part in parts]
    ends = by_document(means[1] - means[0], drawn, min(len({name for name, _ in part}) for part in parts))
    if ends is None:
        return None
    (before, now), (low, high) = means, ends
    found = now - before
    return MovedScores(earlier[0].id, newest[0].id, len(parts[0]), len(parts[1]), before, now, found, low, high)
