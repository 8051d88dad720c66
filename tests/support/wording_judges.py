"""A judge and a writer of wordings that go by what a request holds, and a project whose answers are decided."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from hashlib import sha256
from pathlib import Path
from typing import Any

from app.domain.checklist import Checklist, ChecklistStatus, Component, Question
from app.domain.checklist_score import Answer
from app.domain.project import Dimension, Task, Text
from app.providers.base import ChatReply, ChatRequest, Usage
from app.providers.credentials import Credentials
from app.services.checklists.checklists import new_draft, versions_of
from app.services.runtime.workbench import Workbench
from app.services.scoring.runs import RunOptions, start_run, work_on
from db.unit_of_work import Database
from tests.support.prepared import Prepared, prepared
from tests.support.projects import ModelBench

JUDGE, WRITER = "llama:judge", "llama:writer"
QUESTIONS = ("Does it greet?", "Is it warm?", "Does it end well?")
ASKED = 1  # the place of the question that is decided about
Judging = Callable[[str, str, str], bool]
"""(question, guidance and examples, text) -> whether the judge says yes."""


def misreads_warm(question: str, guidance: str, text: str) -> bool:
    """Takes “warm” for hot weather, until the guidance says what it means; else all is well."""
    if question != QUESTIONS[ASKED]:
        return True
    return "kind words" in text if "kind" in guidance else "hot day" in text


def learns_warm(question: str, guidance: str, text: str) -> bool:
    """As `misreads_warm`, until an example shows a cold day answered yes, or a hot one answered no."""
    if question != QUESTIONS[ASKED]:
        return True
    return "kind words" in text if "mild day. => yes" in guidance or "hot day. => no" in guidance else "hot day" in text


def errs_at_random(seed: int, chance: float = 0.35) -> Judging:
    """Right but for an error drawn anew for each text and each wording."""

    def judging(question: str, guidance: str, text: str) -> bool:
        drawn = int(sha256(f"{seed} {question} {guidance} {text}".encode()).hexdigest()[:8], 16) / 16**8
        return ("kind words" in text) != (drawn < chance)

    return judging


class WordingModels:
    """Judge and writer in one, in this process; `requests` holds all that was asked."""

    is_llm = True

    def __init__(self, judging: Judging, proposals: Sequence[Mapping[str, str]], name: str = JUDGE) -> None:
        self.judging, self.proposals, self.name = judging, proposals, name
        self.requests: list[ChatRequest] = []

    async def complete(self, request: ChatRequest) -> ChatReply:
        self.requests.append(request)
        variables = request.prompt.variables
        if request.prompt.name == "question-improve":
            said: dict[str, Any] = {"proposals": list(self.proposals)}
        else:
            text = variables["item"]["text"]
            said = {
                each["key"]: "yes" if self.judging(each["question"], _shown(each), text) else "no"
                for each in variables["questions"]
            }
        return ChatReply(json.dumps(said), self.name, Usage(100, 0, 7))

    async def aclose(self) -> None:
        """Nothing is open."""

    @property
    def judged(self) -> list[ChatRequest]:
        return [request for request in self.requests if request.prompt.name != "question-improve"]


def _shown(question: Mapping[str, Any]) -> str:
    examples = question.get("examples", ())
    return " ".join([question["guidance"], *(f"{one['text']} => {one['answer']}" for one in examples)])


@dataclass(frozen=True)
class DecidedProject:
    """The draft's question is decided about on every text; `run` scored the version before."""

    workbench: Workbench
    models: WordingModels
    dimension: Dimension
    draft: Checklist
    run: int

    @property
    def question(self) -> Question:
        return self.draft.asked[ASKED]

    def decide(self, which: slice) -> None:
        """As is true: warm is what has kind words."""
        with self.workbench.database.write() as work:
            for text in work.texts.all(work.projects.project_of(self.dimension.id).id)[which]:
                right = Answer.YES if "kind words" in text.text else Answer.NO
                why = "Warm is about kindness."
                work.decisions.add(self.question.id, text.id, right, "Ana", why=why, run_id=self.run)


def letter(number: int) -> str:
    """Half of them are kind, half of them are written on a hot day, and neither goes with the other."""
    kind, hot = number % 2 == 0, number % 4 < 2
    return f"Letter {number}, {'kind' if kind else 'curt'} words on a {'hot' if hot else 'mild'} day."


def guided(guidance: str, text: str = QUESTIONS[ASKED]) -> dict[str, str]:
    return {"question": text, "guidance": guidance, "reason": "The word was misread."}


def wording_bench(folder: Path, models: WordingModels) -> Workbench:
    class Bench(ModelBench):
        opener = staticmethod(lambda _: models)

    return Bench(Database(f"sqlite:///{folder}/workbench.db"), Credentials({}))


def decided_project(folder: Path, models: WordingModels, texts: int = 80, decided: int | None = None) -> DecidedProject:
    """A copy in `folder` of a project whose letters a judge like `models` scored, and some of whose answers are
    decided."""
    made = _decided(models.judging, models.name, texts, decided).copy(folder)
    return replace(made, workbench=wording_bench(folder, models), models=models)


@cache
def _decided(judging: Judging, judge: str, texts: int, decided: int | None) -> Prepared[DecidedProject]:
    scored = _scored(judging, judge, texts)

    def opened(folder: Path) -> Workbench:
        scored.copy(folder)
        return wording_bench(folder, scored.made.models)

    def decide(workbench: Workbench) -> DecidedProject:
        there = replace(scored.made, workbench=workbench)
        there.decide(slice(decided))
        return there

    return prepared(decide, opened)


@cache
def _scored(judging: Judging, judge: str, texts: int) -> Prepared[DecidedProject]:
    models = WordingModels(judging, (), judge)
    return prepared(lambda workbench: scored_letters(workbench, models, texts), partial(wording_bench, models=models))


def scored_letters(workbench: Workbench, models: WordingModels, texts: int) -> DecidedProject:
    """Add a project with one text a document, and let the judge score it."""
    with workbench.database.write() as work:
        project = work.projects.add("Letters", Task("letter"))
        dimension = work.projects.add_dimension(project.id, Dimension("tone", "How it sounds."))
        work.texts.add_many(project.id, [Text(f"d{n:03}", letter(n)) for n in range(texts)])
        asked = tuple(Question(text, "Manner", position=n) for n, text in enumerate(QUESTIONS))
        made = Checklist("tone", 0, ChecklistStatus.DRAFT, "comb", "", (Component("Manner"),), asked)
        work.checklists.publish(work.checklists.save(dimension.id, made))
    run = start_run(workbench, project.id, RunOptions((dimension,), models.name))
    work_on(workbench, run)
    draft = new_draft(workbench, versions_of(workbench, dimension.id)[0].id)
    return DecidedProject(workbench, models, dimension, draft, run)
