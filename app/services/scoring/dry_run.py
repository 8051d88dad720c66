"""Dry run of a method, with a judge who knows what was answered before and is silent about the rest."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from app.domain.run import RunDimension
from app.errors import ProviderError, UnsupportedError
from app.providers.base import ChatReply, ChatRequest, TokenLogprob, digest_of
from app.providers.registry import expects_logprobs
from app.services.runtime.judges import PromptSize
from app.services.runtime.workbench import Workbench
from app.services.scoring.evaluator_stages import DatabaseStages
from app.services.scoring.evaluators import build_evaluators, check_evaluator
from app.services.scoring.runs import RunOptions
from db.unit_of_work import UnitOfWork

TOKENS_OF_A_REPLY = 60  # between a bare score and a page of steps


@dataclass(frozen=True, slots=True)
class DryRun:
    """`calls` are all, `cached` those answered before; tokens are of the others.

    A request that rests on an answer nobody gave yet can't be written before the run: it is taken to be as long as the
    ones that can. `sizes` are those of the others where all can be written, else there are none.
    """

    calls: int
    cached: int
    input_tokens: int
    output_tokens: int
    sizes: tuple[PromptSize, ...] = ()


def dry_run(
    workbench: Workbench, project_id: int, options: RunOptions, plan: Sequence[RunDimension], judge: str
) -> DryRun:
    method_options = options.method_options()
    each = check_evaluator(options.evaluator).calls(method_options, expects_logprobs(judge))
    with workbench.database.read() as work:
        knowing = _Knowing(work, judge, options.model.effort, workbench.replies_of(project_id))
        stages = DatabaseStages(workbench.database)
        evaluators = build_evaluators(
            work, project_id, plan, options.evaluator, method_options, judge, options.seed, knowing, stages
        )

        async def run() -> int:
            calls = 0
            for part in plan:
                texts = work.every_text.many(part.texts).values()
                calls += each.of(texts)
                for text in texts:
                    with suppress(ProviderError):
                        await evaluators[part.dimension].score(text)
            return calls

        calls = asyncio.run(run())
    known = knowing.known if options.use_cache else {}
    new = max(calls - len(known), 0)
    sizes = [*knowing.missing.values(), *(() if options.use_cache else knowing.known.values())]
    mean = sum(size.read for size in sizes) / max(len(sizes), 1)
    all_written = knowing.asked == calls
    return DryRun(calls, calls - new, round(mean * new), TOKENS_OF_A_REPLY * new, tuple(sizes) if all_written else ())


class _Knowing:
    """Stands in the judge's place, under its name. Keeps each request once, as known or not.

    asked: how often it was asked."""

    is_llm = True

    def __init__(self, work: UnitOfWork, name: str, effort: str = "", only_project: int | None = None) -> None:
        self._work = work
        self._only_project = only_project
        self.name = name
        self.effort = effort
        self.known: dict[str, PromptSize] = {}
        self.missing: dict[str, PromptSize] = {}
        self.asked = 0

    async def complete(self, request: ChatRequest) -> ChatReply:
        digest = digest_of(request, self)
        call = self._work.calls.find(digest, project_id=self._only_project)
        size = PromptSize.of(request, TOKENS_OF_A_REPLY)
        self.asked += 1
        if call is None:
            self.missing[digest] = size
            raise UnsupportedError(f"{self.name} was not asked this before.")
        self.known[digest] = size
        logprobs = tuple(TokenLogprob(token, logprob, top) for token, logprob, top in call.logprobs)
        return ChatReply(call.reply, call.model, finish=call.finish, logprobs=logprobs, rationales=call.rationales)

    async def aclose(self) -> None:
        """Nothing is open."""
