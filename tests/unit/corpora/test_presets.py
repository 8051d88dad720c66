"""The bundled tasks and rubrics."""

import re

import pytest

from app.corpora.presets import PAPERS, PRESETS, _definitions, load_preset, paper_definitions
from app.errors import NotFoundError

DIMENSIONS = {
    "news summaries": {"coherence", "fluency", "consistency", "relevance"},
    "learner essays": {"Overall", "Cohesion", "Syntax", "Vocabulary", "Phraseology", "Grammar", "Conventions"},
    "dialogue": {"naturalness", "coherence", "engagingness", "groundedness", "understandability", "overall"},
    "stories": {"overall"},
    "data to text": {"informativeness", "naturalness", "overall"},
    "factual consistency": {"consistency"},
    "translation": {"quality", "accuracy", "fluency"},
}


def test_all_presets_are_there():
    assert {name: {d.name for d in load_preset(name).dimensions} for name in PRESETS} == DIMENSIONS


@pytest.mark.parametrize("name", PRESETS)
def test_every_preset_is_complete(name):
    preset = load_preset(name)
    assert preset.task.text_name
    assert preset.task.source_name
    assert preset.task.description.endswith(".")
    assert [dimension.position for dimension in preset.dimensions] == list(range(len(preset.dimensions)))
    for dimension in preset.dimensions:
        assert dimension.low < dimension.high
        assert 3 <= len(re.findall(r"[.?!](?:\s|$)", dimension.rubric)) <= 6, dimension.name
        for level in ("low score", "high score"):
            assert level in dimension.rubric
        assert re.search(r"middle score|score near the middle", dimension.rubric)


def test_an_unknown_preset_lists_the_known_ones():
    with pytest.raises(NotFoundError, match="no preset 'poems'") as caught:
        load_preset("poems")
    assert "stories" in caught.value.hint


def test_gptscore_defines_its_22_aspects_and_each_name_once() -> None:
    aspects = _definitions()["gptscore"]["aspects"]
    names = [name for each in aspects for name in (each["name"], *each.get("also", ()))]
    assert len(aspects) == 22
    assert len(names) == len(set(names))
    found = paper_definitions("gptscore")
    assert found["interesting"] == found["interest"]
    assert all(definition.endswith("?") for definition in found.values())


@pytest.mark.parametrize("paper", PAPERS)
def test_a_papers_definitions_are_of_dimensions_in_small_letters(paper: str) -> None:
    found = paper_definitions(paper)
    assert all(name == name.casefold() and definition.strip() for name, definition in found.items())


def test_an_unknown_paper_has_no_definitions() -> None:
    with pytest.raises(NotFoundError):
        paper_definitions("bleu")
