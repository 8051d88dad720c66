"""Recordings: a run's calls as a file, from which the model `replay:` answers again without a network.

Since a run reuses cached replies, its own calls in the ledger may be only a part of what its scores rest on. A
recording therefore holds the calls made for the run, and every further reply that scoring its texts again finds in the
ledger. If a request was answered more than once, the run's own last answer counts, else the newest. Requests are built
from the project's present state: for texts or wordings changed since, only the run's own calls are found.
"""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from app.domain.model_call import RecordedCall
from app.domain.roles_and_rights import Right
from app.domain.run import RunSummary, ScoreStatus
from app.errors import NotReadyError, ProviderError, UnsupportedError
from app.evaluators.method import NullStages
from app.providers.adapters.replay import recording_lines, write_recording
from app.providers.base import ChatReply, ChatRequest
from app.providers.model_name import parse_model_name
from app.providers.recorded import RecordedModel
from app.providers.specs import spec_of
from app.services.runtime.output_file import output_file
from app.services.runtime.prompts import own_wordings_of_run
from app.services.runtime.workbench import Workbench, use_case
from app.services.scoring.evaluators import NO_JUDGE, evaluators_of
from app.services.scoring.run_labels import logprobs_known
from app.services.scoring.runs import get_run, list_runs
from app.settings import settings
from db.unit_of_work import UnitOfWork


@use_case(Right.SERVE)
def recordable_runs(workbench: Workbench) -> list[RunSummary]:
    """Return the runs whose judge was called over a network and answered at least once, newest first."""
    return [run for run in list_runs(workbench, anchors=True) if run.done and _called(run.judge)]


@use_case(Right.FACILITATE)
def record_run(workbench: Workbench, run_id: int, path: Path) -> int:
    """Write the run's recording; returns how many calls it holds.

    Raises NotFoundError, NotReadyError, and InputError if the file can't be written.
    """
    calls = recorded_calls(workbench, run_id)
    with output_file(path) as file:
        return write_recording(file, calls)


@use_case(Right.SERVE)
def write_recording_file(workbench: Workbench, run_id: int) -> str:
    """Write the run's recording into the folder where it can be named without a path in all projects; returns the name
    of the model that replays it.

    Raises what `record_run` raises.
    """
    path = settings().replays / f"run-{run_id}-calls.jsonl"
    record_run(workbench, run_id, path)
    return f"replay:{path.name}"


@use_case(Right.READ)
def recording_of(workbench: Workbench, run_id: int) -> bytes:
    """Return the run's recording as the content of a file. Raises NotFoundError or NotReadyError."""
    return "".join(recording_lines(recorded_calls(workbench, run_id))).encode()


def recorded_calls(workbench: Workbench, run_id: int) -> list[RecordedCall]:
    """Return one call for each request the run's scores rest on; failed ones if no answer came.

    Raises NotFoundError; NotReadyError if the judge needs no recording or nothing was called.
    """
    run = get_run(workbench, run_id)
    if not _called(run.judge):
        raise NotReadyError(
            f"Run {run_id} was judged by {run.judge}, which calls no provider and answers the same again.",
            "Recordings are made of runs whose judge is an LLM.",
        )
    with workbench.database.read() as work:
        ledger = _LedgerOnly(work, run, workbench.replies_of(work.runs.project_of(run_id)))
        with own_wordings_of_run(workbench, work.runs.project_of(run_id), run):
            asyncio.run(_score_again(work, run, ledger))
    if not ledger.calls:
        raise NotReadyError(f"Run {run_id} has called nothing yet.", "Score some texts first.")
    return list(ledger.calls.values())


def _called(judge: str) -> bool:
    return judge != NO_JUDGE and spec_of(parse_model_name(judge).provider).speaks_http


class _LedgerOnly:
    """A ledger for reading that remembers the calls found in it: `calls`, by digest. It begins with the calls of one
    run."""

    def __init__(self, work: UnitOfWork, run: RunSummary, only_project: int | None) -> None:
        self._work = work
        self._only_project = only_project
        own = work.calls.of_run(run.id)
        failed = {call.digest: call for call in own if call.error_kind}
        self.calls = failed | {call.digest: call for call in own if not call.error_kind}

    async def find(self, digest: str, usable: bool = False) -> RecordedCall | None:
        """Return the recorded call, even a useless reply, because a score may rest on it; None without one."""
        call = self.calls.get(digest)
        if call is None or call.error_kind:
            call = self._work.calls.find(digest, project_id=self._only_project)
            if call is not None:
                self.calls[digest] = call
        return call

    async def intend(self, digest: str, run: int) -> str:
        """Do nothing: no request is sent."""
        return ""

    async def withdraw(self, key: str) -> None:
        """Do nothing: no request was intended."""

    async def add(self, call: RecordedCall, key: str = "") -> None:
        """Do nothing: a request without a recorded answer shows only that there is none."""

    async def discard(self, digests: Sequence[str]) -> None:
        """Do nothing: the ledger is only read."""

    async def look_again(self) -> None:
        """Do nothing: no calls are added meanwhile."""

    async def note_use(self, digest: str, project: int) -> None:
        """Do nothing: the ledger is only read."""


class _NoAnswerModel:
    """A stand-in for the judge, with its name, that answers nothing."""

    is_llm = True

    def __init__(self, name: str) -> None:
        self.name = name

    async def complete(self, request: ChatRequest) -> ChatReply:
        raise UnsupportedError(f"{self.name} is not asked again.")

    async def aclose(self) -> None:
        """Do nothing: there is no connection."""


async def _score_again(work: UnitOfWork, run: RunSummary, ledger: _LedgerOnly) -> None:
    """Let the run's evaluators ask for everything again, re-asks included, answered by the ledger only."""
    model = RecordedModel(_NoAnswerModel(str(parse_model_name(run.judge))), ledger)
    (evaluators,) = evaluators_of(work, run, (model,), NullStages(), logprobs_known(run))
    for dimension, evaluator in evaluators.items():
        tried = [
            row.text for row in work.every_result.scored(run.id, dimension) if row.status is not ScoreStatus.PENDING
        ]
        for text in work.every_text.many(tried).values():
            with suppress(ProviderError):  # failed then, or a request whose words have changed since
                await evaluator.score(text)
