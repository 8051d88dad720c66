"""Judging texts with a checklist, outside of a project's runs.

With a checklist file the texts are judged in a separate database. The engine is that of every run: each reply is
stored, so the same command asks only for what is missing, and collects open batches. With a project's published
checklist the judge is asked as in the project's newest run; the texts aren't stored, and the cost is in the project's
ledger.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePath
from statistics import fmean
from tempfile import TemporaryDirectory
from typing import Any

from app.corpora.corpus import Corpus, CorpusText, SkippedRow
from app.corpora.formats.registry import KNOWN_FORMATS
from app.corpora.mapping import NO_RATINGS, ColumnMapping
from app.corpora.reading import detect_format, open_corpus
from app.domain.checklist import Question
from app.domain.checklist_score import Answer, Judgment
from app.domain.project import Dimension, Task, Text
from app.domain.quotes import find_quote
from app.domain.roles_and_rights import Right
from app.domain.run import RunSummary, ScoreStatus
from app.errors import InputError, WorkbenchError
from app.evaluators.checklist import INCONSISTENT, WEIGHTED
from app.limits import CONCURRENCY
from app.providers.base import spending_by_text
from app.providers.credentials import Credentials
from app.providers.model_options import USUAL, ModelOptions
from app.providers.recorded import Tally
from app.services.checklists.checklist_files import checklist_settings, import_checklist
from app.services.checklists.checklists import publish
from app.services.data.imports import store_corpus
from app.services.data.projects import create_project, delete_project
from app.services.runtime.spending import run_spending
from app.services.runtime.workbench import Workbench, use_case
from app.services.scoring.run_worker import OnProgress
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
        return mean_score(self.texts)

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


def mean_score(texts: Sequence[JudgedText]) -> float | None:
    """Return the mean of the texts' scores, None without any."""
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
    mean, found = mean_score(texts), []
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
                judged_answer(judgment, places, questions, texts[row.text]) for judgment in given.get(row.text, ())
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


def judged_answer(
    judgment: Judgment, places: Mapping[int, int], questions: Sequence[Question], text: Text
) -> JudgedAnswer:
    """Return a judge's answer with its question's number and wording, and whether its quote is in the text."""
    number = places[judgment.question]
    quote = judgment.quote
    found = find_quote(quote, text.text, text.source) is not None if quote else None
    asked = questions[number - 1]
    return JudgedAnswer(number, asked.text, judgment.answer, judgment.rationale, quote, found, asked.must_not)
