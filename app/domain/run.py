"""Runs: who scored what with which judge, and how far it got."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from app.domain.asking_way import AskingWay
from app.domain.judgment import Evaluation


class RunStatus(StrEnum):
    """`interrupted` is a run whose process, or whose model's server, went before it was finished; it can be resumed,
    like `stopped`."""

    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    STOPPED = "stopped"
    FAILED = "failed"
    INTERRUPTED = "interrupted"


class ScoreStatus(StrEnum):
    PENDING = "pending"
    DONE = "done"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class RunDimension:
    """What a run does on one dimension: the checklist answered, the texts planned, and what samples left out: whole
    documents, or single texts (ids) where documents are few."""

    dimension: int
    checklist: int | None
    excluded_docs: tuple[str, ...] = ()
    texts: tuple[int, ...] = ()
    name: str = ""
    prompt_digest: str = ""
    excluded_texts: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class RunSummary:
    """`done` counts texts times dimensions that have a score, `failed` those that ended in an error. `calls_cached`
    requests were answered from the ledger and cost nothing, `retries` were sent again; both over all sessions of it, as
    far as was written down. `maybe_paid_twice` requests were under way when a process ended, and are asked again.
    `versions`: dimension -> the version of its checklist that it
    answers, where it answers one."""

    id: int
    project: str
    evaluator: str
    judge: str
    dimensions: tuple[str, ...]
    status: RunStatus
    done: int
    failed: int
    all: int
    started: datetime
    message: str = ""
    params: Mapping[str, Any] = field(default_factory=dict)
    calls_cached: int = 0
    retries: int = 0
    maybe_paid_twice: int = 0
    versions: Mapping[str, int] = field(default_factory=dict)

    @property
    def active(self) -> bool:
        return self.status in (RunStatus.WAITING, RunStatus.RUNNING)

    @property
    def texts(self) -> int:
        """How many texts have a score, averaged over its dimensions."""
        return self.done // max(1, len(self.dimensions))

    @property
    def drawn(self) -> bool:
        """Whether it scores a part of the texts, as a trial does."""
        return self.params.get("sample", 1) != 1 or bool(self.params.get("draw"))

    def rank(self, dimension: str | None = None) -> tuple[bool, int, int, int]:
        """Order in which runs are shown where none is chosen, highest first: runs of all texts before trials, then the
        newest checklist version, then most texts, then the newest run. dimension: the one looked at; without it all of
        the run's."""
        return not self.drawn, self.version(dimension), self.texts, self.id

    def version(self, dimension: str | None = None) -> int:
        """Of the checklist that it answers on the dimension, else the highest; 0 where it answers none."""
        return max(self.versions.values(), default=0) if dimension is None else self.versions.get(dimension, 0)

    @property
    def locked(self) -> bool:
        """Whether it scores the locked test split, and nothing else."""
        return bool(self.params.get("locked"))

    @property
    def study(self) -> str:
        """The condition for which a study of conditions made it, as `StudyCondition.key`; "" for every other run."""
        return str(self.params.get("study", ""))

    @property
    def asking_way(self) -> AskingWay | None:
        """The way of asking it stands for in a comparison of them; None for every other run."""
        found = self.params.get("asking_way")
        return AskingWay(found) if found else None

    @property
    def apart(self) -> bool:
        """Whether a study of conditions, a comparison of ways of asking or a look at anchors made it: shown where it is
        chosen, never as the newest of its method and judge."""
        return bool(self.study) or self.asking_way is not None or bool(self.anchors)

    @property
    def anchors(self) -> int:
        """The set of anchors that it asks a judge about, to see whether that changed; 0 for every other run."""
        return int(self.params.get("anchors", 0))

    @property
    def trial(self) -> int | None:
        """Which trial of the study that made it, from 1; None where that had one only, or no study made it."""
        chosen = self.params.get("study_choices", {})
        return int(self.params["seed"]) - int(chosen["seed"]) + 1 if chosen.get("trials", 1) > 1 else None

    @property
    def components(self) -> int | None:
        """At most so many components the checklists of its study have; None where that isn't written down."""
        found = self.params.get("study_choices", {}).get("components")
        return None if found is None else int(found)

    @property
    def from_file(self) -> bool:
        """Whether its scores or answers came as a file: no method and no judge here could go on with it."""
        return "file_digest" in self.params

    @property
    def resumable(self) -> bool:
        return not self.active and self.done < self.all


@dataclass(frozen=True, slots=True)
class Lease:
    """Who works on a run, its last sign of life, and the seconds until others may take the run over without another."""

    writer: str
    renewed: datetime
    left: float


@dataclass(frozen=True, slots=True)
class PlannedScore:
    """One text on one dimension that still has to be scored; `again` where an earlier try failed."""

    id: int
    dimension: int
    text: int
    again: bool = False


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a planned score: its evaluation, or the kind of error and a sentence."""

    planned: PlannedScore
    evaluation: Evaluation | None = None
    error_kind: str = ""
    error: str = ""

    @property
    def status(self) -> ScoreStatus:
        return ScoreStatus.FAILED if self.error_kind else ScoreStatus.DONE

    @property
    def complete(self) -> bool:
        """Whether it was scored, and no question stayed unanswered by chance: what a judge says that it can't tell, it
        won't tell when it is asked once more."""
        found = self.evaluation
        return found is not None and (found.coverage >= 1 or found.settled)


@dataclass(frozen=True, slots=True)
class ScoredText:
    """A score beside what people said of the same text. `human` is the mean over `raters` raters."""

    text: int
    doc_id: str
    system_id: str
    item_id: str
    status: ScoreStatus
    score: float | None
    coverage: float | None
    human: float | None
    raters: int
    soft: float | None = None

    @property
    def partial(self) -> bool:
        """Whether some of its questions have an answer and others have none."""
        return self.coverage is not None and 0 < self.coverage < 1

    @property
    def nothing_applies(self) -> bool:
        """Whether it was scored and has no score, because no question that is answered applies to it."""
        return self.status is ScoreStatus.DONE and self.score is None and bool(self.coverage)

    def counts(self, include_partial: bool = False) -> bool:
        """Whether figures rest on it: it has a score, from answers to every question unless partial texts count too.
        A method without questions has no coverage."""
        return self.score is not None and (include_partial or self.coverage in (None, 1))


@dataclass(frozen=True, slots=True)
class StageRun:
    """One model's work on one stage of the method, kept whole. `error_kind` is "" where it succeeded."""

    stage: str
    model: str
    prompt: str = ""
    prompt_digest: str = ""
    inputs_digest: str = ""
    inputs: Mapping[str, Any] = field(default_factory=dict)
    output: str = ""
    input_tokens: int = 0
    cached_tokens: int = 0
    output_tokens: int = 0
    error_kind: str = ""
    error: str = ""
    created_at: datetime | None = None
    id: int = 0
