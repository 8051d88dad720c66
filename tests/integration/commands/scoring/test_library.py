"""`import interacteval`: a checklist file judges texts from a script, as the command does; agreement of any scores."""

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from interacteval import Checklist, InputError, WorkbenchError, agreement, compare

from app.meta_evaluation.bootstrap import AgreementDesign
from app.meta_evaluation.evaluation import evaluate
from app.settings import settings
from tests.integration.commands.scoring.test_judge import CHECKLIST
from tests.support.asking_judges import judge_of, steady
from tests.support.console import Run
from tests.support.fake_llm.server import FakeLlm

MODEL = "llama:m"
TEXTS = [f"Dear {n}, thanks." for n in range(6)]


@pytest.fixture
def llm(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeLlm]:
    with FakeLlm(usual=judge_of(steady)) as server:
        monkeypatch.setenv("LLAMA_BASE_URL", f"{server.url}/v1")
        settings.cache_clear()
        yield server


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "tone.json"
    path.write_text(json.dumps(CHECKLIST), encoding="utf-8")
    return path


def test_a_checklist_says_what_it_asks(path: Path) -> None:
    checklist = Checklist.load(path)
    assert (checklist.dimension, checklist.version) == ("tone", 3)
    assert checklist.questions == ("Does it greet?", "Is it kind?", "Does it end well?")
    with pytest.raises(WorkbenchError):
        Checklist.load(path.with_name("none.json"))


def test_scores_are_those_of_the_command(path: Path, llm: FakeLlm, run: Run, tmp_path: Path) -> None:
    rows = [{"text": text, "doc_id": f"d{n}"} for n, text in enumerate(TEXTS)]
    judged = Checklist.load(path).judge(rows, MODEL)
    table = tmp_path / "texts.jsonl"
    table.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    _, printed, _ = run("judge", str(table), "--checklist", str(path), "--judge", MODEL, "--json")
    assert [text["score"] for text in json.loads(printed)["texts"]] == list(judged.scores)
    assert [text.id for text in judged.texts] == [row["doc_id"] for row in rows]
    assert judged.to_json()["mean"] == judged.mean


def test_a_cache_keeps_answers_and_a_notebooks_loop_is_no_trouble(path: Path, llm: FakeLlm, tmp_path: Path) -> None:
    checklist, cache = Checklist.load(path), tmp_path / "answers.db"

    async def cell() -> tuple[float | None, ...]:
        return checklist.judge(TEXTS, MODEL, cache=cache).scores

    first = asyncio.run(cell())
    asked = len(llm.requests)
    assert checklist.judge(TEXTS, MODEL, cache=cache).scores == first
    assert len(llm.requests) == asked


UNUSABLE = [
    [],
    ["One.", " "],
    [{"text": "One.", "author": "x"}],
    [{"text": 1}],
    [{"text": "A.", "doc_id": "1"}, {"text": "B.", "doc_id": "1"}],
]


def test_texts_that_are_none_are_refused_before_anything_is_asked(
    path: Path, llm: FakeLlm, subtests: pytest.Subtests
) -> None:
    for texts in UNUSABLE:
        with subtests.test(texts=texts):
            with pytest.raises(InputError):
                Checklist.load(path).judge(texts, MODEL)
            assert llm.requests == []


def test_agreement_is_that_of_meta_eval() -> None:
    scores, ratings, sources = [1.0, 2, 3, 4, 2, 1], [1, 2, 4, 3, 2, 2], ["a", "a", "a", "b", "b", "b"]
    found = agreement(scores, ratings, group=sources, resamples=50)
    assert found.to_json() == evaluate(scores, ratings, AgreementDesign(group=sources, resamples=50)).to_json()
    assert compare(scores, scores[::-1], ratings, group=sources, resamples=50, permutations=50).to_json()
