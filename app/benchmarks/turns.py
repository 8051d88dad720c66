"""Turns of a comparison, each a process of its own with a database and a judge of its own.

`python -m app.benchmarks.turns WORK TEXTS IN_FLIGHT PROCESSES WORKERS` prints what one took, as JSON.
"""

import asyncio
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from openai import AsyncOpenAI

from app.benchmarks.scoring import fill, local_judge, made_up_words
from app.cluster.local_workers import workers_here
from app.cluster.parts import work_shared_at
from app.domain.task import Dimension, Task
from app.domain.text import Text
from app.errors import WorkbenchError
from app.evaluators.checklist import judge_schema
from app.services.runtime.workbench import Workbench, open_workbench
from app.services.scoring.runs import RunOptions, start_run, work_on

DELAY = 0.2
REFERENCES = 11  # as SummEval has
LOOP, RUN, ROUGE = "loop", "run", "rouge-l"
_QUESTIONS = 9


def turn(work: str, texts: int, in_flight: int, processes: int = 1, workers: int = 0) -> dict[str, float]:
    """Seconds, and CPU seconds of the process that has the run. work: LOOP over the SDK, RUN of a checklist, or ROUGE.

    workers: of Dask, on this machine, in the place of processes.
    """
    root = Path(__file__).resolve().parents[2]
    with tempfile.TemporaryDirectory(prefix="interacteval-turn-") as folder, local_judge(DELAY) as port:
        done = subprocess.run(  # noqa: S603 - our own words
            [sys.executable, "-m", "app.benchmarks.turns", work, *map(str, (texts, in_flight, processes, workers))],
            cwd=root,
            env=os.environ
            | {
                "PYTHONPATH": str(root),
                "INTERACTEVAL_HOME": folder,
                "INTERACTEVAL_DATABASE_URL": f"sqlite:///{folder}/turn.db",
                "INTERACTEVAL_DASK": "",
                "LLAMA_BASE_URL": f"http://127.0.0.1:{port}/v1",
                "LOKY_MAX_CPU_COUNT": "1",  # one process is one, although metrics use every core by themselves
            },
            stdout=subprocess.PIPE,
            text=True,
            check=False,
        )
    if done.returncode:
        raise WorkbenchError(f"The turn “{work}” with {texts:,} texts failed.", "What it said stands above.")
    taken: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return taken


def compared(turns: list[dict[str, float]], with_: list[dict[str, float]]) -> dict[str, Any]:
    """What the first take as a multiple of the second, turn by turn, with the seconds of each."""
    times = [one["seconds"] / other["seconds"] for one, other in zip(turns, with_, strict=True)]
    return {
        "times": ", ".join(f"{each:.2f}" for each in times),
        "seconds": ", ".join(f"{each['seconds']:.1f}" for each in turns),
        "seconds_of_the_other": ", ".join(f"{each['seconds']:.1f}" for each in with_),
    }


def _take(work: str, texts: int, in_flight: int, processes: int, workers: int) -> dict[str, float]:
    workbench = open_workbench()
    try:
        with workers_here(workers) as address:
            if work == LOOP:
                bodies = _bodies(workbench, texts)
                begun = time.perf_counter(), time.process_time()
                asyncio.run(_loop(bodies, in_flight))
            else:
                dimension = _with_references(workbench, texts) if work == ROUGE else fill(workbench, texts)
                options = RunOptions((dimension,), "rules" if work == ROUGE else "llama:local", evaluator=_method(work))
                run_id = start_run(workbench, 1, options)
                begun = time.perf_counter(), time.process_time()
                with work_shared_at(address) if address else nullcontext():
                    report = work_on(workbench, run_id, in_flight, processes=processes)
                if report.run.done != texts:
                    raise WorkbenchError(f"{report.run.done} of {texts} texts are scored.")
            return {"seconds": time.perf_counter() - begun[0], "cpu_seconds": time.process_time() - begun[1]}
    finally:
        workbench.database.close()


def _method(work: str) -> str:
    return work if work == ROUGE else "checklist"


def _bodies(workbench: Workbench, texts: int) -> list[dict[str, Any]]:
    """Requests like those of a run of the same texts."""
    fill(workbench, texts)
    with workbench.database.read() as work:
        asked = work.texts.many(list(work.texts.ids_by_key(1).values())).values()
    form = {"name": "answer", "strict": True, "schema": judge_schema(_QUESTIONS)}
    instructions = "Answer each question about the text with yes or no. " * 30
    return [
        {
            "model": "local",
            "temperature": 0,
            "max_tokens": 4096,
            "response_format": {"type": "json_schema", "json_schema": form},
            "messages": [
                {"role": "system", "content": instructions},
                {"role": "user", "content": f"{text.source}\n\n{text.text}"},
            ],
        }
        for text in asked
    ]


async def _loop(bodies: list[dict[str, Any]], in_flight: int) -> list[Any]:
    """What one would write by hand: as many tasks as there may be requests, over one client of the SDK. It keeps
    nothing, and tries nothing again."""
    client = AsyncOpenAI(api_key="none", base_url=os.environ["LLAMA_BASE_URL"], max_retries=0)
    waiting, answers = iter(bodies), []

    async def ask() -> None:
        for body in waiting:
            reply = await client.chat.completions.create(**body)
            answers.append(json.loads(reply.choices[0].message.content or ""))

    await asyncio.gather(*(ask() for _ in range(in_flight)))
    await client.close()
    return answers


def _with_references(workbench: Workbench, count: int) -> Dimension:
    rng = random.Random(0)  # noqa: S311 - benchmark data
    with workbench.database.write() as work:
        project = work.projects.add("Benchmark", Task("summary", "article"))
        dimension = work.projects.add_dimension(project.id, Dimension("coherence", made_up_words(rng, 60)))
        work.texts.add_many(
            project.id,
            [
                Text(
                    f"d{n // 12}",
                    made_up_words(rng, 60),
                    f"s{n % 12}",
                    references=tuple(made_up_words(rng, 60) for _ in range(REFERENCES)),
                )
                for n in range(count)
            ],
        )
    return dimension


if __name__ == "__main__":
    print(json.dumps(_take(sys.argv[1], *map(int, sys.argv[2:]))), flush=True)  # noqa: T201 - what the other reads
