"""`judge`: texts with a checklist file, without a project; gates, what is asked again, where answers are kept."""

import csv
import io
import json
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from app.services.runtime import batch_rounds
from app.settings import settings
from tests.support.asking_judges import judge_of, steady
from tests.support.console import Run
from tests.support.fake_llm.behaviour import Answer, Behaviour, Status
from tests.support.fake_llm.server import FakeLlm, Received
from tests.support.modern_vendors import ModernVendors

QUESTIONS = [
    {"text": "Does it greet?", "guidance": "A name is enough.", "weight": 2},
    {"text": "Is it kind?"},
    {"text": "Does it end well?"},
]
CHECKLIST = {
    "task": "reply",
    "dimension": "tone",
    "version": 3,
    "rubric": "How polite.",
    "low": 0,
    "high": 10,
    "questions": QUESTIONS,
}


class Judge:
    """Answers by the words of question and text; `down` is what texts must not hold, "" for nothing."""

    down = ""

    def __call__(self, received: Received) -> Behaviour:
        if self.down and self.down in json.dumps(received.body):
            return Status(500)
        return judge_of(steady)(received)


@pytest.fixture
def judge_() -> Judge:
    return Judge()


@pytest.fixture
def llm(judge_: Judge, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeLlm]:
    with FakeLlm(usual=judge_) as server:
        monkeypatch.setenv("LLAMA_BASE_URL", f"{server.url}/v1")
        settings.cache_clear()
        yield server


@pytest.fixture
def checklist(tmp_path: Path) -> Path:
    path = tmp_path / "tone.json"
    path.write_text(json.dumps(CHECKLIST), encoding="utf-8")
    return path


def texts_at(path: Path, count: int = 12) -> Path:
    rows = [{"id": f"t{n}", "text": f"Dear {n}, thanks.", "source": f"Letter {n % 5}."} for n in range(count)]
    if path.suffix == ".csv":
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, rows[0])
            writer.writeheader()
            writer.writerows(rows)
    else:
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def judged(result: tuple[int, str, str], status: int = 0) -> Any:
    assert result[0] == status, result[2]
    return json.loads(result[1])


JUDGE = ("--judge", "llama:judge")


def test_judge_scores_texts_as_the_project_does(run: Run, llm: FakeLlm, checklist: Path, tmp_path: Path) -> None:
    file, scores = texts_at(tmp_path / "texts.csv", 24), tmp_path / "scores.csv"
    found = judged(run("judge", file, "--checklist", checklist, *JUDGE, "--json"))
    assert not (settings().home / "workbench.db").exists()
    asked = {json.dumps(request.body, sort_keys=True) for request in llm.requests}
    llm.requests.clear()

    project = ("--project", "Tone")
    assert run("checklist", "import", checklist, *project, "--publish")[0] == 0
    assert run("import", file, *project, "--rating", "none", "--map", "text=text", "--map", "source=source")[0] == 0
    assert run("score", *project, *JUDGE)[0] == 0
    assert run("results", *project, "--output", scores)[0] == 0
    of_project = [float(row["score"]) for row in csv.DictReader(scores.read_text("utf-8-sig").splitlines())]
    assert [text["score"] for text in found["texts"]] == of_project
    assert {json.dumps(request.body, sort_keys=True) for request in llm.requests} == asked
    assert len(set(of_project)) == 4
    assert found["mean"] == pytest.approx(sum(of_project) / 24)


def test_judge_fills_its_contract(run: Run, llm: FakeLlm, checklist: Path, tmp_path: Path) -> None:
    found = judged(run("judge", texts_at(tmp_path / "t.jsonl"), "--checklist", checklist, *JUDGE, "--json"))
    assert found["checklist"] == {"dimension": "tone", "version": 3}
    assert (found["judge"], found["calls"], found["calls_cached"], found["cost_usd"]) == ("llama:judge", 12, 0, None)
    assert (found["passed"], found["gates"], found["left_out"]) == (True, [], [])
    assert {text["cost_usd"] for text in found["texts"]} == {None}, "the price is unknown"
    assert [text["id"] for text in found["texts"]] == [f"t{n}" for n in range(12)]
    first = found["texts"][0]
    assert [answer["question"] for answer in first["answers"]] == [question["text"] for question in QUESTIONS]
    assert set(first["answers"][0]) == {"number", "question", "answer", "reason", "quote"}
    yes = sum(answer["answer"] == "yes" for answer in first["answers"])
    assert (first["score"], first["coverage"]) == (pytest.approx(10 * yes / 3), 1)


def test_judge_again_asks_only_for_what_failed(
    run: Run, llm: FakeLlm, judge_: Judge, checklist: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.providers.retry.RetryingModel._wait", lambda *_: 0.0)
    file, output = texts_at(tmp_path / "t.jsonl"), tmp_path / "out.jsonl"
    words = ("judge", file, "--checklist", checklist, *JUDGE, "--output", output, "--json")
    judge_.down = "Dear 7,"
    found = judged(run(*words), 3)
    assert [text["id"] for text in found["texts"] if "error" in text] == ["t7"]
    judge_.down = ""
    llm.requests.clear()
    again = judged(run(*words))
    assert (len(llm.requests), again["calls"], again["calls_cached"]) == (1, 1, 11)
    last = judged(run(*words))
    assert last["calls"] == 0
    lines = [json.loads(line) for line in output.read_text("utf-8").splitlines()]
    assert lines == last["texts"]
    assert (tmp_path / "out.jsonl.cache.db").is_file()

    fewer = texts_at(tmp_path / "fewer.jsonl", 5)
    cached = judged(run("judge", fewer, *words[2:]))
    assert (cached["calls"], cached["calls_cached"]) == (0, 5)


def test_gates_fail_with_status_4(run: Run, llm: FakeLlm, checklist: Path, tmp_path: Path) -> None:
    words = ("judge", texts_at(tmp_path / "t.csv"), "--checklist", checklist, *JUDGE, "--cache", tmp_path / "c.db")
    mean = judged(run(*words, "--json"))["mean"]
    assert run(*words, "--fail-under", mean)[0] == 0
    under = judged(run(*words, "--fail-under", mean + 0.01, "--json"), 4)
    assert (under["passed"], under["gates"][0]["value"]) == (False, mean)
    required = judged(run(*words, "--require", "2", "--require", "Does it greet?", "--json"), 4)
    gates = {gate["gate"]: gate["failing"] for gate in required["gates"]}
    for number in (1, 2):
        noes = [t["id"] for t in required["texts"] if t["answers"][number - 1]["answer"] == "no"]
        assert gates[f"yes({number})"] == noes
        assert noes
    status, out, _ = run(*words, "--require", "2")
    assert (status, "gate yes(2)" in out) == (4, True)


def test_texts_of_stdin_are_judged_into_csv(
    run: Run, llm: FakeLlm, checklist: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    raw = texts_at(tmp_path / "t.jsonl", 3).read_bytes()
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(raw)))
    output = tmp_path / "out.csv"
    assert run("judge", "-", "--checklist", checklist, *JUDGE, "--output", output)[0] == 0
    rows = list(csv.DictReader(output.read_text("utf-8").splitlines()))
    assert list(rows[0]) == ["id", "score", "coverage", "q1", "q2", "q3", "cost_usd", "error"]
    assert [row["id"] for row in rows] == ["t0", "t1", "t2"]


UNUSABLE = (
    ("--require", "4"),
    ("--require", "Is it blue?"),
    ("--output", "out.pdf"),
    ("--batch",),
    ("--set", "colour=red"),
    ("--judge", "nobody:x"),
    ("--map", "text=nothing"),
)


def test_bad_input_ends_with_status_2_before_anything_is_asked(
    run: Run, llm: FakeLlm, checklist: Path, tmp_path: Path, subtests: pytest.Subtests
) -> None:
    file = texts_at(tmp_path / "t.csv")
    for more in UNUSABLE:
        with subtests.test(more=more):
            judge = () if "--judge" in more else JUDGE
            status, out, err = run("judge", file, "--checklist", checklist, *judge, *more)
            assert (status, out, len(err.strip().splitlines())) == (2, "", 1)
            assert llm.requests == []


def test_answers_are_not_kept_among_the_projects(run: Run, llm: FakeLlm, checklist: Path, tmp_path: Path) -> None:
    own = settings().home / "workbench.db"
    words = ("judge", texts_at(tmp_path / "t.csv"), "--checklist", checklist, *JUDGE)
    assert run(*words, "--cache", own)[0] == 2
    assert not own.exists()


def test_evidence_is_asked_for_and_looked_up(
    run: Run, checklist: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = texts_at(tmp_path / "t.jsonl", 2)
    said = {"quote": "thanks", "reason": "It thanks.", "answer": "yes"}
    reply = json.dumps({"q1": said, "q2": said | {"quote": "not there at all"}, "q3": said})

    with FakeLlm(usual=Answer(reply)) as server:
        monkeypatch.setenv("LLAMA_BASE_URL", f"{server.url}/v1")
        settings.cache_clear()
        words = ("judge", file, "--checklist", checklist, *JUDGE, "--reasons", "--evidence", "--json")
        found = judged(run(*words))
    answers = found["texts"][0]["answers"]
    assert [(a["reason"], a["quote"], a["quote_found"]) for a in answers[:2]] == [
        ("It thanks.", "thanks", True),
        ("It thanks.", "not there at all", False),
    ]


def test_the_costs_of_texts_add_up_and_answered_ones_cost_nothing(
    run: Run, vendors: ModernVendors, checklist: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-local")
    words = ("--checklist", checklist, "--judge", "openai:gpt-4o", "--output", tmp_path / "out.json", "--json")
    monkeypatch.setenv("OPENAI_BASE_URL", vendors.address("openai", "plain,judge"))
    settings.cache_clear()
    found = judged(run("judge", texts_at(tmp_path / "t.jsonl", 6), *words))
    again = judged(run("judge", texts_at(tmp_path / "t.jsonl", 6), *words))
    costs = [text["cost_usd"] for text in found["texts"]]
    assert (len(costs), min(costs) > 0, sum(costs)) == (6, True, pytest.approx(found["cost_usd"]))
    assert {text["cost_usd"] for text in again["texts"]} == {0}


def test_a_batch_is_collected_by_the_same_command(
    run: Run, vendors: ModernVendors, checklist: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batch_rounds, "FIRST_LOOK", 0.1)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-local")
    output = tmp_path / "out.json"
    words = ("judge", texts_at(tmp_path / "t.jsonl", 6), "--checklist", checklist, "--judge", "openai:gpt-4o")
    monkeypatch.setenv("OPENAI_BASE_URL", vendors.address("openai", "batch=0.2,judge"))
    settings.cache_clear()
    found = judged(run(*words, "--batch", "--output", output, "--json"))
    assert [text["coverage"] for text in found["texts"]] == [1] * 6
    assert (found["calls"], found["calls_cached"]) == (6, 0)
    costs = [text["cost_usd"] for text in found["texts"]]
    assert (min(costs) > 0, sum(costs)) == (True, pytest.approx(found["cost_usd"]))
    assert json.loads(output.read_text("utf-8")) == found
