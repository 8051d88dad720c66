"""Benchmark of a run's speed and thrift: 400 texts, 9 questions, a judge that answers after 200 ms, 32 at a time."""

import json
import math
import random
import resource
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from pydantic import SecretStr

from app.domain.checklist import Checklist, ChecklistStatus, Component, Question, QuestionOrigin
from app.domain.project import Dimension, Task, Text
from app.providers.credentials import Access, Credentials
from app.providers.specs import OWN
from app.scoring.concurrency import CONCURRENCY
from app.services.runtime.workbench import Workbench
from app.services.scoring.runs import RunOptions, start_run, work_on
from db.unit_of_work import Database

TEXTS, QUESTIONS, DELAY = 400, 9, 0.2
SYLLABLES = ("ba", "do", "ke", "li", "mu", "na", "po", "ri", "sa", "tu", "ve", "zo")


def run(texts: int = TEXTS, delay: float = DELAY, concurrency: int = CONCURRENCY) -> dict[str, Any]:
    """Everything is committed to a SQLite file. `efficiency` is the least time the judge needs / the time it took."""
    with tempfile.TemporaryDirectory() as folder, local_judge(delay) as port:
        workbench = Workbench(
            Database(f"sqlite:///{folder}/bench.db"),
            Credentials({OWN: Access(SecretStr("local"), f"http://127.0.0.1:{port}/v1", "the benchmark")}),
        )
        try:
            options = RunOptions((fill(workbench, texts),), "llama:local")
            run_id = start_run(workbench, 1, options)
            cpu, started = time.process_time(), time.perf_counter()
            report = work_on(workbench, run_id, concurrency)
            wall, cpu = time.perf_counter() - started, time.process_time() - cpu
        finally:
            workbench.database.close()
        ideal = math.ceil(texts / concurrency) * delay
        return {
            "texts": texts,
            "questions": QUESTIONS,
            "judge_seconds": delay,
            "concurrency": concurrency,
            "scored": report.run.done,
            "requests": requests_of(port),
            "wall_seconds": round(wall, 3),
            "ideal_seconds": round(ideal, 3),
            "efficiency": round(ideal / wall, 3),
            "cpu_ms_per_call": round(1000 * cpu / texts, 2),
            "peak_memory_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
        }


@contextmanager
def local_judge(delay: float) -> Iterator[int]:
    """The port of a judge in a process of its own, for the length of the block."""
    command = [sys.executable, "-m", "app.benchmarks.local_judge", "--delay", str(delay)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:  # noqa: S603 - our own words
        try:
            assert process.stdout is not None
            yield int(process.stdout.readline())
        finally:
            process.terminate()


def requests_of(port: int) -> int:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/count") as reply:
        counted: int = json.load(reply)["requests"]
        return counted


def fill(workbench: Workbench, count: int, references: int = 0) -> Dimension:
    """Made-up texts of the length of news and their summaries, all different, with so many references each, and a
    published checklist."""
    rng = random.Random(0)  # noqa: S311 - benchmark data
    with workbench.database.write() as work:
        project = work.projects.add("Benchmark", Task("summary", "article"))
        dimension = work.projects.add_dimension(project.id, Dimension("coherence", _words(rng, 60)))
        work.texts.add_many(
            project.id,
            [
                Text(
                    f"d{n // 12}",
                    _words(rng, 60),
                    f"s{n % 12}",
                    source=_words(rng, 360),
                    references=tuple(_words(rng, 60) for _ in range(references)),
                )
                for n in range(count)
            ],
        )
        questions = [
            Question(f"Is {_words(rng, 8)}?", "Made up", origin=QuestionOrigin.ADDED, position=n)
            for n in range(QUESTIONS)
        ]
        draft = Checklist("coherence", 0, ChecklistStatus.DRAFT, "comb", "", (Component("Made up"),), tuple(questions))
        work.checklists.publish(work.checklists.save(dimension.id, draft))
        return dimension


def _words(rng: random.Random, count: int) -> str:
    return " ".join("".join(rng.choices(SYLLABLES, k=rng.randint(1, 4))) for _ in range(count))
