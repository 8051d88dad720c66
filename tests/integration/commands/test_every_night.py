"""What the guide's page “Every night and in CI” shows runs as it is shown, with a judge on this machine."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.support.fake_llm import anthropic_wire
from tests.support.fake_llm.behaviour import Answer
from tests.support.fake_llm.server import FakeLlm, Received
from tests.support.repository import ROOT

pytestmark = pytest.mark.long

PAGE = ROOT / "docs" / "guide" / "every-night.md"
CHECKLIST = {
    "task": "reply",
    "dimension": "tone",
    "rubric": "How polite.",
    "low": 1,
    "high": 5,
    "questions": [{"text": "Does it greet?"}, {"text": "Is it kind?"}],
}


def blocks(kind: str) -> list[str]:
    found: list[str] = re.findall(rf"```{kind}\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    return found


def answer(received: Received) -> Answer:
    """No to both questions about a text that says “rude”."""
    said = "no" if "rude" in anthropic_wire.said_by_user(received.body) else "yes"
    return Answer(json.dumps({"q1": said, "q2": said}))


@pytest.fixture
def environment(tmp_path: Path) -> Iterator[dict[str, str]]:
    """Of a shell with the program of these tests, and nothing of the project but its folder with a checklist."""
    (tmp_path / "tone.json").write_text(json.dumps(CHECKLIST), encoding="utf-8")
    beside = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    code = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH", ""))))
    with FakeLlm(usual=answer) as server:
        yield {
            "PATH": beside,
            "PYTHONPATH": code,
            "INTERACTEVAL_HOME": str(tmp_path / "home"),
            "ANTHROPIC_API_KEY": "planted-key",
            "ANTHROPIC_BASE_URL": server.url,
        }


def shell(script: str, folder: Path, environment: Mapping[str, str]) -> tuple[int, str]:
    """The status of a script that ends at the first failure, as GitHub's shell does; and what it said."""
    done = subprocess.run(
        ["bash", "-eo", "pipefail", "-c", script],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


def texts(folder: Path, night: int, rude: int) -> Path:
    file = folder / "written.jsonl"
    lines = [
        {
            "id": f"n{night}-{n}",
            "text": f"Dear {night} {n}.{' How rude!' if n < rude else ''}",
            "source": f"Letter {n}.",
        }
        for n in range(20)
    ]
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return file


@pytest.mark.parametrize(("rude", "status"), [(0, 0), (1, 4)])
def test_the_action_judges_and_fails_where_a_gate_fails(
    tmp_path: Path, environment: dict[str, str], rude: int, status: int
) -> None:
    (block,) = blocks("yaml")
    job: dict[str, Any] = yaml.safe_load(block)["jobs"]["judge"]
    texts(tmp_path, 1, rude)
    (tmp_path / "write-texts.sh").write_text("cat written.jsonl\n", encoding="utf-8")
    steps = {step["name"]: step["run"] for step in job["steps"] if "run" in step}
    assert steps.pop("Install").startswith("pip install ")
    own = {name: value for name, value in job["env"].items() if "${{" not in value}
    assert own["JUDGE"].startswith("anthropic:")
    assert {value for value in job["env"].values() if "${{" in value} == {"${{ secrets.ANTHROPIC_API_KEY }}"}
    ended = [shell(script, tmp_path, environment | own) for script in steps.values()]
    assert [each[0] for each in ended] == [0, status], ended
    kept = next(step["with"]["path"] for step in job["steps"] if "cache" in step.get("uses", ""))
    assert (tmp_path / kept).is_file()
    found = [json.loads(line) for line in (tmp_path / "judged.jsonl").read_text("utf-8").splitlines()]
    assert [text["score"] for text in found] == [1.0] * rude + [5.0] * (20 - rude)


def test_the_script_of_three_lines_fails_once_a_regression_is_proven(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    script = next(block for block in blocks("sh") if "--nightly" in block)
    assert len(script.strip().splitlines()) == 3
    begun, said = shell("interacteval checklist import tone.json --project Replies --publish", tmp_path, environment)
    assert begun == 0, said
    ended = []
    for night, rude in enumerate((0, 0, 10), start=1):
        texts(tmp_path, night, rude).rename(tmp_path / "night.jsonl")
        ended.append(shell(script, tmp_path, environment))
    assert [status for status, _ in ended] == [0, 0, 4], ended
