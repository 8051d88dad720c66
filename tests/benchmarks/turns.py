"""Turns of a comparison, each a process of its own with a database and a judge of its own.

`python -m tests.benchmarks.turns WORK TEXTS IN_FLIGHT WORKERS` prints what one took, as JSON.
"""

import asyncio
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from typing import Any

from openai import AsyncOpenAI

from app.benchmarks.scoring import DELAY, QUESTIONS, fill, local_judge
from app.cluster import local_cluster, use_scheduler
from app.errors import WorkbenchError
from app.evaluators.checklist import judge_schema
from app.services.runtime.workbench import Workbench, open_workbench
from app.services.scoring import dask_workers
from app.services.scoring.runs import RunOptions, start_run, work_on
from tests.benchmarks.measured_process import measured_process

LOOP, CHECKLIST, ROUGE = "loop", "checklist", "rouge-l"
REFERENCES = 11  # as SummEval has


def turn(work: str, texts: int, in_flight: int, workers: int = 0) -> dict[str, float]:
    """Seconds, and CPU seconds of the process that has the run. work: LOOP over the SDK, or a run of a method.

    workers: of Dask, on this machine, that score for that process.
    """
    with tempfile.TemporaryDirectory(prefix="interacteval-turn-") as folder, local_judge(DELAY) as port:
        variables = {
            "INTERACTEVAL_HOME": folder,
            "INTERACTEVAL_DATABASE_URL": f"sqlite:///{folder}/turn.db",
            "INTERACTEVAL_DASK": "",
            "LLAMA_BASE_URL": f"http://127.0.0.1:{port}/v1",
            "LOKY_MAX_CPU_COUNT": "1",  # one process is one, although metrics use every core by themselves
        }
        return measured_process("turns", work, texts, in_flight, workers, variables=variables)


def compared(ours: Sequence[dict[str, float]], others: Sequence[dict[str, float]]) -> dict[str, Any]:
    """What ours take as a multiple of the others, turn by turn, with the seconds of each."""
    times = [one["seconds"] / other["seconds"] for one, other in zip(ours, others, strict=True)]
    return {
        "times": ", ".join(f"{each:.2f}" for each in times),
        "seconds": ", ".join(f"{each['seconds']:.1f}" for each in ours),
        "seconds_of_the_other": ", ".join(f"{each['seconds']:.1f}" for each in others),
    }


def _take(work: str, texts: int, in_flight: int, workers: int) -> dict[str, float]:
    with ExitStack() as there:
        workbench = open_workbench()
        there.callback(workbench.database.close)
        if workers:
            there.enter_context(use_scheduler(there.enter_context(local_cluster(workers, dask_workers.__name__))))
        begin = _prepared(workbench, work, texts, in_flight)
        started, cpu = time.perf_counter(), time.process_time()
        scored = begin()
        taken = {"seconds": time.perf_counter() - started, "cpu_seconds": time.process_time() - cpu}
        if scored != texts:
            raise WorkbenchError(f"{scored} of {texts} texts are scored.")
        return taken


def _prepared(workbench: Workbench, work: str, texts: int, in_flight: int) -> Callable[[], int]:
    """What is measured; it says how many texts it scored."""
    dimension = fill(workbench, texts, REFERENCES if work == ROUGE else 0)
    if work == LOOP:
        bodies = _bodies(workbench)
        return lambda: asyncio.run(_loop(bodies, in_flight))
    judge = "rules" if work == ROUGE else "llama:local"
    run_id = start_run(workbench, 1, RunOptions((dimension,), judge, evaluator=work))
    return lambda: work_on(workbench, run_id, in_flight).run.done


def _bodies(workbench: Workbench) -> list[dict[str, Any]]:
    """Requests like those of a run of the same texts."""
    with workbench.database.read() as work:
        asked = work.texts.many(list(work.texts.ids_by_key(1).values())).values()
    form = {"name": "answer", "strict": True, "schema": judge_schema(QUESTIONS)}
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


async def _loop(bodies: Sequence[dict[str, Any]], in_flight: int) -> int:
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
    return len(answers)


if __name__ == "__main__":
    print(json.dumps(_take(sys.argv[1], *map(int, sys.argv[2:]))), flush=True)
