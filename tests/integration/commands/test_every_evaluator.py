"""`score --evaluator NAME` for every name there is: it works, or one sentence says what it needs."""

from importlib.util import find_spec

import pytest
from typer.testing import CliRunner

from app.cli import build
from app.domain.project import Dimension, Rating, Task, Text
from app.errors import WorkbenchError
from app.services.runtime.workbench import open_workbench
from app.services.scoring.evaluators import EVALUATORS

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


def score(name: str, *more: str) -> tuple[int, str]:
    """Exit status, and what the person reads."""
    done = CliRunner().invoke(build(), ["score", "--project", "Referenced", "--evaluator", name, *more])
    if isinstance(done.exception, WorkbenchError):  # printed by the console entry
        return done.exception.exit_status, str(done.exception)
    return done.exit_code, done.output


def test_the_list_is_whole() -> None:
    assert set(EVALUATORS) == WORKS | NEEDS.keys()


@pytest.mark.parametrize("name", EVALUATORS)
def test_it_works_or_one_sentence_says_what_it_needs(name: str) -> None:
    referenced()
    status, said = score(name)
    if name in WORKS:
        assert (status, "3 of 3 scored" in said) == (0, True), said
        return
    if name == "meteor" and status == 0:
        return  # WordNet is here
    assert status == 2, said
    assert len(said.strip().splitlines()) == 1, said
    assert ("is not on this computer" if HAS_TORCH and NEEDS[name] == "“neural”" else NEEDS[name]) in said


@pytest.mark.parametrize("judge", ["openai:gpt-4o", "anthropic:claude-opus-5", "google:gemini-3.8-flash"])
def test_gptscore_never_asks_for_a_key_it_could_not_use(judge: str) -> None:
    referenced()
    status, said = score("gptscore", "--judge", judge)
    assert status == 2
    assert "can't give" in said
    assert "KEY" not in said
