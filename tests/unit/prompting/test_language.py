"""The project's language reaches every prompt; for English the words are those that answers were paid for with."""

import pytest

from app.prompting import available_prompts, load_prompt
from app.prompting.library import example_variables

SILENT_IN_ENGLISH = (
    *("check-eval-filter", "coascore-scores", "coascore-target", "g-eval-score"),
    *("gptscore", "gptscore-boolean", "llm-score", "llm-score-cot"),
)


def said(name: str, language: str, version: int | None = None) -> tuple[str, str]:
    template = load_prompt(name, version)
    values = example_variables(template)
    assert values is not None
    asked = template.render(**{**values, "task": {**values["task"], "language": language}})
    return asked.system, asked.user


@pytest.mark.parametrize("name", available_prompts())
def test_every_prompt_names_the_language(name: str) -> None:
    assert "Portuguese" in "".join(said(name, "Portuguese"))


@pytest.mark.parametrize("name", SILENT_IN_ENGLISH)
def test_an_english_project_asks_as_before_so_that_paid_answers_count(name: str) -> None:
    assert said(name, "English", 2) == said(name, "English", 1)


def test_reasoning_is_asked_for_in_the_language_but_the_scores_label_stays() -> None:
    system, _ = said("llm-score-cot", "Portuguese")
    assert "Write your reasoning in Portuguese" in system
    assert system.endswith("Final score: <number>")
