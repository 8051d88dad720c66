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

from app.domain.checklist_score import Answer, checklist_score
from app.export.checklist_reading import read_question
from app.export.tool_files.writing import JudgeWords, tool_file

WORDS = JudgeWords("Judge.", ["", "text", ""], ["", "text", ""], {"text": "text", "source": "source"}, {})
LOW, HIGH = -2.0, 7.5
SAID = [answer.value for answer in Answer]
READS_ANSWERS = """
const cases = JSON.parse(require('fs').readFileSync(0, 'utf8'));
const scored = new Function('output', 'context', cases.code);
console.log(JSON.stringify(cases.answers.map((answers) => scored(answers, {test: cases.test}))));
"""


MARKS: list[dict[str, Any]] = [
    {"must_not": True},
    {"cap": 1.5},
    {"must_not": True, "cap": 3.0},
    {"grade": "clarity"},
    {"grade": "clarity"},
    {"grade": "order", "must_not": True},
    {"grade": "order"},
]


def document(weights: list[float]) -> dict[str, Any]:
    question = {"id": 1, "component": "c", "key_question": "k", "text": "Is it?", "guidance": "", "may_not_apply": True}
    about = {"task": "summary", "rubric": "", "dimension": "coherence", "version": 3, "low": LOW, "high": HIGH}
    marks = MARKS if len(weights) == len(MARKS) else [{}] * len(weights)
    return {**about, "questions": [{**question, "weight": w, **mark} for w, mark in zip(weights, marks, strict=True)]}


def cases(weights: list[float]) -> list[dict[str, str]]:
    """Question key -> answer: none answered, all, and many drawn."""
    drawn = random.Random(5)
    keys = [f"q{number}" for number in range(1, len(weights) + 1)]
    alike = [dict.fromkeys(keys, said) for said in SAID]
    return [*alike, *({key: drawn.choice(SAID) for key in keys} for _ in range(200))]


def ours(answers: Mapping[str, str], weights: list[float]) -> dict[str, float | None]:
    said = [Answer(answer) for answer in answers.values()]
    questions = [read_question("Question", each, {}) for each in document(weights)["questions"]]
    score = checklist_score(said, LOW, HIGH, questions)
    return {
        "score": score.value,
        "weighted_score": checklist_score(said, LOW, HIGH, questions, weighted=True).value,
        "coverage": score.coverage,
    }


WEIGHTS = [[1.0], [1.0, 2.0, 0.5, 1.0, 3.0, 1.0, 1.0], [1.0] * 9, [0.0, 0.0, 2.0], [0.1, 0.2, 0.3, 0.7, 3.0]]


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("tool", ["deepeval", "inspect", "reward"])
def test_python_scores_as_we_do(tool: str, weights: list[float]) -> None:
    source = tool_file(tool, document(weights), WORDS)
    ours_alone = source[source.index("CHECKLIST = ") : source.index("def texts_in")]
    found: dict[str, Any] = {}
    exec(compile(ours_alone, tool, "exec"), found)
    for answers in cases(weights):
        assert found["scored"](answers) == ours(answers, weights)


@pytest.mark.parametrize("weights", WEIGHTS)
def test_the_openai_grader_scores_as_we_do(weights: list[float]) -> None:
    found = json.loads(tool_file("openai-grader", document(weights), WORDS))
    passing = {key: grader["passing_labels"] for key, grader in found["graders"].items()}
    for answers in cases(weights):
        score = ours(answers, weights)["score"]
        if set(answers.values()) <= {"yes", "no"} and score is not None:
            values = {key: int(answers[key] in passing[key]) for key in answers}
            told = eval(found["calculate_output"], {"min": min}, values)
            assert LOW + (HIGH - LOW) * told == pytest.approx(score)


def test_the_openai_grader_reads_examples_with_their_reasons() -> None:
    asked = document([1.0])
    shown = [{"text": "It ends.", "answer": "yes", "reason": "The story closes."}]
    asked["questions"][0]["examples"] = shown
    grader = json.loads(tool_file("openai-grader", asked, WORDS))["graders"]["q1"]
    told = grader["input"][0]["content"]
    assert told.index("It ends.") < told.index("yes") < told.index("The story closes.")


def graded(source: dict[str, Any], answers: list[dict[str, str]]) -> list[dict[str, Any]]:
    """What promptfoo's assertion returns for each."""
    test = source["defaultTest"]
    code = Template(test["assert"][0]["value"]).render()
    given = json.dumps({"code": code, "answers": answers, "test": {"threshold": test["threshold"]}})
    said = subprocess.run(["node", "-e", READS_ANSWERS], input=given, capture_output=True, text=True, check=True)
    found: list[dict[str, Any]] = json.loads(said.stdout)
    return found


@pytest.mark.skipif(shutil.which("node") is None, reason="needs node to run JavaScript")
@pytest.mark.parametrize("threshold", [None, -1.0, 7.0])
def test_promptfoo_passes_texts_from_the_threshold_on(threshold: float | None) -> None:
    source = yaml.safe_load(tool_file("promptfoo", document([1.0, 1.0]), WORDS))
    assert source["defaultTest"]["threshold"] == (LOW + HIGH) / 2
    if threshold is not None:
        source["defaultTest"]["threshold"] = threshold
    least = source["defaultTest"]["threshold"]
    said = [{"q1": first, "q2": second} for first, second in (("yes", "yes"), ("yes", "no"), ("no", "no"), ("?", "?"))]
    found = graded(source, said)
    assert [each["pass"] for each in found] == [
        score is not None and score >= least for score in (HIGH, 2.75, LOW, None)
    ]
    assert [each["score"] >= least for each in found] == [each["pass"] for each in found]


@pytest.mark.skipif(shutil.which("node") is None, reason="needs node to run JavaScript")
@pytest.mark.parametrize("weights", WEIGHTS)
def test_javascript_scores_as_we_do(weights: list[float]) -> None:
    source = yaml.safe_load(tool_file("promptfoo", document(weights), WORDS))
    for answers, result in zip(cases(weights), graded(source, cases(weights)), strict=True):
        found = result["namedScores"]
        expected = {name: value for name, value in ours(answers, weights).items() if value is not None}
        assert found == pytest.approx(expected, rel=1e-12, abs=1e-12)
        assert found.keys() == expected.keys()
