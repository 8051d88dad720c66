"""The mean of each system: the judge alone, people alone, and corrected by people."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from app.errors import InputError
from app.meta_evaluation.choices import RESAMPLES, Correction
from app.meta_evaluation.judges.estimate import CorrectedEstimate, estimate, judge_alone
from app.meta_evaluation.judges.figures import EstimatedFigure
from app.meta_evaluation.judges.pairing import ComparedSide


@dataclass(frozen=True, slots=True)
class SystemMean:
    """`estimate` is None, with the reason, where people's answers can't correct the judge's."""

    system: str
    n: int
    n_human: int
    judge_only: EstimatedFigure
    estimate: CorrectedEstimate | None
    reason: str

    @property
    def advised(self) -> str:
        """Which figure to read."""
        return self.estimate.advised if self.estimate else "judge_only"

    def to_json(self) -> dict[str, Any]:
        whole = self.estimate and self.estimate.to_json()
        return {
            "system": self.system,
            "n": self.n,
            "n_human": self.n_human,
            "judge_only": asdict(self.judge_only),
            "human_only": whole and whole["human_only"],
            "corrected": whole and whole["corrected"],
            "use": self.advised,
            "judge_off_by": whole and whole["judge_off_by"],
            "reason": self.reason,
        }


def system_means(
    sides: Sequence[ComparedSide], *, method: Correction = "ppi", resamples: int = RESAMPLES, seed: int = 0
) -> list[SystemMean]:
    """In the order given; each by itself, so that two of them are better compared by their difference."""
    return [_mean(side, method, resamples, seed) for side in sides]


def _mean(side: ComparedSide, method: Correction, resamples: int, seed: int) -> SystemMean:
    documents = 0 if side.group is None else len({str(name) for name in side.group})
    group = side.group if 1 < documents < side.judge.size else None  # one row each: nothing to draw together
    found, reason = None, ""
    try:
        found = estimate(
            side.judge,
            side.human,
            group=group,
            probability=side.probability,
            method=method,
            resamples=resamples,
            seed=seed,
        )
    except InputError as error:
        reason = error.message
    alone = found.judge_only if found else judge_alone(side.judge, group=group, resamples=resamples, seed=seed)
    return SystemMean(side.name, side.judge.size, side.answered, alone, found, reason)
