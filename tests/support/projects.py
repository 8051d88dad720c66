"""Workbenches on a database of their own, with a project ready to be scored."""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from pydantic import SecretStr
from sqlmodel import SQLModel

from app.domain.checklist import Checklist, ChecklistStatus, Component, Question, QuestionOrigin
from app.domain.project import Dimension, Project, Rating, Task, Text
from app.providers.base import ChatModel
from app.providers.credentials import Access, Credentials
from app.providers.model_options import USUAL, ModelOptions
from app.services.runtime.workbench import Workbench
from db.unit_of_work import Database, UnitOfWork


def workbench_at(
    folder: Path, llm_url: str = "", providers: Sequence[str] = ("llama",), address: str = ""
) -> Workbench:
    """A workbench whose models of these providers are served at `llm_url`. address: of another database than a file."""
    access = Access(SecretStr("planted-key"), llm_url, "the test") if llm_url else Access()
    return Workbench(
        Database(address or f"sqlite:///{folder}/workbench.db"), Credentials(dict.fromkeys(providers, access))
    )


class ModelBench(Workbench):
    """A workbench whose models come from a function."""

    __slots__ = ()
    opener: Callable[[str], ChatModel]

    def model(self, name: str, options: ModelOptions = USUAL) -> ChatModel:
        return type(self).opener(name)


def ready_to_score(workbench: Workbench, texts: int = 12, questions: int = 3) -> Dimension:
    """Project 1 with `texts` rated texts of four systems and a published checklist of `questions` questions.

    Its rows are made once in a process; an empty SQLite database gets a copy of them.
    """
    with workbench.database.write() as work:
        if workbench.database.file is None or work.projects.all():
            return _add_ready(work, texts, questions)
        dimension, rows = _ready_rows(texts, questions)
        connection = work._session.connection()
        for statement, values in rows.items():
            connection.exec_driver_sql(statement, values)
        return dimension


def _add_ready(work: UnitOfWork, texts: int, questions: int) -> Dimension:
    project = work.projects.add("Ready", Task("summary", "article"))
    dimension = work.projects.add_dimension(project.id, Dimension("coherence", "How the parts fit together."))
    made = [Text(f"d{n // 4}", f"Text number {n}.", f"s{n % 4}", source=f"Source {n // 4}.") for n in range(texts)]
    work.texts.add_many(project.id, made)
    ids = work.texts.ids_by_key(project.id)
    work.texts.add_ratings(
        [(ids[text.key], dimension.id, Rating("coherence", "r1", 1.0 + n % 5)) for n, text in enumerate(made)]
    )
    small_checklist(work, dimension.id, questions)
    return dimension


@cache
def _ready_rows(texts: int, questions: int) -> tuple[Dimension, Mapping[str, list[tuple[Any, ...]]]]:
    """The dimension, and for each table that has rows the statement that inserts them with their values."""
    with TemporaryDirectory() as folder:
        workbench = workbench_at(Path(folder))
        with workbench.database.write() as work:
            dimension = _add_ready(work, texts, questions)
            rows = {}
            for table in SQLModel.metadata.sorted_tables:
                found = [tuple(row) for row in work._session.connection().exec_driver_sql(f'SELECT * FROM "{table}"')]
                if found:
                    rows[f'INSERT INTO "{table}" VALUES ({", ".join("?" * len(found[0]))})'] = found
        workbench.database.close()
    return dimension, rows


def small_checklist(work: UnitOfWork, dimension_id: int, questions: int = 3) -> Checklist:
    """A published checklist of so many questions."""
    asked = [
        Question(f"Is part {n} in its place?", "Order", origin=QuestionOrigin.ADDED, position=n)
        for n in range(questions)
    ]
    draft = Checklist("coherence", 0, ChecklistStatus.DRAFT, "comb", "", (Component("Order"),), tuple(asked))
    return work.checklists.publish(work.checklists.save(dimension_id, draft))


def rated_on_two(workbench: Workbench) -> tuple[Project, tuple[Dimension, Dimension]]:
    """Project "Talks": eight texts of eight documents, rated 1 to 5 on order and on warmth."""
    with workbench.database.write() as work:
        project = work.projects.add("Talks", Task())
        order, warmth = (work.projects.add_dimension(project.id, Dimension(name)) for name in ("order", "warmth"))
        texts = [Text(f"d{n}", f"Talk {n} begins. It goes on. It ends with a line of its own.") for n in range(8)]
        work.texts.add_many(project.id, texts)
        ids = work.texts.ids_by_key(project.id)
        work.texts.add_ratings(
            [
                (ids[text.key], dimension.id, Rating(dimension.name, "r1", 1.0 + n % 5))
                for n, text in enumerate(texts)
                for dimension in (order, warmth)
            ]
        )
        return project, (order, warmth)
