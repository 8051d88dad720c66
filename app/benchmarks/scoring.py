"""Benchmark of a run's speed: 400 texts, 9 questions, a judge that answers after 200 ms, 32 requests at a time.

The judge is a process of its own (`python -m app.benchmarks.scoring --delay 0.2`): its processor time isn't counted as
ours. It speaks OpenAI's chat format, prints its port first, and answers GET /count with the requests it got.
"""

import argparse
import asyncio
import json
import math
import random
import re
import resource
import subprocess
import sys
import tempfile
import time
import urllib.request
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from pydantic import SecretStr

from app.domain.checklist import Checklist, ChecklistStatus, Component, Question, QuestionOrigin
from app.domain.project import Dimension, Task, Text
from app.limits import CONCURRENCY
from app.providers.credentials import Access, Credentials
from app.providers.specs import OWN
from app.services.runtime.workbench import Workbench
from app.services.scoring.runs import RunOptions, start_run, work_on
from db.unit_of_work import Database

TEXTS, QUESTIONS, DELAY = 400, 9, 0.2
SYLLABLES = ("ba", "do", "ke", "li", "mu", "na", "po", "ri", "sa", "tu", "ve", "zo")


def run(texts: int = TEXTS, delay: float = DELAY, concurrency: int = CONCURRENCY) -> dict[str, Any]:
    """Run the benchmark, committing scores to a SQLite file. `efficiency` is the judge's least time / the time
    taken."""
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
    """Within the block, run a judge in its own process; yields its port."""
    command = [sys.executable, "-m", "app.benchmarks.scoring", "--delay", str(delay)]
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
    """Add made-up texts of the length of news and their summaries, all different, with `references` references each,
    and a published checklist."""
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


_HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n%b"
_LENGTH = re.compile(rb"content-length: *(\d+)", re.IGNORECASE)


class LocalJudge:
    def __init__(self, delay: float) -> None:
        self.delay = delay
        self.requests = 0

    async def converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer one connection's requests. The delay begins with a request; its answer is prepared meanwhile."""
        loop = asyncio.get_running_loop()
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                length = _LENGTH.search(head)
                body = await reader.readexactly(int(length[1]) if length else 0)
                arrived = loop.time()
                if head.startswith(b"GET "):
                    writer.write(_http({"requests": self.requests}))
                    continue
                self.requests += 1
                answer = _http(_judged(json.loads(body)))
                await asyncio.sleep(arrived + self.delay - loop.time())
                writer.write(answer)
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()


def _http(reply: dict[str, Any]) -> bytes:
    content = json.dumps(reply).encode()
    return _HEAD % (len(content), content)


def _judged(request: dict[str, Any]) -> dict[str, Any]:
    keys = request["response_format"]["json_schema"]["schema"]["required"]
    text = request["messages"][-1]["content"]
    start = zlib.crc32(text.encode())
    answers = {key: "yes" if zlib.crc32(key.encode(), start) % 3 else "no" for key in keys}
    message = {"role": "assistant", "content": json.dumps(answers)}
    return {
        "id": "local",
        "object": "chat.completion",
        "created": 0,
        "model": request["model"],
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": len(text) // 4, "completion_tokens": 7 * len(keys), "total_tokens": len(text) // 4},
    }


async def serve(delay: float) -> None:
    judge = LocalJudge(delay)
    server = await asyncio.start_server(judge.converse, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)  # noqa: T201 - how the benchmark learns the port
    async with server:
        await server.serve_forever()


if __name__ == "__main__":
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--delay", type=float, default=DELAY)
    asyncio.run(serve(arguments.parse_args().delay))
