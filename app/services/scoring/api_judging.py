"""Texts that another program sends over HTTP, judged with a project's published checklist within a token's budget."""

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import Any

from app.domain.checklist import Checklist, ChecklistStatus, Question
from app.domain.checklist_score import Evaluation
from app.domain.project import Dimension, Project, Text
from app.domain.roles_and_rights import Right
from app.domain.run import RunSummary
from app.errors import BudgetError, InputError, NotFoundError, ProviderError
from app.evaluators.checklist import INCONSISTENT, METHOD, PLAIN, WEIGHTED, ChecklistEvaluator, JudgeOptions
from app.evaluators.method import gather_all
from app.providers.adapters.request_style import START
from app.providers.base import spending_by_text
from app.providers.budget import TokenBudget
from app.providers.known_prices import known_prices, today
from app.providers.model_name import parse_model_name
from app.providers.model_options import USUAL, ModelOptions
from app.providers.pricing import FLEX, STANDARD
from app.providers.recorded import RecordedModel, Tally
from app.providers.specs import spec_of
from app.services.runtime.judges import check_wishes, judge_named
from app.services.runtime.models import model_session
from app.services.runtime.prompts import own_wordings, own_wordings_of_run
from app.services.runtime.workbench import Workbench, use_case
from app.services.scoring.evaluators import options_of
from app.services.scoring.judged_texts import JudgedText, judged_answer, mean_score
from app.services.scoring.run_worker import runs_are_ending

ANSWER_SHARE = 4
"""An answer may cost at most 1 / 4 of what is left, so that one request doesn't reserve a small budget alone."""
LEAST_ROOM = 1_024
"""Tokens that an answer may always have."""
LOOK_SECONDS = 0.2


@dataclass(frozen=True, slots=True)
class JudgedByProject:
    """The results, in the order asked for. `calls` were paid and cost `cost_usd`, None if unknown; `calls_cached` were
    cached."""

    project: str
    dimension: str
    version: int
    judge: str
    texts: tuple[JudgedText, ...]
    calls: int
    calls_cached: int
    cost_usd: float | None

    def to_json(self) -> dict[str, Any]:
        return {
            "project": self.project,
            "checklist": {"dimension": self.dimension, "version": self.version},
            "judge": self.judge,
            "texts": [text.to_json() for text in self.texts],
            "mean": mean_score(self.texts),
            "cost_usd": self.cost_usd,
            "calls": self.calls,
            "calls_cached": self.calls_cached,
        }


@dataclass(frozen=True, slots=True)
class _Asked:
    """The checklist and judge that texts are judged with. run: the one whose options are used, None without one."""

    project: Project
    dimension: Dimension
    checklist: Checklist
    judge: str
    run: RunSummary | None

    @property
    def options(self) -> JudgeOptions:
        chosen = options_of(METHOD, self.run.params) if self.run else PLAIN
        assert isinstance(chosen, JudgeOptions)
        return chosen

    @property
    def model(self) -> ModelOptions:
        return ModelOptions.of_run(self.run.params) if self.run else USUAL


@use_case(Right.READ)
def judge_with_published(
    workbench: Workbench,
    dimension_id: int,
    texts: Sequence[Text],
    budget: TokenBudget,
    version: int | None = None,
    judge: str = "",
    seconds: float = inf,
) -> JudgedByProject:
    """Judge each text as in the newest run with this published checklist and judge.

    version: by default the newest. judge: provider:name, by default the newest run's. seconds: time limit for new
    requests; requests in flight are waited for. Raises NotFoundError without such a checklist, InputError if no judge
    is named and there is no run, what opening the judge raises, and an error of the judge if no text could be judged.
    """
    asked = _as_newest_run(workbench, dimension_id, version, judge)
    check_wishes(judge_named(workbench, asked.judge), asked.options, None)
    run, project_id = asked.run, asked.project.id
    texts = [replace(text, id=number) for number, text in enumerate(texts, start=1)]
    with (
        own_wordings_of_run(workbench, project_id, run) if run else own_wordings(workbench, project_id),
        spending_by_text() as paid,
    ):
        scores, tally, model = asyncio.run(_scores(workbench, asked, texts, budget, seconds))
    errors = [score for score in scores if isinstance(score, ProviderError)]
    if errors and len(errors) == len(scores):
        raise errors[0]
    return JudgedByProject(
        asked.project.name,
        asked.dimension.name,
        asked.checklist.version,
        model,
        tuple(
            replace(_with_answers(text, score, asked.checklist.asked), cost_usd=paid.get(text.id, 0.0))
            for text, score in zip(texts, scores, strict=True)
        ),
        tally.calls,
        tally.cached,
        tally.cost_usd,
    )


def _as_newest_run(workbench: Workbench, dimension_id: int, version: int | None, judge: str) -> _Asked:
    with workbench.database.read() as work:
        project, dimension = work.projects.project_of(dimension_id), work.projects.dimension_by_id(dimension_id)
        checklist = work.checklists.find(dimension_id, version, ChecklistStatus.PUBLISHED)
        runs = work.runs.all(project.id)
    if checklist is None:
        what = "no published checklist" if version is None else f"no published checklist version {version}"
        raise NotFoundError(f"{dimension.name} has {what}.", "Publish one first.")
    name = str(parse_model_name(judge)) if judge else ""
    alike = (
        run
        for run in runs
        if run.evaluator == METHOD.name
        and run.versions.get(dimension.name) == checklist.version
        and not (run.apart or run.from_file)
        and name in ("", str(parse_model_name(run.judge)))
    )
    found = next(alike, None)
    if found is None and not name:
        raise InputError("No judge is named, and no run has used this checklist yet.", "Name a judge: provider:name.")
    return _Asked(project, dimension, checklist, judge or (found.judge if found else ""), found)


async def _scores(
    workbench: Workbench, asked: _Asked, texts: Sequence[Text], budget: TokenBudget, seconds: float
) -> tuple[list[Evaluation | ProviderError], Tally, str]:
    """Return each text's score or error, the questions asked, and the judge's full name."""
    options, limit = await asyncio.to_thread(_within, asked, budget)
    options = replace(options, timeout=min(options.timeout, seconds))
    async with model_session(
        workbench, asked.judge, project=asked.project.id, options=options, token_budget=limit
    ) as model:
        evaluator = ChecklistEvaluator(model, asked.project.task, asked.dimension, asked.checklist, asked.options)

        async def score(text: Text) -> Evaluation | ProviderError:
            try:
                return await evaluator.score(text)
            except ProviderError as error:
                return error

        end = asyncio.create_task(_stop_in_time(model, seconds))
        try:
            return await gather_all(score(text) for text in texts), model.tally, model.name
        finally:
            end.cancel()


async def _stop_in_time(model: RecordedModel, seconds: float) -> None:
    """Stop new requests after so many seconds, or once this process ends."""
    end = time.monotonic() + seconds
    while time.monotonic() < end and not runs_are_ending():
        await asyncio.sleep(LOOK_SECONDS)
    model.stop()


def _within(asked: _Asked, budget: TokenBudget) -> tuple[ModelOptions, TokenBudget | None]:
    """Return options that limit the cost of an answer, and the budget to reserve it in; None for a free judge. Raises
    BudgetError for an unknown price."""
    options, provider = asked.model, spec_of(parse_model_name(asked.judge).provider)
    price = known_prices().of(str(parse_model_name(asked.judge)), today(), FLEX if options.tier == FLEX else STANDARD)
    if price is None and provider.needs_key:
        raise BudgetError(f"The price of {asked.judge} is unknown, so no budget can be kept.", "Name another judge.")
    if price is None or price.free:
        return options, None
    room = int(budget.left() / ANSWER_SHARE * 1e6 / price.output) if price.output else START
    return replace(options, max_output_tokens=min(options.max_output_tokens or START, max(room, LEAST_ROOM))), budget


def _with_answers(text: Text, score: Evaluation | ProviderError, questions: Sequence[Question]) -> JudgedText:
    if isinstance(score, ProviderError):
        return JudgedText(text.item_id, None, None, (), error=str(score))
    places = {question.id: number for number, question in enumerate(questions, start=1)}
    answers = tuple(judged_answer(judgment, places, questions, text) for judgment in score.judgments)
    found = score.details
    return JudgedText(
        text.item_id, score.value, score.coverage, answers, found.get(WEIGHTED), "", found.get(INCONSISTENT, 0)
    )
