"""A judge whose answers don't depend on the text is named after its first texts."""

import csv
import json
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from app.domain.checklist_score import Answer
from app.providers.base import ChatReply, ChatRequest, Usage
from app.providers.credentials import Credentials
from app.services.results.results import results_of
from app.services.scoring.runs import SAME_ANSWERS, RunOptions, answer_warnings, same_answers, start_run, work_on
from db.unit_of_work import Database
from tests.support.projects import ModelBench, ready_to_score

FRAMING = Path(__file__).resolve().parents[5] / "shared" / "data" / "framing_answers.csv"
YES_NO = ("yes", "no", "yes", "no")


@dataclass
class Answering:
    """Answers the nth request by `answer_of(n)`, one answer a question."""

    answer_of: Callable[[int], tuple[str, ...]] = lambda _: YES_NO
    asked: int = 0
    is_llm: bool = True
    name: str = "llama:small"

    async def complete(self, request: ChatRequest) -> ChatReply:
        keys = (request.schema or {})["properties"]
        self.asked += 1
        return ChatReply(
            json.dumps(dict(zip(keys, self.answer_of(self.asked), strict=True))), self.name, Usage(9, 0, 9)
        )

    async def aclose(self) -> None:
        """Nothing is open."""


@pytest.fixture
def judge(monkeypatch: pytest.MonkeyPatch) -> Answering:
    answering = Answering()
    monkeypatch.setattr(ModelBench, "opener", staticmethod(lambda _: answering), raising=False)
    return answering


@pytest.fixture
def bench(tmp_path: Path, judge: Answering, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelBench]:
    monkeypatch.setenv("LLAMA_BASE_URL", "http://127.0.0.1:1/v1")
    workbench = ModelBench(Database(f"sqlite:///{tmp_path}/workbench.db"), Credentials())
    yield workbench
    workbench.database.close()


def scored(bench: ModelBench) -> int:
    dimension = ready_to_score(bench, questions=4)
    run_id = start_run(bench, 1, RunOptions((dimension,), "llama:small"))
    assert work_on(bench, run_id, concurrency=1).run.done == 12
    return run_id


def test_a_fixed_pattern_is_named_and_stands_beside_the_results(bench: ModelBench) -> None:
    run_id = scored(bench)
    (warning,) = answer_warnings(bench, run_id)
    assert (warning.kind, warning.dimension) == (SAME_ANSWERS, "coherence")
    assert answer_warnings(bench, run_id, after=13) == []
    (result,) = results_of(bench, run_id)
    assert warning.message in result.meta.cautions


def test_one_other_answer_is_enough_to_say_nothing(bench: ModelBench, judge: Answering) -> None:
    judge.answer_of = lambda n: ("yes",) * 4 if n == 5 else YES_NO
    assert answer_warnings(bench, scored(bench)) == []


@pytest.mark.parametrize(
    ("counts", "found"),
    [
        ({1: {Answer.YES: 10}, 2: {Answer.YES: 10}, 3: {Answer.NO: 10}}, {Answer.YES: 2, Answer.NO: 1}),
        ({1: {Answer.YES: 10}, 2: {Answer.YES: 9, Answer.UNANSWERED: 1}, 3: {Answer.NO: 10}}, None),
        ({1: {Answer.YES: 10}, 2: {Answer.YES: 9, Answer.NO: 1}, 3: {Answer.NO: 10}}, None),
        ({1: {Answer.YES: 10}, 2: {Answer.NO: 10}}, None),
        ({1: {Answer.UNANSWERED: 10}, 2: {Answer.NO: 10}, 3: {Answer.NO: 10}}, None),
        ({}, None),
    ],
)
def test_same_answers_needs_three_questions_with_ten_equal_answers(
    counts: dict[int, dict[Answer, int]], found: dict[Answer, int] | None
) -> None:
    assert same_answers(counts, 10) == found


@pytest.mark.skipif(not FRAMING.exists(), reason="the real data set isn't beside the project")
def test_real_judges_on_real_articles_are_not_named() -> None:
    with FRAMING.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    words = {"yes": Answer.YES, "no": Answer.NO, "n/a": Answer.NOT_APPLICABLE}
    for judge in ("gemini_flash", "gemini_pro", "gpt-4o", "llama-31", "gpt-4o-mini", "mistral-v03"):
        articles = list(dict.fromkeys(row["doc_id"] for row in rows))
        for start in range(0, len(articles), 10):
            first = set(articles[start : start + 10])
            counts: dict[str, Counter[Answer]] = {}
            for row in rows:
                if row["doc_id"] in first:
                    counts.setdefault(row["question"], Counter())[words.get(row[judge].strip(), Answer.UNANSWERED)] += 1
            assert same_answers(dict(enumerate(counts.values())), len(first)) is None
