"""Exported files score answers as we do, whatever the answers, the weights and the scale."""

import json
import random
import shutil
import subprocess
from collections.abc import Mapping
from typing import Any

import pytest
import yaml
from jinja2 import Template

from app.domain.judgment import Answer, checklist_score
from app.export.tool_files.writing import JudgeWords, tool_file

WORDS = JudgeWords("Judge.", ["", "text", ""], ["", "text", ""], {"text": "text", "source": "source"}, {})
LOW, HIGH = -2.0, 7.5
SAID = [answer.value for answer in Answer]
READS_ANSWERS = """
const cases = JSON.parse(require('fs').readFileSync(0, 'utf8'));
const scored = new Function('output', cases.code);
console.log(JSON.stringify(cases.answers.map((answers) => scored(answers).namedScores)));
"""


def document(weights: list[float]) -> dict[str, Any]:
    question = {"id": 1, "component": "c", "key_question": "k", "text": "Is it?", "guidance": "", "may_not_apply": True}
    about = {"dimension": "coherence", "version": 3, "low": LOW, "high": HIGH}
    return {**about, "questions": [{**question, "weight": weight} for weight in weights]}


def cases(weights: list[float]) -> list[dict[str, str]]:
    """Question key -> answer: none answered, all, and many drawn."""
    drawn = random.Random(5)
    keys = [f"q{number}" for number in range(1, len(weights) + 1)]
    alike = [dict.fromkeys(keys, said) for said in SAID]
    return [*alike, *({key: drawn.choice(SAID) for key in keys} for _ in range(200))]


def ours(answers: Mapping[str, str], weights: list[float]) -> dict[str, float | None]:
    said = [Answer(answer) for answer in answers.values()]
    score = checklist_score(said, LOW, HIGH)
    return {
        "score": score.value,
        "weighted_score": checklist_score(said, LOW, HIGH, weights).value,
        "coverage": score.coverage,
    }


WEIGHTS = [[1.0], [1.0] * 9, [0.0, 0.0, 2.0], [0.1, 0.2, 0.3, 0.7, 3.0]]


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("tool", ["deepeval", "inspect"])
def test_python_scores_as_we_do(tool: str, weights: list[float]) -> None:
    source = tool_file(tool, document(weights), WORDS)
    ours_alone = source[source.index("CHECKLIST = ") : source.index("def texts_in")]
    found: dict[str, Any] = {}
    exec(compile(ours_alone, tool, "exec"), found)
    for answers in cases(weights):
        assert found["scored"](answers) == ours(answers, weights)


@pytest.mark.skipif(shutil.which("node") is None, reason="needs node to run JavaScript")
@pytest.mark.parametrize("weights", WEIGHTS)
def test_javascript_scores_as_we_do(weights: list[float]) -> None:
    source = yaml.safe_load(tool_file("promptfoo", document(weights), WORDS))
    code = Template(source["defaultTest"]["assert"][0]["value"]).render()
    given = json.dumps({"code": code, "answers": cases(weights)})
    said = subprocess.run(["node", "-e", READS_ANSWERS], input=given, capture_output=True, text=True, check=True)
    for answers, found in zip(cases(weights), json.loads(said.stdout), strict=True):
        expected = {name: value for name, value in ours(answers, weights).items() if value is not None}
        assert found == pytest.approx(expected, rel=1e-12, abs=1e-12)
        assert found.keys() == expected.keys()
