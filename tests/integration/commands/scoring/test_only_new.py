"""`score --new`, `--since` and `--filter`, and gates over all nights: what a script does every night."""

import csv
import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from app.services.runtime.workbench import open_workbench
from app.settings import settings
from tests.support.console import Run
from tests.support.fake_llm.behaviour import Answer
from tests.support.fake_llm.server import FakeLlm, Received
from tests.support.small_project import document

BASE = ("--project", "News")
SCORE = ("score", *BASE, "--judge", "llama:judge", "--json")
CHECKLIST = {
    "task": "reply",
    "dimension": "tone",
    "rubric": "How polite.",
    "low": 0,
    "high": 1,
    "questions": [{"text": "Does it greet?"}, {"text": "Is it kind?"}],
}


def answer(received: Received) -> Answer:
    """No to the second question about a text that says “rude”."""
    return Answer(
        json.dumps({"q1": "yes", "q2": "no" if "rude" in received.body["messages"][-1]["content"] else "yes"})
    )


@pytest.fixture
def llm(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeLlm]:
    with FakeLlm(usual=answer) as server:
        monkeypatch.setenv("LLAMA_BASE_URL", f"{server.url}/v1")
        settings.cache_clear()
        yield server


@pytest.fixture
def project(run: Run, llm: FakeLlm, tmp_path: Path) -> Path:
    """Project “News” with a published checklist. Returns the folder."""
    checklist = tmp_path / "tone.json"
    checklist.write_text(json.dumps(CHECKLIST), encoding="utf-8")
    assert run("checklist", "import", checklist, *BASE, "--publish")[0] == 0
    return tmp_path


def bring_in(run: Run, folder: Path, night: int, rude: int = 0, texts: int = 4) -> None:
    """Texts of one night, the first `rude` of them rude."""
    file = folder / f"night-{night}.csv"
    with file.open("w", encoding="utf-8", newline="") as opened:
        writer = csv.writer(opened)
        writer.writerow(["doc_id", "text", "system_id", "lang"])
        for n in range(texts):
            said = f"Dear {night}-{n}{', you are rude' if n < rude else ''}."
            writer.writerow([f"night-{night}-{n}", said, f"s{n % 2}", ("de", "en")[n % 2]])
    assert run("import", file, *BASE, "--rating", "none", "--map", "text=text")[0] == 0


def test_new_scores_only_what_has_no_score_yet(run: Run, llm: FakeLlm, project: Path) -> None:
    bring_in(run, project, 1)
    assert document(run(*SCORE, "--new")[1])["dimensions"]["tone"]["scored"] == 4
    bring_in(run, project, 2, texts=5)
    dry = document(run(*SCORE, "--new", "--dry-run")[1])
    assert dry["calls"] == 5
    second = document(run(*SCORE, "--new")[1])
    assert (second["run"], second["dimensions"]["tone"]["scored"], second["calls"]) == (2, 5, 5)
    status, out, _ = run(*SCORE, "--new")
    assert (status, document(out)["run"], document(out)["calls"]) == (0, None, 0)
    assert document(run(*SCORE, "--new", "--dry-run")[1])["calls"] == 0
    assert document(run(*SCORE, "--new", "--set", "reasons=yes")[1])["dimensions"]["tone"]["scored"] == 9
    assert len(document(run("runs", "list", *BASE, "--json")[1])) == 3
    # Another judge or version makes all texts new.
    other = document(run("score", *BASE, "--judge", "rules", "--json", "--new")[1])
    assert other["dimensions"]["tone"]["scored"] == 9
    assert run("checklist", "import", project / "tone.json", *BASE, "--publish")[0] == 0
    assert document(run(*SCORE, "--new")[1])["dimensions"]["tone"]["scored"] == 9


FILTERS = (
    (("--filter", "doc_id=night-2-*"), 5),
    (("--filter", "lang=de"), 5),
    (("--filter", "lang=de", "--filter", "doc_id=night-2-*"), 3),
    (("--filter", "system_id=s?", "--system", "s1"), 4),
)


def test_texts_are_chosen_by_names_columns_and_day(
    run: Run, llm: FakeLlm, project: Path, subtests: pytest.Subtests
) -> None:
    bring_in(run, project, 1)
    bring_in(run, project, 2, texts=5)
    for words, texts in FILTERS:
        with subtests.test(words=words):
            scored = document(run(*SCORE, *words)[1])
            assert scored["dimensions"]["tone"]["scored"] == texts
            (result,) = document(run("results", *BASE, "--run", scored["run"], "--resamples", 0, "--json")[1])
            named = [word for word in words if "=" in word]
            assert all(word in result["method"] and word in result["signature"] for word in named)
    now = datetime.now(UTC)
    status, out, _ = run(*SCORE, "--since", (now + timedelta(days=1)).date().isoformat())
    assert (status, document(out)["run"]) == (0, None)
    today = document(run(*SCORE, "--since", now.date().isoformat())[1])
    assert today["dimensions"]["tone"]["scored"] == 9
    with open_workbench().database.read() as work:
        assert len(work.texts.imported_since(1, now - timedelta(minutes=10))) == 9
        assert work.texts.imported_since(1, now + timedelta(minutes=10)) == frozenset()


UNUSABLE = (
    (*SCORE, "--filter", "doc_id"),
    (*SCORE, "--filter", "doc_id=day-*"),
    (*SCORE, "--filter", "colour=red"),
    (*SCORE, "--since", "yesterday"),
    (*SCORE, "--new", "--resume", "1"),
    ("results", *BASE, "--require", "yes(3)>=.9"),
    ("results", *BASE, "--require", "bleu>=.9"),
    ("results", *BASE, "--nightly"),
    ("results", *BASE, "--require", "yes(1)>=.9", "--since", "2026-11-26"),
    ("results", *BASE, "--require", "spearman>=.9", "--nightly"),
)


def test_gates_are_held_on_the_interval_of_a_run_or_refused(
    run: Run, llm: FakeLlm, project: Path, subtests: pytest.Subtests
) -> None:
    bring_in(run, project, 1, rude=1, texts=40)
    run(*SCORE)
    results = ("results", *BASE, "--json")
    status, out, _ = run(*results, "--require", "yes(1)>=.9", "--require", "yes(2)>=.8")
    gates = document(out)[0]["gates"]
    assert (status, [gate["passed"] for gate in gates]) == (0, [True, True])
    assert gates[1]["value"] == pytest.approx(39 / 40)
    assert gates[1]["low"] < 39 / 40 < gates[1]["high"]
    status, out, err = run(*results, "--require", "yes(2)>=.95", "--require", "score>=.9")
    (result,) = document(out)
    assert (status, [gate["passed"] for gate in result["gates"]]) == (4, [False, True])
    assert len([line for line in err.splitlines() if line.startswith("gate ")]) == 2
    assert run(*results, "--require", "spearman>=.1")[0] == 4
    for words in UNUSABLE:
        with subtests.test(words=words):
            status, out, err = run(*words)
            assert (status, len(err.strip().splitlines())) == (2, 1)
            assert out == "" or words[0] == "results"


def test_a_regression_fails_the_nightly_gate_and_a_repair_passes(run: Run, llm: FakeLlm, project: Path) -> None:
    """Each night brings texts that are scored once; from night 3 on every second is rude."""
    gate = ("results", *BASE, "--json", "--require", "yes(2)>=.9", "--nightly")
    failed = []
    for night in range(1, 5):
        bring_in(run, project, night, rude=1 if night < 3 else 6, texts=12)
        assert run(*SCORE, "--new")[0] == 0
        status, out, _ = run(*gate)
        found = document(out)[0]["gates"][0]["nightly"]
        assert (found["nights"], found["values"]) == (night, 12 * night)
        failed.append(status == 4)
    assert failed[:2] == [False] * 2
    assert failed[-1]
    status, out, _ = run(*gate, "--since", (datetime.now(UTC) + timedelta(days=1)).date().isoformat())
    assert (status, document(out)[0]["gates"][0]["nightly"]["nights"]) == (0, 0)


def test_a_text_that_is_scored_again_counts_in_its_first_night(run: Run, llm: FakeLlm, project: Path) -> None:
    gate = ("results", *BASE, "--json", "--require", "yes(2)>=.9", "--require", "score>=.9", "--nightly")
    bring_in(run, project, 1, rude=1, texts=4)
    run(*SCORE, "--new")
    before = document(run(*gate)[1])[0]["gates"]
    bring_in(run, project, 2, texts=2)
    run(*SCORE)
    run(*SCORE, "--no-cache")
    after = document(run(*gate)[1])[0]["gates"]
    assert [each["nightly"]["nights"] for each in (*before, *after)] == [1, 1, 2, 2]
    assert [each["nightly"]["values"] for each in (*before, *after)] == [4, 4, 6, 6]
    assert (after[0]["nightly"]["last"], after[0]["value"]) == (1.0, pytest.approx(5 / 6))
    assert after[1]["value"] == pytest.approx(11 / 12)
