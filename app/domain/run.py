"""Scoring runs: what was asked how, by which calls, with which answers."""

from array import array
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, Literal, Protocol, TypeVar

from app.domain.judgment import Answer, Evaluation
from app.errors import InputError


@dataclass(frozen=True, slots=True)
class RenderedPrompt:
    """`system` holds the part that stays the same from text to text (providers cache it), `user` the rest.

    `variables` are the values it was rendered from: a model that is no LLM reads them instead of prose.
    `digest` is the content hash of the template, so a reply can be traced to the exact wording. `own` is the number
    of a project's own wording, 0 for the built-in one.
    """

    name: str
    version: int
    digest: str
    system: str
    user: str
    variables: Mapping[str, Any]
    own: int = 0

    @property
    def label(self) -> str:
        return prompt_label(self.name, self.version, self.own)


@dataclass(frozen=True, slots=True)
class OwnPrompt:
    """A project's own wording of a prompt: the whole prompt file as text. The one in use counts, if any."""

    name: str
    number: int
    source: str
    digest: str
    in_use: bool
    created_at: datetime


def prompt_label(name: str, version: int, own: int) -> str:
    """As stored with every output: name@version of the built-in prompt, +ownN where a project worded it anew."""
    return f"{name}@{version}" + (f"+own{own}" if own else "")


ANSWERS = tuple(Answer)
"""What the numbers in `answers` stand for."""


RULES_LABEL = "rules, not an LLM"


def model_label(name: str) -> str:
    """A model's name as shown everywhere; what is no LLM says so. Several names with commas are labelled one by one."""
    if ", " in name:
        return ", ".join(map(model_label, name.split(", ")))
    if name == "rules":
        return RULES_LABEL
    if name == "none":
        return "–"
    return f"{name} (recorded answers)" if name.startswith("replay:") else name


def _numbers() -> "array[int]":
    return array("q")


def _small_numbers() -> "array[int]":
    return array("b")


WARN_AFTER = 10
"""Texts after which answers that don't depend on the text are warned about, where nobody chose another number."""


@dataclass(frozen=True, slots=True, eq=False)
class RunAnswers:
    """Columns of one length, a place for each answer, in the order in which they were given.

    `texts` and `questions` are ids (64 bits), `repeats` count from 0 (64 bits), `answers` are places in ANSWERS (8
    bits). numpy reads each as an array without a copy.
    """

    texts: "array[int]" = field(default_factory=_numbers)
    repeats: "array[int]" = field(default_factory=_numbers)
    questions: "array[int]" = field(default_factory=_numbers)
    answers: "array[int]" = field(default_factory=_small_numbers)


class _OfSystem(Protocol):
    @property
    def system_id(self) -> str: ...


OfSystem = TypeVar("OfSystem", bound=_OfSystem)


@dataclass(frozen=True, slots=True)
class SystemChoice:
    """Whose texts are scored or compared: those of `only`, or all if it is empty, but for those of `without`."""

    only: tuple[str, ...] = ()
    without: tuple[str, ...] = ()

    def of(self, texts: Sequence[OfSystem]) -> list[OfSystem]:
        """The texts of these systems, in their order."""
        only, without = set(self.only), set(self.without)
        return [text for text in texts if text.system_id not in without and (not only or text.system_id in only)]

    def check(self, there: Collection[str]) -> None:
        """Raises InputError for a name that isn't among these systems, and where none of them is left."""
        if unknown := [name for name in (*self.only, *self.without) if name not in there]:
            known = ", ".join(sorted(filter(None, there))[:20]) or "none"
            raise InputError(f"No text here is by the system “{unknown[0]}”.", f"Systems of these texts: {known}.")
        if self != EVERY_SYSTEM and not (set(self.only) or set(there)) - set(self.without):
            raise InputError("Every system is left out, so no text is left.", "Leave out fewer of them.")

    def params(self) -> dict[str, Any]:
        """As stored with a run."""
        lists = {"systems": list(self.only), "without_systems": list(self.without)}
        return {name: names for name, names in lists.items() if names}

    @property
    def words(self) -> tuple[str, ...]:
        """As labels and signatures have it: ("system=A", "without=B")."""
        return (*(f"system={name}" for name in self.only), *(f"without={name}" for name in self.without))


EVERY_SYSTEM = SystemChoice()


@dataclass(frozen=True, slots=True)
class TextFilter:
    """Which texts a run scores. new: those alone that no run of the same method, judge and checklist has scored. since:
    those that came in then or later. matching: (a part of a text's name or a column of its file, a pattern with * and
    ?), all of which have to fit."""

    new: bool = False
    since: datetime | None = None
    matching: tuple[tuple[str, str], ...] = ()

    def params(self) -> dict[str, Any]:
        """As stored with a run."""
        return {
            **({"new": True} if self.new else {}),
            **({"since": self.since.isoformat()} if self.since else {}),
            **({"matching": [list(pair) for pair in self.matching]} if self.matching else {}),
        }

    @classmethod
    def of_run(cls, params: Mapping[str, Any]) -> "TextFilter":
        """Return the filter stored with a run."""
        since = params.get("since")
        matching = tuple((str(name), str(pattern)) for name, pattern in params.get("matching", ()))
        return cls(bool(params.get("new")), datetime.fromisoformat(since) if since else None, matching)

    @property
    def words(self) -> tuple[str, ...]:
        """As labels and signatures have it: ("new", "since=2026-11-26", "doc_id=night-*")."""
        since = (f"since={self.since.date().isoformat()}",) if self.since else ()
        return (*(("new",) if self.new else ()), *since, *(f"{name}={pattern}" for name, pattern in self.matching))


EVERY_TEXT = TextFilter()


class AskingWay(StrEnum):
    """In the order in which they are asked and shown."""

    TOGETHER = "together"
    ALONE = "alone"
    REVERSED = "reversed"

    @property
    def words(self) -> str:
        """In the middle of a sentence or label."""
        match self:
            case AskingWay.TOGETHER:
                return "all questions in one call"
            case AskingWay.ALONE:
                return "one call for each question"
            case AskingWay.REVERSED:
                return "one call, last question first"


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
    def systems(self) -> SystemChoice:
        """The systems whose texts it scores."""
        return SystemChoice(*(tuple(self.params.get(name, ())) for name in ("systems", "without_systems")))

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


class BatchStatus(StrEnum):
    """INTENDED: about to be handed in, and perhaps it was. OUT: at the provider. CANCELLED: cancelled there, and not
    collected yet. COLLECTED: its answers are in the ledger. NOTHING: it never was, or nothing came of it."""

    INTENDED = "intended"
    OUT = "at the provider"
    CANCELLED = "cancelled"
    COLLECTED = "collected"
    NOTHING = "nothing came of it"


OPEN = (BatchStatus.INTENDED, BatchStatus.OUT, BatchStatus.CANCELLED)


@dataclass(frozen=True, slots=True)
class ProviderBatch:
    """`run` is None where it is for a model's think-alouds. `token` is what it can be found by where the program ended
    before its handle was known: `handle` is "". `requests` went in, `answered` of them are through as far as seen."""

    id: int
    run: int | None
    token: str
    handle: str
    status: BatchStatus
    requests: int
    answered: int
    intended_at: datetime
    out_at: datetime | None = None
    model: str = ""
    effort: str = ""


Finish = Literal["stop", "length", "refused"]


@dataclass(frozen=True, slots=True)
class CallIntent:
    """A request of a run that is about to be sent. `key` is like no other; the vendor gets it as idempotency key."""

    key: str
    digest: str
    run: int


@dataclass(frozen=True, slots=True)
class RecordedCall:
    """`cost_usd` is None where the price is unknown, or what the reply took; `error_kind` is "" where a reply came, and
    what failed without being billed cost 0.

    Of the input, `cached_tokens` were read from the provider's prompt cache and `cache_write_tokens` written to it.
    `project` is whom it was asked for, `run` the scoring run where it was one; None for a test of the connection.
    `person` is who asked; None for the server's owner, and for nobody any more.
    `logprobs` holds [token, log-probability, {alternative: log-probability}] for each token of the reply.
    """

    digest: str
    model: str
    prompt: str
    prompt_digest: str
    reply: str = ""
    rationales: Mapping[str, str] = field(default_factory=dict)
    logprobs: Sequence[Any] = ()
    finish: Finish = "stop"
    input_tokens: int = 0
    cached_tokens: int = 0
    output_tokens: int = 0
    cache_write_tokens: int = 0
    cost_usd: float | None = None
    seconds: float = 0.0
    error_kind: str = ""
    run: int | None = None
    project: int | None = None
    person: int | None = None
