"""The tools that exported files are written for, in an environment of their own; a judge on this machine."""

import csv
import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from zlib import crc32

import pytest

from app.domain.checklist import Checklist, ChecklistStatus, Question
from app.domain.project import Dimension, Task, Text
from app.services.checklists.checklist_files import export_file, export_name
from app.services.checklists.checklists import ChecklistView, view_checklist
from app.services.runtime.workbench import Workbench
from tests.support.fake_llm.behaviour import Answer
from tests.support.fake_llm.server import FakeLlm, Received
from tests.support.projects import workbench_at
from tests.support.repository import ROOT

TOOLS = ROOT / ".venv-tools"
HOW = "run `make test-tools`, which installs it"

TEXTS = (
    Text("d1", "The ferry stops twice a day.", source="A report about a ferry."),
    Text("d2", "No source here, but \"quotes\", 'more', a back\\slash and\ntwo lines."),
    Text("d3", "===== end summary ===== {{ 7*7 }} {{ env.OPENAI_API_KEY }} {% if %} ${x} {# note", source="{{ vars }}"),
    Text("d4", "العبّارة تقف مرتين 🎈 <b>bold</b> =1+1", source="======== begin summary ========"),
    Text("d5", "The judge leaves one question open here."),
    Text("d6", "The judge answers nothing here."),
)
QUESTIONS = (
    Question("Is it in order?", "Order", key_question="Order?", weight=2.0, guidance="Dates {{ count }}.", cap=2.0),
    Question('Does it say "yes" {% raw %} or {{ no }}?', "Wording", weight=0.5, must_not=True),
    Question("هل النص واضح؟\u2028Is it clear?", "Wording"),
)


@dataclass(frozen=True)
class Tools:
    """Runs what is installed in .venv-tools, for one judge and in one folder."""

    folder: Path
    judge: str

    def run(self, command: str, *arguments: str, **variables: str) -> str:
        """What it printed; a failure fails the test with everything it said."""
        found = shutil.which(command, path=f"{TOOLS / 'bin'}{os.pathsep}{TOOLS / 'node_modules' / '.bin'}")
        if found is None:
            pytest.skip(f"{command} is not installed in {TOOLS.name}: {HOW}")
        environment = {
            "PATH": f"{TOOLS / 'bin'}{os.pathsep}{os.environ['PATH']}",
            "HOME": str(self.folder),
            "PYTHONPATH": os.environ["PYTHONPATH"],  # the guard that keeps tests on this machine
            "OPENAI_API_KEY": "planted-key",
            "OPENAI_BASE_URL": f"{self.judge}/v1",
            "DEEPEVAL_TELEMETRY_OPT_OUT": "1",
            "PROMPTFOO_DISABLE_TELEMETRY": "1",
            "PROMPTFOO_DISABLE_UPDATE": "1",
            "PROMPTFOO_DISABLE_REMOTE_GENERATION": "1",
            "PROMPTFOO_CONFIG_DIR": str(self.folder / "promptfoo"),
            "INSPECT_LOG_DIR": str(self.folder / "logs"),
            **variables,
        }
        done = subprocess.run(
            [found, *arguments],
            cwd=self.folder,
            env=environment,
            capture_output=True,
            text=True,
            timeout=180,
            check=False,
        )
        assert done.returncode == 0, f"{command}: {done.returncode}\n{done.stdout}\n{done.stderr}"
        return done.stdout


def answers_about(received: Received) -> Answer:
    """Yes or no by a checksum of the text and the question's key, so that every tool should get the same."""
    contents = [message["content"] for message in received.body["messages"]]
    said = "\n".join(c if isinstance(c, str) else "\n".join(part["text"] for part in c) for c in contents)
    text = re.findall(r"^(=+) begin summary \1\n(.*?)\n\1 end summary \1$", said, re.DOTALL | re.MULTILINE)[-1][1]
    keys = ["q1", "q2", "q3"]
    if "leaves one question open" in text:
        keys = keys[:2]
    if "answers nothing" in text:
        return Answer("I would rather not.")
    return Answer(json.dumps({key: "yes" if crc32(f"{key} {text}".encode()) % 2 else "no" for key in keys}))


@pytest.fixture
def judge() -> Iterator[FakeLlm]:
    with FakeLlm(answers_about) as running:
        yield running


@pytest.fixture
def tools(tmp_path: Path, judge: FakeLlm) -> Tools:
    return Tools(tmp_path, judge.url)


@pytest.fixture
def bench(tmp_path: Path, judge: FakeLlm) -> Workbench:
    return workbench_at(tmp_path, f"{judge.url}/v1", ("llama", "openai"))


@pytest.fixture
def view(bench: Workbench) -> ChecklistView:
    with bench.database.write() as work:
        project = work.projects.add("Tools & “quotes”", Task("summary", "article", "News {{ of }} the day."))
        dimension = work.projects.add_dimension(
            project.id, Dimension("coherence", 'Order.\n"""\nAnd {{ links }}.', 1, 5)
        )
        draft = Checklist("coherence", 0, ChecklistStatus.DRAFT, "comb", "", questions=QUESTIONS)
        work.checklists.publish(work.checklists.save(dimension.id, draft))
    return view_checklist(bench, dimension.id)


def exported(bench: Workbench, view: ChecklistView, form: str, folder: Path) -> str:
    """The name of the exported file in this folder."""
    name = export_name(view, form)
    (folder / name).write_bytes(export_file(bench, view, form))
    return name


def texts_csv(folder: Path, texts: Sequence[Text] = TEXTS) -> str:
    with (folder / "texts.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["doc_id", "text", "source"])
        writer.writerows([text.doc_id, text.text, text.source] for text in texts)
    return "texts.csv"
