"""The steps of the benchmark of size, each run in a process of its own: what it takes and its memory are its alone.

`python -m tests.benchmarks.scale_steps STEP FOLDER TEXTS` prints the seconds and the most memory as JSON.
"""

import csv
import json
import random
import re
import resource
import sys
import time
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from app.domain.checklist import Checklist, ChecklistStatus, Component, Question, QuestionOrigin
from app.providers.credentials import Credentials
from app.services.checklists.checklists import published_checklist
from app.services.data.held_out_split import state_of
from app.services.data.imports import import_file
from app.services.data.projects import overview
from app.services.data.texts import text_page
from app.services.disagreements.queue import disagreement_queue
from app.services.results.archive import write_project_archive
from app.services.results.question_analysis import questions_of
from app.services.results.raters import human_side_of
from app.services.results.result_files import verdicts_of, write_results
from app.services.results.result_texts import disagreements, judged_text, question_shares, run_counts
from app.services.results.results import cached_results, results_of
from app.services.results.rubric_xray import rubric_xray
from app.services.runtime.workbench import Workbench
from app.services.scoring.forecast import forecast
from app.services.scoring.runs import RunOptions, list_runs, start_run, work_on
from app.services.think_aloud.samples import ensure_samples, sample_exclusion_counts
from db.unit_of_work import Database

PROJECT, DIMENSION, RUN = "Benchmark", "coherence", 1
SYSTEMS = 10
QUESTIONS = (
    "Is the text free of repeated sentences?",
    "Are most sentences short enough to read at once?",
    "Does the text use words that join its sentences?",
)
WORDS = (
    "river", "bridge", "winter", "council", "report", "morning", "teacher", "market", "garden", "letter", "island",
    "village", "harvest", "paper", "glass", "mountain", "station", "summer", "doctor", "bread", "music", "captain",
    "however", "therefore", "because", "although", "shows", "opens", "brings", "builds", "closes", "finds", "keeps",
)  # fmt: skip
Texts = Iterator[dict[str, Any]]


def texts(count: int) -> Texts:
    """Texts of two or three short sentences, ten systems to a document, with the ratings of two people."""
    rng = random.Random(0)
    for n in range(count):
        sentences = [" ".join(rng.choices(WORDS, k=rng.randint(5, 10))).capitalize() for _ in range(rng.randint(2, 3))]
        quality = rng.gauss(3 + (n % SYSTEMS) / SYSTEMS, 1)
        rated = [min(max(round(quality + rng.gauss(0, 0.7)), 1), 5) for _ in range(2)]
        yield {
            "doc_id": f"d{n // SYSTEMS}",
            "system_id": f"s{n % SYSTEMS}",
            "text": ". ".join(sentences) + ".",
            "coherence_1": rated[0],
            "coherence_2": rated[1],
        }


def _write_csv(path: Path, rows: Texts) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        first = next(rows)
        writer = csv.DictWriter(file, list(first))
        writer.writeheader()
        writer.writerow(first)
        writer.writerows(rows)


def _write_jsonl(path: Path, rows: Texts) -> None:
    with path.open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(row) + "\n" for row in rows)


def _write_parquet(path: Path, rows: Texts) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    first = pa.Table.from_pylist(list(islice(rows, 10_000)))
    with pq.ParquetWriter(path, first.schema) as writer:
        writer.write_table(first)
        while some := list(islice(rows, 10_000)):
            writer.write_table(pa.Table.from_pylist(some, first.schema))


WRITERS = {"csv": _write_csv, "jsonl": _write_jsonl, "parquet": _write_parquet}


class Steps:
    """What is done with the texts; what rests on an import rests on that of the CSV."""

    def __init__(self, folder: Path, count: int) -> None:
        self.folder = folder
        self.count = count

    def prepare(self, step: str) -> Callable[[], object]:
        """What of the step isn't measured: its file or its checklist, and the database opened."""
        if step.startswith("import "):
            kind = step.removeprefix("import ")
            path = self.folder / f"texts.{kind}"
            if not path.exists():
                WRITERS[kind](path, texts(self.count))
            workbench = self._open("bench" if kind == "csv" else kind)
            return lambda: import_file(workbench, path, PROJECT)
        workbench = self._open("bench")
        if step == "samples":
            self._publish(workbench)
        return self._measured(workbench)[step]

    def _measured(self, workbench: Workbench) -> dict[str, Callable[[], object]]:
        with workbench.database.read() as work:
            dimension = work.projects.dimensions(1)[0]
        options = RunOptions((dimension,), "rules")

        def table() -> object:
            pages = text_page(workbench, 1).pages
            text_page(workbench, 1, pages // 2)
            return text_page(workbench, 1, search="captain bread")

        def overview_screen() -> object:
            return overview(workbench, 1), list_runs(workbench, 1), state_of(workbench, 1)

        def score_screen() -> object:
            return sample_exclusion_counts(workbench, 1, dimension.id), forecast(workbench, 1, options)

        def verdict() -> object:
            return verdicts_of(workbench, cached_results(workbench, [RUN])[:1])

        def questions_screen() -> object:
            result = cached_results(workbench, [RUN])[0]
            shares = question_shares(workbench, RUN, dimension.id)
            return shares, questions_of(workbench, result), rubric_xray(workbench, result)

        def texts_screen() -> object:
            shown = disagreements(cached_results(workbench, [RUN])[0].compared)
            return judged_text(workbench, RUN, dimension.id, shown[0].row.text)

        def disagreements_screen() -> object:
            return disagreement_queue(workbench, published_checklist(workbench, dimension.id).id)

        def people() -> object:
            return human_side_of(workbench, cached_results(workbench, [RUN])[0])

        def export(suffix: str) -> Callable[[], object]:
            def write() -> None:
                with workbench.database.read() as work:
                    project = work.projects.by_id(1)
                results = results_of(workbench, RUN)
                write_results(self.folder / f"scores{suffix}", project, results, [])

            return write

        def report() -> None:
            with workbench.database.read() as work:
                project = work.projects.by_id(1)
            results = cached_results(workbench, [RUN])
            verdicts = verdicts_of(workbench, results)
            xrays = [rubric_xray(workbench, result) for result in results]
            write_results(self.folder / "report.html", project, results, verdicts, lambda: xrays, lambda: [None])

        return {
            "samples": lambda: ensure_samples(workbench, dimension.id),
            "texts table": table,
            "overview": overview_screen,
            "forecast": score_screen,
            "plan": lambda: start_run(workbench, 1, options),
            "score": lambda: work_on(workbench, RUN),
            "run counts": lambda: run_counts(workbench, RUN),
            "results": verdict,
            "questions": questions_screen,
            "result texts": texts_screen,
            "people": people,
            "disagreements": disagreements_screen,
            "export csv": export(".csv"),
            "export parquet": export(".parquet"),
            "report": report,
            "archive": lambda: write_project_archive(workbench, 1, self.folder / "archive.zip"),
        }

    def _publish(self, workbench: Workbench) -> None:
        with workbench.database.write() as work:
            dimension = work.projects.dimensions(1)[0]
            asked = [
                Question(words, "Made up", origin=QuestionOrigin.ADDED, position=n) for n, words in enumerate(QUESTIONS)
            ]
            draft = Checklist(DIMENSION, 0, ChecklistStatus.DRAFT, "comb", "", (Component("Made up"),), tuple(asked))
            work.checklists.publish(work.checklists.save(dimension.id, draft))

    def _open(self, name: str) -> Workbench:
        return Workbench(Database(f"sqlite:///{self.folder}/{name}.db"), Credentials())


STEPS = (
    "import parquet",
    "import jsonl",
    "import csv",
    "samples",
    "texts table",
    "overview",
    "forecast",
    "plan",
    "score",
    "run counts",
    "results",
    "questions",
    "result texts",
    "people",
    "disagreements",
    "export csv",
    "export parquet",
    "report",
    "archive",
)


def main(step: str, folder: str, count: str) -> None:
    measured = Steps(Path(folder), int(count)).prepare(step)
    started, computed = time.perf_counter(), time.process_time()
    measured()
    seconds, computed = time.perf_counter() - started, time.process_time() - computed
    print(json.dumps({"seconds": round(seconds, 1), "cpu_seconds": round(computed, 1), "peak_mb": round(_peak_mb())}))


def _peak_mb() -> float:
    """Of this program alone: what getrusage says begins, under Linux, with what its parent held."""
    status = Path("/proc/self/status")
    if status.is_file():
        found = re.search(r"^VmHWM:\s+(\d+) kB", status.read_text(encoding="ascii"), re.MULTILINE)
        if found:
            return int(found[1]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    main(*sys.argv[1:])
