"""Benchmark of the screens' data: 1,600 texts on 4 dimensions, 10 questions each: 64,000 judgments.

Measured is every screen of the demo in a real browser, first and warm; and, of the large project, the Results screen in
a real browser, the same screen drawn by Streamlit without one, and what the screens ask of the services (database and
statistics), first and again.
"""

import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from app.domain.checklist import Checklist, ChecklistStatus, Component, Question, QuestionOrigin
from app.domain.checklist_score import Answer, Evaluation, Judgment, checklist_score
from app.domain.project import Dimension, Rating, Task, Text
from app.domain.run import Outcome, PlannedScore, RunDimension
from app.providers.credentials import Credentials
from app.services.data.projects import list_projects, overview, show_research
from app.services.demo import run_demo
from app.services.results.result_files import scores_csv
from app.services.results.result_texts import disagreements, judged_text, question_shares
from app.services.results.results import Choices, cached_results
from app.services.runtime.workbench import Workbench
from app.services.scoring.forecast import forecast
from app.services.scoring.runs import RunOptions, list_runs
from db.unit_of_work import Database, UnitOfWork
from tests.benchmarks.pages_in_browser import browser_times
from tests.benchmarks.screens_in_browser import screens_times

TEXTS, SYSTEMS, QUESTIONS, RATERS = 1_600, 8, 10, 3
DIMENSIONS = ("coherence", "consistency", "fluency", "relevance")
MEASURED = {
    "screens": "every screen of the demo in Chromium, from the click until all is drawn, by the clock and of the "
    "processors of server and browser: first, the first look since the server started; warm, all later ones",
    "browser": "the Results screen in Chromium, from the click until all is drawn",
    "screen": "the real Results screen, drawn by Streamlit without a browser, by the clock and of the processor",
    "seconds": "what the screens ask of database and statistics, without drawing",
}
OPEN_LIMIT, FILTER_LIMIT = 1.5, 0.5
FIRST_LIMIT, WARM_LIMIT, WARM_MEDIAN_LIMIT = 1.5, 1.0, 0.5


def run() -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        workbench = Workbench(Database(f"sqlite:///{folder}/bench.db"), Credentials())
        try:
            with workbench.database.write() as work:
                dimensions = _fill(work, random.Random(0))
            return {
                "measured": MEASURED,
                "texts": TEXTS,
                "scores": TEXTS * len(DIMENSIONS),
                "judgments": TEXTS * len(DIMENSIONS) * QUESTIONS,
                "screens": _every_screen(folder),
                "first_look_limit_seconds": FIRST_LIMIT,
                "warm_limit_seconds": WARM_LIMIT,
                "warm_median_limit_seconds": WARM_MEDIAN_LIMIT,
                "browser": browser_times(f"sqlite:///{folder}/bench.db"),
                "screen": _screen(folder),
                "open_limit_seconds": OPEN_LIMIT,
                "filter_limit_seconds": FILTER_LIMIT,
                "seconds": _screens(workbench, dimensions),
            }
        finally:
            workbench.database.close()


def _every_screen(folder: str) -> dict[str, Any] | str:
    address = f"sqlite:///{folder}/demo.db"
    workbench = Workbench(Database(address), Credentials())
    try:
        run_demo(workbench)
        show_research(workbench, list_projects(workbench)[0].id, on=True)
    finally:
        workbench.database.close()
    return screens_times(address)


def _screen(folder: str) -> dict[str, dict[str, float]]:
    """Streamlit is for screens alone, so they are drawn in another process, on this database."""
    root = Path(__file__).resolve().parents[2]
    done = subprocess.run(
        [sys.executable, "-m", "tests.benchmarks.results_screen"],
        cwd=root,
        env=os.environ | {"INTERACTEVAL_DATABASE_URL": f"sqlite:///{folder}/bench.db", "PYTHONPATH": str(root)},
        capture_output=True,
        text=True,
        check=True,
    )
    times: dict[str, dict[str, float]] = json.loads(done.stdout)
    return times


def _screens(workbench: Workbench, dimensions: list[Dimension]) -> dict[str, Any]:
    results = cached_results(workbench, [1])
    row, dimension = results[0].rows[0], dimensions[0].id
    options = RunOptions(tuple(dimensions), "rules")
    asked: dict[str, Callable[[], object]] = {
        "overview": lambda: overview(workbench, 1),
        "scores": lambda: (list_runs(workbench, 1), forecast(workbench, 1, options)),
        "results, another level": lambda: cached_results(workbench, [1], Choices("dataset")),
        "results, questions": lambda: question_shares(workbench, 1, dimension),
        "results, disagreements": lambda: disagreements(results[0].compared),
        "results, one text": lambda: judged_text(workbench, 1, dimension, row.text),
        "results, scores as a file": lambda: scores_csv(results),
    }
    return {name: {"first": _seconds(ask), "again": _seconds(ask)} for name, ask in asked.items()}


def _seconds(ask: Callable[[], object]) -> float:
    started = time.perf_counter()
    ask()
    return round(time.perf_counter() - started, 4)


def _fill(work: UnitOfWork, rng: random.Random) -> list[Dimension]:
    """A project whose texts are all rated and scored, by chance."""
    project = work.projects.add("Benchmark", Task("summary", "article"))
    dimensions = [work.projects.add_dimension(project.id, Dimension(name, "Made up.")) for name in DIMENSIONS]
    texts = [Text(f"d{n // SYSTEMS}", f"Text {n}.", f"s{n % SYSTEMS}", source="A source.") for n in range(TEXTS)]
    work.texts.add_many(project.id, texts)
    ids = tuple(work.texts.ids_by_key(project.id).values())
    for dimension in dimensions:
        work.texts.add_ratings(
            [(text, dimension.id, Rating(dimension.name, f"r{n}", rng.randint(1, 5))) for text in ids
             for n in range(RATERS)]
        )  # fmt: skip
    checklists = [work.checklists.publish(work.checklists.save(d.id, _checklist(d.name))) for d in dimensions]
    plan = [RunDimension(d.id, c.id, (), ids) for d, c in zip(dimensions, checklists, strict=True)]
    run_id = work.runs.create(project.id, "checklist", "rules", {}, plan)
    questions = {d.id: c.asked for d, c in zip(dimensions, checklists, strict=True)}
    work.runs.save([_outcome(planned, questions[planned.dimension], rng) for planned in work.runs.open_scores(run_id)])
    return dimensions


def _outcome(planned: PlannedScore, questions: Sequence[Question], rng: random.Random) -> Outcome:
    answers = [rng.choice((Answer.YES, Answer.NO)) for _ in questions]
    given = tuple(Judgment(question.id, answer) for question, answer in zip(questions, answers, strict=True))
    return Outcome(planned, Evaluation(checklist_score(answers, 1, 5).value, judgments=given))


def _checklist(dimension: str) -> Checklist:
    questions = [
        Question(f"Is part {n} in place?", "Made up", origin=QuestionOrigin.ADDED, position=n) for n in range(QUESTIONS)
    ]
    return Checklist(dimension, 0, ChecklistStatus.DRAFT, "comb", "", (Component("Made up"),), tuple(questions))
