"""A run in words, the same on every screen."""

from app.domain.condition import StudyCondition
from app.domain.run import ProviderBatch, RunStatus, RunSummary
from app.services.scoring.evaluators import NO_JUDGE
from app.services.scoring.scoring_jobs import FailureKind
from pages.components.shell import words as local_time
from pages.components.shell.guide import failure_address, guide_link
from pages.components.shell.runs.study_words import condition_words
from pages.components.shell.words import model_label, number, plain

STATES = {
    RunStatus.WAITING: "planned, not begun",
    RunStatus.RUNNING: "scoring",
    RunStatus.DONE: "done",
    RunStatus.STOPPED: "stopped",
    RunStatus.FAILED: "could not go on",
    RunStatus.INTERRUPTED: "interrupted",
}


def state(run: RunSummary) -> str:
    if run.status is RunStatus.DONE and run.failed:
        return f"done, {run.failed:,} failed"
    return STATES[run.status]


def started(run: RunSummary) -> str:
    return local_time.said(run.started)


def title(run: RunSummary) -> str:
    """Not escaped: Markdown takes it through plain()."""
    return f"Run {run.id} · {method(run)} · {', '.join(run.dimensions)}"


def short_title(run: RunSummary) -> str:
    return f"Run {run.id} · {method(run)}"


def with_version(run: RunSummary) -> str:
    """With the version of the checklist that it answers, where it answers one."""
    versions = sorted(set(run.versions.values()))
    if not versions:
        return short_title(run)
    return f"{short_title(run)} · version{'s' if len(versions) > 1 else ''} {', '.join(map(str, versions))}"


def method(run: RunSummary) -> str:
    """The evaluator and its judge, where it asks one."""
    return way(run) if run.judge == NO_JUDGE else f"{way(run)} · {model_label(run.judge)}"


def way(run: RunSummary) -> str:
    """The evaluator; where a study of conditions or a comparison of ways of asking asked it, for which of them."""
    if run.asking_way:
        return f"{run.evaluator} · compared: {run.asking_way.words}"
    if run.anchors:
        return f"{run.evaluator} · anchors"
    if not run.study:
        return f"{run.evaluator} · trial on {number(run.texts, 'text')}" if run.drawn else run.evaluator
    trial = f", trial {run.trial}" if run.trial else ""
    return f"{run.evaluator} · condition: {condition_words(StudyCondition.parse(run.study))}{trial}"


def at_provider(there: tuple[int, int, ProviderBatch]) -> str:
    """How much of a run's batches is back; as out_now says it."""
    answered, requests, first = there
    since = f" since {local_time.said(first.out_at)}" if first.out_at else ""
    return f"At the provider{since}, {answered:,} of {requests:,} back"


def paid_twice(run: RunSummary) -> str:
    return f"May have been paid twice: {number(run.maybe_paid_twice, 'call')}, under way when a program ended"


def failure_words(failure: FailureKind) -> str:
    """Why texts of a run failed, in Markdown; the kind leads to its paragraph in the guide."""
    kind = guide_link(failure_address(failure.kind), plain(failure.kind))
    return f"{failure.count:,} × {kind}: {plain(failure.sentence)}"
