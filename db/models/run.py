"""Tables of runs, calls, batches, drift anchors and the held-out split."""

from datetime import datetime
from typing import Any

from sqlalchemy import Index, UniqueConstraint
from sqlmodel import Field, SQLModel

from db.models.columns import NumberedRow, json_column, now, owned_by, refers_to, text_column, time_column


class StageRunRow(NumberedRow, table=True):
    """One model's work on one stage: think-aloud, components ... validation. Stored completely, failures too."""

    __tablename__ = "stage_run"

    dimension_id: int = Field(sa_column=owned_by("dimension.id"))
    checklist_id: int | None = Field(default=None, sa_column=refers_to("checklist.id"))
    stage: str
    model: str
    prompt: str = ""
    prompt_digest: str = ""
    inputs_digest: str = ""
    inputs: dict[str, Any] = Field(default_factory=dict, sa_column=json_column())
    output: str = Field(default="", sa_column=text_column())
    input_tokens: int = 0
    cached_tokens: int = 0
    output_tokens: int = 0
    error_kind: str = ""
    error: str = Field(default="", sa_column=text_column())
    created_at: datetime = Field(default_factory=now, sa_column=time_column())


class ScoringRunRow(NumberedRow, table=True):
    """A scoring run. `writer` names the process that works on it, `heartbeat_at` is its last heartbeat. `calls_cached`
    counts requests answered from the ledger at no cost, `retries` those sent again, and `maybe_paid_twice` those in
    flight when their process ended, so that nobody knows whether they were paid."""

    __tablename__ = "scoring_run"

    project_id: int = Field(sa_column=owned_by("project.id"))
    evaluator: str
    judge: str
    params: dict[str, Any] = Field(default_factory=dict, sa_column=json_column())
    status: str = "waiting"
    message: str = Field(default="", sa_column=text_column())
    writer: str = ""
    stop_requested: bool = False
    calls_cached: int = 0
    retries: int = 0
    maybe_paid_twice: int = 0
    heartbeat_at: datetime | None = Field(default=None, sa_column=time_column(nullable=True))
    started_at: datetime = Field(default_factory=now, sa_column=time_column())
    finished_at: datetime | None = Field(default=None, sa_column=time_column(nullable=True))


class RunDimensionRow(NumberedRow, table=True):
    """A dimension a run scores, with its checklist and the documents left out."""

    __tablename__ = "run_dimension"
    __table_args__ = (UniqueConstraint("run_id", "dimension_id"),)

    run_id: int = Field(sa_column=owned_by("scoring_run.id"))
    dimension_id: int = Field(sa_column=owned_by("dimension.id"))
    checklist_id: int | None = Field(default=None, sa_column=refers_to("checklist.id"))
    prompt_digest: str = ""
    excluded_docs: list[str] = Field(default_factory=list, sa_column=json_column())
    excluded_texts: list[int] = Field(default_factory=list, sa_column=json_column())


class ScoreRow(NumberedRow, table=True):
    """One text on one dimension: planned as pending, then done or failed with the kind of error."""

    __tablename__ = "score"
    # The second for how far runs are, which is asked every second: counted without looking at the scores themselves.
    __table_args__ = (UniqueConstraint("run_id", "dimension_id", "text_id"), Index(None, "run_id", "status"))

    run_id: int = Field(sa_column=owned_by("scoring_run.id"))
    dimension_id: int = Field(sa_column=owned_by("dimension.id"))
    text_id: int = Field(sa_column=owned_by("text.id"))
    status: str = "pending"
    value: float | None = None
    soft_value: float | None = None
    details: dict[str, Any] = Field(default_factory=dict, sa_column=json_column())
    coverage: float | None = None
    error_kind: str = ""
    error: str = Field(default="", sa_column=text_column())


class JudgmentRow(NumberedRow, table=True):
    """One answer of a judge. `origin_run_id` is the earlier run that asked, if its answer was taken over.
    `cannot_tell`: unanswered because the judge said that it can't tell. `quote`: as the judge gave it, located when it
    is shown."""

    __tablename__ = "judgment"
    __table_args__ = (UniqueConstraint("score_id", "question_id", "repeat"),)

    score_id: int = Field(sa_column=owned_by("score.id"))
    question_id: int = Field(sa_column=owned_by("question.id"))
    repeat: int = 0
    answer: str
    cannot_tell: bool = False
    p_yes: float | None = None
    origin_run_id: int | None = Field(default=None, sa_column=refers_to("scoring_run.id"))
    rationale: str = Field(default="", sa_column=text_column())
    quote: str = Field(default="", sa_column=text_column())


class ModelCallRow(NumberedRow, table=True):
    """Every call that reached a model: the cache (by request digest) and the ledger (what it cost).

    `usable` is False for a reply that could not be read: a retry asks again. `person_id` is who asked, empty for the
    server's owner and once the person is deleted.
    """

    __tablename__ = "model_call"

    digest: str = Field(index=True)
    model: str
    prompt: str = ""
    prompt_digest: str = ""
    reply: str = Field(default="", sa_column=text_column())
    rationales: dict[str, str] = Field(default_factory=dict, sa_column=json_column())
    logprobs: list[Any] = Field(default_factory=list, sa_column=json_column())
    finish: str = "stop"
    input_tokens: int = 0
    cached_tokens: int = 0
    output_tokens: int = 0
    cache_write_tokens: int = 0
    cost_usd: float | None = None
    seconds: float = 0.0
    error_kind: str = ""
    usable: bool = True
    run_id: int | None = Field(default=None, sa_column=refers_to("scoring_run.id"))
    project_id: int | None = Field(default=None, sa_column=refers_to("project.id"))
    person_id: int | None = Field(default=None, sa_column=refers_to("person.id"))
    created_at: datetime = Field(default_factory=now, sa_column=time_column())


class CallIntentRow(SQLModel, table=True):
    """A request of a run, written before it is sent and deleted with its reply: a remaining one may have been paid.
    `counted`: whether it is in the run's `maybe_paid_twice`."""

    __tablename__ = "call_intent"

    id: str = Field(primary_key=True)
    digest: str
    counted: bool = False
    run_id: int = Field(sa_column=owned_by("scoring_run.id"))


class CallUseRow(NumberedRow, table=True):
    """A project's use of a reply that another project paid for."""

    __tablename__ = "call_use"

    digest: str = Field(index=True)
    project_id: int = Field(sa_column=owned_by("project.id"))


class ProviderBatchRow(NumberedRow, table=True):
    __tablename__ = "provider_batch"

    project_id: int = Field(sa_column=owned_by("project.id"))
    run_id: int | None = Field(default=None, sa_column=owned_by("scoring_run.id", nullable=True))
    model: str = ""
    effort: str = ""
    token: str
    handle: str = ""
    status: str
    requests: int
    answered: int = 0
    intended_at: datetime = Field(default_factory=now, sa_column=time_column())
    out_at: datetime | None = Field(default=None, sa_column=time_column(nullable=True))


class AnchorSetRow(NumberedRow, table=True):
    """A set of anchors. `answers` are (text id, question id, answer) by the experts' majority when they were frozen;
    `digest` is over them and everything that a judge is asked about them."""

    __tablename__ = "anchor_set"

    dimension_id: int = Field(sa_column=owned_by("dimension.id"))
    checklist_id: int = Field(sa_column=owned_by("checklist.id"))
    texts: list[int] = Field(default_factory=list, sa_column=json_column())
    answers: list[Any] = Field(default_factory=list, sa_column=json_column())
    digest: str
    frozen_by: str
    frozen_at: datetime = Field(default_factory=now, sa_column=time_column())


class AnchorLookRow(NumberedRow, table=True):
    """One look at `judge`'s answers to the anchors, compared with the reference of the judge `against`. `figures` and
    `verdict` are empty until it is done, and for a reference, which looks are compared with."""

    __tablename__ = "anchor_look"

    set_id: int = Field(sa_column=owned_by("anchor_set.id"))
    run_id: int = Field(sa_column=owned_by("scoring_run.id"))
    judge: str
    against: str
    is_reference: bool = False
    figures: dict[str, Any] = Field(default_factory=dict, sa_column=json_column())
    verdict: str = ""
    looked_at: datetime = Field(default_factory=now, sa_column=time_column())


class HeldOutSplitRow(NumberedRow, table=True):
    """A held-out split. `opened_at` is empty while it is locked. An opened one stays, with its documents and looks."""

    __tablename__ = "locked_split"

    project_id: int = Field(sa_column=owned_by("project.id"))
    share: float
    seed: int
    locked_by: str
    locked_at: datetime = Field(default_factory=now, sa_column=time_column())
    opened_by: str = ""
    opened_at: datetime | None = Field(default=None, sa_column=time_column(nullable=True))


class HeldOutDocumentRow(NumberedRow, table=True):
    """A locked document, by its name: texts imported later for it are locked too."""

    __tablename__ = "locked_document"
    __table_args__ = (UniqueConstraint("split_id", "doc_id"),)

    split_id: int = Field(sa_column=owned_by("locked_split.id"))
    doc_id: str


class HeldOutLookRow(NumberedRow, table=True):
    """One deliberate look at results on the locked texts; `runs` are the numbers of the runs looked at."""

    __tablename__ = "locked_look"

    split_id: int = Field(sa_column=owned_by("locked_split.id"))
    who: str
    runs: list[Any] = Field(default_factory=list, sa_column=json_column())
    looked_at: datetime = Field(default_factory=now, sa_column=time_column())
