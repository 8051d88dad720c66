"""Judging texts with a checklist, outside of a project's runs.

With a checklist file the texts are judged in a separate database. The engine is that of every run: each reply is
stored, so the same command asks only for what is missing, and collects open batches. With a project's published
checklist the judge is asked as in the project's newest run; the texts aren't stored, and the cost is in the project's
ledger.
"""

import asyncio
import hashlib
import json
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from math import inf
from pathlib import Path, PurePath
from statistics import fmean
from tempfile import TemporaryDirectory
from typing import Any

from app.corpora.corpus import Corpus, CorpusText, SkippedRow
from app.corpora.formats.registry import KNOWN_FORMATS
from app.corpora.mapping import NO_RATINGS, ColumnMapping
from app.corpora.reading import detect_format, open_corpus
from app.domain.checklist import Checklist, ChecklistStatus, Question
from app.domain.checklist_score import Answer, Evaluation, Judgment
from app.domain.project import Dimension, Project, Task, Text
from app.domain.quotes import find_quote
from app.domain.roles_and_rights import Right
from app.domain.run import RunSummary, ScoreStatus
from app.errors import BudgetError, InputError, NotFoundError, ProviderError, WorkbenchError
from app.evaluators.checklist import INCONSISTENT, METHOD, PLAIN, WEIGHTED, ChecklistEvaluator, JudgeOptions
from app.evaluators.method import gather_all
from app.limits import CONCURRENCY
from app.providers.adapters.request_style import START
from app.providers.base import spending_by_text
from app.providers.budget import TokenBudget
from app.providers.credentials import Credentials
from app.providers.known_prices import known_prices, today
from app.providers.model_name import parse_model_name
from app.providers.model_options import USUAL, ModelOptions
from app.providers.pricing import FLEX, STANDARD
from app.providers.recorded import RecordedModel, Tally
from app.providers.specs import spec_of
from app.services.checklists.checklist_files import checklist_settings, import_checklist
from app.services.checklists.checklists import publish
from app.services.data.imports import store_corpus
from app.services.data.projects import create_project, delete_project
from app.services.runtime.judges import check_wishes, judge_named
from app.services.runtime.models import model_session
from app.services.runtime.prompts import own_wordings, own_wordings_of_run
from app.services.runtime.spending import run_spending
from app.services.runtime.workbench import Workbench, use_case
from app.services.scoring.evaluators import options_of
from app.services.scoring.run_worker import OnProgress, runs_are_ending
from app.services.scoring.runs import RunOptions, RunReport, get_run, list_runs, set_budget, start_run, work_on
from app.settings import settings
from db.engine import sqlite_file
from db.unit_of_work import Database, UnitOfWork


@dataclass(frozen=True, slots=True)
class TextFile:
    """The texts of a file, in order. `left_out`: rows without a text, and repeated ones."""

    texts: tuple[Text, ...]
    left_out: tuple[SkippedRow, ...] = ()


def read_texts(path: Path, format_name: str = "auto", maps: Sequence[str] = ()) -> TextFile:
    """Read the texts of a file, without ratings. maps: columns, as `FIELD=COLUMN`. Raises what reading a corpus
    raises."""
    known = format_name if format_name != "auto" or maps else detect_format(path)
    mapping = None if known in KNOWN_FORMATS and not maps else ColumnMapping.parse(maps, [NO_RATINGS])
    corpus = open_corpus(path, format_name, mapping)
    texts = tuple(item.text for item in corpus.read())
    return TextFile(texts, tuple(corpus.left_out()))


@dataclass(frozen=True, slots=True)
class Judging:
    """The options for judging texts, and the gates they must pass. judge: provider:name. settings: options of a
    checklist's method, as written. budget: US dollars, None for no limit. batch: as in RunOptions.

    fail_under: minimal mean score. required: numbers or wordings of questions that every text must pass (yes, or no if
    a yes costs the point) unless they don't apply.
    """

    judge: str
    settings: tuple[tuple[str, str], ...] = ()
    fail_under: float | None = None
    required: tuple[str, ...] = ()
    budget: float | None = None
    model: ModelOptions = USUAL
    batch: str = ""
    concurrency: int = CONCURRENCY


@dataclass(frozen=True, slots=True)
class JudgedAnswer:
    """An answer about a text. `number` is the question's, from 1. `quote_found`: whether the quote is in the text or
    its source, None without a quote."""

    number: int
    question: str
    answer: Answer
    reason: str
    quote: str
    quote_found: bool | None
    must_not: bool = False

    def to_json(self) -> dict[str, Any]:
        found = {} if self.quote_found is None else {"quote_found": self.quote_found}
        return {
            "number": self.number,
            "question": self.question,
            "answer": self.answer.value,
            "reason": self.reason,
            "quote": self.quote,
            **found,
            **({"must_not": True} if self.must_not else {}),
        }


@dataclass(frozen=True, slots=True)
class JudgedText:
    """The result for a text. `error` says why it could not be judged, "" if it was; `weighted` is None if all weights
    are equal. `inconsistent` counts contradicting pairs of thresholds of a grade. `cost_usd`: paid for it now, 0 if
    cached, None for an unknown price."""

    id: str
    score: float | None
    coverage: float | None
    answers: tuple[JudgedAnswer, ...]
    weighted: float | None = None
    error: str = ""
    inconsistent: int = 0
    cost_usd: float | None = 0.0

    def to_json(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "score": self.score,
            "coverage": self.coverage,
            "cost_usd": self.cost_usd,
            **({} if self.weighted is None else {"weighted_score": self.weighted}),
            **({INCONSISTENT: self.inconsistent} if self.inconsistent else {}),
            "answers": [answer.to_json() for answer in self.answers],
            **({"error": self.error} if self.error else {}),
        }


@dataclass(frozen=True, slots=True)
class GateCheck:
    """A gate and its result. `failing`: the ids of the texts that fail it, for gates about single texts."""

    gate: str
    value: float | None
    passed: bool
    failing: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        return {"gate": self.gate, "value": self.value, "passed": self.passed, "failing": list(self.failing)}


@dataclass(frozen=True, slots=True)
class JudgedTexts:
    """The results of a file. `version` is the checklist file's, None without one. `calls` and `cost_usd` are of this
    session; `calls_cached` requests were cached and free. `costs`: text -> paid in this session, None for an unknown
    price; without cached ones and those in batches."""

    dimension: str
    version: int | None
    judge: str
    questions: tuple[str, ...]
    texts: tuple[JudgedText, ...]
    gates: tuple[GateCheck, ...]
    left_out: tuple[SkippedRow, ...]
    calls: int
    calls_cached: int
    cost_usd: float | None
    report: RunReport

    @property
    def mean(self) -> float | None:
        """Return the mean over the texts with a score, None without any."""
        return _mean(self.texts)

    @property
    def passed(self) -> bool:
        return all(gate.passed for gate in self.gates)

    def to_json(self) -> dict[str, Any]:
        return {
            "checklist": {"dimension": self.dimension, "version": self.version},
            "judge": self.judge,
            "texts": [text.to_json() for text in self.texts],
            "mean": self.mean,
            "passed": self.passed,
            "gates": [gate.to_json() for gate in self.gates],
            "left_out": [{"row": row.row, "reason": row.reason} for row in self.left_out],
            "cost_usd": self.cost_usd,
            "calls": self.calls,
            "calls_cached": self.calls_cached,
        }


@contextmanager
def private_workbench(cache: Path | None) -> Iterator[Workbench]:
    """Yield a workbench on the database in this file, created if missing; without a file on a temporary one.

    Raises InputError for the database of the user's own projects.
    """
    if cache is not None and cache.resolve() == (sqlite_file(settings().url) or Path()).resolve():
        raise InputError(f"{cache} holds your projects.", "Name another file to keep answers in.")
    with TemporaryDirectory(prefix="interacteval-") as folder:
        database = Database(f"sqlite:///{(cache or Path(folder) / 'cache.db').resolve().as_posix()}")
        try:
            yield Workbench(database, Credentials.from_settings(settings()))
        finally:
            database.close()


@use_case(Right.SERVE)
def judge_texts(
    workbench: Workbench,
    texts: TextFile,
    checklist: bytes,
    file_name: str,
    judging: Judging,
    on_progress: OnProgress = lambda _: None,
) -> JudgedTexts:
    """Judge each text, as in a project with this checklist file.

    file_name: its ending says the checklist's format. The same texts, checklist and judge continue the same run: only
    missing and failed answers are asked for. Raises what reading the checklist and starting a run raise, and InputError
    for an unknown required question, before anything is asked.
    """
    name = _digest(texts.texts, checklist, judging)
    run = _begun(workbench, name)
    run_id = _begin(workbench, name, texts.texts, checklist, file_name, judging) if run is None else run.id
    if run is not None and judging.budget is not None:
        set_budget(workbench, run_id, judging.budget)
    with workbench.database.read() as work:
        questions = tuple(question.text for question in _asked(work, run_id)[1])
    required = [_number(each, questions) for each in dict.fromkeys(judging.required)]
    run = get_run(workbench, run_id)
    unfinished = run.done < run.all
    with spending_by_text() as paid:
        report = work_on(workbench, run_id, judging.concurrency, on_progress) if unfinished else RunReport(run, Tally())
    spent = run_spending(workbench, run_id)
    settings_ = checklist_settings(checklist, file_name)
    with workbench.database.read() as work:
        judged = _judged(work, run_id, paid)
    return JudgedTexts(
        dimension=_dimension(settings_.dimension, file_name),
        version=settings_.version,
        judge=run.judge,
        questions=questions,
        texts=judged,
        gates=_gates(judged, judging.fail_under, required),
        left_out=texts.left_out,
        calls=report.tally.calls,
        calls_cached=max(0, spent.calls - report.tally.calls)
        + (report.tally.cached if unfinished else spent.calls_cached),
        cost_usd=report.tally.cost_usd,
        report=report,
    )


def _digest(texts: Sequence[Text], checklist: bytes, judging: Judging) -> str:
    """Return the name of the project in the private database, a digest of everything that affects the answers."""
    told = [[*text.key, text.text, text.source] for text in texts]
    asked = [judging.judge, sorted(judging.settings), judging.model.effort, hashlib.sha256(checklist).hexdigest()]
    return hashlib.sha256(json.dumps([asked, told]).encode()).hexdigest()[:40]


def _begun(workbench: Workbench, name: str) -> RunSummary | None:
    """Return the run of an earlier call; a project without a run, from an interrupted call, is deleted."""
    with workbench.database.read() as work:
        project = work.projects.find(name)
    if project is None:
        return None
    runs = list_runs(workbench, project.id)
    if not runs:
        delete_project(workbench, name)
    return runs[0] if runs else None


def _begin(
    workbench: Workbench, name: str, texts: Sequence[Text], checklist: bytes, file_name: str, judging: Judging
) -> int:
    called = _dimension(checklist_settings(checklist, file_name).dimension, file_name)
    project = create_project(workbench, name, Task(), (Dimension(called),))
    try:
        brought = import_checklist(workbench, project.id, checklist, file_name, called)
        publish(workbench, brought.checklist.id)
        rows = tuple(CorpusText(row, text, ()) for row, text in enumerate(texts, start=1))
        store_corpus(workbench, Corpus("judge", Task(), (), rows, ()), name)
        chosen = RunOptions(
            (brought.dimension,),
            judging.judge,
            settings=judging.settings,
            budget=judging.budget,
            model=judging.model,
            batch=judging.batch,
            reuse=False,
        )
        return start_run(workbench, project.id, chosen)
    except WorkbenchError:
        delete_project(workbench, name)
        raise


def _dimension(named: str | None, file_name: str) -> str:
    return named or PurePath(file_name).stem


def _mean(texts: Sequence[JudgedText]) -> float | None:
    scores = [text.score for text in texts if text.score is not None]
    return fmean(scores) if scores else None


def _number(question: str, asked: Sequence[str]) -> int:
    wanted = " ".join(question.split())
    if wanted.isdecimal() and 1 <= int(wanted) <= len(asked):
        return int(wanted)
    if wanted in asked:
        return asked.index(wanted) + 1
    raise InputError(
        f"The checklist asks no question “{wanted[:80]}”.", f"Give its number, 1 to {len(asked)}, or its wording."
    )


def _gates(texts: Sequence[JudgedText], fail_under: float | None, required: Sequence[int]) -> tuple[GateCheck, ...]:
    """Check the gates. A text that could not be judged fails none; it is listed as failed."""
    mean, found = _mean(texts), []
    if fail_under is not None:
        found.append(GateCheck(f"mean >= {fail_under:g}", mean, mean is not None and mean >= fail_under))
    judged = [text for text in texts if not text.error]
    for number in required:
        said = {text.id: {each.answer for each in text.answers if each.number == number} for text in judged}
        must_not = any(each.must_not for text in judged for each in text.answers if each.number == number)
        good = Answer.NO if must_not else Answer.YES
        failing = tuple(id_ for id_, answers in said.items() if answers - {good, Answer.NOT_APPLICABLE})
        share = 1 - len(failing) / len(said) if said else None
        found.append(GateCheck(f"{good.value}({number})", share, bool(said) and not failing, failing))
    return tuple(found)


def _asked(work: UnitOfWork, run_id: int) -> tuple[int, Sequence[Question]]:
    """Return the run's dimension, and the questions of its checklist."""
    (part,) = work.runs.parts(run_id)
    assert part.checklist is not None
    return part.dimension, work.checklists.get(part.checklist).asked


def _judged(work: UnitOfWork, run_id: int, paid: Mapping[int, float | None]) -> tuple[JudgedText, ...]:
    """Return the judged texts in the order of the file."""
    dimension, questions = _asked(work, run_id)
    places = {question.id: number for number, question in enumerate(questions, start=1)}
    rows = work.results.scored(run_id, dimension)
    texts = work.texts.many(row.text for row in rows)
    given = work.results.judgments_by_text(run_id, dimension)
    details = work.results.details(run_id, dimension)
    errors = {text: message for text, _, _, message in work.results.failures(run_id)}
    names = _names(texts)
    return tuple(
        JudgedText(
            id=names[row.text],
            score=row.score,
            coverage=row.coverage,
            answers=tuple(
                _answer(judgment, places, questions, texts[row.text]) for judgment in given.get(row.text, ())
            ),
            weighted=details.get(row.text, {}).get(WEIGHTED),
            error="" if row.status is ScoreStatus.DONE else errors.get(row.text, "It was not judged yet."),
            inconsistent=details.get(row.text, {}).get(INCONSISTENT, 0),
            cost_usd=paid.get(row.text, 0.0),
        )
        for row in rows
    )


def _names(texts: Mapping[int, Text]) -> dict[int, str]:
    """Return text id -> name: its item if all items differ, as in a column “id”; else document, system and item."""
    items = {text: each.item_id for text, each in texts.items() if each.item_id}
    if len(set(items.values())) == len(texts):
        return items
    return {text: " / ".join(filter(None, each.key)) for text, each in texts.items()}


def _answer(judgment: Judgment, places: Mapping[int, int], questions: Sequence[Question], text: Text) -> JudgedAnswer:
    number = places[judgment.question]
    quote = judgment.quote
    found = find_quote(quote, text.text, text.source) is not None if quote else None
    asked = questions[number - 1]
    return JudgedAnswer(number, asked.text, judgment.answer, judgment.rationale, quote, found, asked.must_not)


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
            "mean": _mean(self.texts),
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
    answers = tuple(_answer(judgment, places, questions, text) for judgment in score.judgments)
    found = score.details
    return JudgedText(
        text.item_id, score.value, score.coverage, answers, found.get(WEIGHTED), "", found.get(INCONSISTENT, 0)
    )
