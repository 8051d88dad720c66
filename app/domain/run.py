"""Scoring runs: their state, the texts they score, and the answers."""

from array import array
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from app.domain.checklist_score import Answer, Evaluation
from app.domain.text_filter import SystemChoice

ANSWERS = tuple(Answer)
"""The answers that the numbers in `RunAnswers.answers` are indices of."""


def _numbers() -> "array[int]":
    return array("q")


def _small_numbers() -> "array[int]":
    return array("b")


WARN_AFTER = 10
"""Texts after which a run warns of answers that don't depend on the text, by default."""


@dataclass(frozen=True, slots=True, eq=False)
class RunAnswers:
    """A run's answers as columns of equal length, one place for each answer, in the order given.

    `texts` and `questions` are ids (64 bits), `repeats` count from 0 (64 bits), `answers` are indices into ANSWERS (8
    bits). numpy reads each as an array without a copy.
    """

    texts: "array[int]" = field(default_factory=_numbers)
    repeats: "array[int]" = field(default_factory=_numbers)
    questions: "array[int]" = field(default_factory=_numbers)
    answers: "array[int]" = field(default_factory=_small_numbers)


class AskingWay(StrEnum):
    """A way to put a checklist's questions into calls; members are in the order in which the ways are tried and
    shown."""

    TOGETHER = "together"
    ALONE = "alone"
    REVERSED = "reversed"

    @property
    def words(self) -> str:
        """Return a phrase for the middle of a sentence or label."""
        match self:
            case AskingWay.TOGETHER:
                return "all questions in one call"
            case AskingWay.ALONE:
                return "one call for each question"
            case AskingWay.REVERSED:
                return "one call, last question first"


class RunStatus(StrEnum):
    """The status of a run. `interrupted`: its process or its model's server failed before it was done; like a `stopped`
    run, it can be resumed."""

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
    """The part of a run on one dimension: the checklist it answers, the ids of the planned texts, and what samples keep
    out: whole documents, or single texts (ids) if documents are few."""

    dimension: int
    checklist: int | None
    excluded_docs: tuple[str, ...] = ()
    texts: tuple[int, ...] = ()
    name: str = ""
    prompt_digest: str = ""
    excluded_texts: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class RunSummary:
    """A run and its progress. `done` counts pairs of text and dimension with a score, `failed` those that ended in an
    error. `calls_cached` requests were answered from the ledger at no cost, `retries` were sent again; both over all
    sessions of the run, as far as recorded. `maybe_paid_twice` requests were in flight when a process ended, and are
    asked again. `versions`: dimension -> version of the checklist that it answers, if it answers one."""

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
        """Return how many texts have a score, averaged over the dimensions."""
        return self.done // max(1, len(self.dimensions))

    @property
    def drawn(self) -> bool:
        """Return whether the run scores only a part of the texts, as a trial does."""
        return self.params.get("sample", 1) != 1 or bool(self.params.get("draw"))

    def rank(self, dimension: str | None = None) -> tuple[bool, int, int, int]:
        """Return the sort key by which a default run is chosen, highest first: runs of all texts before trials, then
        the newest checklist version, then most texts, then the newest run. dimension: whose version counts; None for
        all of the run."""
        return not self.drawn, self.version(dimension), self.texts, self.id

    def version(self, dimension: str | None = None) -> int:
        """Return the version of the checklist answered on the dimension, or the highest for None; 0 without a
        checklist."""
        return max(self.versions.values(), default=0) if dimension is None else self.versions.get(dimension, 0)

    @property
    def systems(self) -> SystemChoice:
        """Return the systems whose texts the run scores."""
        return SystemChoice(*(tuple(self.params.get(name, ())) for name in ("systems", "without_systems")))

    @property
    def locked(self) -> bool:
        """Return whether the run scores the held-out split and nothing else."""
        return bool(self.params.get("locked"))

    @property
    def study(self) -> str:
        """Return the `StudyCondition.key` of the study condition that the run belongs to; "" for other runs."""
        return str(self.params.get("study", ""))

    @property
    def asking_way(self) -> AskingWay | None:
        """Return the way of asking that the run stands for in a comparison of ways; None for other runs."""
        found = self.params.get("asking_way")
        return AskingWay(found) if found else None

    @property
    def apart(self) -> bool:
        """Return whether the run belongs to a study of conditions, a comparison of ways of asking, or a look at
        anchors. Screens show such a run where it was made, never as the newest run of its method and judge."""
        return bool(self.study) or self.asking_way is not None or bool(self.anchors)

    @property
    def anchors(self) -> int:
        """Return the id of the anchor set that the run asks a judge about to detect drift; 0 for other runs."""
        return int(self.params.get("anchors", 0))

    @property
    def trial(self) -> int | None:
        """Return the trial number, from 1, of a run in a study with several trials; None for other runs."""
        chosen = self.params.get("study_choices", {})
        return int(self.params["seed"]) - int(chosen["seed"]) + 1 if chosen.get("trials", 1) > 1 else None

    @property
    def components(self) -> int | None:
        """Return the maximal number of components in the checklists of the run's study; None if not recorded."""
        found = self.params.get("study_choices", {}).get("components")
        return None if found is None else int(found)

    @property
    def from_file(self) -> bool:
        """Return whether its scores or answers were imported from a file, so that no method or judge here can resume
        it."""
        return "file_digest" in self.params

    @property
    def resumable(self) -> bool:
        return not self.active and self.done < self.all


@dataclass(frozen=True, slots=True)
class Lease:
    """The process that works on a run, its last heartbeat, and the seconds until the lease ends without another
    heartbeat."""

    writer: str
    renewed: datetime
    left: float


@dataclass(frozen=True, slots=True)
class PlannedScore:
    """One text on one dimension that still has to be scored; `again` if an earlier try failed."""

    id: int
    dimension: int
    text: int
    again: bool = False


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a planned score: its evaluation, or the kind of error and a message."""

    planned: PlannedScore
    evaluation: Evaluation | None = None
    error_kind: str = ""
    error: str = ""

    @property
    def status(self) -> ScoreStatus:
        return ScoreStatus.FAILED if self.error_kind else ScoreStatus.DONE

    @property
    def complete(self) -> bool:
        """Return whether the text was scored and no question needs to be asked again. Questions on which the judge said
        that it can't tell are settled."""
        found = self.evaluation
        return found is not None and (found.coverage >= 1 or found.settled)


@dataclass(frozen=True, slots=True)
class ScoredText:
    """A score with people's ratings of the same text. `human` is their mean, over `raters` raters."""

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
        """Return whether some of its questions have an answer and others have none."""
        return self.coverage is not None and 0 < self.coverage < 1

    @property
    def nothing_applies(self) -> bool:
        """Return whether it was scored but has no score, because no answered question applies to it."""
        return self.status is ScoreStatus.DONE and self.score is None and bool(self.coverage)

    def counts(self, include_partial: bool = False) -> bool:
        """Return whether figures use it: it has a score, from answers to every question unless `include_partial`.
        Methods without questions have no coverage, and count."""
        return self.score is not None and (include_partial or self.coverage in (None, 1))


@dataclass(frozen=True, slots=True)
class StageRun:
    """One model's work on one stage of the method, with input and output. `error_kind` is "" if it succeeded."""

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
