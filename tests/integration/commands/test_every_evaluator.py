"""`score --evaluator NAME` for every name there is: it works, or one sentence says what it needs."""

from importlib.util import find_spec

import pytest

from app.domain.project import Dimension, Rating, Task, Text
from app.services.runtime.workbench import open_workbench
from app.services.scoring.evaluators import EVALUATORS
from tests.support.console import Run

NEEDS = {
    "checklist": "no published checklist",
    "g-eval": "needs an LLM as its judge",
    "coascore": "needs an LLM as its judge",
    "llm-score": "needs an LLM as its judge",
    "llm-score-cot": "needs an LLM as its judge",
    "check-eval": "needs an LLM as its judge",
    "gptscore": "log-probability of every token of a given text",
    "meteor": "python -m nltk.downloader wordnet",
    **dict.fromkeys(("bertscore", "moverscore", "bartscore", "unieval"), "“neural”"),
}
WORKS = {"rouge-1", "rouge-2", "rouge-l", "bleu", "chrf"}
SCORE = ("score", "--project", "Referenced", "--evaluator")
HAS_TORCH = all(find_spec(package) for package in ("torch", "transformers"))


def referenced() -> None:
    workbench = open_workbench()
    with workbench.database.write() as work:
        project = work.projects.add("Referenced", Task("summary"))
        dimension = work.projects.add_dimension(project.id, Dimension("fluency"))
        texts = [Text(f"d{n}", f"The cat sat {n}.", source="s", references=("The cat sat down.",)) for n in range(3)]
        work.texts.add_many(project.id, texts)
        ids = work.texts.ids_by_key(project.id)
        work.texts.add_ratings([(ids[t.key], dimension.id, Rating("fluency", "r", 3.0)) for t in texts])


def test_the_list_is_whole() -> None:
    assert set(EVALUATORS) == WORKS | NEEDS.keys()


def test_it_works_or_one_sentence_says_what_it_needs(run: Run, subtests: pytest.Subtests) -> None:
    referenced()
    for name in EVALUATORS:
        with subtests.test(name=name):
            status, out, err = run(*SCORE, name)
            if name in WORKS:
                assert (status, "3 of 3 scored" in out) == (0, True), err
                continue
            if name == "meteor" and status == 0:
                continue  # WordNet is here
            assert status == 2, out
            assert len(err.strip().splitlines()) == 1, err
            assert ("is not on this computer" if HAS_TORCH and NEEDS[name] == "“neural”" else NEEDS[name]) in err


def test_gptscore_never_asks_for_a_key_it_could_not_use(run: Run, subtests: pytest.Subtests) -> None:
    referenced()
    for judge in ("openai:gpt-4o", "anthropic:claude-opus-5", "google:gemini-3.8-flash"):
        with subtests.test(judge=judge):
            status, _, err = run(*SCORE, "gptscore", "--judge", judge)
            assert status == 2
            assert "can't give" in err
            assert "KEY" not in err
