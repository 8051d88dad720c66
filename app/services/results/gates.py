"""Gates on results: tests of one run's figures with their intervals, or of all nightly runs together."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from statistics import fmean
from typing import Any

import numpy as np

from app.domain.checklist_score import Answer
from app.domain.roles_and_rights import Right
from app.domain.run import RunDimension, RunSummary
from app.errors import InputError
from app.meta_evaluation.captions import counted_of
from app.meta_evaluation.evaluation import Figure
from app.meta_evaluation.gates import FALL, MOST_NIGHTS, SCORE, YES, Gate, NightlyFigures, nightly_figures
from app.meta_evaluation.judges.drift import LIMIT
from app.meta_evaluation.judges.estimate import judge_alone
from app.meta_evaluation.judges.powered_estimates import EstimatedFigure
from app.services.results.results import Choices, DimensionResult
from app.services.runtime.workbench import Workbench, use_case
from app.services.scoring.run_labels import variant_words
from db.unit_of_work import UnitOfWork


@dataclass(frozen=True, slots=True)
class GateResult:
    """A gate applied to one dimension of a run. `nightly` is None if only this run's interval is tested; else the run
    is the newest of the nightly ones."""

    gate: Gate
    run: int
    dimension: str
    value: float | None
    low: float | None
    high: float | None
    passed: bool
    nightly: NightlyFigures | None = None

    @property
    def words(self) -> str:
        said = f"gate {self.gate} on {self.dimension}, run {self.run}: "
        if self.nightly is not None:
            found = self.nightly
            last = "–" if found.last is None else f"{found.last:.3f}"
            most = f"more than {MOST_NIGHTS} nights"
            within = most if found.finds_within is None else counted_of(found.finds_within, "night")
            said += (
                f"last night {last}, evidence against it {found.evidence:.2f} of {LIMIT:g} over "
                f"{counted_of(found.nights, 'night')}; what lies {FALL:.0%} of the scale beyond it is found within "
                f"{within}"
            )
        elif self.low is None or self.high is None:
            said += f"{'–' if self.value is None else f'{self.value:.3f}'}, without an interval"
        else:
            said += f"{self.value:.3f}, {self.low:.3f} to {self.high:.3f}"
        return f"{said}: {'passed' if self.passed else 'failed'}"

    def to_json(self) -> dict[str, Any]:
        return {
            "gate": str(self.gate),
            "value": self.value,
            "low": self.low,
            "high": self.high,
            "passed": self.passed,
            "nightly": self.nightly and self.nightly.to_json(),
        }


@use_case(Right.READ)
def check_gates(
    workbench: Workbench, results: Sequence[DimensionResult], gates: Sequence[Gate]
) -> dict[tuple[int, str], list[GateResult]]:
    """Return (run, dimension) of each result -> its gates, tested against the interval.

    Raises InputError for a gate whose figure no result has.
    """
    return {
        (result.run.id, result.dimension.name): [
            _held(gate, result, *_interval(workbench, gate, result)) for gate in of
        ]
        for result, of in _applying(workbench, results, gates)
    }


@use_case(Right.READ)
def check_nightly(
    workbench: Workbench, results: Sequence[DimensionResult], gates: Sequence[Gate], since: datetime | None = None
) -> dict[tuple[int, str], list[GateResult]]:
    """Test gates as `check_gates` does, but on all runs with the same method, judge and checklist. A result without a
    scale is skipped.

    Each run is a night, and each text counts in the first that scored it. since: only runs from then on, as after a
    fix. Raises InputError for a figure that isn't a mean over texts.
    """
    for gate in gates:
        if not gate.of_texts:
            raise InputError(
                f"{gate} can't be looked at every night: it is no mean over texts.",
                f"Use {YES}(QUESTION) or {SCORE}, or leave --nightly out.",
            )
    found: dict[tuple[int, str], list[GateResult]] = {}
    on_scale = [result for result in results if result.on_scale or all(gate.figure == YES for gate in gates)]
    for result, of in _applying(workbench, on_scale, gates):
        with workbench.database.read() as work:
            runs = _nights(work, result, since)
            held = [_nightly(work, gate, result, runs) for gate in of]
        found[result.run.id, result.dimension.name] = held
    return found


def _applying(
    workbench: Workbench, results: Sequence[DimensionResult], gates: Sequence[Gate]
) -> list[tuple[DimensionResult, list[Gate]]]:
    """Return each result with the gates whose figure it has. Raises InputError for a gate whose figure none has."""
    with workbench.database.read() as work:
        found = [
            (result, [gate for gate in gates if gate.figure != YES or _question(work, gate, result) is not None])
            for result in results
        ]
    for gate in gates:
        if not any(gate in of for _, of in found):
            raise InputError(f"No result that is shown has the figure of {gate}.", "Choose another gate or other runs.")
    return found


def _held(
    gate: Gate, result: DimensionResult, value: float | None, low: float | None, high: float | None
) -> GateResult:
    return GateResult(gate, result.run.id, result.dimension.name, value, low, high, gate.passes(low, high))


def _interval(
    workbench: Workbench, gate: Gate, result: DimensionResult
) -> tuple[float | None, float | None, float | None]:
    if not gate.of_texts:
        of_agreement: dict[str, Figure] = dict(result.meta.figures) | {"mae": result.meta.mae}
        figure = of_agreement[gate.figure]
        return figure.value, figure.low, figure.high
    with workbench.database.read() as work:
        values = _values(work, gate, result, result.run)
    found = _mean(values, {row.text: row.doc_id for row in result.rows}, result.choices)
    return (found.value, found.low, found.high) if found else (None, None, None)


def _mean(values: Mapping[int, float], documents: Mapping[int, str], choices: Choices) -> EstimatedFigure | None:
    """Return the mean with its interval, which draws whole documents if there are several with more than one text."""
    if not values:
        return None
    group = [documents[text] for text in values]
    drawn = group if 1 < len(set(group)) < len(group) else None
    return judge_alone(np.array(list(values.values())), group=drawn, resamples=choices.resamples, seed=choices.seed)


def _values(work: UnitOfWork, gate: Gate, result: DimensionResult, run: RunSummary) -> dict[int, float]:
    """Return text -> its score, or its share of yes to the question over repeats; texts without one are left out."""
    rows = result.choices.systems.of(work.results.scored(run.id, result.dimension.id))
    if gate.figure == SCORE:
        return {
            row.text: row.score for row in rows if row.score is not None and row.counts(result.choices.include_partial)
        }
    question, texts = _question(work, gate, result), {row.text for row in rows}
    found = {}
    for text, said in work.results.answers(run.id, result.dimension.id).items():
        given = [answer is Answer.YES for _, asked, answer in said if asked == question and answer in _EITHER]
        if given and text in texts:
            found[text] = fmean(given)
    return found


_EITHER = (Answer.YES, Answer.NO)


def _question(work: UnitOfWork, gate: Gate, result: DimensionResult) -> int | None:
    """Return the id of the question with the gate's number; None if the checklist has none."""
    part = _part(work, result.run.id, result.dimension.id)
    asked = work.checklists.get(part.checklist).asked if part and part.checklist else ()
    return asked[gate.question - 1].id if 0 < gate.question <= len(asked) else None


def _part(work: UnitOfWork, run_id: int, dimension_id: int) -> RunDimension | None:
    return next((part for part in work.runs.parts(run_id) if part.dimension == dimension_id), None)


def _nights(work: UnitOfWork, result: DimensionResult, since: datetime | None) -> list[RunSummary]:
    """Return the runs that differ from the result's only in their texts, oldest first."""

    def asked(run: RunSummary) -> object:
        part = _part(work, run.id, result.dimension.id)
        return (part.checklist, part.prompt_digest) if part else None

    own = result.run
    way, what = (own.evaluator, own.judge, variant_words(own)), asked(own)
    runs = [
        run
        for run in work.runs.all(work.runs.project_of(own.id))
        if run.done
        and not (run.locked or run.apart)
        and (since is None or run.started >= since)
        and (run.evaluator, run.judge, variant_words(run)) == way
        and asked(run) == what
    ]
    return sorted(runs, key=lambda run: run.id)


def _nightly(work: UnitOfWork, gate: Gate, result: DimensionResult, runs: Sequence[RunSummary]) -> GateResult:
    low, high = (result.dimension.low, result.dimension.high) if gate.figure == SCORE else (0.0, 1.0)
    seen, nights = set[int](), []
    for run in runs:
        new = {text: value for text, value in _values(work, gate, result, run).items() if text not in seen}
        seen |= new.keys()
        of_document: dict[str, list[float]] = {}
        for text, (document, _, _) in work.texts.keys_of(list(new)).items():
            of_document.setdefault(document, []).append((new[text] - low) / (high - low))
        nights.append(np.array([fmean(values) for values in of_document.values()]))
    found = nightly_figures(nights, (gate.bound - low) / (high - low), gate.sign, result.choices.seed)

    def on_scale(share: float | None) -> float | None:
        return None if share is None else low + (high - low) * share

    return GateResult(
        gate,
        runs[-1].id if runs else result.run.id,
        result.dimension.name,
        on_scale(found.mean),
        None,
        None,
        found.passed,
        replace(found, mean=on_scale(found.mean), last=on_scale(found.last)),
    )
