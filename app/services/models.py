"""Models as the use cases need them: opened, and LLMs with the ledger behind them."""

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from app.domain.call import RecordedCall
from app.domain.checklist import Question
from app.domain.task import Dimension, Task
from app.domain.text import Text
from app.evaluators.checklist import judge
from app.providers.recorded import RecordedModel
from app.providers.retry import Patient
from app.services.workbench import Workbench
from db.unit_of_work import Database


class DatabaseLedger:
    def __init__(self, database: Database) -> None:
        self._database = database

    def find(self, digest: str) -> RecordedCall | None:
        with self._database.read() as work:
            return work.calls.find(digest)

    def add(self, call: RecordedCall) -> None:
        with self._database.write() as work:
            work.calls.add([call])


@asynccontextmanager
async def opened(
    workbench: Workbench, name: str, run: int | None = None, use_cache: bool = True
) -> AsyncIterator[RecordedModel]:
    """A model for the length of a block: patient with its provider, its calls counted and in the ledger.

    Models that are no LLM cost nothing and answer the same at once, so they are neither retried nor recorded.
    Raises UnknownModelError or MissingKeyError.
    """
    model = workbench.model(name)
    ledger = DatabaseLedger(workbench.database) if model.is_llm else None
    try:
        yield RecordedModel(Patient(model) if model.is_llm else model, ledger, run, use_cache)
    finally:
        await model.aclose()


async def test_model(workbench: Workbench, name: str) -> float:
    """Ask the model one tiny question; seconds until its answer. Raises the ProviderError that tells what is wrong."""
    item = Text("test", "The cat slept on the mat. It was warm there.", source="A cat slept on a warm mat.")
    question = Question("Is the text written in whole sentences?", "form", id=1)
    async with opened(workbench, name, use_cache=False) as model:
        started = time.monotonic()
        await judge(model, Task(), Dimension("fluency", "How well the text reads."), [question], item)
        return time.monotonic() - started
