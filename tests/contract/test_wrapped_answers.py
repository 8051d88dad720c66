"""Answers wrapped in every way local models wrap them: scores and objects are read from all of them."""

import asyncio
from typing import Any

import pytest

from app.domain.checklist_score import Evaluation
from app.domain.project import Dimension, Task, Text
from app.evaluators.method import EvaluatorContext
from app.evaluators.registry import METHODS
from app.providers.registry import open_model
from tests.support.modern_vendors import ModernVendors

WRAPS = (
    "thinkscore",
    "think",
    "openthink",
    "fence",
    "thinkfence",
    "prose",
    "xml",
    "tool",
    "reasoning",
    "swallowed",
    "swallowed,ollama",
    "harmony",
    "list",
)
FORMS = (",noschema=1", ",noschema=2", ",noschema=3")
"""Servers that know a schema in part or not at all."""


def scored(modern: ModernVendors, options: str, name: str, method: str, **given: Any) -> Evaluation:
    async def run() -> Evaluation:
        model = open_model(name, modern.credentials(options))
        chosen, dimension = METHODS[method], Dimension("coherence", "Parts fit.", *given.pop("scale", (1, 5)))
        setting = EvaluatorContext(model, Task("summary"), dimension, chosen.read_options(given), logprobs=True)
        try:
            return await chosen.make(setting).score(Text("d", "The ferry sails at noon."))
        finally:
            await model.aclose()

    return asyncio.run(run())


@pytest.mark.parametrize(
    ("wrap", "form"),
    [
        *((wrap, "") for wrap in WRAPS),
        *(("prose", form) for form in FORMS),
        *(pytest.param(wrap, form, marks=pytest.mark.long) for wrap in WRAPS if wrap != "prose" for form in FORMS),
    ],
)
def test_a_wrapped_answer_gives_its_score(modern: ModernVendors, wrap: str, form: str) -> None:
    options = f"wrap={wrap}{form}"
    assert scored(modern, options, "llama:qwen3:8b", "llm-score").value == 4
    assert scored(modern, options, "llama:qwen3:8b", "llm-score-cot").value == 4
    assert len(scored(modern, options, "llama:qwen3:8b", "coascore", aspects=5).details["aspects"]) == 5


@pytest.mark.parametrize("cut", ["whole", "digits", "frac", "space", "bold", "wide", "words"])
@pytest.mark.parametrize(("shares", "mean"), [("10:0.6;1:0.1;9:0.3", 8.8), ("8:0.7;9:0.2;7:0.1", 8.1)])
def test_however_a_score_is_cut_into_tokens_its_expectation_is_the_same(
    modern: ModernVendors, cut: str, shares: str, mean: float
) -> None:
    options = f"tokens={cut},score={shares}"
    found = scored(modern, options, "openai:gpt-4.1", "g-eval", scale=(1, 10))
    assert found.value == pytest.approx(mean, abs=1e-3)
    assert "samples" not in found.details


@pytest.mark.parametrize(
    ("options", "judge"),
    [
        ("plain", "openai:gpt-6-sol"),
        ("plain", "openai:gpt-6.2-astra"),
        ("plain", "google:gemini-3-flash"),
        ("nologprobs=1", "llama:qwen3:8b"),
        ("nologprobs=2", "llama:qwen3:8b"),
    ],
)
def test_a_judge_without_log_probabilities_gives_samples(modern: ModernVendors, options: str, judge: str) -> None:
    assert scored(modern, options, judge, "g-eval", samples=3).details["samples"] == 3
